// A window of several folders.
import path from 'node:path';
import type { Editor } from './editor.js';
import { type EditorWindow, openWindow } from './window.js';

const OPENINGS = 3;

/**
 * Opens a `.code-workspace`. VS Code's server, when it is busy, now and then shows one as a workspace without folders and
 * leaves it so; it is then reloaded, as a person would, so that a scene is about our extension.
 */
export async function openWorkspaceFile(editor: Editor, file: string): Promise<EditorWindow> {
  const evidence = path.dirname(await editor.screenshot('before'));
  const url = `${editor.server.url}/?${new URLSearchParams({ workspace: file }).toString()}`;
  const window = await openWindow({ page: await editor.context.newPage(), url, evidence });
  const roots = window.page.locator('.explorer-folders-view .monaco-list-row');
  for (let opening = 1; opening < OPENINGS; opening++) {
    const hasFolders = await roots
      .first()
      .waitFor({ timeout: 15_000 })
      .then(() => true)
      .catch(() => false);
    if (hasFolders) return window;
    await window.screenshot(`no-folders-${String(opening)}`);
    await window.reload();
  }
  await roots.first().waitFor();
  return window;
}
