/**
 * The sessions that are open in this window: one agent per id, whatever the views do. A run goes on while another
 * session is shown; it ends with the window.
 */
import type { AgentEvent } from '../../agent/types.js';
import type { OnRead, PlacedEntry, SessionLog, SessionStore, StoreAbilities } from '../../log/store.js';
import { createUnreadableLog } from '../../log/unreadable-log.js';
import type { Disposable } from '../../ports.js';
import { BoughError, isBoughError } from '../../shared/failure.js';
import { createBag, createSignal, type Bag, type Signal } from '../disposables.js';
import { isGone, stillGone } from './gone.js';
import type { HostSession } from './session.js';
import type { WindowStore } from './window-store.js';

export type SessionEvent =
  /** `rested`: let go of, to be opened again; `closed`: it may be gone. */
  | { id: string; type: 'opened' | 'closed' | 'rested' | 'replaced' | 'access' | 'holder' }
  | { id: string; type: 'appended'; placed: readonly PlacedEntry[] }
  | { id: string; type: 'agent'; event: AgentEvent };

export interface OpenSessionsParts {
  store: SessionStore & Partial<Pick<StoreAbilities, 'summary'> & Pick<WindowStore, 'folderOf'>>;
  folder: string | undefined;
  /** Puts agent and host facts around a log. */
  create: (log: SessionLog) => HostSession;
  onError: (error: unknown) => void;
}

interface Slot {
  session: Promise<HostSession>;
  opened?: HostSession;
  /** Whose it is, once its log is read. */
  owner?: string | undefined;
  /** Why its log could not be read. */
  trouble?: BoughError;
  bag: Bag;
  /** Ends the reading of its log. */
  reading: AbortController;
}

/** How many bytes were read of a log that is being opened. */
export interface ReadSoFar {
  id: string;
  bytes: number;
  of: number;
}

interface OpenedLog {
  log: SessionLog;
  trouble?: BoughError;
}

export class OpenSessions implements Disposable {
  private readonly slots = new Map<string, Slot>();
  /** Openings that were cancelled and have not ended yet. */
  private readonly ending = new Map<string, Promise<void>>();
  private readonly events: Signal<SessionEvent>;
  private readonly read: Signal<ReadSoFar>;

  constructor(private readonly parts: OpenSessionsParts) {
    this.events = createSignal(parts.onError);
    this.read = createSignal(parts.onError);
  }

  on(listener: (event: SessionEvent) => void): Disposable {
    return this.events.on(listener);
  }

  /**
   * Opens the session, or the empty one that has this id until its first message is written. One that cannot be read is
   * opened read-only, with nothing in it: it can be shown, left, deleted and opened again.
   *
   * @param owner whose it is to be when there is none of this id yet; by default the person's
   */
  open(id: string, owner?: string): Promise<HostSession> {
    const known = this.slots.get(id);
    if (known) return known.session;
    const bag = createBag();
    const reading = new AbortController();
    const opening = this.openLog(id, owner, reading.signal).then((found) => {
      slot.owner = found.log.header.owner;
      if (found.trouble) slot.trouble = found.trouble;
      return this.start(id, found, bag);
    });
    const slot: Slot = { session: opening, bag, reading };
    this.slots.set(id, slot);
    slot.session.then(
      (session) => {
        slot.opened = session;
        if (this.slots.get(id) === slot) this.events.fire({ id, type: 'opened' });
      },
      () => {
        if (this.slots.get(id) === slot) this.slots.delete(id);
      },
    );
    return slot.session;
  }

  onRead(listener: (read: ReadSoFar) => void): Disposable {
    return this.read.on(listener);
  }

  /** A session that is not open yet is not opened: whoever waits for it is told so. */
  cancel(id: string): void {
    const slot = this.slots.get(id);
    if (slot === undefined || slot.opened !== undefined) return;
    this.slots.delete(id);
    slot.reading.abort();
    // What was begun beyond the reading ends as a session that is closed does.
    const ended = end(slot)
      .catch(this.parts.onError)
      .finally(() => {
        if (this.ending.get(id) === ended) this.ending.delete(id);
      });
    this.ending.set(id, ended);
  }

  peek(id: string): HostSession | undefined {
    return this.slots.get(id)?.opened;
  }

  /** As long as its log could be read: of another one the list knows more. */
  peekReadable(id: string): HostSession | undefined {
    return this.troubleOf(id) ? undefined : this.peek(id);
  }

  /** Why the log of an open session could not be read. */
  troubleOf(id: string): BoughError | undefined {
    return this.slots.get(id)?.trouble;
  }

  /** Of an open session; undefined for the person's own. */
  ownerOf(id: string): string | undefined {
    return this.slots.get(id)?.owner;
  }

