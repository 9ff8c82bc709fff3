// npm start [-- FOLDER]: Bough in a VS Code, on a folder of yours or on a fresh copy of the sample project.
// BOUGH_OPEN=0 opens no browser. BOUGH_PORT chooses the port.
import { randomBytes } from 'node:crypto';
import { spawn } from 'node:child_process';
import { cp, mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { cacheFolder, readIfThere } from './cache.mjs';
import { ensureModules } from './install.mjs';
import { packageExtension } from './package.mjs';
import { isSupported, setupVscode } from './setup-vscode.mjs';
import { must, root, run, say, which } from './shell.mjs';
import { endTree } from './tree.mjs';

const oldest = 104;
const given = process.argv[2];

try {
  await start();
} catch (error) {
  say(error.message);
  process.exitCode = 1;
}

async function start() {
  const desktop = await findDesktop();
  if (!desktop && !isSupported)
    throw new Error(
      `Install VS Code 1.${oldest} or newer with its "code" command on the PATH, then run npm start again.`,
    );
  await ensureModules();
  const { file } = await packageExtension();
  const folder = given ? path.resolve(process.env.INIT_CWD ?? '.', given) : await copySample();
  if (desktop) await openDesktop(desktop, file, folder);
  else await serve(file, folder);
}

/** A desktop VS Code that is new enough; it refuses to run as root. */
async function findDesktop() {
  const code = process.getuid?.() === 0 ? undefined : which('code');
  if (!code) return undefined;
  const { code: exit, output } = await run(code, ['--version']);
  const minor = /^1\.(\d+)\./m.exec(output)?.[1];
  return exit === 0 && Number(minor) >= oldest ? code : undefined;
}

async function openDesktop(code, vsix, folder) {
  say('VS Code: installing Bough into the profile "Bough"');
  await must(code, ['--profile', 'Bough', '--install-extension', vsix, '--force']);
  await must(code, ['--profile', 'Bough', folder]);
  say(`VS Code is open on ${folder}`);
}

async function copySample() {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'bough-sample-'));
  await cp(path.join(root, 'media/sample'), folder, { recursive: true });
  return folder;
}

async function serve(vsix, folder) {
  const { node, entry } = await setupVscode('1.139');
  const home = path.join(cacheFolder(), 'start');
  const profile = [
    '--config',
    path.join(home, 'config.yaml'),
    '--user-data-dir',
    path.join(home, 'data'),
    '--extensions-dir',
    path.join(home, 'extensions'),
  ];
  await prepareProfile(home);
  const password = randomBytes(12).toString('base64url');
  const env = { ...withoutEditor(process.env), PASSWORD: password };
  say('VS Code: installing Bough');
  await must(node, [entry, ...profile, '--install-extension', vsix, '--force'], { env });
  const address = `127.0.0.1:${await freePort(Number(process.env.BOUGH_PORT ?? 8137))}`;
  const flags = [
    '--auth',
    'password',
    '--bind-addr',
    address,
    '--disable-telemetry',
    '--disable-update-check',
    '--disable-getting-started-override',
  ];
  // The sample is ours; a folder of yours is asked about, as anywhere.
  const trust = given ? [] : ['--disable-workspace-trust'];
  const server = spawn(node, [entry, ...profile, ...flags, ...trust], {
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  endWithUs(server);
  await listening(server);
  const link = `http://${address}/?${new URLSearchParams({ folder })}`;
  say(`VS Code is ready on ${folder}`);
  process.stdout.write(`\n  address   ${link}\n  password  ${password}\n\n  Ctrl+C ends it.\n\n`);
  openBrowser(link);
}

async function prepareProfile(home) {
  const settings = path.join(home, 'data/User/settings.json');
  await mkdir(path.dirname(settings), { recursive: true });
  await writeFile(path.join(home, 'config.yaml'), '{}\n');
  if ((await readIfThere(settings)) !== undefined) return;
  const first = {
    'workbench.startupEditor': 'none',
    'workbench.secondarySideBar.defaultVisibility': 'hidden',
    'telemetry.telemetryLevel': 'off',
  };
  await writeFile(settings, `${JSON.stringify(first, null, 2)}\n`);
}

/** In a terminal of VS Code its variables would send the folder to that window instead. */
function withoutEditor(env) {
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => !/^(VSCODE_|ELECTRON_|npm_|NODE_OPTIONS$)/.test(name)),
  );
}

/** The same port each time keeps what the browser remembers of this address; another one when it is taken. */
function freePort(wanted) {
  return new Promise((resolve, reject) => {
    const probe = net.createServer();
    probe.once('error', (error) =>
      error.code === 'EADDRINUSE' && wanted !== 0 ? resolve(freePort(0)) : reject(error),
    );
    probe.listen(wanted, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}

function listening(server) {
  return new Promise((resolve, reject) => {
    let output = '';
    const take = (chunk) => {
      output += chunk;
      if (output.includes('HTTP server listening on')) resolve();
    };
    server.stdout.on('data', take);
    server.stderr.on('data', take);
    server.on('error', reject);
    server.on('exit', (code) => reject(new Error(`VS Code ended with ${code}\n${output}`)));
  });
}

function endWithUs(server) {
  let isEnding = false;
  const end = async () => {
    if (isEnding) return;
    isEnding = true;
    await endTree(server.pid);
    process.exit(0);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => void end());
  // npm that is told to end may leave us behind.
  const parent = process.ppid;
  if (process.env.npm_lifecycle_event) setInterval(() => process.ppid !== parent && void end(), 500);
  server.on('exit', (code) => {
    if (!isEnding) process.exit(code ?? 1);
  });
}

function openBrowser(link) {
  const opener = which('xdg-open');
  if (process.env.BOUGH_OPEN === '0' || !opener || !(process.env.DISPLAY || process.env.WAYLAND_DISPLAY))
    return;
  spawn(opener, [link], { detached: true, stdio: 'ignore' }).unref();
}
