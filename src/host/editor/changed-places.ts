/**
 * Marks in open files the lines that this line of the conversation made and that were neither kept nor undone: an edge
 * beside them and a mark in the ruler, with ways to look, keep and undo. Keeping or undoing them takes the marks away.
 */
import { structuredPatch } from 'diff';
import * as vscode from 'vscode';
import type { FileChangeOfLine } from '../../agent/review.js';
import type { AgentSession } from '../../agent/types.js';
import type { Disposable } from '../../ports.js';
import { endLastLines } from '../../shared/last-line.js';
import { createBag } from '../disposables.js';

/** Comparing is given up after this: a file that was written anew needs no marks. */
const TIMEOUT_MS = 200;
const PAUSE_MS = 200;

export interface ChangedPlacesParts {
  /** The session on show; undefined while there is none. */
  agent: () => AgentSession | undefined;
  onError: (error: unknown) => void;
}

export interface ChangedPlaces extends Disposable {
  /** Something was changed, kept or undone, or another line is on show. */
  refresh(): void;
}

export function createChangedPlaces(parts: ChangedPlacesParts): ChangedPlaces {
  const bag = createBag();
  const mark = bag.add(vscode.window.createTextEditorDecorationType(look));
  let round = 0;
  let timer: NodeJS.Timeout | undefined;
  const draw = async (): Promise<void> => {
    const mine = ++round;
    const agent = parts.agent();
    const editors = vscode.window.visibleTextEditors.filter(({ document }) => isOnDisk(document));
    const changes = agent === undefined || editors.length === 0 ? [] : await agent.fileChanges();
    for (const editor of editors) {
      const change = changes.find(({ uri }) => uri === editor.document.uri.toString());
      const places = change === undefined || agent === undefined ? [] : await placesOf(agent, change, editor);
      // A later question has the later answer.
      if (mine !== round) return;
      editor.setDecorations(mark, places);
    }
  };
  const refresh = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => void draw().catch(parts.onError), PAUSE_MS);
  };
  bag.add(vscode.window.onDidChangeVisibleTextEditors(refresh));
  bag.add(
    vscode.workspace.onDidChangeTextDocument(({ document }) => {
      if (isOnDisk(document)) refresh();
    }),
  );
  return {
    refresh,
    dispose: () => {
      round += 1;
      clearTimeout(timer);
      bag.dispose();
    },
  };
}

const isOnDisk = ({ uri }: vscode.TextDocument): boolean =>
  vscode.workspace.getWorkspaceFolder(uri) !== undefined;

const edge = new vscode.ThemeColor('editorGutter.modifiedBackground');
const look: vscode.DecorationRenderOptions = {
  isWholeLine: true,
  borderStyle: 'solid',
  borderWidth: '0 0 0 2px',
  borderColor: edge,
  overviewRulerColor: edge,
  overviewRulerLane: vscode.OverviewRulerLane.Left,
};

async function placesOf(
  agent: AgentSession,
  { before }: FileChangeOfLine,
  { document }: vscode.TextEditor,
): Promise<vscode.DecorationOptions[]> {
  const bytes = before === null ? new Uint8Array() : await agent.log.blobs.get(before);
  const old = await vscode.workspace.decode(bytes, { uri: document.uri });
  const options = { context: 0, timeout: TIMEOUT_MS };
  const flat = (text: string): string => text.replaceAll('\r\n', '\n');
  const patch = structuredPatch(
    '',
    '',
    ...endLastLines(flat(old), flat(document.getText())),
    '',
    '',
    options,
  );
  const hoverMessage = words(document.uri);
  return (patch?.hunks ?? []).map(({ newStart, newLines }) => ({
    range: document.validateRange(
      new vscode.Range(newStart - 1, 0, newStart - 1 + Math.max(newLines - 1, 0), Number.MAX_SAFE_INTEGER),
    ),
    hoverMessage,
  }));
}

function words(uri: vscode.Uri): vscode.MarkdownString {
  const commands = ['bough.branch.reviewFiles', 'bough.branch.keepFiles', 'bough.branch.undoFiles'] as const;
  const [review, keep, undo] = commands.map((name) => {
    const given = encodeURIComponent(JSON.stringify([{ file: uri.toString() }]));
    return `command:${name}?${given}`;
  });
  const text = new vscode.MarkdownString(
    `${vscode.l10n.t('Changed by Bough')} · [${vscode.l10n.t('Review')}](${review}) · ` +
      `[${vscode.l10n.t('Keep')}](${keep}) · [${vscode.l10n.t('Undo…')}](${undo})`,
  );
  text.isTrusted = { enabledCommands: commands };
  return text;
}
