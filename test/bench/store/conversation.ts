// Seeded conversations as an agent's log holds them: turns with tool calls, compactions, a branch about every fifty entries.
// The same entries are written in Bough's format and in the peer's, so that both are given the same work.
import { seeded, writer } from '../texts.js';

interface Placed {
  id: string;
  /** Of the conversation entry that this one follows or stands on. */
  parent: string | null;
  turn: string;
  step: number;
}

export type Event = Placed &
  (
    | { kind: 'user'; text: string }
    | { kind: 'assistant'; text: string; call?: { id: string; input: { path: string; content: string } } }
    | { kind: 'tool'; call: string; text: string }
    | { kind: 'compaction'; summary: string; kept: string }
    | { kind: 'turn_start' | 'step_start' | 'usage' | 'step_end' | 'tool_start' | 'turn_end'; call?: string }
  );

export interface Shape {
  seed: number;
  entries: number;
  /** False: one line without compactions or branches. */
  isCompacted: boolean;
}

/** Entries between two branches, and between two compactions. */
const BRANCH_EVERY = 50;
const COMPACT_EVERY = 400;
/** Lines a result has at most; the mean makes an entry as long as real logs have them. */
const LONGEST_RESULT = 100_000;
const LONGEST_INPUT = 16_000;

/** What files and outputs are cut from: writing each anew would take longer than what is measured. */
const textPool = (seed: number): string => {
  const { answer } = writer(seeded(seed));
  let pool = '';
  while (pool.length < 1_000_000) pool += `${answer(8)}\n\n`;
  return pool;
};

/** The same for all: there may be a hundred thousand of them. */
let pooled: string | undefined;
const pool = (): string => (pooled ??= textPool(1));

export class Conversation {
  readonly #random: () => number;
  readonly #pool: string;
  readonly #shape: Shape;
  /** Conversation entries from the root to the head; those that a person said can be branched from. */
  #path: { id: string; isUser: boolean }[] = [];
  #count = 0;
  #sinceBranch = 0;
  #sinceCompaction = 0;

  constructor(shape: Shape) {
    this.#shape = shape;
    this.#random = seeded(shape.seed);
    this.#pool = pool();
  }

  /** Turn by turn, until there are as many entries as were asked for. */
  *turns(): Generator<Event[]> {
    while (this.#count < this.#shape.entries) {
      const { isCompacted } = this.#shape;
      if (isCompacted && this.#sinceBranch >= BRANCH_EVERY) this.#goBack();
      const events = [
        ...(isCompacted && this.#sinceCompaction >= COMPACT_EVERY ? [this.#compaction()] : []),
        ...this.#turn(),
      ];
      const left = events.slice(0, this.#shape.entries - this.#count);
      this.#count += left.length;
      this.#sinceBranch += left.length;
      this.#sinceCompaction += left.length;
      yield left;
    }
  }

  #id(): string {
    const half = (): string =>
      Math.floor(this.#random() * 2 ** 32)
        .toString(16)
        .padStart(8, '0');
    return half() + half();
  }

  #text(longest: number): string {
    const length = Math.ceil(this.#random() * this.#random() * longest);
    const from = Math.floor(this.#random() * (this.#pool.length - length));
    return this.#pool.slice(from, from + length);
  }

  get #head(): string | null {
    return this.#path.at(-1)?.id ?? null;
  }

  /** Places of the last `count` prompts of the path, the last one first. */
  #prompts(count: number): number[] {
    const found: number[] = [];
    for (let at = this.#path.length - 1; at >= 0 && found.length < count; at--)
      if (this.#path[at]?.isUser === true) found.push(at);
    return found;
  }

  /** To before one of the last prompts. */
  #goBack(): void {
    const at = this.#prompts(3)[Math.floor(this.#random() * 3)] ?? 0;
    if (at > 0) this.#path.length = at;
    this.#sinceBranch = 0;
  }

  #say(event: Event): Event {
    this.#path.push({ id: event.id, isUser: event.kind === 'user' });
    return event;
  }

  #compaction(): Event {
    this.#sinceCompaction = 0;
    const kept = this.#path[this.#prompts(4).at(-1) ?? 0]?.id ?? '';
    const event = { id: this.#id(), parent: this.#head, turn: '', step: 0 };
    return this.#say({ ...event, kind: 'compaction', summary: this.#text(8_000), kept });
  }

  #turn(): Event[] {
    const turn = this.#id();
    const events: Event[] = [];
    const placed = (step: number): Placed => ({ id: this.#id(), parent: this.#head, turn, step });
    const steps = 1 + Math.floor(this.#random() * 4);
    events.push(this.#say({ ...placed(0), kind: 'user', text: this.#text(3_000) }));
    events.push({ ...placed(0), kind: 'turn_start' });
    for (let step = 1; step <= steps; step++) {
      events.push({ ...placed(step), kind: 'step_start' });
      const call = step === steps ? undefined : { id: this.#id(), input: this.#input() };
      const said = {
        ...placed(step),
        kind: 'assistant' as const,
        text: this.#text(call === undefined ? 5_000 : 800),
      };
      events.push(this.#say(call === undefined ? said : { ...said, call }));
      events.push({ ...placed(step), kind: 'usage' }, { ...placed(step), kind: 'step_end' });
      if (call === undefined) continue;
      events.push({ ...placed(step), kind: 'tool_start', call: call.id });
      events.push(
        this.#say({ ...placed(step), kind: 'tool', call: call.id, text: this.#text(LONGEST_RESULT) }),
      );
    }
    events.push({ ...placed(steps), kind: 'turn_end' });
    return events;
  }

  #input(): { path: string; content: string } {
    return { path: `src/${this.#id().slice(0, 6)}.ts`, content: this.#text(LONGEST_INPUT) };
  }
}
