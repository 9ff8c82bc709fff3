/**
 * A session store of Bough's over a custom one: strict, one live handle per session, lists with titles and states, forks,
 * deletion by age. Everything goes through the boundary; nothing is kept of a session that is not open but its row.
 */
import type { Clock, Disposable, Ids } from '../ports.js';
import type { Header } from '../shared/entry.js';
import { BoughError } from '../shared/failure.js';
import {
  copyEntries,
  putBack,
  storeWhole,
  takeSnapshot,
  type ConnectedCopy,
  type Snapshot,
} from './connected-copies.js';
import { ConnectedLog, type ConnectedLogParts } from './connected-log.js';
import { ConnectedRows } from './connected-rows.js';
import { pruneConnected, verifyConnected, type ConnectedUpkeep } from './connected-upkeep.js';
import { wait } from './copies.js';
import { exists, forkInit, forkPoint, importInit, refuseWhileAsked } from './copy-init.js';
import { CopyPlan } from './copy-plan.js';
import type { CustomStore } from './custom-store.js';
import { newHeader, refusalOf } from './header.js';
import { Listeners } from './listeners.js';
import { Gates } from './serial.js';
import { nameOf, tagsOf } from './session-info.js';
import { checkSessionId } from './session-name.js';
import { StoreBoundary } from './store-boundary.js';
import type {
  Deletion,
  ForkOptions,
  ListQuery,
  SessionInit,
  SessionLog,
  SessionStore,
  SessionSummary,
  StoreAbilities,
} from './store.js';
import type { PruneOptions, PrunePolicy, PruneReport, VerifyOptions, VerifyReport } from './upkeep.js';

export interface ConnectParts {
  custom: CustomStore;
  clock: Clock;
  ids: Ids;
  /** `bough/<version>`. */
  producer: string;
  /** Failures that nobody waits for. */
  onTrouble: (error: BoughError) => void;
}

export const connectStore = (parts: ConnectParts): ConnectedStore => new ConnectedStore(parts);

export class ConnectedStore implements SessionStore, StoreAbilities {
  readonly #parts: ConnectParts;
  readonly #boundary: StoreBoundary;
  readonly #live = new Map<string, ConnectedLog>();
  readonly #gates = new Gates();
  readonly #changed = new Listeners<string>();
  readonly #rows: ConnectedRows;

  constructor(parts: ConnectParts) {
    this.#parts = parts;
    this.#boundary = new StoreBoundary(parts.custom, parts.clock);
    this.#rows = new ConnectedRows(this.#logParts);
  }

