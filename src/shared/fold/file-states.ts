/**
 * What the lines of a session say stands in the files it changed. Each line has its own word on a file; the disk has one,
 * whichever line wrote last. Pure, over hashes: the bytes are blobs of the log.
 */
import type { PlacedChanges } from './base.js';
import type { NoteOf } from '../notes.js';
import { ROOT } from './outline.js';

/** Hashes of a file's bytes; null where there is no file. */
export interface FileState {
  path: string;
  /** What stands there on this line: its last change, or what was there before the session touched it. */
  here: string | null;
  /** What the session wrote there last, on whichever line: as far as the log knows it is what the disk has. */
  written: string | null;
  /** That is what one of the lines says; else it is somebody's own text that was brought back. */
  isOfLines: boolean;
  /** Some of it was said by a log from elsewhere and copied: as far as anybody knows here, none of it is so. */
  isForeign: boolean;
  /** What stood there before this line changed it, or when the person last kept what it had. */
  base: string | null;
  /** What each turn of this line made of it, in order. */
  turns: readonly TurnChange[];
}

interface TurnChange {
  turn_id: string | undefined;
  before: string | null;
  after: string | null;
}

export class FileStates {
  readonly #before: () => readonly PlacedChanges[];
  /** In file order. */
  readonly #added: PlacedChanges[] = [];

  constructor(before: () => readonly PlacedChanges[] = () => []) {
    this.#before = before;
  }

  add(placed: PlacedChanges): void {
    this.#added.push(placed);
  }

  all(): PlacedChanges[] {
    return [...this.#before(), ...this.#added];
  }

  /**
   * At the end of a path. `until` gives, for the ordinals that are on it (and −1), the position before which a note counts:
   * that of the path's next node.
   */
  at(until: ReadonlyMap<number, number>): FileState[] {
    const states = new Map<string, FileState>();
    const said = new Map<string, Set<string | null>>();
    for (const { position, ordinal, note } of this.all()) {
      // Putting files back changes what the disk has, and no line.
      const isRestored = note.restored === true;
      const isOnLine = position < (until.get(ordinal) ?? ROOT);
      if (note.kept === true) {
        if (isOnLine) keep(states, note);
        continue;
      }
      const isOfLine = !isRestored && isOnLine;
      for (const { path, before, after } of note.changes) {
        const lines = said.get(path) ?? new Set([before]);
        said.set(path, isRestored ? lines : lines.add(after));
        const known = states.get(path);
        const here = isOfLine ? after : known === undefined ? before : known.here;
        const turns = known?.turns ?? [];
        states.set(path, {
          ...{ path, here, written: after, isOfLines: lines.has(after) },
          isForeign: note.foreign === true || known?.isForeign === true,
          // Until the line changes it, what stands there is where it begins.
          base: turns.length === 0 ? (isOfLine ? before : here) : (known?.base ?? null),
          turns: isOfLine ? withTurn(turns, { turn_id: note.turn_id, before, after }) : turns,
        });
      }
    }
    return [...states.values()];
  }
}

/** Keeping changes neither the line nor the disk: what is looked through from now on begins here. */
function keep(states: Map<string, FileState>, note: NoteOf<'files_changed'>): void {
  for (const { path, after } of note.changes) {
    const known = states.get(path);
    if (known === undefined) continue;
    states.set(path, { ...known, base: after, isForeign: note.foreign === true || known.isForeign });
  }
}

/** One for each turn: what it found first, and what it left last. */
function withTurn(turns: readonly TurnChange[], change: TurnChange): readonly TurnChange[] {
  const last = turns.at(-1);
  return last !== undefined && last.turn_id === change.turn_id
    ? [...turns.slice(0, -1), { ...last, after: change.after }]
    : [...turns, change];
}
