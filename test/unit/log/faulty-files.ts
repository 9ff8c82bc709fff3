/** A file system on which single calls fail, as a test says. */
import type { Files, OpenFile } from '../../../src/ports.js';

type Call =
  | Exclude<keyof Files, 'realPath'>
  | 'file.read'
  | 'file.write'
  | 'file.datasync'
  | 'file.truncate'
  | 'file.stat'
  | 'file.close';

export interface Fault {
  call: Call;
  /** What the path ends with. */
  path?: string;
  /** The error's code; absent for a fault that is told to nobody. */
  errno?: string;
  /** Of a look at a file: by how many bytes it seems longer than it is, as one that is cut short right after. */
  longer?: number;
  /** Thrown in place of an error of the system. */
  bug?: Error;
  /** How many calls it hits; all when absent. */
  times?: number;
  /** How many calls it spares before. */
  after?: number;
  /** Of a write: how many bytes reach the file before it fails, or (without errno) are taken at a time. */
  bytes?: number;
  /** Of a write: says that it took everything, and took nothing. */
  lies?: boolean;
}

export class FaultyFiles implements Files {
  faults: Fault[] = [];
  /** Fails the call of this number from now on, whichever it is; of a write half of the bytes are taken before. */
  failAt: { nth: number; errno: string } | undefined;
  /** Every call with its path, in order. */
  readonly calls: string[] = [];

  constructor(private readonly inner: Files) {}

  /** Forgets all faults. */
  heal(): void {
    this.faults = [];
    this.failAt = undefined;
  }

  open(path: string, mode: 'read' | 'append' | 'create'): Promise<OpenFile> {
    return this.#call(
      'open',
      path,
      async () => this.#wrap(path, await this.inner.open(path, mode)),
      `:${mode}`,
    );
  }
  read(path: string): ReturnType<Files['read']> {
    return this.#call('read', path, () => this.inner.read(path));
  }
  stat(path: string): ReturnType<Files['stat']> {
    return this.#call('stat', path, async (fault) => {
      const stat = await this.inner.stat(path);
      return { ...stat, size: stat.size + (fault?.longer ?? 0) };
    });
  }
  list(folder: string): Promise<string[]> {
    return this.#call('list', folder, () => this.inner.list(folder));
  }
  makeFolder(folder: string): Promise<void> {
    return this.#call('makeFolder', folder, () => this.inner.makeFolder(folder));
  }
  replace(path: string, bytes: Uint8Array): Promise<void> {
    return this.#call('replace', path, () => this.inner.replace(path, bytes));
  }
  rename(from: string, to: string): Promise<void> {
    return this.#call('rename', from, () => this.inner.rename(from, to));
  }
  link(from: string, to: string): Promise<void> {
    return this.#call('link', to, () => this.inner.link(from, to));
  }
  remove(path: string): Promise<void> {
    return this.#call('remove', path, () => this.inner.remove(path));
  }
  removeTree(folder: string): Promise<void> {
    return this.#call('removeTree', folder, () => this.inner.removeTree(folder));
  }
  syncFolder(folder: string): Promise<void> {
    return this.#call('syncFolder', folder, () => this.inner.syncFolder(folder));
  }
  realPath(path: string): Promise<string> {
    return this.inner.realPath(path);
  }
  setTime(path: string, mtime: number): Promise<void> {
    return this.#call('setTime', path, () => this.inner.setTime(path, mtime));
  }

  async #call<T>(
    call: Call,
    path: string,
    work: (fault: Fault | undefined) => Promise<T>,
    note = '',
  ): Promise<T> {
    this.calls.push(`${call}${note} ${path}`);
    const fault = this.#faultFor(call, path);
    const errno = this.#turn() ?? fault?.errno;
    if (errno !== undefined) throw failure(errno, call, path);
    if (fault?.bug !== undefined) throw fault.bug;
    return work(fault);
  }

  /** The error that this call has to fail with because its turn has come. */
  #turn(): string | undefined {
    if (this.failAt === undefined || --this.failAt.nth !== 0) return undefined;
    return this.failAt.errno;
  }

  #faultFor(call: Call, path: string): Fault | undefined {
    for (const fault of this.faults) {
      if (fault.call !== call || !path.endsWith(fault.path ?? '')) continue;
      if ((fault.after ?? 0) > 0) {
        fault.after = (fault.after ?? 0) - 1;
        continue;
      }
      if (fault.times === 0) continue;
      if (fault.times !== undefined) fault.times--;
      return fault;
    }
    return undefined;
  }

  #wrap(path: string, file: OpenFile): OpenFile {
    return {
      read: (into, position) => this.#call('file.read', path, () => file.read(into, position)),
      write: (bytes) => this.#write(path, file, bytes),
      datasync: () => this.#call('file.datasync', path, () => file.datasync()),
      truncate: (length) => this.#call('file.truncate', path, () => file.truncate(length)),
      stat: () => this.#call('file.stat', path, () => file.stat()),
      // What cannot be closed in order is closed all the same, as by the system.
      close: async () => {
        const closed = file.close();
        await this.#call('file.close', path, () => closed).finally(() => closed);
      },
    };
  }

  async #write(path: string, file: OpenFile, bytes: Uint8Array): Promise<number> {
    this.calls.push(`file.write ${path}`);
    const errno = this.#turn();
    if (errno !== undefined) {
      await file.write(bytes.subarray(0, bytes.length / 2));
      throw failure(errno, 'write', path);
    }
    const fault = this.#faultFor('file.write', path);
    if (fault === undefined) return file.write(bytes);
    if (fault.lies === true) return bytes.length;
    const taken = fault.bytes ?? 0;
    if (taken > 0) await file.write(bytes.subarray(0, taken));
    if (fault.errno !== undefined) throw failure(fault.errno, 'write', path);
    return Math.min(taken, bytes.length);
  }
}

const failure = (code: string, call: string, path: string): Error =>
  Object.assign(new Error(`${code}: ${call} '${path}'`), { code, volume: '/mnt/test' });
