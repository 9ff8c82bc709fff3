// Fetches the store that the bench measures beside ours into the cache: the session files of another agent, from npm.
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { cacheFolder, readIfThere, withLock } from './cache.mjs';
import { places } from './setup-vscode.mjs';
import { must, npm } from './shell.mjs';

const name = '@earendil-works/pi-coding-agent';
const version = '1.6.0';
/** The oldest Node that it runs on. */
const [major, minor] = [22, 19];

/** Its module, once it is there. */
export async function setupPeer() {
  const folder = path.join(cacheFolder(), `peer-${version}`);
  const module = path.join(folder, 'node_modules', name, 'dist/core/session-manager.js');
  const isReady = async () => (await readIfThere(path.join(folder, '.ready'))) === version;
  if (await isReady()) return module;
  await withLock(folder, async () => {
    if (await isReady()) return;
    const staged = `${folder}.tmp`;
    await rm(staged, { recursive: true, force: true });
    await mkdir(staged, { recursive: true });
    await writeFile(
      path.join(staged, 'package.json'),
      JSON.stringify({ private: true, dependencies: { [name]: version } }),
    );
    const [command, ...first] = npm();
    const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
    await must(command, [...first, 'install', ...flags], { cwd: staged, env: process.env });
    await writeFile(path.join(staged, '.ready'), version);
    await rm(folder, { recursive: true, force: true });
    await rename(staged, folder);
  });
  return module;
}

/** This Node, or that of the newest VS Code in the cache, if either is new enough. */
export async function nodeForPeer() {
  const [here = 0, minorHere = 0] = process.versions.node.split('.').map(Number);
  if (here > major || (here === major && minorHere >= minor)) return process.execPath;
  const { node, root } = places('1.139');
  return (await readIfThere(path.join(root, '.ready'))) === undefined ? undefined : node;
}
