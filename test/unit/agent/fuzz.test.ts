/**
 * Any order of intents, model faults, full disks, crashes and passing time: whatever happens, the log keeps its rules and
 * the person always has a way on.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isFailure } from '../../../src/shared/failure.js';
import type { Entry } from '../../../src/shared/notes.js';
import { openBench, type Bench } from './bench.js';
import { idle } from './fake-clock.js';
import {
  badKey,
  begins,
  calls,
  dropped,
  fails,
  hang,
  overloaded,
  rateLimit,
  text,
  type Reply,
} from './fake-model.js';
import { diskFull } from './test-log.js';
import { runs } from '../runs.js';

const isSoak = process.env['BOUGH_SOAK'] === '1';

type Step =
  | { do: 'send'; mode: 'send' | 'queue' | 'steer'; reply: boolean; edit: boolean }
  | { do: 'stop' | 'retry_now' | 'retry_cancel' | 'continue' | 'leave' | 'release_queue' | 'crash' | 'model' }
  | { do: 'try_again' | 'navigate' | 'drop_queued'; pick: number }
  | { do: 'decide'; pick: number; allow: boolean }
  | { do: 'wait'; ms: number }
  | { do: 'disk'; isFull: boolean };

const steps = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        do: fc.constant('send' as const),
        mode: fc.constantFrom('send', 'queue', 'steer'),
        reply: fc.boolean(),
        edit: fc.boolean(),
      }),
    },
    {
      weight: 8,
      arbitrary: fc.record({
        do: fc.constantFrom(
          'stop',
          'retry_now',
          'retry_cancel',
          'continue',
          'leave',
          'release_queue',
          'model' as const,
        ),
      }),
    },
    { weight: 4, arbitrary: fc.record({ do: fc.constant('crash' as const) }) },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constantFrom('try_again', 'navigate', 'drop_queued' as const),
        pick: fc.nat(50),
      }),
    },
    {
      weight: 8,
      arbitrary: fc.record({ do: fc.constant('decide' as const), pick: fc.nat(1), allow: fc.boolean() }),
    },
    {
      weight: 5,
      arbitrary: fc.record({
        do: fc.constant('wait' as const),
        ms: fc.constantFrom(1, 100, 250, 2_000, 30_000, 700_000),
      }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('disk' as const), isFull: fc.boolean() }) },
  ),
  { maxLength: 40, size: 'max' },
) as fc.Arbitrary<Step[]>;

const replies = fc.infiniteStream(fc.nat(15));

/** Texts that must never reach a model again begin like this. */
const PARTIAL = 'PARTIAL';

/** Each reply names its commands uniquely, so that a command that runs twice shows. */
function replyFor(kind: number, n: number): Reply {
  const run = (name: string) => ({ name: 'run', input: { command: `${name}-${String(n)}` } });
  const write = { name: 'write', input: { path: 'shared.txt', content: `by ${String(n)}` } };
  switch (kind) {
    case 0:
      return begins(`${PARTIAL} ${String(n)}`, fails(dropped()));
    case 1:
      return begins(`${PARTIAL} ${String(n)}`, hang());
    case 2:
      return [fails(overloaded())];
    case 3:
      return [fails(rateLimit(1_500))];
    case 4:
      return [fails(rateLimit(3_600_000))];
    case 5:
      return [fails(badKey())];
    case 6:
      return calls([run('ask'), run('ask-too')]);
    case 7:
      return calls([{ name: 'run', input: { command: 'hang' } }, run('ask')]);
    case 8:
      return calls([write, run('free'), write]);
    case 9:
      return calls([run('free'), { name: 'run', raw: '{"command":"' }, { name: 'nothing' }]);
    case 10:
      return calls([run('free')], { reason: 'length' });
    case 11:
      return text(`${PARTIAL} ${String(n)}`, 'length');
    case 12:
      return begins(`${PARTIAL} ${String(n)}`);
    default:
      return text(`answer ${String(n)}`);
  }
}

function nextOf(stream: Iterator<number>): number {
  const next = stream.next();
  return next.done === true ? 15 : next.value;
}

async function perform(bench: Bench, step: Step, sent: Set<string>): Promise<Bench> {
  const { session, log } = bench;
  const idAt = (pick: number): string | null =>
    log.outline.length === 0 ? null : (log.outline[pick % log.outline.length]?.[0] ?? null);
  const doing = (): Promise<unknown> => {
    switch (step.do) {
      case 'send': {
        const editing = step.edit ? log.outline.find(([, , , flags]) => (flags & 1) !== 0)?.[0] : undefined;
        return session
          .dispatch({
            type: 'send',
            text: 'prompt',
            mentions: [],
            mode: step.mode,
            reply_instead: step.reply,
            ...(editing === undefined ? {} : { editing }),
          })
          .then((result) => {
            if (!isFailure(result) && result.entry_id !== undefined) sent.add(result.entry_id);
          });
      }
      case 'decide':
        return session.dispatch({
          type: 'decide',
          call_id: log.state().approvals[step.pick]?.call_id ?? 'none',
          decision: step.allow ? 'allow' : 'deny',
          scope: 'once',
        });
      case 'navigate':
        return session.dispatch({ type: 'navigate', entry_id: idAt(step.pick) });
      case 'try_again': {
        const entry_id = idAt(step.pick);
        return session.dispatch({ type: 'try_again', ...(entry_id === null ? {} : { entry_id }) });
      }
      case 'drop_queued':
        return session.dispatch({ type: 'drop_queued', item_id: log.state().queue[step.pick]?.id ?? 'none' });
      case 'model':
        return session.selectModel('fake', `m${String(bench.disk.batches.length)}`);
      case 'wait':
        return bench.clock.advance(step.ms);
      case 'disk':
        bench.process.refuse = step.isFull ? diskFull : () => null;
        return Promise.resolve();
      case 'crash':
        return Promise.resolve();
      case 'stop':
      case 'retry_now':
      case 'retry_cancel':
      case 'continue':
      case 'leave':
      case 'release_queue':
        return session.dispatch({ type: step.do });
    }
  };
  if (step.do === 'crash') {
    const next = await bench.crash();
    await next.session.recover();
    await idle();
    return next;
  }
  let isDone = false;
  const done = doing().then(() => (isDone = true));
  await idle();
  // A stop may wait for a tool that is being ended.
  if (!isDone) await bench.clock.advance(2_000);
  await done;
  await idle();
  return bench;
}

