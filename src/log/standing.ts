/** Whether a handle may write, and why not: what its log says of itself, and what has happened to the handle. */
import type { Disposable } from '../ports.js';
import type { BoughError } from '../shared/failure.js';
import { refusalOf, type OpenAccess } from './header.js';
import type { Ledger } from './ledger.js';
import { Listeners } from './listeners.js';
import type { Access } from './store.js';

export class Standing {
  readonly #ledger: () => Ledger;
  /** Why nothing is appended here, whatever the log says. */
  readonly #elsewhere: string | undefined;
  readonly #accessed = new Listeners<Access>();
  /** Mode, or why it is read-only, as the listeners know it. */
  #shown: string;
  /** Why the handle is of no more use. */
  #ended: { mode: 'stale' | 'poisoned'; error: BoughError } | undefined;

  constructor(ledger: () => Ledger, elsewhere?: string) {
    this.#ledger = ledger;
    this.#elsewhere = elsewhere;
    this.#shown = shownOf(this.access);
  }

  get hasEnded(): boolean {
    return this.#ended !== undefined;
  }

  get access(): Access {
    if (this.#ended !== undefined) {
      const { mode, error } = this.#ended;
      const isGone = mode === 'stale' && error.data['errno'] === 'ENOENT';
      return { mode, message: error.message, ...(isGone ? { isGone } : {}) };
    }
    return this.#openAccess;
  }

  /** As long as nothing has happened to the handle. */
  get #openAccess(): OpenAccess {
    const { access, isArchived } = this.#ledger();
    if (access.mode !== 'write') return access;
    if (this.#elsewhere !== undefined)
      return { mode: 'read-only', reason: 'elsewhere', message: this.#elsewhere };
    if (!isArchived) return access;
    return {
      mode: 'read-only',
      reason: 'archived',
      message: 'This session is archived; unarchive it to go on with it.',
    };
  }

  /** @throws BoughError as an append of this handle does */
  check({ isArchivedAllowed = false }: { isArchivedAllowed?: boolean } = {}): void {
    if (this.#ended !== undefined) throw this.#ended.error;
    const access = this.#openAccess;
    if (access.mode === 'write' || (access.reason === 'archived' && isArchivedAllowed)) return;
    throw refusalOf(access);
  }

  end(mode: 'stale' | 'poisoned', error: BoughError): void {
    this.#ended = { mode, error };
    this.tell();
  }

  onAccess(listener: (access: Access) => void): Disposable {
    return this.#accessed.add(listener);
  }

  /** Something was read or written that may have changed it. */
  tell(): void {
    const { access } = this;
    const shown = shownOf(access);
    if (shown === this.#shown) return;
    this.#shown = shown;
    this.#accessed.tell(access);
  }
}

const shownOf = (access: Access): string => (access.mode === 'read-only' ? access.reason : access.mode);
