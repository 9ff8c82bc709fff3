// Stand-ins for native modules of VS Code's server that would need a compiler or a download:
// a logger, a watchdog that the extension host repeats on its own, and password hashing where none is prebuilt.
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

const spdlog = `'use strict';
const fs = require('fs');
const path = require('path');
const NAMES = ['trace', 'debug', 'info', 'warning', 'error', 'critical'];
class Logger {
  constructor(_type, _name, file) {
    fs.mkdirSync(path.dirname(file), { recursive: true });
    this.fd = fs.openSync(file, 'a');
    this.level = 2;
    this.raw = false;
  }
  _log(level, text) {
    if (level < this.level || this.fd === undefined) return;
    const stamp = new Date().toISOString().replace('T', ' ').slice(0, 23);
    fs.writeSync(this.fd, this.raw ? text : stamp + ' [' + NAMES[level] + '] ' + text + '\\n');
  }
  trace(m) { this._log(0, m); }
  debug(m) { this._log(1, m); }
  info(m) { this._log(2, m); }
  warn(m) { this._log(3, m); }
  error(m) { this._log(4, m); }
  critical(m) { this._log(5, m); }
  getLevel() { return this.level; }
  setLevel(level) { this.level = level; }
  setPattern() {}
  clearFormatters() { this.raw = true; }
  flush() {}
  drop() { if (this.fd !== undefined) { fs.closeSync(this.fd); this.fd = undefined; } }
}
exports.version = 0;
exports.setLevel = () => {};
exports.setFlushOn = () => {};
exports.Logger = Logger;
exports.createRotatingLogger = async (name, file) => new Logger('rotating', name, file);
exports.createAsyncRotatingLogger = async (name, file) => new Logger('rotating_async', name, file);
`;

const watchdog = `exports.start = () => {};
exports.exit = (code) => process.exit(code || 0);
`;

const argon2 = `'use strict';
exports.hash = async () => { throw new Error('password hashing is not available in this set-up'); };
exports.verify = exports.hash;
exports.argon2id = 2;
`;

/** `base` is the folder that holds node_modules/code-server. */
export async function writeShims(base) {
  const modules = path.join(base, 'node_modules/code-server/lib/vscode/node_modules');
  await writeFile(path.join(modules, '@vscode/spdlog/index.js'), spdlog);
  for (const name of ['@vscode/native-watchdog', 'native-watchdog']) {
    const folder = path.join(modules, name);
    if (existsSync(folder)) await writeFile(path.join(folder, 'index.js'), watchdog);
  }
  const hashing = path.join(base, 'node_modules/argon2');
  if (!existsSync(path.join(hashing, 'prebuilds'))) {
    await mkdir(hashing, { recursive: true });
    await writeFile(path.join(hashing, 'argon2.js'), argon2);
  }
}
