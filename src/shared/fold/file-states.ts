/**
 * What the lines of a session say stands in the files it changed. Each line has its own word on a file; the disk has one,
 * whichever line wrote last. Pure, over hashes: the bytes are blobs of the log.
 */
import type { NoteOf } from '../notes.js';
import { ROOT } from './outline.js';

/** Hashes of a file's bytes; null where there is no file. */
export interface FileState {
  path: string;
  /** What stands there on this line: its last change, or what was there before the session touched it. */
  here: string | null;
  /** What the session wrote there last, on whichever line: as far as the log knows it is what the disk has. */
  written: string | null;
}

interface PlacedChanges {
  position: number;
  /** Of the node the note hangs on. */
  ordinal: number;
  note: NoteOf<'files_changed'>;
}

export class FileStates {
  /** In file order. */
  readonly #changes: PlacedChanges[] = [];

  add(placed: PlacedChanges): void {
    this.#changes.push(placed);
  }

  /**
   * At the end of a path. `until` gives, for the ordinals that are on it (and −1), the position before which a note counts:
   * that of the path's next node.
   */
  at(until: ReadonlyMap<number, number>): FileState[] {
    const states = new Map<string, FileState>();
    for (const { position, ordinal, note } of this.#changes) {
      // Putting files back changes what the disk has, and no line.
      const isOfLine = note.restored !== true && position < (until.get(ordinal) ?? ROOT);
      for (const { path, before, after } of note.changes) {
        const known = states.get(path) ?? { path, here: before, written: before };
        states.set(path, { path, here: isOfLine ? after : known.here, written: after });
      }
    }
    return [...states.values()];
  }
}
