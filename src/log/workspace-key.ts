/**
 * Where a workspace folder's sessions are: `workspaces/<key>/`, the key a readable slug and a hash of the folder's canonical
 * identity. `workspace.json` there lists the URIs the folder was known by, so that a moved folder can be linked to it.
 */
import { createHash } from 'node:crypto';
import path from 'node:path';
import * as z from 'zod';
import type { Files } from '../ports.js';
import { isBoughError, type BoughError } from '../shared/failure.js';
import type { LeaseParts } from './lease.js';
import { changeRemembered, readRemembered } from './remembered.js';
import { ifThere, isMissing, stored } from './storage.js';

const EMPTY_KEY = 'empty';
const SLUG_CHARS = 40;

export interface FolderIdentity {
  uri: string;
  /** Absolute path on this host, if the folder has one. */
  path?: string;
}

const workspaceSchema = z.looseObject({ uris: z.array(z.string()) });

/** The key of a folder, or of a window without one. Links are resolved; a drive letter's case does not matter. */
export async function workspaceKey(files: Files, folder: FolderIdentity | undefined): Promise<string> {
  if (folder === undefined) return EMPTY_KEY;
  const identity =
    folder.path === undefined
      ? canonicalUri(folder.uri)
      : canonicalCase(await canonicalPath(files, folder.path));
  const hash = createHash('sha256').update(identity).digest('hex').slice(0, 16);
  return `${slugOf(identity)}-${hash}`;
}

export interface WorkspacePlace {
  key: string;
  /** `workspaces/<key>/`; nothing need be there yet. */
  folder: string;
  /** Notes the URI, so that the sessions are found by it once the folder has moved. Before the first write, not before. */
  remember: () => Promise<void>;
}

/**
 * Where a workspace's sessions are below `root` (the storage root): in the folder of its own key, else in the first that
 * lists its URI. Looking writes nothing.
 */
export async function findWorkspace(
  parts: LeaseParts,
  root: string,
  folder: FolderIdentity | undefined,
  onTrouble?: (error: BoughError) => void,
): Promise<WorkspacePlace> {
  const { files } = parts;
  const workspaces = path.join(root, 'workspaces');
  const own = await workspaceKey(files, folder);
  const isOwnThere = folder === undefined || (await isThere(files, path.join(workspaces, own)));
  const known = isOwnThere ? [] : await listWorkspaces(files, root, onTrouble);
  const key = known.find(({ uris }) => isKnownBy(uris, folder?.uri ?? ''))?.key ?? own;
  const place = path.join(workspaces, key);
  const remember = folder === undefined ? nothing : () => noteUri(parts, root, place, folder.uri);
  return { key, folder: place, remember };
}

const nothing = (): Promise<void> => Promise.resolve();

/** The same, known by this URI too from now on. */
export async function openWorkspace(
  parts: LeaseParts,
  root: string,
  folder: FolderIdentity | undefined,
): Promise<{ key: string; folder: string }> {
  const { key, folder: place, remember } = await findWorkspace(parts, root, folder);
  await remember();
  return { key, folder: place };
}

export interface Workspace {
  key: string;
  /** By which its folder was known, the newest last. */
  uris: string[];
}

/** Every workspace below `root`. One whose URIs cannot be read is told, has none and hides no other; files are none. */
export async function listWorkspaces(
  files: Files,
  root: string,
  onTrouble?: (error: BoughError) => void,
): Promise<Workspace[]> {
  const workspaces = path.join(root, 'workspaces');
  const keys = (await stored('list', workspaces, () => ifThere(files.list(workspaces)))) ?? [];
  const listed = await Promise.all(
    keys.sort().map(async (key): Promise<Workspace[]> => {
      const place = path.join(workspaces, key);
      try {
        return (await isFile(files, place)) ? [] : [{ key, uris: await readUris(files, place) }];
      } catch (error) {
        if (!isBoughError(error)) throw error;
        onTrouble?.(error);
        return [{ key, uris: [] }];
      }
    }),
  );
  return listed.flat();
}

