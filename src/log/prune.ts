/**
 * Deletes by age what a policy names, and nothing else: whole sessions, the blobs of completed goals, blobs and side files
 * that nothing names. What is in use, waits for an answer, carries a goal or cannot be read stays, and the report says so.
 */
import path from 'node:path';
import type { Clock, Files } from '../ports.js';
import { BoughError, isBoughError } from '../shared/failure.js';
import { isHash } from './blobs.js';
import type { SessionHandles } from './session-handles.js';
import { DRAFT_FILE, type SessionPaths } from './session-name.js';
import { survey, unknownIn, type Survey } from './session-survey.js';
import { ifThere, stored } from './storage.js';
import type { Deletion, SessionSummary } from './store.js';
import type { PruneOptions, PrunePolicy, PruneReport } from './upkeep.js';

const JUST_WRITTEN = 'It was written to just now.';
const UNREAD = 'Its log is not read: reading the list was stopped.';

export interface PruneParts {
  files: Files;
  clock: Clock;
  handles: SessionHandles;
  /** All sessions, archived ones too. */
  rows: readonly SessionSummary[];
  /** Side files of no session. */
  orphans: readonly string[];
  delete: (id: string) => Promise<Deletion>;
  /** To the trash, from which a person can take them by hand: nobody knows for sure that their session is gone. */
  discardSides: (paths: SessionPaths, files: readonly string[]) => Promise<void>;
}

/** @throws BoughError InvalidArgument, before anything is deleted */
export function checkPolicy(policy: PrunePolicy): void {
  for (const [name, age] of Object.entries(policy) as [string, number | undefined][]) {
    if (age === undefined || (Number.isFinite(age) && age >= 0)) continue;
    throw new BoughError(
      'InvalidArgument',
      `The age ${name} is ${age}; it must be milliseconds, zero to keep everything. Nothing was deleted.`,
    );
  }
}

export async function prune(
  parts: PruneParts,
  policy: PrunePolicy,
  { dryRun = false, signal, isOpen = () => false, owner }: PruneOptions,
): Promise<PruneReport> {
  checkPolicy(policy);
  const report: PruneReport = { sessions: [], goals: [], results: [], bytes: 0, kept: [] };
  const pruning = new Pruning(parts, policy, dryRun, isOpen, report);
  if (Object.values(policy).some((age) => age > 0)) {
    for (const row of parts.rows) {
      signal?.throwIfAborted();
      // Nothing is known of it but that it is there: neither what it is called nor whose it is.
      if (row.status === 'unread') report.kept.push({ session: row.id, reason: UNREAD });
      else if (owner === undefined || row.owner === owner) await pruning.session(row);
    }
    // What is left of a session does not say whose it was.
    if (owner === undefined) await pruning.orphans();
  }
  report.bytes = [...report.sessions, ...report.goals, ...report.results].reduce(
    (sum, { bytes }) => sum + bytes,
    0,
  );
  return report;
}

interface Side {
  file: string;
  bytes: number;
}

class Pruning {
  constructor(
    private readonly parts: PruneParts,
    private readonly policy: PrunePolicy,
    private readonly isDry: boolean,
    private readonly isOpen: (id: string) => boolean,
    private readonly report: PruneReport,
  ) {}

  async session(row: SessionSummary): Promise<void> {
    const { files, handles } = this.parts;
    const paths = handles.pathsOf(row.id);
    try {
      const found = await survey(files, paths);
      const isIdle = this.#isOld(found.updated, this.policy.sessionIdle);
      const reason = await this.#reasonToKeep(row.id, paths, found);
      if (isIdle && reason === undefined) return await this.#deleteSession(row, paths, found);
      if (isIdle && reason !== undefined) this.report.kept.push({ session: row.id, reason });
      if (unknownIn(found.ledger) !== undefined || (await this.#isInUse(row.id, paths))) return;
      await this.#goals(row.id, paths, found);
      await this.#results(row.id, paths, found);
    } catch (error) {
      if (!isBoughError(error)) throw error;
      if (error.data['errno'] === 'ENOENT') return;
      this.report.kept.push({ session: row.id, reason: error.message });
    }
  }

  /** Side files whose session is gone; not those of one that is only not found: they wait for its log to be put back. */
  async orphans(): Promise<void> {
    const { rows, handles } = this.parts;
    const lost = rows.filter(({ status }) => status === 'missing');
    const namesOfLost = new Map(lost.map(({ id }) => [handles.pathsOf(id).name, id]));
    for (const [name, files] of this.#orphansByName()) {
      const id = namesOfLost.get(name);
      if (id !== undefined)
        this.#keep(id, 'It is not found here; what belongs to it stays, for when it is put back.');
      else await this.#sides(handles.pathsOfName(name), files);
    }
  }

  #orphansByName(): Map<string, string[]> {
    const byName = new Map<string, string[]>();
    for (const file of this.parts.orphans) {
      if (file.endsWith('.lock') || file.endsWith('.lease.json')) continue;
      const name = path.basename(file).replace(/\.[a-z]+$/, '');
      byName.set(name, [...(byName.get(name) ?? []), file]);
    }
    return byName;
  }

  #keep(session: string, reason: string): void {
    if ((this.policy.detachedResultAge ?? 0) > 0) this.report.kept.push({ session, reason });
  }

