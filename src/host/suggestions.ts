/** Prompts an empty chat offers: made from the files of this workspace, or the demo's own. */
import * as vscode from 'vscode';
import type { ModelView } from '../shared/protocol.js';
import { filesMatching } from './editor/files-matching.js';

export const demoPrompts = [
  'What is in this folder?',
  '/demo edit',
  '/demo rate-limit',
  '/demo drop',
  '/demo branch',
  '/demo crash',
] as const;

const sources = '**/*.{ts,tsx,js,jsx,mjs,py,go,rs,java,kt,cs,rb,php,swift,c,cpp,h,vue,svelte,scala,dart}';
const ignored = '**/{node_modules,dist,out,build,target,vendor,.git,.venv}/**';

/** Looks once; what it finds is offered from then on. */
export async function lookForPrompts(): Promise<string[]> {
  const [[readme], files] = await Promise.all([
    filesMatching('{README,README.md,Readme.md,readme.md}', undefined, 1),
    filesMatching(sources, ignored, 40),
  ]);
  const shown = (uri: vscode.Uri) => vscode.workspace.asRelativePath(uri, false);
  const byDepth = files
    .map(shown)
    .sort((a, b) => a.split('/').length - b.split('/').length || a.localeCompare(b));
  const [first] = byDepth;
  return [
    vscode.l10n.t('What is in this folder?'),
    ...(first === undefined ? [] : [vscode.l10n.t('Explain {0}', first)]),
    ...(readme ? [vscode.l10n.t('Does {0} still say what the code does?', shown(readme))] : []),
  ];
}

/** What a folder that is not trusted does not let it show is not offered there, nor what asks about a folder without one. */
export function suggestionsFor(
  model: ModelView | null,
  found: readonly string[],
  { isTrusted, hasFolder }: { isTrusted: boolean; hasFolder: boolean },
): string[] {
  if (model?.demo !== true) return hasFolder ? [...found] : [];
  return demoPrompts.filter(
    (prompt) => (isTrusted || !changing.has(prompt)) && (hasFolder || prompt !== demoPrompts[0]),
  );
}

const changing: ReadonlySet<string> = new Set(['/demo edit']);
