/**
 * One try of a step's model call: streams into the live view and the journal, watches for silence, and ends with exactly
 * one result. What was streamed is in the result however it ends.
 */
import type { StreamJournal } from '../log/store.js';
import type { Clock, FinishReason, Model, ModelEvent, ModelRequest } from '../ports.js';
import type { Part } from '../shared/entry.js';
import type { Failure } from '../shared/failure.js';
import { emptyCollection, take, wholeParts, type Collected, type Streamed } from './collect.js';
import { withCost } from './cost.js';
import { stackOf } from './failures.js';
import type { Live } from './live.js';
import type { AgentParts } from './types.js';
import { watchSilence, type SilenceWatch } from './watchdog.js';

export interface AttemptInput {
  model: Model;
  request: ModelRequest;
  attempt_id: string;
  turn_id: string;
  step: number;
  idleTimeout: number;
  signal: AbortSignal;
}

type AttemptEnd =
  | { kind: 'finished'; parts: Part[]; reason: FinishReason }
  | { kind: 'failed'; failure: Failure }
  /** The turn was stopped; the signal says why. */
  | { kind: 'aborted' };

export type AttemptResult = Streamed & AttemptEnd;

export interface AttemptWorld {
  clock: Clock;
  ids: AgentParts['ids'];
  log: AgentParts['log'];
  live: Live;
  journal: StreamJournal;
}

export async function runAttempt(world: AttemptWorld, input: AttemptInput): Promise<AttemptResult> {
  const { live } = world;
  live.begin({ attempt_id: input.attempt_id, turn_id: input.turn_id, step: input.step });
  const collected = emptyCollection();
  const watch = watchSilence(world.clock, {
    firstByte: input.model.info.local === true ? 30 * 60_000 : 5 * 60_000,
    idle: input.idleTimeout,
    model: input.model.info.label,
  });
  try {
    const end = await readEvents(world, input, { collected, watch, interruption: new Interruption() });
    const { text, reasoning, hasContent } = collected;
    const usage = collected.usage === null ? null : withCost(collected.usage, input.model.info.price);
    return { text, reasoning, usage, hasContent, ...end };
  } finally {
    watch.dispose();
  }
}

interface Reading {
  collected: Collected;
  watch: SilenceWatch;
  interruption: Interruption;
}

async function readEvents(world: AttemptWorld, input: AttemptInput, reading: Reading): Promise<AttemptEnd> {
  const { watch, interruption } = reading;
  const controller = new AbortController();
  const stop = (): void => interruption.raise('stopped');
  input.signal.addEventListener('abort', stop, { once: true });
  if (input.signal.aborted) stop();
  watch.onSilent(() => interruption.raise('silent'));
  let iterator: AsyncIterator<ModelEvent> | undefined;
  try {
    const options = { signal: controller.signal, onBytes: watch.onBytes };
    iterator = input.model.attempt(input.request, options)[Symbol.asyncIterator]();
    return await readToEnd(world, input, reading, iterator);
  } catch (error) {
    // The port promises not to throw: this is a bug of a model's adapter, and what was streamed is kept all the same.
    world.log('error', `model ${input.model.info.label}: ${stackOf(error)}`);
    return { kind: 'failed', failure: adapterFailure(input.model.info.label, error) };
  } finally {
    input.signal.removeEventListener('abort', stop);
    controller.abort();
    if (iterator !== undefined) endIterator(world, iterator);
  }
}

async function readToEnd(
  world: AttemptWorld,
  input: AttemptInput,
  { collected, watch, interruption }: Reading,
  iterator: AsyncIterator<ModelEvent>,
): Promise<AttemptEnd> {
  const destination = { ...world, attempt_id: input.attempt_id };
  for (;;) {
    const next = await interruption.race(iterator.next());
    if (next === 'stopped') return { kind: 'aborted' };
    if (next === 'silent') return { kind: 'failed', failure: watch.failure() };
    if (next.done === true) return { kind: 'failed', failure: endedEarly(input.model.info.label) };
    const event = next.value;
    if (event.type !== 'response') watch.onBytes();
    if (event.type === 'failure' || event.type === 'finish') {
      if (event.usage !== undefined) collected.usage = event.usage;
      return event.type === 'failure'
        ? { kind: 'failed', failure: event.failure }
        : { kind: 'finished', parts: wholeParts(collected), reason: event.reason };
    }
    take(destination, collected, event);
  }
}

/** Lets the adapter clean up without waiting for it: it may hang in a read that ignores the signal. */
function endIterator(world: AttemptWorld, iterator: AsyncIterator<ModelEvent>): void {
  iterator.return?.().then(undefined, (error: unknown) => {
    world.log('debug', `the model's stream ended with ${String(error)} after it was left`);
  });
}

const endedEarly = (label: string): Failure => ({
  kind: 'network',
  code: 'UnexpectedEnd',
  message: `The stream from ${label} ended without the end the protocol asks for.`,
  transient: true,
});

const adapterFailure = (label: string, error: unknown): Failure => ({
  kind: 'tool',
  code: 'InternalError',
  message: `The request to ${label} failed inside Bough: ${error instanceof Error ? error.message : String(error)}. The output channel has the details.`,
  transient: false,
  action: 'show-log',
});

/** Lets a pending read lose against a stop or a silence, with one listener however many reads there are. */
class Interruption {
  #raised: 'stopped' | 'silent' | null = null;
  #wake: ((why: 'stopped' | 'silent') => void) | null = null;

  raise(why: 'stopped' | 'silent'): void {
    this.#raised ??= why;
    this.#wake?.(this.#raised);
  }

  race<T>(work: Promise<T>): Promise<T | 'stopped' | 'silent'> {
    return new Promise((resolve, reject) => {
      if (this.#raised !== null) resolve(this.#raised);
      this.#wake = resolve;
      work.then(resolve, reject);
    });
  }
}
