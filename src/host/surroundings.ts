/** Facts about this machine and workspace for the system prompt, read anew for each turn. */
import os from 'node:os';
import * as vscode from 'vscode';
import type { Surroundings } from '../agent/types.js';
import { trustedFolders } from './trust.js';

const LONGEST = 100_000;

export async function readSurroundings(shell: string): Promise<Surroundings> {
  const folders = trustedFolders();
  const files = await Promise.all(folders.map((folder) => readInstructions(folder, folders.length > 1)));
  return {
    system: `${os.type()} ${os.release()} (${os.arch()})`,
    shell,
    date: localDay(new Date()),
    instructions: files.filter((file) => file !== undefined),
  };
}

async function readInstructions(
  folder: vscode.WorkspaceFolder,
  isOneOfMany: boolean,
): Promise<Surroundings['instructions'][number] | undefined> {
  const path = isOneOfMany ? `${folder.name}/AGENTS.md` : 'AGENTS.md';
  const bytes = await readIfThere(vscode.Uri.joinPath(folder.uri, 'AGENTS.md'));
  if (bytes === undefined) return undefined;
  const text = new TextDecoder().decode(bytes).trim();
  if (text === '') return undefined;
  if (text.length <= LONGEST) return { path, text };
  return {
    path,
    text: `${text.slice(0, LONGEST).toWellFormed()}\n[The rest of this file is left out: it has ${text.length} characters.]`,
  };
}

async function readIfThere(uri: vscode.Uri): Promise<Uint8Array | undefined> {
  try {
    return await vscode.workspace.fs.readFile(uri);
  } catch (error) {
    if (error instanceof vscode.FileSystemError && error.code === 'FileNotFound') return undefined;
    throw error;
  }
}

function localDay(date: Date): string {
  const two = (value: number) => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
