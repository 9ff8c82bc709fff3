// Extensions for VS Code under test: ours from its VSIX, once per run; test extensions from a plain folder.
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type Folders, makeFolders } from './folders.js';
import { installVsix } from './server.js';
import type { Target } from './target.js';

interface Installed {
  readonly identifier: { readonly id: string };
  readonly version: string;
  readonly location: { readonly $mid: 1; readonly path: string; readonly scheme: 'file' };
  readonly relativeLocation: string;
  readonly metadata: { readonly source: 'vsix'; readonly installedTimestamp: number };
}

/** A folder of installed extensions that every server of the run starts from a copy of. */
export function makeExtensionsTemplate(target: Target, vsix: string): { folder: string; remove(): void } {
  const empty = mkdtempSync(path.join(os.tmpdir(), 'bough-extensions-'));
  const folders = makeFolders(empty, {});
  installVsix(target, folders, vsix);
  const remove = () =>
    [empty, folders.base].forEach((folder) => rmSync(folder, { recursive: true, force: true }));
  return { folder: folders.extensions, remove };
}

/** Adds extensions to one server before it starts: each a .vsix or a folder with package.json and plain JavaScript. */
export function addExtensions(target: Target, folders: Folders, sources: readonly string[]): void {
  for (const source of sources) {
    if (source.endsWith('.vsix')) installVsix(target, folders, source);
    else addFolder(folders, source);
  }
}

function addFolder({ extensions }: Folders, source: string): void {
  const { publisher, name, version } = JSON.parse(
    readFileSync(path.join(source, 'package.json'), 'utf8'),
  ) as { publisher: string; name: string; version: string };
  const relativeLocation = `${publisher}.${name}-${version}`;
  const location = path.join(extensions, relativeLocation);
  cpSync(source, location, { recursive: true });
  const list = path.join(extensions, 'extensions.json');
  const installed = JSON.parse(readFileSync(list, 'utf8')) as Installed[];
  const added: Installed = {
    identifier: { id: `${publisher}.${name}` },
    version,
    location: { $mid: 1, path: location, scheme: 'file' },
    relativeLocation,
    metadata: { source: 'vsix', installedTimestamp: Date.now() },
  };
  writeFileSync(list, JSON.stringify([...installed, added]));
}
