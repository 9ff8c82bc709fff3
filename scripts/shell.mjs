// What every script here needs: the project's root, one way to say something, one way to run something.
// Plain Node, nothing from node_modules: these scripts run on a fresh clone.
import { spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { endTree } from './tree.mjs';

export const root = fileURLToPath(new URL('..', import.meta.url)).replace(/[\\/]$/, '');

const started = Date.now();

/** One progress line, with the seconds since the script began. */
export function say(text) {
  const seconds = String(Math.round((Date.now() - started) / 1000)).padStart(4);
  process.stdout.write(`${seconds} s  ${text}\n`);
}

/** Absolute path of a program on the PATH, or undefined. */
export function which(name) {
  const extensions = process.platform === 'win32' ? ['.cmd', '.exe', '.bat'] : [''];
  for (const folder of (process.env.PATH ?? '').split(path.delimiter)) {
    for (const extension of extensions) {
      const file = path.join(folder, name + extension);
      if (isExecutable(file)) return file;
    }
  }
  return undefined;
}

function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch (error) {
    if (['ENOENT', 'EACCES', 'ENOTDIR', 'EPERM'].includes(error.code)) return false;
    throw error;
  }
}

/** The way to call npm that needs no shell where npm itself started us. */
export function npm() {
  const script = process.env.npm_execpath;
  if (script?.endsWith('.js')) return [process.execPath, script];
  return [which('npm') ?? 'npm'];
}

/**
 * Runs a program to its end, or for `timeout` ms at most, and collects its output.
 * Resolves with {code, output}; never rejects for an exit code.
 */
export function run(command, args, { cwd = root, env = process.env, timeout } = {}) {
  return new Promise((resolve) => {
    const shell = process.platform === 'win32' && /\.(cmd|bat)$/i.test(command);
    const quote = (text) => (shell && /[\s&()]/.test(text) ? `"${text}"` : text);
    const child = spawn(quote(command), args.map(quote), {
      cwd,
      env,
      shell,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    const take = (chunk) => (output += chunk);
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    const timer = timeout === undefined ? undefined : setTimeout(() => void endTree(child.pid), timeout);
    const end = (code, signal) =>
      resolve({ code: code ?? 1, output: signal ? `${output}\nended by ${signal}\n` : output });
    child.on('error', (error) => resolve({ code: 127, output: `${output}${error.message}\n` }));
    child.on('close', end);
    child.on('exit', (code, signal) => {
      clearTimeout(timer);
      // Something it left behind may hold its output open.
      setTimeout(() => end(code, signal), 5000).unref();
    });
  });
}

/** Like run, but an exit code other than 0 throws with the end of the output. */
export async function must(command, args, options) {
  const { code, output } = await run(command, args, options);
  if (code !== 0)
    throw new Error(`${path.basename(command)} ${args.join(' ')} ended with ${code}\n${tail(output)}`);
  return output;
}

export function tail(text, lines = 40) {
  return text.trimEnd().split('\n').slice(-lines).join('\n');
}

/** True when the file at `url` is the program being run, not an import. */
export function isMain(url) {
  return process.argv[1] !== undefined && fileURLToPath(url) === path.resolve(process.argv[1]);
}
