/**
 * A lock that the operating system holds, through the one way node offers: an exclusive transaction on an empty SQLite
 * file. It is free as soon as its holder is dead. Nothing else may ever open the lock file: any plain open and close of
 * it within the holder's process would free the lock.
 */
import type * as SqliteModule from 'node:sqlite';
import type { Files } from '../ports.js';
import { errnoOf, ifThere } from './storage.js';
import type { OsLock } from './os-lock.js';

type Sqlite = typeof SqliteModule;

const SQLITE_BUSY = 5;

/** Undefined where this node has no SQLite (20); loaded when first needed, since 22 prints a warning. */
export function loadSqlite(): Sqlite | undefined {
  return process.getBuiltinModule('node:sqlite');
}

export class SqliteLock implements OsLock {
  readonly namesHolder = false;
  readonly #sqlite: Sqlite;
  readonly #files: Files;
  readonly #path: string;
  #database: InstanceType<Sqlite['DatabaseSync']> | undefined;

  constructor(sqlite: Sqlite, files: Files, path: string) {
    this.#sqlite = sqlite;
    this.#files = files;
    this.#path = path;
  }

  async tryTake(): Promise<boolean> {
    await this.#create();
    const identity = await this.#identity();
    const database = new this.#sqlite.DatabaseSync(this.#path);
    try {
      // A journal in memory: the transaction never writes, and no file is left beside the lock.
      database.exec('PRAGMA busy_timeout = 0; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    } catch (error) {
      database.close();
      if (isBusy(error)) return false;
      throw error;
    }
    this.#database = database;
    if (await this.#isStill(identity)) return true;
    await this.release();
    return false;
  }

  isOurs(): Promise<boolean> {
    return Promise.resolve(this.#database?.isOpen === true);
  }

  release(): Promise<void> {
    this.#database?.close();
    this.#database = undefined;
    return Promise.resolve();
  }

  /**
   * Whoever held it may have removed the file after it was opened here: then this is the lock of a file that nobody else
   * finds, and somebody may hold another by its name.
   */
  async #isStill(identity: string | undefined): Promise<boolean> {
    try {
      return identity !== undefined && (await this.#identity()) === identity;
    } catch (error) {
      await this.release();
      throw error;
    }
  }

  async #identity(): Promise<string | undefined> {
    return (await ifThere(this.#files.stat(this.#path)))?.identity;
  }

  /** SQLite would create it readable by others. Only a file that was not there is opened here. */
  async #create(): Promise<void> {
    try {
      await (await this.#files.open(this.#path, 'create')).close();
    } catch (error) {
      if (errnoOf(error) !== 'EEXIST') throw error;
    }
  }
}

const isBusy = (error: unknown): boolean =>
  error instanceof Error && 'errcode' in error && Number(error.errcode) % 256 === SQLITE_BUSY;
