/**
 * The read side of a session's log: the tree as it is in memory, and bodies, which are read from the file when they are
 * asked for.
 */
import type { ConversationEntry, Header } from '../shared/entry.js';
import { isBoughError, type BoughError } from '../shared/failure.js';
import type { FileState } from '../shared/fold/file-states.js';
import type { LineNodes } from '../shared/fold/line-nodes.js';
import type { OutlineNode, PathState } from '../shared/fold/types.js';
import { isConversation, type Entry } from '../shared/notes.js';
import type { Bodies } from './bodies.js';
import type { Ledger } from './ledger.js';
import type { Held, LinePage, LogDamage, PlacedEntry, PlacedRecord } from './store.js';

export abstract class LogReading {
  /** As the file was read last. */
  protected abstract readonly ledger: Ledger;
  protected abstract readonly bodies: Bodies;
  /** After a body was found overwritten in place. */
  protected abstract endUnlessReadAgain(ledger: Ledger, error: BoughError): Promise<void>;

  get header(): Header {
    return this.ledger.header;
  }

  get damage(): readonly LogDamage[] {
    return this.ledger.damage;
  }

  get position(): number {
    return this.ledger.position;
  }

  get head(): string | null {
    return this.ledger.head;
  }

  get outline(): readonly OutlineNode[] {
    return this.ledger.fold.outline;
  }

  /** False for a file none of whose lines is one of a session. */
  get isSessionLog(): boolean {
    return this.ledger.isSessionLog;
  }

  state(head?: string | null): PathState {
    return this.ledger.fold.state(head);
  }

  files(head?: string | null): FileState[] {
    return this.ledger.fold.files(head);
  }

  async path(head?: string | null): Promise<ConversationEntry[]> {
    const ledger = this.ledger;
    const positions = ledger.fold.pathIds(head).flatMap((id) => ledger.positionOf(id) ?? []);
    const placed = await this.#read(positions);
    return placed.map(({ entry }) => entry).filter(isConversation);
  }

  line(head?: string | null): Promise<PlacedEntry[]> {
    return this.#read(this.ledger.fold.linePositions(head));
  }

  async page(limit: number, head?: string | null): Promise<LinePage> {
    const { positions, more } = this.ledger.fold.pagePositions(limit, head);
    return { entries: await this.#read(positions), more };
  }

  lineFrom(from: string, head?: string | null): Promise<PlacedEntry[]> {
    return this.#read(this.ledger.fold.positionsFrom(from, head));
  }

  nodes(head?: string | null): OutlineNode[] {
    return this.ledger.fold.pathNodes(head);
  }

  lineNodes(head?: string | null): LineNodes {
    return this.ledger.fold.lineNodes(head);
  }

  entries(ids: readonly string[]): Promise<PlacedEntry[]> {
    const ledger = this.ledger;
    return this.#read(ids.flatMap((id) => ledger.positionOf(id) ?? []));
  }

  async entry(id: string): Promise<Entry | undefined> {
    return (await this.entries([id]))[0]?.entry;
  }

  since(position: number): Promise<PlacedEntry[]> {
    const from = Math.max(0, position);
    const count = Math.max(0, this.position - from);
    return this.#read(Array.from({ length: count }, (_, index) => from + index));
  }

  records(positions: readonly number[]): Promise<PlacedRecord[]> {
    return this.#there((ledger) => this.bodies.records(ledger, positions));
  }

  held(positions: readonly number[]): Promise<Held> {
    return this.#there((ledger) => this.bodies.held(ledger, positions));
  }

  linePositions(head?: string | null): number[] {
    return this.ledger.fold.linePositions(head);
  }

  #read(positions: readonly number[]): Promise<PlacedEntry[]> {
    return this.#there((ledger) => this.bodies.read(ledger, positions));
  }

  /** On a file that was overwritten in place this handle is of no more use: who opens the session gets another. */
  async #there<T>(read: (ledger: Ledger) => Promise<T>): Promise<T> {
    const ledger = this.ledger;
    try {
      return await read(ledger);
    } catch (error) {
      if (isBoughError(error, 'LogDamaged')) await this.endUnlessReadAgain(ledger, error);
      throw error;
    }
  }
}