  all(): HostSession[] {
    return [...this.slots.values()].flatMap(({ opened }) => (opened ? [opened] : []));
  }

  /** Ends the run and lets go of the log. */
  async close(id: string): Promise<void> {
    const slot = this.slots.get(id);
    if (!slot) return;
    this.slots.delete(id);
    await end(slot);
    this.events.fire({ id, type: 'closed' });
  }

  /** Lets go of what is in memory; it is opened again when somebody asks for it. */
  async letGo(id: string): Promise<void> {
    const slot = this.slots.get(id);
    if (!slot) return;
    this.slots.delete(id);
    await end(slot);
    this.events.fire({ id, type: 'rested' });
  }

  /**
   * A fresh handle, after the old one went stale. Views that show the session are told by `replaced`. @throws BoughError
   * SessionNotFound while its file is gone: what is in memory stays
   */
  async reopen(id: string): Promise<HostSession> {
    const slot = this.slots.get(id);
    await this.checkIsThere(id, slot?.opened?.agent.log);
    this.slots.delete(id);
    if (slot) await end(slot);
    const session = await this.open(id, slot?.owner);
    this.events.fire({ id, type: 'replaced' });
    return session;
  }

  /** What was read of a log is not let go of for nothing. */
  private async checkIsThere(id: string, log: SessionLog | undefined): Promise<void> {
    if (log === undefined || log.position === 0) return;
    try {
      await log.catchUp();
    } catch (error) {
      if (!isBoughError(error)) throw error; // else opening it anew says what is wrong
    }
    if (!isGone(log.access)) return;
    try {
      await this.parts.store.open(id);
    } catch (error) {
      if (!isBoughError(error, 'SessionNotFound')) throw error;
      throw stillGone(log.file ?? id);
    }
  }

  /** Ends all runs side by side, as a window that closes does. */
  async shutdown(): Promise<void> {
    const slots = [...this.slots.values()];
    this.slots.clear();
    await Promise.all(slots.map(end));
  }

  dispose(): void {
    for (const { bag } of this.slots.values()) bag.dispose();
    this.slots.clear();
  }

  private async openLog(id: string, owner: string | undefined, signal: AbortSignal): Promise<OpenedLog> {
    // There is one handle for both.
    if (this.ending.has(id)) await this.ending.get(id);
    try {
      const onRead: OnRead = (bytes, of) => this.read.fire({ id, bytes, of });
      const log = await this.parts.store.open(id, signal, onRead);
      if (!signal.aborted) return { log };
      await log.close();
      throw signal.reason;
    } catch (error) {
      if (isBoughError(error, 'SessionNotFound')) return this.createLog(id, owner);
      return unreadable(id, error);
    }
  }

  private async createLog(id: string, owner: string | undefined): Promise<OpenedLog> {
    const { store } = this.parts;
    const folder = store.folderOf?.(id) ?? this.parts.folder;
    try {
      const row = await store.summary?.(id);
      // Nobody is to write a new conversation where the old one is only away.
      if (row?.status === 'missing') throw new BoughError('SessionNotFound', notFoundHere(row));
      const init = {
        ...(folder === undefined ? {} : { folder }),
        ...(owner === undefined ? {} : { owner }),
      };
      return { log: await store.openOrCreate(id, { id, ...init }) };
    } catch (error) {
      return unreadable(id, error);
    }
  }

  private async start(id: string, { log, trouble }: OpenedLog, bag: Bag): Promise<HostSession> {
    const { create, onError } = this.parts;
    const session = bag.add(create(log));
    bag.add(session.agent.on((event) => this.events.fire({ id, type: 'agent', event })));
    bag.add(session.onHolder(() => this.events.fire({ id, type: 'holder' })));
    bag.add(log.onAppend((placed) => this.events.fire({ id, type: 'appended', placed })));
    bag.add(log.onAccess(() => this.events.fire({ id, type: 'access' })));
    // A session that cannot be mended now (another window has it) is shown all the same.
    if (trouble === undefined) await session.agent.recover().catch(onError);
    await session.refreshModel().catch(onError);
    if (trouble === undefined) session.lookAroundSoon();
    return session;
  }
}

/** What of a log that cannot be read is on show. Throws what is no reason for that. */
function unreadable(id: string, error: unknown): OpenedLog {
  if (!isBoughError(error) || error.code === 'InvalidArgument') throw error;
  return { log: createUnreadableLog(id, error), trouble: error };
}

const notFoundHere = ({ title, detail }: { title: string; detail?: string }): string =>
  `The session “${title}” is ${detail ?? 'not found here.'}`;

async function end({ session, bag }: Slot): Promise<void> {
  const opened = await session.catch(() => undefined);
  await opened?.agent.shutdown();
  bag.dispose();
  await opened?.agent.log.close();
}
