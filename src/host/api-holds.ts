/** What other extensions opened stays open for them until it is deleted, by age too: their hold alone keeps nothing alive. */
import type { Disposable } from '../ports.js';
import type { HostSession } from './sessions/session.js';

export class ApiHolds {
  readonly #held = new WeakMap<HostSession, Disposable>();

  /** One hold, however many opened it. */
  keep(session: HostSession): void {
    if (!this.#held.has(session)) this.#held.set(session, session.hold());
  }

  /** Whether it might rest if these extensions let go of it. */
  wouldRest(session: HostSession): boolean {
    const hold = this.#held.get(session);
    hold?.dispose();
    const { mayRest } = session;
    if (hold !== undefined) this.#held.set(session, session.hold());
    return mayRest;
  }
}
