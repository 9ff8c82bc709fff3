/** Takes a session out of Bough, as a text to read or as its log, and a log from elsewhere in. */
import path from 'node:path';
import * as vscode from 'vscode';
import type { SessionLog } from '../../log/store.js';
import { asks } from '../asks.js';
import type { Chats } from '../chat/chats.js';
import { mapConversation } from '../export/blocks.js';
import { readConversation } from '../export/conversation.js';
import { exportBlobs } from '../export/blobs.js';
import { writeHtml } from '../export/html.js';
import { exportLines, newTally } from '../export/log-lines.js';
import { writeMarkdown } from '../export/markdown.js';
import type { Clean } from '../export/redact-line.js';
import { collect, writeWhole, type Chunks } from '../export/write-file.js';
import type { LostEntry } from '../../log/store.js';
import { catchUpUnlessGone, placesOf } from '../sessions/gone.js';
import type { OpenSessions } from '../sessions/open-sessions.js';
import type { SessionsTree } from '../sessions/tree.js';
import type { WindowStore } from '../sessions/window-store.js';
import type { Teller } from '../tell.js';
import type { Commands } from './commands.js';
import { importWords } from '../sessions/import-words.js';
import { askSessionFile, continueCopy, fileOf } from './copies.js';
import { sessionOf, type Targets } from './target.js';

export interface ExportCommandParts {
  store: WindowStore;
  sessions: OpenSessions;
  chats: Chats;
  tree: SessionsTree;
  targets: Targets;
  tell: Teller;
  /** Takes keys out of a text that leaves this computer, maybe. */
  clean: Clean;
}

type Name = `bough.session.${'export' | 'import'}`;

const formats = ['markdown', 'html', 'jsonl'] as const;
type Format = (typeof formats)[number];

const kinds: Readonly<Record<Format, { label: string; ending: string }>> = {
  markdown: { label: 'Markdown', ending: 'md' },
  html: { label: 'HTML', ending: 'html' },
  jsonl: { label: 'JSONL', ending: 'jsonl' },
};

export function exportCommands(parts: ExportCommandParts): Pick<Commands, Name> {
  return {
    'bough.session.export': async (target, format, uri) => {
      const id = await sessionOf(target, parts.targets);
      const wanted = formatOf(format) ?? (await pickFormat());
      if (wanted === undefined) return;
      const session = await parts.sessions.open(id);
      const to = uriOf(uri) ?? (await askTarget(parts.clean(session.title()), wanted));
      if (to === undefined) return;
      const said = await exportAs(
        session.agent.log,
        { format: wanted, title: session.title(), to },
        parts.clean,
      );
      parts.tell.info(said, {
        [vscode.l10n.t('Open')]: () => vscode.commands.executeCommand('vscode.open', to),
      });
    },
    'bough.session.import': async (given) => {
      const file =
        fileOf(given) ?? (await askSessionFile(vscode.l10n.t('Import Session'), vscode.l10n.t('Import')));
      if (file === undefined) return;
      const log = await parts.store.openFile(file);
      await continueCopy(parts, log.id);
      const said = importWords(log);
      if (said !== undefined) parts.tell.warn(said);
    },
  };
}

function formatOf(given: unknown): Format | undefined {
  if (given === undefined) return undefined;
  const format = formats.find((known) => known === given);
  if (format === undefined)
    throw new Error(`There is no export as ${JSON.stringify(given)}; it is one of ${formats.join(', ')}.`);
  return format;
}

function uriOf(given: unknown): vscode.Uri | undefined {
  if (given instanceof vscode.Uri) return given;
  if (typeof given !== 'string' || given === '') return undefined;
  return path.isAbsolute(given) ? vscode.Uri.file(given) : vscode.Uri.parse(given, true);
}

async function pickFormat(): Promise<Format | undefined> {
  const about: Readonly<Record<Format, string>> = {
    markdown: vscode.l10n.t('the line that is shown, as text'),
    html: vscode.l10n.t('the line that is shown, as one page without scripts'),
    jsonl: vscode.l10n.t('the log itself, with all branches; Bough can import it'),
  };
  const items = formats.map((format) => ({
    label: kinds[format].label,
    description: about[format],
    format,
  }));
  const picked = await asks.showQuickPick(items, {
    title: vscode.l10n.t('Export Session'),
    placeHolder: vscode.l10n.t('What has the shape of a key is taken out in every format.'),
  });
  return picked?.format;
}

