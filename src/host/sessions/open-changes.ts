/** What the line on show made of the files and the person neither kept nor undid: counted from the log alone. */
import { isOpenChange } from '../../agent/review.js';
import type { SessionLog } from '../../log/store.js';
import type { ChangesView } from '../../shared/protocol.js';
import type { SessionEvent } from './open-sessions.js';

/** How many are named. */
const NAMED = 20;

export class OpenChanges {
  #seen: { position: number; head: string | null } | undefined;
  #view: ChangesView | null = null;

  constructor(private readonly log: Pick<SessionLog, 'files' | 'position' | 'head'>) {}

  /** Looked up once for each state of the log. */
  get view(): ChangesView | null {
    const { position, head } = this.log;
    if (this.#seen?.position !== position || this.#seen.head !== head) {
      this.#seen = { position, head };
      const open = this.log.files().filter(isOpenChange);
      const names = open.slice(0, NAMED).map(({ path }) => path);
      this.#view = open.length === 0 ? null : { count: open.length, names };
    }
    return this.#view;
  }
}

/** What the session made of the files is another by now, or another line is on show. */
export const changesFiles = (event: SessionEvent): boolean =>
  event.type === 'appended' &&
  event.placed.some(({ entry }) => entry.type === 'files_changed' || entry.type === 'head');