/** The folder of this URI is known by that workspace too from now on. Nothing is moved. */
export async function linkWorkspace(
  parts: LeaseParts,
  root: string,
  key: string,
  uri: string,
): Promise<void> {
  await noteUri(parts, root, path.join(root, 'workspaces', key), uri);
}

/** Takes that back. */
export async function unlinkWorkspace(
  parts: LeaseParts,
  root: string,
  key: string,
  uri: string,
): Promise<void> {
  const file = fileIn(path.join(root, 'workspaces', key));
  await changeRemembered(parts, file, workspaceSchema, (known) =>
    known === undefined || !isKnownBy(known.uris, uri)
      ? undefined
      : { ...known, uris: known.uris.filter((one) => !isKnownBy([one], uri)) },
  );
}

async function noteUri(parts: LeaseParts, root: string, place: string, uri: string): Promise<void> {
  const { files } = parts;
  if (isKnownBy(await readUris(files, place), uri)) return;
  const file = fileIn(place);
  await stored('write', file, async () => {
    await files.makeFolder(place);
    // What is below a folder is durable only once its name is.
    await files.syncFolder(path.dirname(place));
    await files.syncFolder(root);
  });
  await changeRemembered(parts, file, workspaceSchema, (known) => {
    const uris = known?.uris ?? [];
    return isKnownBy(uris, uri) ? undefined : { ...known, uris: [...uris, uri] };
  });
}

const fileIn = (place: string): string => path.join(place, 'workspace.json');

/** The URIs a workspace was known by; none when the file makes no sense: the key finds the folder all the same. */
async function readUris(files: Files, place: string): Promise<string[]> {
  return (await readRemembered(files, fileIn(place), workspaceSchema))?.uris ?? [];
}

async function isThere(files: Files, folder: string): Promise<boolean> {
  return (await stored('look at', folder, () => ifThere(files.stat(folder)))) !== undefined;
}

/** What a file manager leaves beside the folders. */
async function isFile(files: Files, place: string): Promise<boolean> {
  return (await stored('look at', place, () => ifThere(files.stat(place))))?.isFile === true;
}

async function canonicalPath(files: Files, folder: string): Promise<string> {
  try {
    return await files.realPath(folder);
  } catch (error) {
    if (isMissing(error)) return path.resolve(folder);
    throw error;
  }
}

/** Drive letters and the names of servers and shares are the same in any case; the prefix `\\?\` only lifts a limit. */
function canonicalCase(identity: string): string {
  return identity
    .replace(/^\\\\\?\\(UNC\\)?/i, (_, unc?: string) => (unc === undefined ? '' : '\\\\'))
    .replace(/^[A-Za-z]:/, (drive) => drive.toLowerCase())
    .replace(/^\\\\[^\\]+\\[^\\]+/, (share) => share.toLowerCase());
}

/** What VS Code and other programs write in several ways for one folder. */
function canonicalUri(uri: string): string {
  const match = /^([a-z][a-z0-9+.-]*):\/\/([^/]*)(.*)$/i.exec(uri);
  if (match === null) return canonicalCase(uri);
  const [, scheme = '', authority = '', rest = ''] = match;
  const folder = rest
    .replace(/^\/([A-Za-z])(?::|%3a)(?=\/|$)/i, (_, drive: string) => `/${drive.toLowerCase()}:`)
    .replace(/(.)\/+$/, '$1');
  return `${scheme.toLowerCase()}://${authority.toLowerCase()}${folder}`;
}

/** Whether one of the URIs is this one, however each is written. */
export const isKnownBy = (uris: readonly string[], uri: string): boolean =>
  uris.some((known) => canonicalUri(known) === canonicalUri(uri));

function slugOf(identity: string): string {
  const name = identity.split(/[/\\]/).findLast((part) => part !== '') ?? '';
  const slug = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return slug.slice(0, SLUG_CHARS) || 'folder';
}
