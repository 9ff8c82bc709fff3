/**
 * Prompt files: `.github/prompts/*.prompt.md` of trusted folders and those of the person's VS Code. They are text that
 * the person sends; what their heads say of models, tools and modes changes nothing here.
 */
import * as vscode from 'vscode';
import { isFailure, type Failure } from '../../shared/failure.js';
import type { SlashOffer } from '../../shared/protocol.js';
import type { Workspace } from '../../ports.js';
import { asks } from '../asks.js';
import { Refusal } from '../errors.js';
import { cap } from './cap.js';
import { oneLine, readFrontMatter } from './frontmatter.js';
import type { LeftOut } from './left-out.js';
import { expandVariables } from './prompt-variables.js';
import { lastEditor } from './selection.js';
import { shownPath } from './shown-path.js';

const ENDING = '.prompt.md';
const IN_FOLDER = '.github/prompts';
const LONGEST = 100_000;
const LONGEST_DESCRIPTION = 200;

export interface PromptFilesParts {
  workspace: Pick<Workspace, 'folders' | 'trusted' | 'resolve' | 'list' | 'read'>;
  /** Where the person keeps those of their own. */
  own: vscode.Uri;
  leftOut: LeftOut;
}

interface PromptFile extends SlashOffer {
  body: string;
}

/** Each name once: of two with one name the first counts. */
export async function findPrompts(parts: PromptFilesParts): Promise<PromptFile[]> {
  const found = new Map<string, PromptFile>();
  for (const { file, text } of [...(await ofFolders(parts)), ...(await ofPerson(parts))]) {
    const { fields, body } = readFrontMatter(text);
    const name = (fields.get('name') || file.slice(0, -ENDING.length)).trim().replace(/\s+/g, '-');
    const hint = oneLine(fields.get('argument-hint') ?? '', LONGEST_DESCRIPTION);
    if (name === '' || name.includes('/') || found.has(name)) continue;
    found.set(name, {
      kind: 'prompt',
      name,
      description: oneLine(fields.get('description') || body, LONGEST_DESCRIPTION),
      ...(hint === '' ? {} : { hint }),
      body: cap(body.trim(), LONGEST),
    });
  }
  return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

interface FoundFile {
  file: string;
  text: string;
}

async function ofFolders({ workspace, leftOut }: PromptFilesParts): Promise<FoundFile[]> {
  if (!workspace.trusted) return [];
  const folders = workspace.folders();
  const found: FoundFile[] = [];
  for (const { name } of folders) {
    const base = folders.length > 1 ? `${name}/${IN_FOLDER}` : IN_FOLDER;
    const at = await workspace.resolve(base);
    const entries = isFailure(at) ? at : await workspace.list(at);
    if (isFailure(entries)) {
      const isMissing = entries.code === 'missing';
      leftOut(base, isMissing ? null : `no prompt file of ${base} is offered: ${entries.message}`);
      continue;
    }
    leftOut(base, null);
    for (const file of promptNames(entries.map((entry) => entry.name))) {
      const path = await workspace.resolve(`${base}/${file}`);
      const read = isFailure(path) ? path : await workspace.read(path);
      leftOut(`${base}/${file}`, isFailure(read) ? wordsOf(`${base}/${file}`, read.message) : null);
      if (!isFailure(read)) found.push({ file, text: read.text });
    }
  }
  return found;
}

async function ofPerson({ own, leftOut }: PromptFilesParts): Promise<FoundFile[]> {
  const entries = await orReason(vscode.workspace.fs.readDirectory(own));
  if (entries instanceof vscode.FileSystemError) {
    const isMissing = entries.code === 'FileNotFound';
    leftOut(own.fsPath, isMissing ? null : `no prompt file of ${own.fsPath} is offered: ${entries.message}`);
    return [];
  }
  leftOut(own.fsPath, null);
  const found: FoundFile[] = [];
  for (const file of promptNames(entries.map(([name]) => name))) {
    const uri = vscode.Uri.joinPath(own, file);
    const bytes = await orReason(vscode.workspace.fs.readFile(uri));
    const isRead = !(bytes instanceof vscode.FileSystemError);
    leftOut(uri.fsPath, isRead ? null : wordsOf(uri.fsPath, bytes.message));
    if (isRead) found.push({ file, text: new TextDecoder().decode(bytes) });
  }
  return found;
}

async function orReason<T>(reading: Thenable<T>): Promise<T | vscode.FileSystemError> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof vscode.FileSystemError) return error;
    throw error;
  }
}

const wordsOf = (path: string, reason: string): string => `the prompt file ${path} is left out: ${reason}`;

const promptNames = (names: readonly string[]): string[] =>
  names.filter((name) => name.endsWith(ENDING)).sort();

export async function expandPrompt(parts: PromptFilesParts, name: string): Promise<string> {
  const prompt = (await findPrompts(parts)).find((other) => other.name === name);
  if (prompt === undefined) throw new Refusal(noPrompt(name));
  const editor = lastEditor();
  const selected = editor?.document.getText(editor.selection);
  const [folder] = vscode.workspace.workspaceFolders ?? [];
  const text = await expandVariables(prompt.body, {
    selection: selected === '' ? undefined : selected,
    file: editor === undefined ? undefined : shownPath(editor.document.uri),
    workspaceFolder: folder?.uri.fsPath,
    input: async (input, hint) =>
      asks.showInputBox({
        title: vscode.l10n.t('Prompt {0}', name),
        prompt: hint ?? input,
        ignoreFocusOut: true,
      }),
  });
  if (text === undefined) throw new Refusal(cancelled);
  return text;
}

const cancelled: Failure = { kind: 'cancelled', message: 'Cancelled.', transient: false };

const noPrompt = (name: string): Failure => ({
  kind: 'refused',
  message: `There is no prompt file "${name}" here any more.`,
  transient: false,
});