  create(init: SessionInit = {}, signal?: AbortSignal): Promise<SessionLog> {
    const id = init.id ?? this.#parts.ids.session();
    return this.#gated(
      id,
      async () => {
        await this.#refuseKnown(id);
        return this.#keep(ConnectedLog.create(this.#logParts, this.#headerOf(id, init)));
      },
      signal,
    );
  }

  open(id: string, signal?: AbortSignal): Promise<SessionLog> {
    return this.#gated(id, () => this.#opened(id), signal);
  }

  openOrCreate(id: string, init: SessionInit = {}, signal?: AbortSignal): Promise<SessionLog> {
    return this.#gated(
      id,
      async () => {
        const there = (await this.#liveLog(id)) ?? (await this.#loaded(id));
        return this.#keep(there ?? ConnectedLog.create(this.#logParts, this.#headerOf(id, init)));
      },
      signal,
    );
  }

  list(query?: ListQuery): Promise<{ sessions: SessionSummary[]; cursor?: string }> {
    return this.#rows.list(query);
  }

  async summary(id: string): Promise<SessionSummary | undefined> {
    checkSessionId(id);
    const stored = await this.#boundary.load(id);
    return stored === undefined ? undefined : this.#rows.summaryOf(stored);
  }

  opened(id: string): SessionLog | undefined {
    const log = this.#live.get(id);
    return log?.isLive === true ? log : undefined;
  }

  async rename(id: string, name: string, signal?: AbortSignal): Promise<void> {
    await this.#note(id, nameOf(name), signal);
  }

  async setTags(id: string, tags: readonly string[], signal?: AbortSignal): Promise<void> {
    await this.#note(id, tagsOf(tags), signal);
  }

  archive(id: string, signal?: AbortSignal): Promise<void> {
    return this.#setArchived(id, true, signal);
  }

  unarchive(id: string, signal?: AbortSignal): Promise<void> {
    return this.#setArchived(id, false, signal);
  }

  async fork(id: string, options: ForkOptions = {}): Promise<SessionLog> {
    const source = await this.#gated(id, () => this.#peeked(id), options.signal);
    await this.#untilSettled(source, options.signal);
    const head = await forkPoint(source, options);
    refuseWhileAsked(source, head);
    const kept = (await source.path(head)).map((entry) => entry.id);
    const plan = new CopyPlan({ outline: source.outline, kept, head, isForeign: false });
    const init = forkInit(this.#parts.ids, source, head, options);
    const isThere = async (): Promise<boolean> =>
      source.position === 0 || (await this.#boundary.load(id)) !== undefined;
    return this.#copy(source, { init, plan, positions: source.linePositions(head), isThere }, options.signal);
  }

  importCopy(source: SessionLog, init: SessionInit = {}, signal?: AbortSignal): Promise<SessionLog> {
    const { outline, head } = source;
    const plan = new CopyPlan({ outline, kept: outline.map(([id]) => id), head, isForeign: true });
    const positions = Array.from({ length: source.position }, (_, position) => position);
    const wasStale = source.access.mode === 'stale';
    const isThere = (): Promise<boolean> => Promise.resolve(wasStale || source.access.mode !== 'stale');
    const copy = { init: importInit(this.#parts.ids, source, init), plan, positions, isThere };
    return this.#copy(source, copy, signal);
  }

  delete(id: string, signal?: AbortSignal): Promise<Deletion> {
    return this.#gated(
      id,
      async () => {
        const gone = new BoughError(
          'SessionConflict',
          `Session ${id} was deleted; nothing more is written to it.`,
        );
        // Before the snapshot: what is appended, and confirmed, while that is taken would not come back.
        await this.#live.get(id)?.end(gone);
        this.#live.delete(id);
        let kept = await takeSnapshot(this.#boundary, id);
        await this.#boundary.delete(id);
        this.#changed.tell(id);
        return {
          undo: () => this.#gated(id, () => this.#restore(id, kept)),
          purge: () => {
            kept = undefined;
            return Promise.resolve();
          },
        };
      },
      signal,
    );
  }

  prune(policy: PrunePolicy, options?: PruneOptions): Promise<PruneReport> {
    return pruneConnected(this.#upkeep, policy, options);
  }

  verify(options?: VerifyOptions): Promise<VerifyReport> {
    return verifyConnected(this.#upkeep, options);
  }

  onChange(listener: (id: string) => void): Disposable {
    return this.#changed.add(listener);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#live.values()].map((log) => log.close()));
    this.#live.clear();
  }

  // ------------------------------------------------------------------------------------------------------ handles

  async #gated<T>(id: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    checkSessionId(id);
    return await this.#gates.run(id, work, signal);
  }

  get #upkeep(): ConnectedUpkeep {
    return {
      clock: this.#parts.clock,
      boundary: this.#boundary,
      rows: this.#rows,
      peek: (id) => this.#gated(id, () => this.#peeked(id)),
      delete: (id) => this.delete(id),
    };
  }

  get #logParts(): ConnectedLogParts {
    const { clock, ids, onTrouble } = this.#parts;
    return { boundary: this.#boundary, clock, ids, onTrouble };
  }

  #headerOf(id: string, init: SessionInit): Header {
    const { clock, producer } = this.#parts;
    return newHeader(id, new Date(clock.now()).toISOString(), producer, init);
  }

  #keep(log: ConnectedLog): ConnectedLog {
    if (this.#live.get(log.id) === log) return log;
    this.#live.set(log.id, log);
    log.onAppend(() => this.#changed.tell(log.id));
    return log;
  }

  async #liveLog(id: string): Promise<ConnectedLog | undefined> {
    const log = this.#live.get(id);
    if (log === undefined || log.isLive) return log;
    this.#live.delete(id);
    await log.close();
    return undefined;
  }

  async #loaded(id: string): Promise<ConnectedLog | undefined> {
    const stored = await this.#boundary.load(id);
    return stored === undefined ? undefined : ConnectedLog.of(this.#logParts, stored);
  }

  /** The live handle, or one that nobody else has. */
  async #peeked(id: string): Promise<ConnectedLog> {
    const log = (await this.#liveLog(id)) ?? (await this.#loaded(id));
    if (log === undefined) throw new BoughError('SessionNotFound', `There is no session ${id}.`);
    return log;
  }

  async #opened(id: string): Promise<ConnectedLog> {
    return this.#keep(await this.#peeked(id));
  }

  async #refuseKnown(id: string): Promise<void> {
    const isThere = (await this.#liveLog(id)) !== undefined || (await this.#boundary.load(id)) !== undefined;
    if (isThere) throw exists(id);
  }

  #note(id: string, info: { name?: string; tags?: string[] }, signal?: AbortSignal): Promise<void> {
    return this.#gated(
      id,
      async () => {
        const log = await this.#peeked(id);
        const isOpen = this.#live.get(id) === log;
        await log.append([{ type: 'session_info', ...info }], { isArchivedAllowed: true });
        if (!isOpen) this.#changed.tell(id);
      },
      signal,
    );
  }

  #setArchived(id: string, archived: boolean, signal?: AbortSignal): Promise<void> {
    return this.#gated(
      id,
      async () => {
        const log = await this.#opened(id);
        if (log.isRunning)
          throw new BoughError('SessionRunning', 'This session is working; stop it before it is archived.');
        try {
          if (log.state().archived !== archived)
            await log.append([{ type: 'session_info', archived }], { isArchivedAllowed: true });
        } finally {
          this.#live.delete(id);
          await log.close();
        }
      },
      signal,
    );
  }

  // ------------------------------------------------------------------------------------------------------- copies

  async #untilSettled(source: ConnectedLog, signal?: AbortSignal): Promise<void> {
    for (let delay = 10; source.isRunning; delay = Math.min(delay * 2, 250)) {
      signal?.throwIfAborted();
      await wait(this.#parts.clock, delay, signal);
    }
    signal?.throwIfAborted();
  }

  async #copy(source: SessionLog, copy: ConnectedCopy, signal?: AbortSignal): Promise<SessionLog> {
    const { access } = source;
    if (access.mode === 'read-only' && access.reason === 'newer') throw refusalOf(access);
    const { id } = copy.init;
    return await this.#gated(
      id,
      async () => {
        await this.#refuseKnown(id);
        const entries = await copyEntries({ ...this.#parts, boundary: this.#boundary }, source, copy);
        await storeWhole(this.#boundary, this.#headerOf(id, copy.init), entries);
        const log = await this.#opened(id);
        this.#changed.tell(id);
        return log;
      },
      signal,
    );
  }

  // ----------------------------------------------------------------------------------------------------- deleting

  async #restore(id: string, kept: Snapshot | undefined): Promise<void> {
    if (kept === undefined)
      throw new BoughError(
        'SessionNotFound',
        'There is nothing of this session to bring back: it was removed for good, or was not there any more when it was deleted.',
      );
    await this.#refuseKnown(id);
    await putBack(this.#boundary, id, kept);
    this.#changed.tell(id);
  }
}
