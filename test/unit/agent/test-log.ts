/**
 * The real log on files in memory, watched: every batch that was asked for is kept, any of them can be refused, and the
 * process it lives in can die at any moment while the files stay.
 */
import { connectStore } from '../../../src/log/connected-store.js';
import type { CustomStore } from '../../../src/log/custom-store.js';
import { FileStore } from '../../../src/log/file-store.js';
import type { OsLock } from '../../../src/log/lease.js';
import { LockTable } from '../../../src/log/lock-table.js';
import { MemoryFiles } from '../../../src/log/memory-files.js';
import type { SessionLog } from '../../../src/log/store.js';
import type { Clock, Files, Ids, OpenFile } from '../../../src/ports.js';
import { BoughError } from '../../../src/shared/failure.js';
import type { Draft, Entry } from '../../../src/shared/notes.js';

/** What outlives a process. */
export class Disk {
  readonly files: MemoryFiles;
  /** What was appended, batch by batch, by whichever process. */
  readonly batches: Entry[][] = [];
  /** Path of a lock → the process that holds it. */
  readonly locks = new Map<string, Process>();
  #ids = 0;

  constructor(clock: Clock) {
    this.files = new MemoryFiles(() => clock.now());
  }

  get entries(): Entry[] {
    return this.batches.flat();
  }

  readonly ids: Ids = {
    entry: () => {
      this.#ids += 1;
      return this.#ids.toString(16).padStart(16, '0');
    },
    session: () => 'session',
  };

  async bytes(): Promise<string> {
    return new TextDecoder().decode(await this.files.read('/memory/sessions/session.jsonl'));
  }

  /** Text in the stream journal, or null when there is none. */
  async journal(): Promise<string | null> {
    try {
      return new TextDecoder().decode(await this.files.read('/memory/sessions/session.stream'));
    } catch {
      return null; // there is no such file
    }
  }
}

/** One extension host: its files stop answering when it dies, and its locks are free. */
export class Process {
  readonly #disk: Disk;
  #isDead = false;
  /** Nothing can be written, at the level of the file system. */
  isDiskFull = false;
  /** What the log told nobody in particular. */
  readonly troubles: BoughError[] = [];
  /** Asked before each append: an error fails it. */
  refuse: (batch: readonly Draft[]) => BoughError | null = () => null;
  /** Awaited before the disk answers that it has what was written. */
  answers: () => Promise<void> = () => Promise.resolve();
  /** Awaited before each append is begun. */
  slow: () => Promise<void> = () => Promise.resolve();
  readonly name: string;

  constructor(disk: Disk, name: string) {
    this.#disk = disk;
    this.name = name;
  }

  kill(): void {
    this.#isDead = true;
    for (const [path, holder] of [...this.#disk.locks]) if (holder === this) this.#disk.locks.delete(path);
  }

  /** Never resolves in a dead process. */
  async living(): Promise<void> {
    if (this.#isDead) await new Promise<never>(() => undefined);
  }

  get files(): Files {
    const wrap = <T extends object>(target: T): T =>
      new Proxy(target, {
        get: (inner, key) => {
          const member: unknown = Reflect.get(inner, key);
          if (typeof member !== 'function') return member;
          return async (...args: unknown[]) => {
            await this.living();
            if (this.isDiskFull && (key === 'write' || key === 'replace')) {
              throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
            }
            if (key === 'datasync') await this.answers();
            const result: unknown = await Reflect.apply(member, inner, args);
            return key === 'open' ? wrap(result as OpenFile) : result;
          };
        },
      });
    return wrap<Files>(this.#disk.files);
  }

  lock(path: string): OsLock {
    const { locks } = this.#disk;
    return {
      namesHolder: false,
      tryTake: () => {
        const holder = locks.get(path);
        if (holder !== undefined && holder !== this) return Promise.resolve(false);
        locks.set(path, this);
        return Promise.resolve(true);
      },
      isOurs: () => Promise.resolve(locks.get(path) === this),
      release: () => {
        if (locks.get(path) === this) locks.delete(path);
        return Promise.resolve();
      },
    };
  }
}

export interface TestLog {
  log: SessionLog;
  store: FileStore;
}

/** The same over a store of somebody else's, which outlives the process. */
export async function openCustomLog(
  custom: CustomStore,
  disk: Disk,
  process: Process,
  clock: Clock,
): Promise<{ log: SessionLog }> {
  const onTrouble = (error: BoughError): number => process.troubles.push(error);
  const parts = { custom, clock, ids: disk.ids, producer: 'bough/0.0.0-test', onTrouble };
  const real = await connectStore(parts).openOrCreate('session');
  return { log: watched(real, disk, process) };
}

export async function openLog(disk: Disk, process: Process, clock: Clock, id = 'session'): Promise<TestLog> {
  const store = new FileStore({
    folder: '/memory',
    files: process.files,
    clock,
    ids: disk.ids,
    locks: new LockTable(),
    who: { window: process.name, pid: 0, host: 'test' },
    producer: 'bough/0.0.0-test',
    onTrouble: (error) => process.troubles.push(error),
    osLock: ({ lock }) => process.lock(lock),
  });
  const real = await store.openOrCreate(id);
  return { log: watched(real, disk, process), store };
}

function watched(log: SessionLog, disk: Disk, process: Process): SessionLog {
  const append: SessionLog['append'] = async (batch, options) => {
    await process.slow();
    await process.living();
    const refusal = process.refuse(batch);
    if (refusal !== null) throw refusal;
    if (batch.length === 0) throw new Error('an empty batch was appended');
    const entries = await log.append(batch, options);
    disk.batches.push(entries);
    return entries;
  };
  return new Proxy(log, {
    get: (inner, key) => {
      if (key === 'append') return append;
      const member: unknown = Reflect.get(inner, key);
      return typeof member === 'function' ? (member.bind(inner) as unknown) : member;
    },
  });
}

export const diskFull = (): BoughError =>
  new BoughError('StorageFailure', 'The log could not be written: no space left on /data.', {
    errno: 'ENOSPC',
    op: 'write',
  });
