/**
 * Where a workspace folder's sessions are: `workspaces/<key>/`, the key a readable slug and a hash of the folder's canonical
 * identity. `workspace.json` there lists the URIs the folder was known by, so that a moved folder can be linked to it.
 */
import { createHash } from 'node:crypto';
import path from 'node:path';
import * as z from 'zod';
import type { Files } from '../ports.js';
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
  files: Files,
  root: string,
  folder: FolderIdentity | undefined,
): Promise<WorkspacePlace> {
  const workspaces = path.join(root, 'workspaces');
  const own = await workspaceKey(files, folder);
  const key = (await isThere(files, path.join(workspaces, own)))
    ? own
    : await findByUri(files, workspaces, folder, own);
  const place = path.join(workspaces, key);
  const remember = folder === undefined ? nothing : () => noteUri(files, root, place, folder.uri);
  return { key, folder: place, remember };
}

const nothing = (): Promise<void> => Promise.resolve();

/** The same, known by this URI too from now on. */
export async function openWorkspace(
  files: Files,
  root: string,
  folder: FolderIdentity | undefined,
): Promise<{ key: string; folder: string }> {
  const { key, folder: place, remember } = await findWorkspace(files, root, folder);
  await remember();
  return { key, folder: place };
}

/** Every workspace below `root` with the URIs its folder was known by, the newest last. */
export async function listWorkspaces(files: Files, root: string): Promise<{ key: string; uris: string[] }[]> {
  const workspaces = path.join(root, 'workspaces');
  const keys = (await stored('list', workspaces, () => ifThere(files.list(workspaces)))) ?? [];
  return Promise.all(
    keys.sort().map(async (key) => ({ key, uris: await readUris(files, path.join(workspaces, key)) })),
  );
}

/** The folder of this URI is known by that workspace too from now on. Nothing is moved. */
export async function linkWorkspace(files: Files, root: string, key: string, uri: string): Promise<void> {
  await noteUri(files, root, path.join(root, 'workspaces', key), uri);
}

async function findByUri(
  files: Files,
  workspaces: string,
  folder: FolderIdentity | undefined,
  fallback: string,
): Promise<string> {
  if (folder === undefined) return fallback;
  const known = await listWorkspaces(files, path.dirname(workspaces));
  return known.find(({ uris }) => isKnownBy(uris, folder.uri))?.key ?? fallback;
}

async function noteUri(files: Files, root: string, place: string, uri: string): Promise<void> {
  const uris = await readUris(files, place);
  if (isKnownBy(uris, uri)) return;
  const file = path.join(place, 'workspace.json');
  await stored('write', file, async () => {
    await files.makeFolder(place);
    // What is below a folder is durable only once its name is.
    await files.syncFolder(path.dirname(place));
    await files.syncFolder(root);
    await files.replace(file, new TextEncoder().encode(JSON.stringify({ uris: [...uris, uri] })));
  });
}

/** The URIs a workspace was known by; none when the file is not there or makes no sense. */
async function readUris(files: Files, place: string): Promise<string[]> {
  const file = path.join(place, 'workspace.json');
  const bytes = await stored('read', file, () => ifThere(files.read(file)));
  if (bytes === undefined) return [];
  try {
    return workspaceSchema.safeParse(JSON.parse(new TextDecoder().decode(bytes))).data?.uris ?? [];
  } catch {
    return []; // garbled: the key finds the folder all the same
  }
}

async function isThere(files: Files, folder: string): Promise<boolean> {
  return (await stored('look at', folder, () => ifThere(files.stat(folder)))) !== undefined;
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
