/**
 * What the view shows of one session: the last snapshot and everything that came after it, as reactive state. Nothing is
 * guessed: a message that does not follow on what is here makes it ask for a snapshot.
 */
import type { Entry } from '../src/shared/notes.js';
import { Outline, ROOT } from '../src/shared/fold/outline.js';
import { unpackOutline } from '../src/shared/fold/packed-outline.js';
import { rowsOf } from '../src/shared/fold/path.js';
import { CUT_COPY } from '../src/shared/fold/stand-in.js';
import type { PathState, Row } from '../src/shared/fold/types.js';
import type {
  ComposerDraft,
  DroppedView,
  GrowingView,
  ProgressView,
  SessionView,
  Snapshot,
  StatusView,
} from '../src/shared/protocol.js';
import type { HostMessage } from './connection.js';
import { Growing } from './growing.js';
import { entriesOfLine, type Placed } from './line-entries.js';

/** What is said of a session; the rest is for the view around it. */
type SessionMessage = Exclude<
  HostMessage,
  { type: 'compose' | 'compare' | 'not_shown' | 'edited' | 'chosen' | 'undone' | 'opening' }
>;
type Of<T extends HostMessage['type']> = Extract<HostMessage, { type: T }>;

/** What the session asks of the world around it. */
export interface SessionParts {
  /** Settles when it was answered, whatever the answer is. */
  askSnapshot: () => Promise<unknown>;
  askBodies: (ids: string[]) => Promise<Placed[]>;
  /** Calls back once, before the next paint. */
  nextFrame: (callback: () => void) => void;
}

/** How many older entries one step up brings. */
const PAGE = 200;

export class Session {
  info = $state.raw<SessionView | null>(null);
  state = $state.raw<PathState | null>(null);
  status = $state.raw<StatusView | null>(null);
  growing = $state.raw<GrowingView | null>(null);
  /** What had streamed of the step that is asked again, until there is something newer. */
  dropped = $state.raw<DroppedView | null>(null);
  progress = $state.raw<ReadonlyMap<string, ProgressView>>(new Map());
  rows = $state.raw<readonly Row[]>([]);
  /** How the last turn ended when the person ended it, stopped or left as a crash had it, or a copy was cut in it. */
  ended = $state.raw<'stopped' | 'forked' | 'left' | 'cut' | null>(null);
  /** The path has entries before the first row. */
  hasOlder = $state.raw(false);
  /** All that was ever said here, as links; another object whenever it grows, so that what is drawn from it follows. */
  outline = $state.raw<{ readonly index: Outline }>({ index: new Outline() });
  /** The draft a snapshot brought, once for each session that is opened. */
  draft = $state.raw<({ session: string } & ComposerDraft) | null>(null);

  readonly #parts: SessionParts;
  #outline = new Outline();
  /** By id; those of lines that were left are among them. */
  readonly #entries = new Map<string, Placed>();
  /** Ids of bodies that the host was asked for and does not have: what stands above them is shown all the same. */
  readonly #missing = new Set<string>();
  readonly #growing = new Growing();
  #position = 0;
  #isAsking = false;
  #loading: Promise<void> | null = null;
  #isFramePending = false;

  constructor(parts: SessionParts) {
    this.#parts = parts;
  }

