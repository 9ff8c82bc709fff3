// Builds the bundles and packs them into out/bough.vsix. Needs node_modules.
import { mkdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { withLock } from './cache.mjs';
import { isMain, must, root, say } from './shell.mjs';

export const vsix = path.join(root, 'out/bough.vsix');

/** One build at a time in this clone. */
export function packageExtension() {
  return withLock(path.join(root, 'out/package'), build);
}

async function build() {
  const built = await must(process.execPath, ['esbuild.mjs']);
  say(built.trim());
  await mkdir(path.dirname(vsix), { recursive: true });
  const vsce = path.join(root, 'node_modules/@vscode/vsce/vsce');
  const flags = [
    '--no-dependencies',
    '--no-rewrite-relative-links',
    '--allow-missing-repository',
    '--out',
    vsix,
  ];
  await must(process.execPath, [vsce, 'package', ...flags]);
  const { size } = await stat(vsix);
  say(`packed ${path.relative(root, vsix)}: ${Math.ceil(size / 1024)} K`);
  return { file: vsix, size };
}

if (isMain(import.meta.url)) await packageExtension();
