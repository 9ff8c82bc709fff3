/**
 * Sessions of other folders: listed, opened here, and linked to this folder when it is the same under another name. Linking
 * adds a name to where the sessions are; it moves nothing. Those of other storage folders are listed too, and only read.
 */
import * as vscode from 'vscode';
import type { SessionSummary } from '../../log/store.js';
import { BoughError } from '../../shared/failure.js';
import { asks } from '../asks.js';
import type { Chats } from '../chat/chats.js';
import { plainLabel } from '../labels.js';
import type { Teller } from '../tell.js';
import { allRows, readEach } from './all-rows.js';
import { relativeTime } from './rows.js';
import type { RootElsewhere, StorageRoots } from './storage-roots.js';
import type { SessionsTree } from './tree.js';
import type { Place, WindowStore } from './window-store.js';

/** Where the sessions of one folder are. */
export interface Bucket {
  key: string;
  /** By which the folder was known, the newest last. */
  uris: readonly string[];
}

export interface Buckets {
  /** Every one there is, this window's own included. */
  list(): Promise<Bucket[]>;
  open(bucket: Bucket): Place;
  /** The window's first folder is known there too from now on. */
  link(key: string): Promise<void>;
  /** Takes that back. */
  unlink(key: string): Promise<void>;
  /** Those of the window's folders, opened; the first one is not among them. */
  others(): Promise<Place[]>;
}

export interface OtherFoldersParts {
  buckets: Buckets;
  roots: Pick<StorageRoots, 'elsewhere' | 'forget'>;
  store: WindowStore;
  chats: Chats;
  tree: SessionsTree;
  tell: Teller;
  now: () => number;
}

interface Found {
  bucket: Bucket;
  sessions: SessionSummary[];
  /** The folder is not there any more, as far as can be told. */
  isGone: boolean;
}

interface FolderRow extends vscode.QuickPickItem {
  /** Makes it known here under the id that it gives; undefined for what is no session. */
  open?: () => Promise<string | undefined>;
}

export class OtherFolders {
  constructor(private readonly parts: OtherFoldersParts) {}

  /** The folders of the window changed. */
  async followFolders(): Promise<void> {
    const { buckets, store, tree } = this.parts;
    await store.follow(() => buckets.others());
    tree.refresh();
  }

  /** Once, at the start: sessions of a folder that is gone may be this folder's, when it has none. */
  async offerRelink(): Promise<void> {
    const { store, tell } = this.parts;
    if (store.first.folder === undefined) return;
    if ((await store.list({ archived: 'all', limit: 1 })).sessions.length > 0) return;
    const gone = (await this.find()).filter(({ isGone }) => isGone);
    await vscode.commands.executeCommand('setContext', 'bough.relink.offered', gone.length > 0);
    const [one] = gone;
    if (one === undefined) return;
    const text =
      gone.length === 1
        ? vscode.l10n.t(
            'There are sessions of “{0}”, a folder that is not there any more. If it was renamed or moved to this one, they can be shown here.',
            nameOf(one.bucket),
          )
        : vscode.l10n.t(
            'There are sessions of folders that are not there any more. If one of them was renamed or moved to this one, its sessions can be shown here.',
          );
    tell.info(text, {
      [vscode.l10n.t('Link to This Folder…')]: () =>
        this.relink(gone.length === 1 ? one.bucket.key : undefined),
    });
  }

  async relink(key: unknown): Promise<void> {
    const { buckets, store, tell } = this.parts;
    if (store.first.folder === undefined)
      throw new BoughError('InvalidArgument', 'Open the folder first that the sessions are to be linked to.');
    const chosen = await this.choose(key);
    if (chosen === undefined || !(await isMeant(chosen))) return;
    await buckets.link(chosen.bucket.key);
    await vscode.commands.executeCommand('setContext', 'bough.relink.offered', false);
    await this.followFolders();
    const text = vscode.l10n.t(
      'The sessions of “{0}” are shown in this folder from now on.',
      nameOf(chosen.bucket),
    );
    tell.info(text, {
      [vscode.l10n.t('Undo')]: async () => {
        await buckets.unlink(chosen.bucket.key);
        await this.followFolders();
      },
    });
  }

