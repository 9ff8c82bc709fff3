/** Where this window's sessions are, opened: the store of its folder, what the side bar shows, drafts. */
import os from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { ActiveSessions } from '../log/active-sessions.js';
import { DraftFiles } from '../log/draft.js';
import { FileStore } from '../log/file-store.js';
import { LockTable } from '../log/lock-table.js';
import { createNodeFiles } from '../log/node-files.js';
import type { SessionStore } from '../log/store.js';
import { openWorkspace } from '../log/workspace-key.js';
import type { Clock, Ids } from '../ports.js';
import type { Failure } from '../shared/failure.js';
import { activeSession, type ActiveSession } from './sessions/active.js';
import type { ReadSetting } from './model/settings.js';
import type { Teller } from './tell.js';

export interface Storage {
  store: SessionStore;
  /** URI of the folder the sessions belong to; undefined in a window without one. */
  folder: string | undefined;
  active: ActiveSession;
  drafts: DraftFiles;
  close(): Promise<void>;
}

export interface StorageParts {
  context: Pick<vscode.ExtensionContext, 'globalStorageUri' | 'extension'>;
  readSetting: ReadSetting;
  clock: Clock;
  ids: Ids;
  onTrouble: (error: Error) => void;
  /** A setting that cannot be followed. */
  onSetting: (failure: Failure) => void;
}

export async function openStorage(parts: StorageParts): Promise<Storage> {
  const { clock, ids, onTrouble } = parts;
  const files = createNodeFiles();
  const identity = folderIdentity();
  const place = await openWorkspace(files, rootOf(parts), identity);
  const locks = new LockTable();
  const who = { window: vscode.workspace.name ?? 'no folder', pid: process.pid, host: os.hostname() };
  const producer = `bough/${String((parts.context.extension.packageJSON as { version?: unknown }).version)}`;
  const store = new FileStore({ folder: place.folder, files, clock, ids, locks, who, producer, onTrouble });
  const surfaces = new ActiveSessions(place.folder, { files, clock, locks, who });
  return {
    store,
    folder: identity?.uri,
    active: activeSession(`vscode:${place.key}`, {
      surfaces,
      store,
      freshId: () => ids.session(),
      isContinued: () => parts.readSetting('sessions.continueLast') !== false,
      onTrouble,
    }),
    drafts: new DraftFiles(place.folder, files),
    close: () => store.close(),
  };
}

function folderIdentity(): { uri: string; path?: string } | undefined {
  const [folder] = vscode.workspace.workspaceFolders ?? [];
  if (!folder) return undefined;
  const uri = folder.uri.toString();
  return folder.uri.scheme === 'file' ? { uri, path: folder.uri.fsPath } : { uri };
}

/** One root for each profile of VS Code, unless the person names another. */
function rootOf({ context, readSetting, onSetting }: StorageParts): string {
  const wanted = readSetting('sessions.location');
  if (typeof wanted !== 'string' || wanted.trim() === '') return context.globalStorageUri.fsPath;
  if (path.isAbsolute(wanted)) return path.normalize(wanted);
  const message = `The setting bough.sessions.location is "${wanted}", which is no absolute path. Sessions are kept in VS Code's own storage.`;
  onSetting({ kind: 'refused', message, transient: false, code: 'configuration', action: 'open-settings' });
  return context.globalStorageUri.fsPath;
}

/** Sessions stay where they are; another place counts from the next start of the window on. */
export function tellMovedLocation(tell: Teller): vscode.Disposable {
  return vscode.workspace.onDidChangeConfiguration((event) => {
    if (!event.affectsConfiguration('bough.sessions.location')) return;
    tell.info(
      vscode.l10n.t(
        'Sessions are kept in the new place once the window is reloaded. Those of the former place stay there.',
      ),
      {
        [vscode.l10n.t('Reload Window')]: () =>
          vscode.commands.executeCommand('workbench.action.reloadWindow'),
      },
    );
  });
}
