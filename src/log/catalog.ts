/**
 * The list of a folder's sessions. The folder is the truth; `cache/index.json` only remembers what a file of this size and
 * time came to. Missing, garbled or stale it is made again, and a file that cannot be read keeps its row.
 */
import path from 'node:path';
import type { Clock, FileStat, Files } from '../ports.js';
import { isBoughError, type BoughError } from '../shared/failure.js';
import { DeletedMarks, type MarkParts } from './deleted-marks.js';
import { inParallel } from './in-parallel.js';
import { indexFileIn, readIndex, writeIndex, type IndexRow } from './index-file.js';
import { ListReading, type Readable } from './list-reading.js';
import { byUpdate, hasTitle, isOfKind, page } from './list-page.js';
import type { ReadTexts } from './said-text.js';
import { SaidTexts } from './said-texts.js';
import { isSessionName, LOG_SUFFIX, sessionName } from './session-name.js';
import { Serial } from './serial.js';
import { ifThere, storageFailure, stored } from './storage.js';
import type { ListQuery, SessionSummary } from './store.js';
import { missing, summarise, unreadable } from './summary.js';
import { UnreadRows } from './unread-rows.js';

/** How many files are looked at at a time. */
const STATS_AT_ONCE = 32;
/** Pages that are asked for so soon after another belong to the same list. */
const SAME_LIST_MS = 1_000;
/** Of a log that cannot even be looked at. */
const UNSEEN: FileStat = { size: 0, mtime: 0, isFile: true, isFolder: false };
const misnamed =
  'This file was not named by Bough; rename it to lower-case letters, digits, - and _ to open it as a session.';

/** A log in the folder: what it looks like, or why that cannot be told. */
type Found = { name: string; stat: FileStat } | { name: string; error: BoughError };

export interface CatalogParts {
  files: Files;
  clock: Clock;
  sessions: string;
  /** Of the index; may be deleted at any time. */
  cache: string;
  who: MarkParts['who'];
  /** Nothing is written, not even the index: the sessions are those of another storage folder. */
  isToRead?: boolean;
  /** The build that lists; absent: rows of any build count. */
  producer?: string;
  /** Reads what was said in logs; default: here. */
  readTexts?: ReadTexts;
  /** The list is right all the same when its cache cannot be written; somebody should know. */
  onTrouble: (error: BoughError) => void;
}

export class Catalog {
  readonly #parts: CatalogParts;
  /** With what parts it from a file's name: a list asks for thousands of them. */
  readonly #sessions: string;
  readonly #serial = new Serial();
  /** As on disk, once read. */
  #rows: Map<string, IndexRow> | undefined;
  readonly #deleted: DeletedMarks;
  readonly #said: SaidTexts;
  readonly reading = new ListReading();
  readonly #unread: UnreadRows;
  /** Names of the logs that were in the folder when it was looked at last. */
  #there: ReadonlySet<string> = new Set();
  #hasExpired = false;
  /** What the folder came to when it was looked at last, in order. */
  #listed: { at: number; rows: SessionSummary[] } | undefined;

  constructor(parts: CatalogParts) {
    this.#parts = parts;
    this.#sessions = path.join(parts.sessions, path.sep);
    this.#deleted = new DeletedMarks(parts);
    this.#said = new SaidTexts(parts);
    this.#unread = new UnreadRows(parts.files, (name) => this.#fileOf(name));
  }