  receive(message: SessionMessage): void {
    if (message.type === 'snapshot') return this.#show(message);
    if (message.session !== this.info?.id) return;
    switch (message.type) {
      case 'appended':
        return this.#append(message);
      case 'status':
        this.status = message.status;
        return this.#refold();
      case 'growing':
        if (this.#growing.grow(message)) this.#schedule();
        else this.#askSnapshot();
        return;
      case 'growing_end':
        this.#growing.end(message.attempt_id);
        return this.#schedule();
      case 'dropped':
        this.dropped = message.dropped;
        return;
      case 'progress':
        this.progress = byCall(message.progress);
        return;
    }
  }

  #show(snapshot: Snapshot): void {
    this.#isAsking = false;
    const isOther = this.info?.id !== snapshot.session.id;
    // A log that became shorter was written anew: nothing says where in it those that are here stand.
    if (isOther || snapshot.position < this.#position) {
      this.#entries.clear();
      this.#missing.clear();
    }
    this.#outline = unpackOutline(snapshot.outline);
    this.outline = { index: this.#outline };
    this.#position = snapshot.position;
    for (const placed of snapshot.entries) this.#entries.set(placed.entry.id, placed);
    this.info = snapshot.session;
    this.state = snapshot.state;
    this.status = snapshot.status;
    this.#growing.reset(snapshot.growing);
    this.growing = this.#growing.view();
    this.dropped = snapshot.dropped ?? null;
    this.progress = byCall(snapshot.progress);
    this.#refold();
    if (isOther) this.draft = { session: snapshot.session.id, ...snapshot.draft };
  }

  #append(message: Of<'appended'>): void {
    if (message.position <= this.#position) return;
    if (message.from !== this.#position) return this.#askSnapshot();
    this.#position = message.position;
    for (const node of message.outline) this.#outline.add(node);
    if (message.outline.length > 0) this.outline = { index: this.#outline };
    for (const placed of message.entries) {
      this.#entries.set(placed.entry.id, placed);
      if (isAttemptOf(placed.entry)) this.#growing.end(placed.entry.attempt_id);
    }
    this.state = message.state;
    this.status = message.status;
    this.growing = this.#growing.view();
    this.#refold();
  }

  /** Older bodies for the person who scrolls up. Resolves when they are in `rows`. */
  loadOlder(): Promise<void> {
    if (!this.hasOlder) return Promise.resolve();
    this.#loading ??= this.#loadPage().finally(() => (this.#loading = null));
    return this.#loading;
  }

  async #loadPage(): Promise<void> {
    const path = this.#path();
    const missing = path.slice(0, path.length - this.#loaded(path).length);
    await this.#load(missing.slice(-PAGE));
  }

  /** All of the path, as far as the host has it. False when it could not be had, or another session came into view. */
  async loadAll(): Promise<boolean> {
    const session = this.info?.id;
    const isWhole = () => {
      const path = this.#path();
      return this.#loaded(path).length === path.length;
    };
    // What could not be had before may be had now.
    this.hasOlder ||= !isWhole();
    while (this.hasOlder && session === this.info?.id) await this.loadOlder();
    return session === this.info?.id && isWhole();
  }

  /**
   * Brings the bodies of the path from `id` on. Resolves with the row that shows it – its own, or that of the answer
   * whose call it answers – and undefined when it does not stand on the path.
   */
  async rowOf(id: string): Promise<string | undefined> {
    const path = this.#path();
    const at = path.indexOf(id);
    const missing = path.slice(Math.max(at - 1, 0)).filter((other) => !this.#isSettled(other));
    for (let from = 0; from < missing.length; from += PAGE)
      await this.#load(missing.slice(from, from + PAGE));
    const shown = new Set(this.rows.map((row) => row.entry.id));
    return path.slice(0, at + 1).findLast((other) => shown.has(other));
  }

  /** From here, or from the host: it may stand on another line. */
  async body(id: string): Promise<Entry | undefined> {
    return this.entry(id) ?? (await this.#parts.askBodies([id])).find(({ entry }) => entry.id === id)?.entry;
  }

  entry(id: string): Entry | undefined {
    return this.#entries.get(id)?.entry;
  }

  /** The message that the answer `entryId` answers: the nearest prompt above it. */
  promptOf(entryId: string): string | undefined {
    const index = this.rows.findIndex((row) => row.entry.id === entryId);
    return this.rows.slice(0, Math.max(index, 0)).findLast((row) => row.kind === 'user')?.entry.id;
  }

  #path(): string[] {
    const head = this.#outline.ordinal(this.state?.head ?? null);
    return this.#outline.path(head).map((ordinal) => this.#idOf(ordinal));
  }

  #idOf(ordinal: number): string {
    return this.#outline.node(ordinal)?.[0] ?? '';
  }

  async #load(ids: string[]): Promise<void> {
    const session = this.info?.id;
    const found = await this.#parts.askBodies(ids);
    if (session !== this.info?.id) return;
    for (const placed of found) this.#entries.set(placed.entry.id, placed);
    // What the host does not know any more is not asked for again. Nothing at all may be for another reason.
    if (found.length === 0) this.hasOlder = false;
    else {
      for (const id of ids) if (!this.#entries.has(id)) this.#missing.add(id);
      this.#refold(false);
    }
  }

  /** The end of the path as far up as the bodies are here. */
  #loaded(path: readonly string[]): string[] {
    return path.slice(path.findLastIndex((id) => !this.#isSettled(id)) + 1);
  }

  #isSettled(id: string): boolean {
    return this.#entries.has(id) || this.#missing.has(id);
  }

  #refold(mayAsk = true): void {
    if (this.state === null || this.status === null) return;
    const head = this.#outline.ordinal(this.state.head);
    // Where a session is long, all of its path is not looked at for each entry that comes.
    const loaded = this.#outline.pathEnd(head, (at) => this.#isSettled(this.#idOf(at)));
    this.hasOlder = this.#outline.parent(loaded[0] ?? head) !== ROOT;
    if (head !== ROOT && loaded.length === 0) {
      // A line whose bodies are not here: what was shown stays until they are.
      this.hasOlder = true;
      if (mayAsk) void this.#load(this.#path().slice(-PAGE));
      return;
    }
    const ids = loaded.map((ordinal) => this.#idOf(ordinal));
    const entries = entriesOfLine(this.#entries, ids, !this.hasOlder);
    const { interrupted, isHeld } = this.status;
    // What another window works in goes on there.
    const run = isHeld === true && this.status.run === 'idle' ? 'running' : this.status.run;
    const torn = interrupted?.is_torn === true ? interrupted.turn_id : cutTurnOf(entries);
    this.rows = rowsOf(entries, this.#outline, this.state, run, torn, loaded);
    this.ended = endOf(entries, this.rows.at(-1)?.entry.turn_id);
  }

  #schedule(): void {
    if (this.#isFramePending) return;
    this.#isFramePending = true;
    this.#parts.nextFrame(() => {
      this.#isFramePending = false;
      this.growing = this.#growing.view();
    });
  }

  #askSnapshot(): void {
    if (this.#isAsking) return;
    this.#isAsking = true;
    // One that could not be had is asked for again with the next message that does not fit.
    void this.#parts.askSnapshot().finally(() => (this.#isAsking = false));
  }
}

/** How the turn ended is said once in the file. */
function endOf(entries: readonly { entry: Entry }[], turnId: string | undefined): Session['ended'] {
  if (turnId === undefined) return null;
  const end = entries.findLast(({ entry }) => entry.type === 'turn_end' && entry.turn_id === turnId)?.entry;
  if (end?.type !== 'turn_end') return null;
  if (end.status === 'stopped') return end.is_cut === true ? 'forked' : 'stopped';
  if (end.status !== 'interrupted') return null;
  return cutTurnOf(entries) === turnId ? 'cut' : 'left';
}

/** The turn in which what was copied into this session ends. */
const cutTurnOf = (entries: readonly { entry: Entry }[]): string | undefined =>
  entries.findLast(({ entry }) => entry.type === 'session_recovery' && entry.reason === CUT_COPY)?.entry
    .turn_id;

const byCall = (progress: readonly ProgressView[]): ReadonlyMap<string, ProgressView> =>
  new Map(progress.map((view) => [view.call_id, view]));

/** The entry that holds what an attempt streamed. */
const isAttemptOf = (entry: Entry): entry is Entry & { attempt_id: string } =>
  (entry.type === 'message' || entry.type === 'incomplete_output') && entry.attempt_id !== undefined;
