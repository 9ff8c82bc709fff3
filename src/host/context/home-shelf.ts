/** A folder of the person's home on the machine that the extension runs on. */
import os from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { toolFailure } from '../../shared/failure.js';
import type { Outcome } from '../../ports.js';
import type { Shelf } from './skills.js';

const LARGEST = 1024 * 1024;

export function homeShelf(folder: string): Shelf {
  const root = vscode.Uri.file(path.join(os.homedir(), folder));
  return {
    base: `~/${folder}`,
    names: async () => {
      const entries = (await ifThere(vscode.workspace.fs.readDirectory(root))) ?? [];
      return entries.flatMap(([name, type]) => ((type & vscode.FileType.Directory) === 0 ? [] : [name]));
    },
    read: async (file) => {
      const uri = vscode.Uri.joinPath(root, file);
      const stat = await ifThere(vscode.workspace.fs.stat(uri));
      if (stat === undefined || (stat.type & vscode.FileType.File) === 0) return undefined;
      if (stat.size > LARGEST) return toolFailure('too-large', `${file} is larger than 1 MB.`);
      return readText(uri, file);
    },
  };
}

/** Undefined for what is not there, or may not be looked at. */
async function ifThere<T>(reading: Thenable<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof vscode.FileSystemError) return undefined;
    throw error;
  }
}

/** What is there and cannot be read is a failure like any other: nothing else ends with it. */
async function readText(uri: vscode.Uri, file: string): Promise<Outcome<string>> {
  try {
    const text = textOf(await vscode.workspace.fs.readFile(uri));
    return text ?? toolFailure('no-text', `${file} is no text in UTF-8.`);
  } catch (error) {
    if (!(error instanceof vscode.FileSystemError)) throw error;
    return toolFailure('unreadable', `${file} cannot be read: ${error.message}`);
  }
}

function textOf(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}
