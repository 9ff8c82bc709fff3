/** A model that plays a script, one reply a request, and remembers what it was asked and when. */
import type {
  Clock,
  FinishReason,
  Model,
  ModelEvent,
  ModelInfo,
  ModelRequest,
  Models,
} from '../../../src/ports.js';
import type { Failure } from '../../../src/shared/failure.js';

export interface Asked {
  request: ModelRequest;
  /** Monotonic ms. */
  at: number;
  signal: AbortSignal;
}

/** Events of one reply; a function is called when its turn comes: it may wait, or tell that bytes came. */
export type Beat =
  ModelEvent | ((turn: { signal: AbortSignal; onBytes: () => void }) => void | Promise<void>);
export type Reply = readonly Beat[];

const usage = { input_tokens: 10, output_tokens: 5, total_tokens: 15 };

export const text = (content: string, reason: FinishReason = 'stop'): Reply => [
  ...content.split(/(?<= )/).map((delta): ModelEvent => ({ type: 'text', delta })),
  { type: 'part', part: { type: 'text', text: content } },
  { type: 'finish', reason, usage },
];

export interface ScriptedCall {
  name: string;
  input?: unknown;
  raw?: string;
  id?: string;
}

export const calls = (
  list: readonly ScriptedCall[],
  more: { text?: string; reason?: FinishReason } = {},
): Reply => [
  ...(more.text === undefined
    ? []
    : [
        { type: 'text' as const, delta: more.text },
        { type: 'part' as const, part: { type: 'text' as const, text: more.text } },
      ]),
  ...list.map((call): ModelEvent => ({
    type: 'part',
    part: {
      type: 'tool_call',
      provider_call_id: call.id ?? 'call_1',
      name: call.name,
      raw_input: call.raw ?? JSON.stringify(call.input ?? {}),
      ...(call.raw === undefined ? { input: call.input ?? {} } : {}),
    },
  })),
  { type: 'finish', reason: more.reason ?? 'tool_calls', usage },
];

/** Text that never comes to its end. */
export const begins = (content: string, ...rest: Beat[]): Reply => [
  ...content.split(/(?<= )/).map((delta): ModelEvent => ({ type: 'text', delta })),
  ...rest,
];

export const fails = (failure: Failure): ModelEvent => ({ type: 'failure', failure });

export const rateLimit = (retry_after_ms?: number): Failure => ({
  kind: 'rate',
  message: 'Too many requests.',
  status: 429,
  transient: true,
  ...(retry_after_ms === undefined ? {} : { retry_after_ms }),
});
export const overloaded = (): Failure => ({
  kind: 'overloaded',
  message: 'Overloaded.',
  status: 529,
  transient: true,
});
export const dropped = (): Failure => ({
  kind: 'network',
  message: 'The connection was lost.',
  transient: true,
});
export const badKey = (): Failure => ({
  kind: 'auth',
  message: 'The key is wrong.',
  status: 401,
  transient: false,
  action: 'set-key',
});

/** Waits for nothing: stays silent until the attempt is aborted, and even then says nothing. */
export const hang = (): Beat => () => new Promise<void>(() => undefined);

export class FakeModel implements Model, Models {
  info: ModelInfo = { provider: 'fake', id: 'one', label: 'Fake One' };
  readonly asked: Asked[] = [];
  readonly wanted: string[] = [];
  resolveFailure: Failure | null = null;
  readonly #clock: Clock;
  #script: Reply[];
  #endless: (() => Reply) | undefined;

  /** `endless` answers when the script is at its end. */
  constructor(clock: Clock, script: readonly Reply[], endless?: () => Reply) {
    this.#clock = clock;
    this.#script = [...script];
    this.#endless = endless;
  }

  /** Forgets what is still to be played. */
  clear(): void {
    this.#script = [];
    this.#endless = undefined;
  }

  play(...replies: Reply[]): void {
    this.#script.push(...replies);
  }

  resolve(wanted: string): Promise<Model | Failure> {
    this.wanted.push(wanted);
    return Promise.resolve(this.resolveFailure ?? this);
  }
  list(): Promise<ModelInfo[]> {
    return Promise.resolve([this.info]);
  }

  async *attempt(
    request: ModelRequest,
    { signal, onBytes }: { signal: AbortSignal; onBytes: () => void },
  ): AsyncGenerator<ModelEvent> {
    this.asked.push({ request: structuredClone(request), at: this.#clock.elapsed(), signal });
    const reply = this.#script.shift() ?? this.#endless?.();
    if (reply === undefined) throw new Error('the model was asked once more than the script says');
    for (const beat of reply) {
      if (typeof beat === 'function') await beat({ signal, onBytes });
      else yield beat;
    }
  }

  get left(): number {
    return this.#script.length;
  }
}