  /** Lists the sessions of all other folders, and of other storage folders, and shows the one that is chosen. */
  async pick(): Promise<void> {
    const { roots, chats } = this.parts;
    const [found, elsewhere] = await Promise.all([this.find(), roots.elsewhere()]);
    const items = [
      ...found.flatMap((one) => this.rowsOf(one)),
      ...elsewhere.flatMap((root) => this.rowsElsewhere(root)),
    ];
    const picked = await asks.showQuickPick<FolderRow>(items, {
      title: vscode.l10n.t('Sessions of Other Folders'),
      placeHolder:
        items.length === 0
          ? vscode.l10n.t('There are no sessions of other folders')
          : vscode.l10n.t('Type to filter by title or folder'),
      matchOnDetail: true,
    });
    const id = await picked?.open?.();
    if (id !== undefined) await chats.show(id);
  }

  private rowsOf({ bucket, sessions, isGone }: Found): FolderRow[] {
    const { buckets, store } = this.parts;
    const name = nameOf(bucket);
    return [
      separator(isGone ? vscode.l10n.t('{0} (not found here)', name) : name),
      ...sessions.map((summary) => ({
        ...this.rowOf(summary),
        detail: folderOf(bucket),
        open: () => {
          store.visit(buckets.open(bucket));
          return Promise.resolve(summary.id);
        },
      })),
    ];
  }

  private rowsElsewhere(root: RootElsewhere): FolderRow[] {
    if (root.isMissing === true) return this.rowsOfMissing(root.root);
    const where =
      root.profile === undefined ? root.root : vscode.l10n.t('profile “{0}” of VS Code', root.profile);
    const why =
      root.profile === undefined
        ? vscode.l10n.t(
            'This session is kept in {0}, where sessions were before. It can be read here; a copy or a fork of it is kept with the others and can be gone on with.',
            root.root,
          )
        : vscode.l10n.t(
            'This session belongs to the profile “{0}” of VS Code. It can be read here; a copy or a fork of it belongs to this profile and can be gone on with.',
            root.profile,
          );
    return root.folders.flatMap((bucket) => [
      separator(vscode.l10n.t('{0} – {1}, read-only', nameOf(bucket), where)),
      ...bucket.sessions.map(({ summary, file }) => ({
        ...this.rowOf(summary),
        detail: `${folderOf(bucket)} – ${where}`,
        open: async () => (await this.parts.store.openToRead(file, why)).id,
      })),
    ]);
  }

  /** What is not there now hides nothing that somebody looks for: it says where it was. */
  private rowsOfMissing(root: string): FolderRow[] {
    const { roots } = this.parts;
    return [
      separator(vscode.l10n.t('{0} – not there now', root)),
      {
        label: vscode.l10n.t('Sessions that were kept in {0}', root),
        detail: vscode.l10n.t('{0} is not there now: attach the drive or forget this place', root),
        iconPath: new vscode.ThemeIcon('warning'),
        open: async () => {
          const forget = vscode.l10n.t('Forget This Place');
          const chosen = await asks.showWarningMessage(
            vscode.l10n.t('{0} is not there now.', root),
            {
              modal: true,
              detail: vscode.l10n.t(
                'Sessions were kept there. Attach the drive, or bring the folder back, and they are listed again. To forget the place deletes nothing: it is no longer listed until bough.sessions.location names it again.',
              ),
            },
            forget,
          );
          if (chosen === forget) await roots.forget(root);
          return undefined;
        },
      },
    ];
  }

  private rowOf({ title, updated }: SessionSummary): FolderRow {
    return {
      label: plainLabel(title),
      description: relativeTime(updated, this.parts.now(), vscode.env.language),
    };
  }

