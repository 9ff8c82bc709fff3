/**
 * What a custom store said of one session: its entries as texts, read through the ledger as the lines of a file are. Nobody
 * gets hold of what is kept here: everything is copied on its way out.
 */
import type { ConversationEntry, Header } from '../shared/entry.js';
import { BoughError } from '../shared/failure.js';
import { faultOf } from '../shared/goal.js';
import { isConversation } from '../shared/notes.js';
import { serialiseHeader } from './codec.js';
import type { StoredEntry } from './custom-store.js';
import { Ledger } from './ledger.js';
import type { PlacedEntry, PlacedRecord } from './store.js';

export class ConnectedRecords {
  readonly ledger: Ledger;
  readonly #id: string;
  readonly #records: PlacedRecord[] = [];
  #lines = 0;

  constructor(header: Header) {
    this.#id = header.id;
    this.ledger = new Ledger(header.id, header.timestamp ?? '');
    this.#takeLine(serialiseHeader(header));
  }

  /** Entries of one batch, each on a line of its own. */
  takeBatch(texts: readonly string[]): PlacedEntry[] {
    const line = this.#lines;
    return texts.flatMap((text) => {
      const placed = this.#takeLine(text);
      for (const one of placed) this.#records.push({ ...one, text: text.trimEnd(), line });
      return placed.map(asPlaced);
    });
  }

  /** @throws BoughError InvalidPersistenceData */
  takeAll(entries: readonly StoredEntry[]): PlacedEntry[] {
    const placed = entries.flatMap((entry) => this.takeBatch([`${JSON.stringify(entry)}\n`]));
    const [damage] = this.ledger.damage;
    const undated = placed.find(({ entry }) => Number.isNaN(Date.parse(entry.timestamp)));
    const what =
      damage?.reason ??
      (undated && `entry ${undated.entry.id} has no time that can be read`) ??
      this.#faultOfGoals(placed);
    if (what === undefined) return placed;
    throw new BoughError(
      'InvalidPersistenceData',
      `The session store gave of ${this.#id} what cannot be right: ${what}.`,
      {
        operation: 'load',
        session: this.#id,
      },
    );
  }

  /** Those of `entries` behind what is here; undefined when they do not begin with it. */
  beyond(entries: readonly StoredEntry[]): readonly StoredEntry[] | undefined {
    const isPrefix = this.#records.every(({ text }, index) => isSame(text, entries[index]));
    return isPrefix ? entries.slice(this.#records.length) : undefined;
  }

  path(head?: string | null): ConversationEntry[] {
    const { fold, tree } = this.ledger;
    const positions = fold.pathIds(head).flatMap((id) => tree.position(id) ?? []);
    return this.at(positions)
      .map(({ entry }) => entry)
      .filter(isConversation);
  }

  at(positions: readonly number[]): PlacedEntry[] {
    return positions.flatMap((position) => this.#records[position] ?? []).map(asPlaced);
  }

  since(position: number): PlacedEntry[] {
    return this.#records.slice(Math.max(0, position)).map(asPlaced);
  }

  records(positions: readonly number[]): PlacedRecord[] {
    return positions.flatMap((position) => structuredClone(this.#records[position]) ?? []);
  }

  /** A newer format may know more of goals. */
  #faultOfGoals(placed: readonly PlacedEntry[]): string | undefined {
    if (this.ledger.dialect !== 'own') return undefined;
    for (const { entry } of placed) {
      const fault = entry.type === 'goal_update' ? faultOf(entry) : undefined;
      if (fault !== undefined) return `${fault}, in entry ${entry.id}`;
    }
    return undefined;
  }

  #takeLine(text: string): PlacedEntry[] {
    const bytes = Buffer.from(text.trimEnd());
    const { from, line } = this.ledger.next;
    this.#lines++;
    const end = from + bytes.length + 1;
    return this.ledger.take({ line, offset: from, bytes, end, isTerminated: true, isTooLong: false });
  }
}

const asPlaced = ({ position, entry }: PlacedEntry): PlacedEntry => ({
  position,
  entry: structuredClone(entry),
});

const isSame = (text: string, entry: StoredEntry | undefined): boolean =>
  entry !== undefined && (JSON.parse(text) as StoredEntry)['id'] === entry['id'];
