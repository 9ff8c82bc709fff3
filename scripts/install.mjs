// node_modules as package-lock.json wants them: installed when they are missing or older than the lock file.
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { readIfThere, withLock } from './cache.mjs';
import { must, npm, root, say } from './shell.mjs';

export async function ensureModules() {
  const lock = await readFile(path.join(root, 'package-lock.json'));
  const wanted = createHash('sha256').update(lock).digest('hex');
  const stamp = path.join(root, 'node_modules/.bough-installed');
  const isReady = async () => (await readIfThere(stamp)) === wanted || (await matchesLock());
  if (await isReady()) return;
  await withLock(path.join(root, 'out/modules'), async () => {
    if (await isReady()) return;
    say('node_modules: installing');
    const [command, ...first] = npm();
    await must(command, [...first, 'ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']);
    await writeFile(stamp, wanted);
    say('node_modules: installed');
  });
}

/** Someone who ran npm themselves has what the lock file says: npm keeps its own copy of it. */
async function matchesLock() {
  const text = await readIfThere(path.join(root, 'node_modules/.package-lock.json'));
  if (!text) return false;
  const installed = JSON.parse(text).packages;
  const wanted = JSON.parse(await readFile(path.join(root, 'package-lock.json'), 'utf8')).packages;
  return Object.entries(wanted).every(
    ([name, { version, optional }]) => name === '' || optional || installed[name]?.version === version,
  );
}