  private async choose(key: unknown): Promise<Found | undefined> {
    const found = await this.find();
    if (typeof key === 'string') {
      const named = found.find(({ bucket }) => bucket.key === key);
      if (named) return named;
      throw new BoughError(
        'InvalidArgument',
        `There are no sessions of another folder under the key "${key}".`,
      );
    }
    const items = found
      .toSorted((a, b) => Number(b.isGone) - Number(a.isGone))
      .map((one) => ({
        label: nameOf(one.bucket),
        description: countWords(one.sessions.length),
        detail: one.isGone
          ? vscode.l10n.t('{0} – not there any more', folderOf(one.bucket))
          : folderOf(one.bucket),
        one,
      }));
    const picked = await asks.showQuickPick(items, {
      title: vscode.l10n.t('Link Sessions to This Folder'),
      placeHolder:
        items.length === 0
          ? vscode.l10n.t('There are no sessions of other folders')
          : vscode.l10n.t('The folder that this one was before'),
      matchOnDetail: true,
    });
    return picked?.one;
  }

  /** Other folders that have sessions. */
  private async find(): Promise<Found[]> {
    const { buckets, store, tell } = this.parts;
    const own = new Set(store.places.map(({ key }) => key));
    const others = (await buckets.list()).filter(({ key }) => !own.has(key));
    const read = async (bucket: Bucket): Promise<Found> => {
      const place = store.visited(bucket.key) ?? buckets.open(bucket);
      return { bucket, sessions: await allRows(place.store), isGone: await isGone(bucket) };
    };
    const found = await readEach(others, read, (error) =>
      tell.error(error, 'Listing the sessions of a folder'),
    );
    return found
      .filter(({ sessions }) => sessions.length > 0)
      .sort((a, b) => newestOf(b.sessions) - newestOf(a.sessions));
  }
}

const newestOf = (sessions: readonly SessionSummary[]): number =>
  Math.max(...sessions.map(({ updated }) => updated));

/** A folder that is still there has its sessions there, too: taking them over is no matter of one key. */
async function isMeant({ bucket, isGone: isFolderGone }: Found): Promise<boolean> {
  if (isFolderGone) return true;
  const yes = vscode.l10n.t('Link');
  const answer = await asks.showWarningMessage(
    vscode.l10n.t('Show the sessions of “{0}” in this folder?', nameOf(bucket)),
    {
      modal: true,
      detail: vscode.l10n.t(
        '{0} is still there. Its sessions are then listed in both folders; they are the same sessions, and nothing is moved or copied. You can undo this from the message that follows.',
        folderOf(bucket),
      ),
    },
    yes,
  );
  return answer === yes;
}

const separator = (label: string): FolderRow => ({ label, kind: vscode.QuickPickItemKind.Separator });

const folderOf = ({ key, uris }: Bucket): string => {
  const uri = uris.at(-1);
  return uri === undefined ? key : vscode.Uri.parse(uri).fsPath;
};

/** Its last part. */
const nameOf = (bucket: Bucket): string => {
  if (bucket.key === 'empty') return vscode.l10n.t('Without a folder');
  return (
    folderOf(bucket)
      .split(/[/\\]/)
      .findLast((part) => part !== '') ?? bucket.key
  );
};

const countWords = (count: number): string =>
  count === 1 ? vscode.l10n.t('1 session') : vscode.l10n.t('{0} sessions', count);

/** No URI that it was known by leads to a folder. Where that cannot be told, it is taken to be there. */
async function isGone({ uris }: Bucket): Promise<boolean> {
  if (uris.length === 0) return false;
  const there = await Promise.all(uris.map((uri) => isThere(vscode.Uri.parse(uri))));
  return there.every((found) => !found);
}

async function isThere(uri: vscode.Uri): Promise<boolean> {
  try {
    await vscode.workspace.fs.stat(uri);
    return true;
  } catch (error) {
    return !(error instanceof vscode.FileSystemError && error.code === 'FileNotFound');
  }
}