  /** Under the session's lease, so that nobody is just making, copying, deleting or bringing it back. */
  async #sides(paths: SessionPaths, sides: readonly string[]): Promise<void> {
    const { handles, files, discardSides } = this.parts;
    const old = await this.#oldOf(paths, sides);
    const isNothing = old.length === 0 && !(await this.#isEmpty(paths.folder));
    if (isNothing || this.isDry) return this.#count(paths, old);
    try {
      const isDone = await handles.underLease(paths, async () => {
        if (await handles.isOnDisk(paths)) return false;
        const going = old.map(({ file }) => file);
        if (going.length > 0) await discardSides(paths, going);
        if (await this.#isEmpty(paths.folder)) await files.removeTree(paths.folder);
        return true;
      });
      await stored('remove', paths.lock, () => handles.leaseOf(paths).removeFiles());
      if (isDone) this.#count(paths, old);
    } catch (error) {
      if (!isBoughError(error, 'Locked')) throw error;
      this.#keep(paths.name, error.message);
    }
  }

  async #isEmpty(folder: string): Promise<boolean> {
    const { files } = this.parts;
    return (await stored('list', folder, () => ifThere(files.list(folder))))?.length === 0;
  }

  #count({ name }: SessionPaths, old: readonly Side[]): void {
    for (const { file, bytes } of old)
      this.report.results.push({ session: name, file: path.basename(file), bytes });
  }

  /** Each file by its own age. */
  async #oldOf({ folder }: SessionPaths, sides: readonly string[]): Promise<Side[]> {
    const { files } = this.parts;
    const old: Side[] = [];
    for (const side of sides) {
      const names = side === folder ? await stored('list', side, () => ifThere(files.list(side))) : undefined;
      const all = names === undefined ? [side] : names.map((name) => path.join(side, name));
      for (const file of all) {
        const bytes = await this.#sizeIfOld(file);
        if (bytes !== undefined) old.push({ file, bytes });
      }
    }
    return old;
  }

  #isOld(time: number, age: number | undefined): boolean {
    return age !== undefined && age > 0 && this.parts.clock.now() - time > age;
  }

  async #isInUse(id: string, paths: SessionPaths): Promise<boolean> {
    const { handles } = this.parts;
    return handles.gated(id, async () => {
      const live = await handles.live(paths);
      if (live?.isRunning === true) return true;
      return (await (live ?? handles.leaseOf(paths)).holder()) !== null;
    });
  }

  async #reasonToKeep(id: string, paths: SessionPaths, found: Survey): Promise<string | undefined> {
    if (!found.ledger.isSessionLog) return 'It is no session log.';
    const unknown = unknownIn(found.ledger);
    if (unknown !== undefined) return unknown;
    if (found.isWaiting) return 'It waits for an approval.';
    if (found.isCarrying) return 'It carries a goal that is not completed.';
    if (this.isOpen(id)) return 'It is open.';
    if (await this.#isInUse(id, paths)) return 'It is in use.';
    const { size } = await stored('look at', paths.log, () => this.parts.files.stat(paths.log));
    return size === found.size ? undefined : JUST_WRITTEN;
  }

  async #deleteSession(row: SessionSummary, paths: SessionPaths, found: Survey): Promise<void> {
    const bytes = found.size + (await this.#sizeOfSides(paths));
    if (!this.isDry) await this.parts.delete(row.id); // to the trash, from which it goes after a week
    this.report.sessions.push({ id: row.id, title: row.title, updated: found.updated, bytes });
  }

  async #sizeOfSides(paths: SessionPaths): Promise<number> {
    const { files } = this.parts;
    const names = (await stored('list', paths.folder, () => ifThere(files.list(paths.folder)))) ?? [];
    const sides = [paths.stream, paths.damaged, ...names.map((name) => path.join(paths.folder, name))];
    let bytes = 0;
    for (const side of sides) {
      const stat = await stored('look at', side, () => ifThere(files.stat(side)));
      bytes += stat?.isFile === true ? stat.size : 0;
    }
    return bytes;
  }

  /** Of the goals that the line has on which the head is. */
  async #goals(id: string, paths: SessionPaths, found: Survey): Promise<void> {
    const { completedGoalAge } = this.policy;
    const isDue = ({ timestamp }: { timestamp: string }): boolean => {
      const ended = Date.parse(timestamp);
      return this.#isOld(Number.isNaN(ended) ? found.updated : ended, completedGoalAge);
    };
    const due = found.completed.filter(isDue);
    if (due.length === 0) return;
    if (!this.isDry) await this.#notePruned(id, found, due);
    const isGoing = new Set(due.map(({ goal_id }) => goal_id));
    const staying = [...found.goalHashes].filter(([goal]) => !isGoing.has(goal));
    const needed = new Set([...found.named, ...staying.flatMap(([, hashes]) => [...hashes])]);
    for (const { goal_id } of due) {
      const hashes = [...(found.goalHashes.get(goal_id) ?? [])].filter((hash) => !needed.has(hash));
      const bytes = await this.#removeBlobs(paths, hashes);
      this.report.goals.push({ session: id, goal_id, bytes });
    }
  }

  /** Durable before the blobs go, and only where the head still is as it was when the goals were looked at. */
  async #notePruned(id: string, { ledger }: Survey, due: Survey['completed']): Promise<void> {
    const notes = due.map(({ type, goal_id, objective, iteration, max_iterations }) => {
      return { type, goal_id, objective, iteration, max_iterations, status: 'pruned' };
    });
    await this.parts.handles.withLog(id, async (log) => {
      await log.catchUp();
      if (log.position !== ledger.position) throw new BoughError('SessionConflict', JUST_WRITTEN);
      await log.append(notes, { isArchivedAllowed: true });
    });
  }

  async #removeBlobs(paths: SessionPaths, hashes: readonly string[]): Promise<number> {
    const { files } = this.parts;
    let bytes = 0;
    for (const hash of hashes) {
      const file = path.join(paths.folder, hash);
      const stat = await stored('look at', file, () => ifThere(files.stat(file)));
      if (stat === undefined) continue;
      if (!this.isDry) await stored('remove', file, () => ifThere(files.remove(file)));
      bytes += stat.size;
    }
    return bytes;
  }

  /** Blobs in a session's folder that none of its lines names. */
  async #results(id: string, paths: SessionPaths, found: Survey): Promise<void> {
    const { files } = this.parts;
    const names = (await stored('list', paths.folder, () => ifThere(files.list(paths.folder)))) ?? [];
    for (const name of names) {
      const isGoals = [...found.goalHashes.values()].some((hashes) => hashes.has(name));
      if (isHash(name) && !found.named.has(name) && !isGoals)
        await this.#remove(id, path.join(paths.folder, name));
    }
  }

  async #remove(session: string, file: string): Promise<void> {
    const { files } = this.parts;
    const bytes = await this.#sizeIfOld(file);
    if (bytes === undefined) return;
    if (!this.isDry) await stored('remove', file, () => ifThere(files.remove(file)));
    this.report.results.push({ session, file: path.basename(file), bytes });
  }

  /** Of a file that may go for its age. */
  async #sizeIfOld(file: string): Promise<number | undefined> {
    const { files } = this.parts;
    const stat = await stored('look at', file, () => ifThere(files.stat(file)));
    if (stat?.isFile !== true || path.basename(file) === DRAFT_FILE) return undefined;
    const age = this.policy.detachedResultAge ?? 0;
    if (this.#isOld(stat.mtime, age)) return stat.size;
    if (age > 0) this.report.young = (this.report.young ?? 0) + 1;
    return undefined;
  }
}
