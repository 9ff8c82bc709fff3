/** What holds for a session's whole file, whatever the path: folded by file order. */
import type { ConversationEntry, ToolCallPart } from '../entry.js';
import type { Entry, NoteOf, QueueItem } from '../notes.js';
import type { FactsBase, PlacedFacts, PlainFacts } from './base.js';
import type { UsageTotals } from './types.js';

export interface Placed<T> {
  position: number;
  entry: T;
}

/** What the state needs to know of a conversation entry once its body is gone. */
export interface Digest {
  id: string;
  kind: 'user' | 'assistant' | 'tool' | 'incomplete' | 'other';
  turn_id: string | undefined;
  calls: readonly ToolCallPart[];
  /** Calls it answers. */
  answers: readonly string[];
  /** What the model is told from here on, in tokens: a compaction knows. */
  tokens?: number;
}

const NONE: never[] = [];

export function digestOf(entry: ConversationEntry): Digest {
  const digest = { id: entry.id, turn_id: entry.turn_id, calls: NONE, answers: NONE };
  if (entry.type === 'incomplete_output') return { ...digest, kind: 'incomplete' };
  if (entry.type === 'compaction') return { ...digest, kind: 'other', tokens: entry.tokens_after };
  if (entry.type !== 'message') return { ...digest, kind: 'other' };
  const calls = entry.parts.filter((part) => part.type === 'tool_call');
  const answers = entry.parts.flatMap((part) => (part.type === 'tool_result' ? [part.call_id] : NONE));
  return {
    ...digest,
    kind: entry.role === 'system' ? 'other' : entry.role,
    calls: calls.length === 0 ? NONE : calls,
    answers: answers.length === 0 ? NONE : answers,
  };
}

const noUsage = (): UsageTotals => ({ input_tokens: 0, output_tokens: 0, total_tokens: 0, cost: 0 });

export const usageOf = (note: NoteOf<'usage'>): UsageTotals => ({
  input_tokens: note.input_tokens,
  output_tokens: note.output_tokens,
  total_tokens: note.total_tokens,
  cost: note.cost ?? 0,
});

/** Of several notes that say the same, the first. */
class FirstOf<T extends Entry> implements PlacedFacts<T> {
  readonly #before: PlacedFacts<T> | undefined;
  readonly #added = new Map<string, Placed<T>>();

  constructor(before: PlacedFacts<T> | undefined) {
    this.#before = before;
  }

  /** How much was said first behind what was there before. */
  get added(): number {
    return this.#added.size;
  }

  /** Of what was not there before. */
  positionAdded(key: string): number | undefined {
    return this.#added.get(key)?.position;
  }

  has(key: string): boolean {
    return this.#added.has(key) || this.#before?.has(key) === true;
  }

  get(key: string): Placed<T> | undefined {
    return this.#added.get(key) ?? this.#before?.get(key);
  }

  position(key: string): number | undefined {
    return this.#added.get(key)?.position ?? this.#before?.position(key);
  }

  add(key: string, placed: Placed<T>): void {
    if (!this.has(key)) this.#added.set(key, placed);
  }

  *entries(): Iterable<[string, Placed<T>]> {
    if (this.#before !== undefined) yield* this.#before.entries();
    yield* this.#added;
  }
}

/** Folded by file order over all entries, the path notwithstanding. Of several ends, decisions and starts the first counts. */
export class SessionFacts implements FactsBase {
  readonly ends: FirstOf<NoteOf<'turn_end'>>;
  readonly decisions: FirstOf<NoteOf<'approval_decision'>>;
  readonly starts: FirstOf<NoteOf<'tool_start'>>;
  readonly #before: FactsBase | undefined;
  readonly #answered = new Set<string>();
  name: string | null = null;
  archived = false;
  tags: string[] = [];
  readonly labels = new Map<string, string>();
  readonly usage = noUsage();
  queueHeld = false;
  #queue: QueueItem[] = [];
  readonly #sent = new Set<string>();

  constructor(before?: FactsBase) {
    this.#before = before;
    this.ends = new FirstOf(before?.ends);
    this.decisions = new FirstOf(before?.decisions);
    this.starts = new FirstOf(before?.starts);
    if (before === undefined) return;
    const { name, archived, tags, labels, usage, queueHeld, queue, sent } = before.plain;
    Object.assign(this, { name, archived, tags, queueHeld });
    for (const [id, label] of labels) this.labels.set(id, label);
    Object.assign(this.usage, usage);
    this.#queue = queue;
    for (const id of sent) this.#sent.add(id);
  }

  get plain(): PlainFacts {
    const { name, archived, tags, usage, queueHeld } = this;
    const lists = { labels: [...this.labels], queue: this.#queue, sent: [...this.#sent] };
    return { name, archived, tags, usage, queueHeld, ...lists };
  }

  /** How many ends, decisions and starts came behind what was there before. */
  get added(): number {
    return this.ends.added + this.decisions.added + this.starts.added;
  }

  /** The call has a result somewhere. */
  isAnswered(call: string): boolean {
    return this.#answered.has(call) || this.#before?.isAnswered(call) === true;
  }

  *answered(): Iterable<string> {
    if (this.#before !== undefined) yield* this.#before.answered();
    yield* this.#answered;
  }

  /** Without the items that a message proves were sent. */
  get queue(): QueueItem[] {
    return this.#queue.filter((item) => !this.#sent.has(item.id));
  }

  add(position: number, entry: Entry): void {
    switch (entry.type) {
      case 'message':
        if (entry.queue_item_id !== undefined) this.#sent.add(entry.queue_item_id);
        for (const part of entry.parts)
          if (part.type === 'tool_result' && !this.isAnswered(part.call_id)) this.#answered.add(part.call_id);
        return;
      case 'turn_end':
        this.ends.add(entry.turn_id, { position, entry });
        return;
      case 'approval_decision':
        this.decisions.add(entry.request_id, { position, entry });
        return;
      case 'tool_start':
        this.starts.add(entry.call_id, { position, entry });
        return;
      case 'session_info':
        if (entry.name !== undefined) this.name = entry.name.trim() === '' ? null : entry.name;
        if (entry.archived !== undefined) this.archived = entry.archived;
        if (entry.tags !== undefined) this.tags = entry.tags;
        return;
      case 'label':
        if (entry.label === null) this.labels.delete(entry.target_id);
        else this.labels.set(entry.target_id, entry.label);
        return;
      case 'queue_update':
        this.#queue = entry.items;
        this.queueHeld = entry.held ?? false;
        return;
      case 'usage':
        this.usage.input_tokens += entry.input_tokens;
        this.usage.output_tokens += entry.output_tokens;
        this.usage.total_tokens += entry.total_tokens;
        this.usage.cost += entry.cost ?? 0;
        return;
      default:
        return;
    }
  }
}