  async list(query: ListQuery = {}): Promise<{ sessions: SessionSummary[]; cursor?: string }> {
    // Whose a log is only the log says: none may be missing from an owner's list because somebody stopped the reading.
    const isWhole = query.owner !== undefined;
    const all = query.cursor === undefined ? await this.all(isWhole) : await this.#ofThePageBefore(isWhole);
    if ((query.text?.trim() ?? '') === '') return page(all, query);
    const rows = all.filter(isOfKind(query));
    return page(await this.#saying(query, rows), query);
  }

  /** Those that are called so, or in which it was said. */
  async #saying(query: ListQuery, rows: SessionSummary[]): Promise<SessionSummary[]> {
    const text = query.text?.trim() ?? '';
    const isCalled = hasTitle(query);
    const logs = rows.flatMap((row) => {
      if (isCalled(row) || row.status === 'missing' || row.status === 'unreadable') return [];
      const name = sessionName(row.id);
      return [{ name, file: this.#fileOf(name), size: row.size, mtime: row.updated }];
    });
    const said = await this.#said.find(text, logs, (name) => this.#there.has(name));
    return rows.filter((row) => isCalled(row) || said.has(sessionName(row.id)));
  }

  /** In order. `isWhole`: what a stopped reading left is read, too. */
  all(isWhole = false): Promise<SessionSummary[]> {
    return this.#serial.run(() => this.#reconcile({ isWhole }));
  }

  /** Who leafs through a long list looks at the folder once; later on it is looked at again. */
  async #ofThePageBefore(isWhole: boolean): Promise<readonly SessionSummary[]> {
    const { clock } = this.#parts;
    const listed = this.#listed;
    const isSame = listed !== undefined && clock.elapsed() - listed.at < SAME_LIST_MS;
    return isSame && !(isWhole && listed.rows.some(isUnread)) ? listed.rows : this.all(isWhole);
  }

  /** Makes the index again from the logs; rows of logs that are not found here stay. */
  async rebuild(): Promise<void> {
    await this.#serial.run(() => this.#reconcile({ isAnew: true, isWhole: true }));
  }

  /** The row of one log, read anew unless the index knows it as it is; the index is left alone. */
  async one(name: string): Promise<SessionSummary | undefined> {
    const known = (this.#rows ?? (await this.#readIndex())).get(name);
    const file = this.#fileOf(name);
    const stat = await stored('look at', file, () => ifThere(this.#parts.files.stat(file)));
    if (stat === undefined) return (await this.#lost(known === undefined ? [] : [[name, known]]))[0]?.summary;
    if (!stat.isFile) return undefined;
    const isKnown = known !== undefined && isRowOf(known, stat);
    return isKnown ? known.summary : this.#summarise(name, stat, known?.summary);
  }

  /** Before a log is moved to the trash, and after: once it is gone, its row is too. */
  async markDeleted(name: string, isMoved = false): Promise<void> {
    this.#listed = undefined;
    if (!isMoved) await this.#said.remove();
    try {
      await this.#deleted.set(name, isMoved);
    } catch (error) {
      if (!isBoughError(error)) throw error;
      this.#parts.onTrouble(error); // its row would stay until it is deleted once more: no reason to refuse
    }
  }

  /** Its log is not here, and that is because it was deleted. */
  async isDeleted(name: string): Promise<boolean> {
    return !(await this.#isThere(name)) && (await this.#deleted.names()).has(name);
  }

  /** What was known of a log when it was last there. */
  async known(name: string): Promise<IndexRow | undefined> {
    return (this.#rows ?? (await this.#readIndex())).get(name);
  }

  /** It was brought back; with what was `known` of it, where it had no log. */
  async unmarkDeleted(name: string, known?: IndexRow): Promise<void> {
    this.#listed = undefined;
    await this.#deleted.clear(name);
    if (known !== undefined) await this.#serial.run(() => this.#putBack(name, known));
  }

  async #putBack(name: string, known: IndexRow): Promise<void> {
    const rows = (this.#rows ??= await this.#readIndex());
    if (rows.has(name)) return;
    rows.set(name, known);
    await this.#writeIndex(rows);
  }

  /** One of this name was made: a mark from before is not about it. */
  async made(name: string): Promise<void> {
    try {
      await this.unmarkDeleted(name);
    } catch (error) {
      if (!isBoughError(error)) throw error;
      this.#parts.onTrouble(error); // the next list that finds it tries again
    }
  }

  /** It could not be moved away. What failed there is what is told; a mark beside a log says nothing. */
  async unmarkUnlessGone(name: string): Promise<void> {
    try {
      if (await this.#isThere(name)) await this.unmarkDeleted(name);
    } catch (error) {
      if (!isBoughError(error)) throw error;
      this.#parts.onTrouble(error);
    }
  }

  /** Brings the index up to what the folder holds and returns all rows. */
  async #reconcile({ isAnew = false, isWhole = false }): Promise<SessionSummary[]> {
    const known = (this.#rows ??= await this.#readIndex());
    const found = await this.#look();
    this.#there = new Set(found.map(({ name }) => name));
    const same = isAnew ? undefined : rowsIfSame(found, known);
    if (same !== undefined) this.reading.done();
    const rows = same ?? (await this.#readChanged(found, known, { isAnew, isWhole }));
    if (this.#parts.isToRead !== true) {
      await this.#clearFound(found);
      await this.#expireOnce();
    }
    this.#listed = { at: this.#parts.clock.elapsed(), rows: rows.sort(byUpdate) };
    return this.#listed.rows;
  }

  /** Of what is not as the index knows it, the log says. */
  async #readChanged(
    found: readonly Found[],
    known: ReadonlyMap<string, IndexRow>,
    { isAnew, isWhole }: { isAnew: boolean; isWhole: boolean },
  ): Promise<SessionSummary[]> {
    const index = new Map<string, IndexRow>();
    const rows: SessionSummary[] = [];
    /** What cannot be read now; the index remembers what was known of it. */
    const fail = (name: string, summary: SessionSummary): void => {
      rows.push(summary);
      const row = known.get(name);
      if (row !== undefined) index.set(name, row);
    };
    let hasChanged = false;
    const changed: Readable[] = [];
    for (const log of found) {
      const { name } = log;
      const row = known.get(name);
      if ('error' in log) fail(name, unreadable(name, UNSEEN, log.error.message, row?.summary));
      else if (!isAnew && row !== undefined && isRowOf(row, log.stat)) {
        rows.push(row.summary);
        index.set(name, row);
      } else if (!isSessionName(name)) fail(name, misnamedRow(name, log.stat));
      else changed.push(log);
    }
    const left = await this.reading.each(changed, isWhole, async ({ name, stat }) => {
      const summary = await this.#summarise(name, stat, known.get(name)?.summary);
      if (summary === undefined) return;
      if (summary.status === 'unreadable') return fail(name, summary);
      hasChanged = true;
      rows.push(summary);
      index.set(name, { size: summary.size, mtime: summary.updated, summary });
    });
    const notRead = await this.#unread.of(left, (name) => known.get(name)?.summary);
    const lost = await this.#lost(notAmong(this.#there, known));
    for (const { name, summary } of [...notRead, ...lost]) fail(name, summary);
    this.#rows = index;
    const isOther = hasChanged || index.size !== known.size;
    if (isOther && this.#parts.isToRead !== true) await this.#writeIndex(index);
    return rows;
  }

  /** All logs with their size and time; one that goes meanwhile is not there. */
  async #look(): Promise<Found[]> {
    const { files, sessions } = this.#parts;
    const listed = (await stored('list', sessions, () => ifThere(files.list(sessions)))) ?? [];
    const names = listed
      .filter((file) => file.endsWith(LOG_SUFFIX))
      .map((file) => file.slice(0, -LOG_SUFFIX.length));
    const paths = names.map((name) => this.#fileOf(name));
    const seen = (await files.statAll?.(paths)) ?? [];
    const found: Found[] = [];
    const left: string[] = [];
    names.forEach((name, index) => {
      const stat = seen[index];
      if (stat === undefined) left.push(name);
      else if (stat.isFile) found.push({ name, stat });
    });
    await inParallel(STATS_AT_ONCE, left, async (name) => {
      const file = this.#fileOf(name);
      try {
        const stat = await stored('look at', file, () => ifThere(files.stat(file)));
        if (stat?.isFile === true) found.push({ name, stat });
      } catch (error) {
        if (!isBoughError(error)) throw error;
        found.push({ name, error });
      }
    });
    return found;
  }

  /** Rows of logs that are gone though nobody deleted them here: they stay, and say so, until somebody does. */
  async #lost(
    gone: readonly (readonly [string, IndexRow])[],
  ): Promise<{ name: string; summary: SessionSummary }[]> {
    if (gone.length === 0) return [];
    const deleted = await this.#deleted.names();
    return gone
      .filter(([name]) => !deleted.has(name))
      .map(([name, { summary }]) => ({ name, summary: missing(summary, this.#fileOf(name)) }));
  }

  /** Undefined when it was deleted meanwhile. */
  async #summarise(
    name: string,
    stat: FileStat,
    known: SessionSummary | undefined,
  ): Promise<SessionSummary | undefined> {
    if (!isSessionName(name)) return misnamedRow(name, stat);
    const file = this.#fileOf(name);
    try {
      return await summarise(this.#parts.files, file);
    } catch (error) {
      if (!isBoughError(error)) throw error;
      return error.data['errno'] === 'ENOENT' ? undefined : unreadable(name, stat, error.message, known);
    }
  }

  #readIndex(): Promise<Map<string, IndexRow>> {
    const { files, cache, producer } = this.#parts;
    return readIndex(files, cache, producer);
  }

  async #writeIndex(rows: ReadonlyMap<string, IndexRow>): Promise<void> {
    const { files, cache, onTrouble, producer } = this.#parts;
    try {
      await writeIndex(files, cache, rows, producer);
    } catch (error) {
      onTrouble(storageFailure(error, 'write the list of sessions to', indexFileIn(cache)));
    }
  }

  /** A session that is found again is not deleted any more, whoever brought it back: when its log is lost, that is shown. */
  async #clearFound(found: readonly Found[]): Promise<void> {
    try {
      const marked = await this.#deleted.names();
      if (marked.size === 0) return;
      const names = found.map(({ name }) => name).filter((name) => marked.has(name));
      await this.#deleted.clearFound(names, (name) => this.#isThere(name));
    } catch (error) {
      if (!isBoughError(error)) throw error;
      this.#parts.onTrouble(error);
    }
  }

  /** Behind the first look: the index has no rows of what they are about any more. */
  async #expireOnce(): Promise<void> {
    if (this.#hasExpired) return;
    this.#hasExpired = true;
    try {
      await this.#deleted.expire((name) => this.#isThere(name));
    } catch (error) {
      if (!isBoughError(error)) throw error;
      this.#parts.onTrouble(error);
    }
  }

  async #isThere(name: string): Promise<boolean> {
    const file = this.#fileOf(name);
    return (await stored('look at', file, () => ifThere(this.#parts.files.stat(file)))) !== undefined;
  }

  #fileOf(name: string): string {
    return `${this.#sessions}${name}${LOG_SUFFIX}`;
  }
}

const isUnread = ({ status }: SessionSummary): boolean => status === 'unread';

const misnamedRow = (name: string, stat: FileStat): SessionSummary =>
  unreadable(`${name}${LOG_SUFFIX}`, stat, misnamed);

const isRowOf = (row: IndexRow, { size, mtime }: FileStat): boolean =>
  row.size === size && row.mtime === mtime;

/** Those of the index where each is of a log that is there as it was, and none is there besides: mostly so. */
function rowsIfSame(
  found: readonly Found[],
  known: ReadonlyMap<string, IndexRow>,
): SessionSummary[] | undefined {
  if (found.length !== known.size) return undefined;
  const rows: SessionSummary[] = [];
  for (const log of found) {
    const row = known.get(log.name);
    if (row === undefined || 'error' in log || !isRowOf(row, log.stat)) return undefined;
    rows.push(row.summary);
  }
  return rows;
}

/** Rows of the index that no log in the folder is of. */
function notAmong(
  there: ReadonlySet<string>,
  known: ReadonlyMap<string, IndexRow>,
): (readonly [string, IndexRow])[] {
  const gone: [string, IndexRow][] = [];
  for (const [name, row] of known) if (!there.has(name)) gone.push([name, row]);
  return gone;
}
