/**
 * A session on a real model over real HTTP, in fake time: attempts are measured, waits are noted as they are shown and are
 * then over at once.
 */
import { expect } from 'vitest';
import type { Fetch } from '../../../src/models/address.js';
import { nodeFetch } from '../../../src/models/node-fetch.js';
import { createWireModel } from '../../../src/models/wire-model.js';
import type { Clock, Model, ModelInfo } from '../../../src/ports.js';
import { rowsOf } from '../../../src/shared/fold/path.js';
import type { Protocol } from '../../model-server/index.js';
import { chatViolations, type ChatBody } from '../../protocols/chat-completions.js';
import { geminiViolations } from '../../protocols/gemini.js';
import { messagesViolations } from '../../protocols/messages.js';
import { responsesViolations } from '../../protocols/responses.js';
import { kindOf, now } from '../models/fault-table.js';
import { openBench, tell, type Bench, type BenchOptions } from './bench.js';
import type { FakeClock } from './fake-clock.js';

const modelOf: Record<Protocol, string> = {
  chat: 'gpt-oss',
  responses: 'gpt-4o',
  messages: 'claude-sonnet-4-5',
  gemini: 'gemini-2.5-pro',
};

export const violationsOf: Record<Protocol, (text: string) => string[]> = {
  chat: (text) => chatViolations(JSON.parse(text) as ChatBody),
  responses: (text) => responsesViolations(JSON.parse(text) as Record<string, unknown>),
  messages: (text) => messagesViolations(JSON.parse(text) as Record<string, unknown>),
  gemini: (text) => geminiViolations(JSON.parse(text) as Record<string, unknown>, modelOf.gemini),
};

/** One attempt in fake time. */
interface Span {
  began: number;
  ended: number;
  bytes: number;
}

/** Tells the time of the waits, but never waits itself: that is for what models do behind a whole answer. */
const atOnce = (clock: FakeClock): Clock => ({
  now: () => clock.now(),
  elapsed: () => clock.elapsed(),
  after: (_ms, fire) => {
    const timer = setImmediate(fire);
    return { dispose: () => clearImmediate(timer) };
  },
});

/** A real model whose attempts are measured by the fake clock. */
function measured(model: Model, clock: FakeClock, spans: Span[]): Model {
  return {
    info: model.info,
    async *attempt(request, options) {
      const span: Span = { began: clock.elapsed(), ended: Infinity, bytes: 0 };
      spans.push(span);
      const onBytes = (): void => {
        span.bytes += 1;
        options.onBytes();
      };
      try {
        yield* model.attempt(request, { ...options, onBytes });
      } finally {
        span.ended = clock.elapsed();
      }
    },
  };
}

export interface Played {
  bench: Bench;
  spans: Span[];
  /** What was shown at the beginning of each wait. */
  waits: { kind: string; attempt: number; max: number; error: string; ms: number; hint: boolean }[];
}

export interface World {
  protocol: Protocol;
  fetch?: Fetch;
  url: string;
  options?: BenchOptions;
}

export async function open({ protocol, fetch = nodeFetch, url, options }: World): Promise<Played> {
  const spans: Span[] = [];
  const info: ModelInfo = { provider: 'p', id: modelOf[protocol], label: 'The Model' };
  const bench = await openBench({
    startedAt: now,
    files: { 'a.txt': 'what stands in it' },
    allows: () => true,
    ...options,
    models: (clock) => {
      const model = createWireModel({
        kind: kindOf[protocol],
        info,
        baseUrl: url,
        key: () => Promise.resolve(undefined),
        fetch,
        clock: atOnce(clock),
      });
      const only = measured(model, clock, spans);
      return { resolve: () => Promise.resolve(only), list: () => Promise.resolve([info]) };
    },
  });
  return { bench, spans, waits: [] };
}

export const shownWait = (played: Played): void => {
  const { wait } = played.bench.log.state();
  if (wait === null) throw new Error('it waits and says nothing of it');
  const { kind, attempt, max, error, delay_ms: ms, server_hint: hint, due_at } = wait;
  expect(Date.parse(due_at)).toBe(played.bench.clock.now() + ms);
  // What the failed attempt had shown is gone from the live view.
  expect(played.bench.session.growing()).toBeNull();
  played.waits.push({ kind, attempt, max, error, ms, hint });
};

/** Lets the turn go on until it ends, is parked, or asks: each wait is noted and then over at once. */
export async function play(played: Played, silence: () => number = () => 0): Promise<void> {
  const { bench } = played;
  let isOver = false;
  const over = bench.session.settled().then(() => (isOver = true));
  while (!isOver) {
    await Promise.race([over, new Promise((resolve) => setImmediate(resolve))]);
    if (bench.session.run() === 'retrying' && bench.log.state().wait !== null) {
      shownWait(played);
      await bench.clock.advance(bench.log.state().wait?.delay_ms ?? 0);
    } else await bench.clock.advance(silence());
  }
}

/** Sends and plays to the end. */
export async function turn(played: Played, text = 'go', silence?: () => number): Promise<void> {
  await played.bench.send(text);
  await play(played, silence);
}

/** From the end of an attempt to the beginning of the next. */
export const gaps = (spans: readonly Span[]): number[] =>
  spans.slice(1).map(({ began }, index) => began - (spans[index]?.ended ?? Infinity));

/** What is in the log, usage aside: a failed answer may have told it too. */
export const types = (bench: Bench): string[] =>
  bench.disk.entries
    .filter(({ type }) => type !== 'usage')
    .map((entry) =>
      entry.type === 'message'
        ? entry.role
        : entry.type === 'turn_end'
          ? `turn_end ${entry.status}`
          : entry.type,
    );

export const rows = async ({ log, session }: Bench): Promise<string[]> =>
  rowsOf(await log.line(), log.outline, log.state(), session.run()).map((row) =>
    'entry' in row && (row.entry.type === 'message' || row.entry.type === 'incomplete_output')
      ? tell(row.entry)
      : row.kind,
  );
