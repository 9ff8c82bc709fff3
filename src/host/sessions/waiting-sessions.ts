/**
 * The sessions that wait for a decision although they are not open in this window: after a reload, or once they were let
 * go of. They are counted from the list, so that no approval is out of sight because nobody looks at its session.
 */
import type { SessionStore, StoreAbilities } from '../../log/store.js';
import type { Disposable } from '../../ports.js';
import { createBag } from '../disposables.js';
import type { OpenSessions } from './open-sessions.js';

const PAGE = 200;

export interface WaitingParts {
  store: Pick<SessionStore, 'list' | 'onChange'> & Partial<Pick<StoreAbilities, 'summary'>>;
  sessions: Pick<OpenSessions, 'on' | 'peek'>;
  /** Their number may be another. */
  onChange: () => void;
  onError: (error: unknown) => void;
}

export class WaitingSessions implements Disposable {
  readonly #bag = createBag();
  #waiting = new Set<string>();
  /** Those looked at while the whole list is read, which may have come by them before. */
  #meanwhile: Set<string> | undefined;
  #isOver = false;

  constructor(private readonly parts: WaitingParts) {
    const { store, sessions, onError } = parts;
    this.#bag.add(
      store.onChange((id) => {
        // What an open one does is known from itself.
        if (sessions.peek(id) === undefined) this.#lookAt(id).catch(onError);
      }),
    );
    this.#bag.add(
      sessions.on(({ id, type }) => {
        if (type === 'rested' || type === 'closed') this.#lookAt(id).catch(onError);
      }),
    );
  }

  /** Those that are not open: an open one speaks for itself. */
  get count(): number {
    return [...this.#waiting].filter((id) => this.parts.sessions.peek(id) === undefined).length;
  }

  /** Looks through the whole list. */
  async start(): Promise<void> {
    const meanwhile = new Set<string>();
    this.#meanwhile = meanwhile;
    const found = await this.#readList().finally(() => (this.#meanwhile = undefined));
    for (const id of meanwhile) {
      if (this.#waiting.has(id)) found.add(id);
      else found.delete(id);
    }
    this.#take(found);
    for (const id of meanwhile) await this.#lookAt(id);
  }

  async #readList(): Promise<Set<string>> {
    const found = new Set<string>();
    let cursor: string | undefined;
    do {
      const page = await this.parts.store.list({ limit: PAGE, ...(cursor === undefined ? {} : { cursor }) });
      for (const { id, status } of page.sessions) if (status === 'waiting') found.add(id);
      ({ cursor } = page);
    } while (cursor !== undefined && !this.#isOver);
    return found;
  }

  /** Looks again at those that waited: another window may have decided. */
  async lookAgain(): Promise<void> {
    for (const id of [...this.#waiting]) await this.#lookAt(id);
  }

  async #lookAt(id: string): Promise<void> {
    this.#meanwhile?.add(id);
    const row = await this.parts.store.summary?.(id);
    const isWaiting = row?.status === 'waiting' && !row.archived;
    if (isWaiting === this.#waiting.has(id)) return;
    const now = new Set(this.#waiting);
    if (isWaiting) now.add(id);
    else now.delete(id);
    this.#take(now);
  }

  #take(waiting: Set<string>): void {
    if (this.#isOver) return;
    this.#waiting = waiting;
    this.parts.onChange();
  }

  dispose(): void {
    this.#isOver = true;
    this.#bag.dispose();
  }
}
