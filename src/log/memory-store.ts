/** Sessions that are written nowhere: the file store, on files that live in this process only. */
import type { Clock, Ids } from '../ports.js';
import { FileStore } from './file-store.js';
import type { OsLock } from './os-lock.js';
import { LockTable } from './lock-table.js';
import { MemoryFiles } from './memory-files.js';

/** No other process can see these sessions. */
const noOtherProcess: OsLock = {
  namesHolder: true,
  tryTake: () => Promise.resolve(true),
  isOurs: () => Promise.resolve(true),
  release: () => Promise.resolve(),
};

export interface MemoryStoreParts {
  clock: Clock;
  ids: Ids;
  /** `bough/<version>`. */
  producer: string;
}

export function createMemoryStore({ clock, ids, producer }: MemoryStoreParts): FileStore {
  return new FileStore({
    folder: '/sessions-in-memory',
    files: new MemoryFiles(() => clock.now()),
    clock,
    ids,
    locks: new LockTable(),
    who: { window: 'memory', pid: 0, host: 'memory' },
    producer,
    onTrouble: (error) => {
      throw error;
    },
    osLock: () => noOtherProcess,
    hasFiles: false,
  });
}
