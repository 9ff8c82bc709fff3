/** Files that live in this process only, for sessions that are written nowhere and for tests. */
import path from 'node:path';
import type { Files, FileStat, OpenFile } from '../ports.js';
import { systemError } from './bytes.js';

class MemoryFile {
  bytes = new Uint8Array(0);
  length = 0;
  mtime = 0;

  append(more: Uint8Array, now: number): void {
    const needed = this.length + more.length;
    if (needed > this.bytes.length) {
      const grown = new Uint8Array(Math.max(needed, this.bytes.length * 2, 1024));
      grown.set(this.bytes.subarray(0, this.length));
      this.bytes = grown;
    }
    this.bytes.set(more, this.length);
    this.length = needed;
    this.mtime = now;
  }

  content(): Uint8Array {
    return this.bytes.subarray(0, this.length);
  }
}

const missing = (file: string): Error => systemError('ENOENT', `no such file or directory: ${file}`);

/** `now` stamps what is written. */
export class MemoryFiles implements Files {
  readonly #files = new Map<string, MemoryFile>();
  readonly #folders = new Set([path.resolve('/')]);
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  async open(file: string, mode: 'read' | 'append' | 'create'): Promise<OpenFile> {
    const name = path.resolve(file);
    const there = this.#files.get(name);
    if (there !== undefined && mode === 'create') throw systemError('EEXIST', `file already exists: ${file}`);
    if (there === undefined && mode === 'read') throw missing(file);
    return this.#descriptor(there ?? this.#add(name));
  }

  async read(file: string): Promise<Uint8Array> {
    return this.#get(file).content().slice();
  }

  async stat(file: string): Promise<FileStat> {
    const name = path.resolve(file);
    if (this.#folders.has(name)) return { size: 0, mtime: 0, isFile: false, isFolder: true };
    return statOf(this.#get(file));
  }

  async list(folder: string): Promise<string[]> {
    const name = path.resolve(folder);
    if (!this.#folders.has(name)) throw missing(folder);
    const paths = [...this.#files.keys(), ...this.#folders];
    return paths.filter((one) => path.dirname(one) === name && one !== name).map((one) => path.basename(one));
  }

  async makeFolder(folder: string): Promise<void> {
    for (let name = path.resolve(folder); !this.#folders.has(name); name = path.dirname(name))
      this.#folders.add(name);
  }

  async replace(file: string, bytes: Uint8Array): Promise<void> {
    const fresh = this.#add(path.resolve(file));
    fresh.append(bytes, this.#now());
  }

  async rename(from: string, to: string): Promise<void> {
    const old = path.resolve(from);
    const fresh = path.resolve(to);
    if (!this.#folders.has(old) && !this.#files.has(old)) throw missing(from);
    for (const [name, file] of [...this.#files]) {
      if (!isWithin(name, old)) continue;
      this.#files.delete(name);
      this.#files.set(fresh + name.slice(old.length), file);
    }
    for (const name of [...this.#folders]) {
      if (!isWithin(name, old)) continue;
      this.#folders.delete(name);
      this.#folders.add(fresh + name.slice(old.length));
    }
  }

  async link(from: string, to: string): Promise<void> {
    const name = path.resolve(to);
    if (this.#files.has(name)) throw systemError('EEXIST', `file already exists: ${to}`);
    this.#files.set(name, this.#get(from));
  }

  async remove(file: string): Promise<void> {
    if (!this.#files.delete(path.resolve(file))) throw missing(file);
  }

  async removeTree(folder: string): Promise<void> {
    const name = path.resolve(folder);
    for (const file of [...this.#files.keys()]) if (isWithin(file, name)) this.#files.delete(file);
    for (const one of [...this.#folders]) if (isWithin(one, name)) this.#folders.delete(one);
  }

  async syncFolder(): Promise<void> {
    // nothing outlives the process
  }

  async realPath(file: string): Promise<string> {
    return path.resolve(file);
  }

  async setTime(file: string, mtime: number): Promise<void> {
    this.#get(file).mtime = mtime;
  }

  #get(file: string): MemoryFile {
    const there = this.#files.get(path.resolve(file));
    if (there === undefined) throw missing(file);
    return there;
  }

  #add(name: string): MemoryFile {
    if (!this.#folders.has(path.dirname(name))) throw missing(name);
    const file = new MemoryFile();
    file.mtime = this.#now();
    this.#files.set(name, file);
    return file;
  }

  #descriptor(file: MemoryFile): OpenFile {
    return {
      read: async (into, position) => {
        const piece = file.content().subarray(position, position + into.length);
        into.set(piece);
        return piece.length;
      },
      write: async (bytes) => {
        file.append(bytes, this.#now());
        return bytes.length;
      },
      datasync: async () => undefined,
      truncate: async (length) => {
        file.length = Math.min(length, file.length);
        file.mtime = this.#now();
      },
      stat: async () => statOf(file),
      close: async () => undefined,
    };
  }
}

const statOf = (file: MemoryFile): FileStat => ({
  size: file.length,
  mtime: file.mtime,
  isFile: true,
  isFolder: false,
});

const isWithin = (name: string, folder: string): boolean =>
  name === folder || name.startsWith(folder + path.sep);