const ofType = <T extends Entry['type']>(entries: readonly Entry[], type: T): Extract<Entry, { type: T }>[] =>
  entries.filter((entry): entry is Extract<Entry, { type: T }> => entry.type === type);

const twice = (ids: readonly string[]): string[] => ids.filter((id, index) => ids.indexOf(id) !== index);

/** What must hold of any log at any time. */
function checkLog(bench: Bench): void {
  const { entries } = bench.disk;
  const ended = new Set(ofType(entries, 'turn_end').map(({ turn_id }) => turn_id));
  expect(twice(ofType(entries, 'turn_end').map(({ turn_id }) => turn_id))).toEqual([]);
  expect(twice(ofType(entries, 'tool_start').map(({ call_id }) => call_id))).toEqual([]);
  const results = ofType(entries, 'message').flatMap((message) =>
    message.parts.flatMap((part) => (part.type === 'tool_result' ? [part.call_id] : [])),
  );
  expect(twice(results)).toEqual([]);
  const called = ofType(entries, 'message').flatMap((message) =>
    message.parts.flatMap((part) =>
      part.type === 'tool_call' ? [{ turn_id: message.turn_id, id: part.call_id }] : [],
    ),
  );
  for (const { turn_id, id } of called) if (ended.has(turn_id ?? '')) expect(results).toContain(id);
  for (const turn_id of ended) {
    const own = entries.filter((entry) => entry.turn_id === turn_id);
    expect(ofType(own, 'retry_end')).toHaveLength(ofType(own, 'retry_start').length);
    const decided = ofType(own, 'approval_decision').map(({ request_id }) => request_id);
    expect(twice(decided)).toEqual([]);
    expect(decided.toSorted()).toEqual(
      ofType(own, 'approval_request')
        .map(({ id }) => id)
        .toSorted(),
    );
  }
  expect(twice(ofType(entries, 'message').flatMap(({ queue_item_id }) => queue_item_id ?? []))).toEqual([]);
  const starts = ofType(entries, 'step_start');
  starts.forEach((start, index) => {
    const before = starts[index - 1];
    if (before === undefined || before.turn_id !== start.turn_id || before.step !== start.step) return;
    expect(Date.parse(start.timestamp) - Date.parse(before.timestamp)).toBeGreaterThanOrEqual(250);
  });
  expect(twice(bench.ran.filter((line) => /-\d+$/.test(line)))).toEqual([]);
  for (const { request } of bench.model.asked)
    expect(JSON.stringify(request.messages)).not.toContain(PARTIAL);
  expect(bench.told.filter((line) => line.startsWith('error') && !line.includes('no space left'))).toEqual(
    [],
  );
}

/** What must hold of a session that does nothing. */
function checkIdle(bench: Bench): void {
  const { session, log } = bench;
  if (session.run() === 'idle') {
    expect(session.growing()).toBeNull();
    if (log.state().turn !== null) expect(session.interrupted()).not.toBeNull();
  }
  if (['idle', 'waiting', 'parked'].includes(session.run())) expect(bench.isFree()).toBe(true);
  if (session.run() === 'waiting') expect(log.state().approvals.length).toBeGreaterThan(0);
}

/** Ends whatever is open; then a plain prompt gets a plain answer. */
async function wayOut(bench: Bench): Promise<void> {
  bench.process.refuse = () => null;
  const act = (step: Step): Promise<Bench> => perform(bench, step, new Set());
  await act({ do: 'stop' });
  while (bench.log.state().queue.length > 0) await act({ do: 'drop_queued', pick: 0 });
  bench.model.clear();
  bench.model.play(text('the end'));
  await bench.send('last prompt');
  await bench.clock.advance(0);
  const line = await bench.log.line();
  expect(JSON.stringify(line.findLast(({ entry }) => entry.type === 'message')?.entry)).toContain('the end');
  expect(bench.session.run()).toBe('idle');
  expect(bench.session.interrupted()).toBeNull();
}

describe('a session', () => {
  it(
    'keeps its rules whatever happens to it, and can always be gone on with',
    { timeout: isSoak ? 1_800_000 : 60_000 },
    async () => {
      await fc.assert(
        fc.asyncProperty(steps, replies, async (list, kinds) => {
          const stream: Iterator<number> = kinds[Symbol.iterator]();
          let n = 0;
          let bench = await openBench({
            files: { 'shared.txt': 'old' },
            allows: ({ subject }) => !subject.startsWith('ask'),
            settings: { maxSteps: 8 },
            endless: () => replyFor(nextOf(stream), n++),
          });
          await bench.session.recover();
          const sent = new Set<string>();
          for (const step of list) {
            bench = await perform(bench, step, sent);
            checkLog(bench);
            checkIdle(bench);
          }
          const ids = new Set(bench.disk.entries.map(({ id }) => id));
          for (const id of sent) expect(ids).toContain(id);
          await wayOut(bench);
          checkLog(bench);
        }),
        { numRuns: runs({ usual: 40, soak: 2_000 }) },
      );
    },
  );
});