async function askTarget(title: string, format: Format): Promise<vscode.Uri | undefined> {
  const { label, ending } = kinds[format];
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const name = `${fileName(title)}.${ending}`;
  return asks.showSaveDialog({
    title: vscode.l10n.t('Export Session'),
    saveLabel: vscode.l10n.t('Export'),
    filters: { [label]: [ending] },
    ...(folder === undefined ? {} : { defaultUri: vscode.Uri.joinPath(folder, name) }),
  });
}

/** What every file system takes. */
function fileName(title: string): string {
  const words = title
    .replace(/[^\p{L}\p{N} _-]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return [...words].slice(0, 60).join('').trim() || 'session';
}

interface Wish {
  format: Format;
  title: string;
  to: vscode.Uri;
}

/** Resolves with what was done, in a sentence. */
async function exportAs(log: SessionLog, { format, title, to }: Wish, clean: Clean): Promise<string> {
  await catchUpUnlessGone(log);
  if (format === 'jsonl') return exportLog(log, to, clean);
  const read = await readConversation(log, title);
  const { conversation, changed } = mapConversation(read, clean);
  const text = format === 'html' ? writeHtml(conversation) : writeMarkdown(conversation);
  await write(to, once(new TextEncoder().encode(text)));
  return [exported(to), ...lostWords(read.lost), ...redactedWords(changed, 'text')].join(' ');
}

async function exportLog(log: SessionLog, to: vscode.Uri, clean: Clean): Promise<string> {
  const tally = newTally();
  await write(to, exportLines(log, clean, tally));
  const folder = to.with({ path: blobFolder(to.path) });
  const { written, left, unread } = await exportBlobs(log.blobs, tally.hashes, {
    clean,
    put: async (hash, bytes) => {
      await vscode.workspace.fs.createDirectory(folder);
      await write(vscode.Uri.joinPath(folder, hash), once(bytes));
    },
  });
  const beside = vscode.workspace.asRelativePath(folder);
  return [
    exported(to),
    ...lostWords(tally.lost),
    ...redactedWords(tally.redacted, 'line'),
    ...(written === 0
      ? []
      : [vscode.l10n.t('Attachments and long texts ({0}) are beside it in {1}.', written, beside)]),
    ...(left === 0 ? [] : [vscode.l10n.t('Long texts that hold keys were left out ({0}).', left)]),
    ...(unread.length === 0
      ? []
      : [
          vscode.l10n.t(
            'Attachments and long texts that cannot be read were left out ({0}): {1}.',
            unread.length,
            unread.join(', '),
          ),
        ]),
  ].join(' ');
}

/** Where a reader of the log looks for them: the log's name without its ending. */
const blobFolder = (path: string): string =>
  path.endsWith('.jsonl') ? path.slice(0, -'.jsonl'.length) : `${path}.blobs`;

const exported = (to: vscode.Uri): string =>
  vscode.l10n.t('Exported to {0}.', vscode.workspace.asRelativePath(to));

function lostWords(lost: readonly LostEntry[]): string[] {
  if (lost.length === 0) return [];
  return [
    vscode.l10n.t(
      'The file of the session is gone: what {0} of its entries held could not be had any more; each is named in its place ({1}).',
      lost.length,
      placesOf(lost),
    ),
  ];
}

function redactedWords(count: number, what: 'line' | 'text'): string[] {
  if (count === 0) return [];
  return [
    what === 'line'
      ? vscode.l10n.t('Keys were taken out of {0} lines; all others are byte for byte the log.', count)
      : vscode.l10n.t('Keys were taken out of {0} texts.', count),
  ];
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

async function write(to: vscode.Uri, chunks: Chunks): Promise<void> {
  if (to.scheme === 'file') await writeWhole(to.fsPath, chunks);
  else await vscode.workspace.fs.writeFile(to, await collect(chunks));
}
