/** Uncommitted changes, asked of VS Code's own git extension: Bough itself never runs git. */
import * as vscode from 'vscode';
import type { Mention } from '../../shared/protocol.js';
import { Refusal } from '../errors.js';
import { cap } from './cap.js';
import { MOST_CHARS, shownPath } from './shown-path.js';

/** The part of that extension's API (version 1) that is used here. */
interface Change {
  readonly uri: vscode.Uri;
}
interface Repository {
  readonly rootUri: vscode.Uri;
  readonly state: {
    readonly HEAD?: { readonly name?: string };
    readonly indexChanges: readonly Change[];
    readonly workingTreeChanges: readonly Change[];
    readonly untrackedChanges: readonly Change[];
  };
  diff(cached?: boolean): Promise<string>;
}
interface GitExtension {
  readonly enabled: boolean;
  getAPI(version: 1): { readonly repositories: readonly Repository[] };
}

async function repositories(): Promise<readonly Repository[]> {
  const extension = vscode.extensions.getExtension<GitExtension>('vscode.git');
  if (extension === undefined) return [];
  const git = extension.isActive ? extension.exports : await extension.activate();
  return git.enabled ? git.getAPI(1).repositories : [];
}

/** Those that are known by now; nothing is started for it. */
export function hasRepository(): boolean {
  const extension = vscode.extensions.getExtension<GitExtension>('vscode.git');
  if (extension?.isActive !== true || !extension.exports.enabled) return false;
  return extension.exports.getAPI(1).repositories.length > 0;
}

export async function changesMention(): Promise<Mention> {
  const found = await repositories();
  if (found.length === 0) throw new Refusal(noRepository);
  const texts = await Promise.all(found.map(changesOf));
  return {
    kind: 'git',
    label: 'Uncommitted changes',
    text: cap(texts.join('\n\n'), MOST_CHARS),
  };
}

async function changesOf(repository: Repository): Promise<string> {
  const { rootUri, state } = repository;
  const [staged, unstaged] = await Promise.all([repository.diff(true), repository.diff(false)]);
  const inDiff = new Set(state.indexChanges.map(({ uri }) => uri.toString()));
  const diffed = (uri: vscode.Uri) =>
    inDiff.has(uri.toString()) || unstaged.includes(`b/${relative(rootUri, uri)}`);
  const isNew = [...state.untrackedChanges, ...state.workingTreeChanges].filter(({ uri }) => !diffed(uri));
  const names = [...new Set(isNew.map(({ uri }) => shownPath(uri)))].sort();
  const parts = [
    ...(staged === '' ? [] : [`Staged:\n${staged}`]),
    ...(unstaged === '' ? [] : [`Not staged:\n${unstaged}`]),
    ...(names.length === 0 ? [] : [`Not known to git yet:\n${names.join('\n')}`]),
  ];
  const head = `On ${state.HEAD?.name ?? 'no branch'} of ${shownPath(rootUri)}`;
  return `${head}\n${parts.length === 0 ? 'There are no changes.' : parts.join('\n')}`;
}

const relative = (root: vscode.Uri, uri: vscode.Uri): string => uri.path.slice(root.path.length + 1);

const noRepository = {
  kind: 'refused' as const,
  message:
    "VS Code's git extension knows no repository here: it may be turned off, or the folder is not trusted or not under git.",
  transient: false,
};
