/** A goal whose process dies, or to which anything happens in any order: nothing is sent by itself, and the log keeps its rules. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isFailure } from '../../../src/shared/failure.js';
import { evaluatedOf, isGoalStatus, type GoalNote } from '../../../src/shared/goal.js';
import type { Entry } from '../../../src/shared/notes.js';
import type { Intent } from '../../../src/shared/protocol.js';
import { finishTool } from '../../../src/tools/finish.js';
import { openBench, tell, type Bench } from './bench.js';
import { idle } from './fake-clock.js';
import { badKey, begins, calls, dropped, fails, hang, overloaded, text, type Reply } from './fake-model.js';
import { fakeTools } from './fake-tools.js';
import { diskFull } from './test-log.js';
import { runs } from '../runs.js';

const verdict = (completed: boolean): Reply =>
  text(JSON.stringify({ completed, reason: completed ? 'Reached.' : 'Not yet.', next_prompt: 'More.' }));
const isVerdict = (bench: Bench): boolean => bench.model.asked.at(-1)?.request.tools.length === 0;

const start = { type: 'goal_start', objective: 'Make it green', criteria: 'All green' } as const;

describe('a goal after a crash', () => {
  /** Batches that are on disk when the process dies, what the last of them says, and what the goal is then. */
  const table: [number, RegExp, string][] = [
    [1, /goal_update$/, 'paused'],
    [2, /step_start 1$/, 'paused'],
    [3, /run\(/, 'blocked'],
    [4, /tool_start$/, 'blocked'],
    [5, /^tool result/, 'paused'],
    [6, /step_end 1$/, 'paused'],
    [7, /step_start 2$/, 'paused'],
    [8, /turn_end completed$/, 'paused'],
    [9, /^goal_update$/, 'paused'],
    [10, /^usage \+ goal_update$/, 'paused'],
    [11, /^user "More\..*goal_update$/s, 'paused'],
    [12, /step_start 1$/, 'paused'],
    [13, /turn_end completed$/, 'paused'],
    [14, /^goal_update$/, 'paused'],
    [15, /^usage \+ goal_update$/, 'completed'],
  ];

  it.each(table)(
    'with %i batches on disk (%s) it is %3$s, and the person brings it to its end',
    async (batches, last, status) => {
      let script = [
        calls([{ name: 'run', input: { command: 'free' } }]),
        text('Half.'),
        verdict(false),
        text('All.'),
        verdict(true),
      ];
      const bench: Bench = await openBench({
        tools: [...fakeTools([]), finishTool],
        allows: () => true,
        endless: () => script.shift() ?? (isVerdict(bench) ? verdict(true) : text('All.')),
      });
      // Dies before it writes one more.
      bench.process.slow = () => {
        if (bench.disk.batches.length === batches) bench.process.kill();
        return bench.process.living();
      };
      void bench.session.dispatch(start);
      await idle();
      expect(bench.story()).toHaveLength(batches);
      expect(bench.story().at(-1)).toMatch(last);
      const asked = bench.model.asked.length;
      const after = await bench.crash();
      await after.session.recover();
      await idle();
      expect(after.session.goal()?.status).toBe(status);
      // Nothing is sent by itself; opened once more, nothing is written again.
      expect(after.model.asked).toHaveLength(asked);
      const written = after.disk.batches.length;
      const again = await after.crash();
      await again.session.recover();
      expect(again.disk.batches).toHaveLength(written);
      expect(again.session.goal()?.status).toBe(status);
      script = [];
      if (status !== 'completed')
        expect(isFailure(await again.do({ type: status === 'paused' ? 'goal_resume' : 'goal_retry' }))).toBe(
          false,
        );
      expect(again.session.goal()?.status).toBe('completed');
      keepsRules(again);
    },
  );

  it('goes on by itself only where its turn does: in a wait that is due', async () => {
    const bench = await openBench({ script: [[fails(overloaded())]] });
    await bench.do(start);
    expect(bench.session.run()).toBe('retrying');
    const after = await bench.crash();
    after.model.play(text('Done.'), verdict(true));
    await after.session.recover();
    await idle();
    expect(after.session.goal()).toMatchObject({ status: 'active' });
    await after.clock.advance(5_000);
    expect(after.session.goal()?.status).toBe('completed');
  });

  it('still waits with its approval, and goes on in the window that decides', async () => {
    const bench = await openBench({ script: [calls([{ name: 'run', input: { command: 'ask' } }])] });
    await bench.do(start);
    const after = await bench.crash();
    await after.session.recover();
    expect(after.session.goal()).toMatchObject({ status: 'active', doing: 'asking' });
    after.model.play(text('Done.'), verdict(true));
    const call_id = after.log.state().approvals[0]?.call_id ?? '';
    await after.do({ type: 'decide', call_id, decision: 'allow', scope: 'once' });
    expect(after.session.goal()?.status).toBe('completed');
  });

  it('goes on behind a reply in place of the approval, in the window that gave it', async () => {
    const bench = await openBench({ script: [calls([{ name: 'run', input: { command: 'ask' } }])] });
    await bench.do(start);
    const after = await bench.crash();
    await after.session.recover();
    after.model.play(text('Done otherwise.'), verdict(true));
    await after.send('not that way', { reply_instead: true });
    await idle();
    expect(after.session.goal()?.status).toBe('completed');
    keepsRules(after);
  });
});

type Step =
  | { do: 'intent'; intent: Intent['type'] }
  | { do: 'decide'; allow: boolean }
  | { do: 'navigate'; pick: number }
  | { do: 'wait'; ms: number }
  | { do: 'disk'; isFull: boolean }
  | { do: 'crash' };

const intents = [
  'goal_start',
  'goal_pause',
  'goal_resume',
  'goal_retry',
  'goal_clear',
  'send',
  'stop',
  'continue',
  'leave',
] as const;

const steps = fc.array(
  fc.oneof(
    {
      weight: 20,
      arbitrary: fc.record({ do: fc.constant('intent' as const), intent: fc.constantFrom(...intents) }),
    },
    { weight: 4, arbitrary: fc.record({ do: fc.constant('decide' as const), allow: fc.boolean() }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('navigate' as const), pick: fc.nat(30) }) },
    {
      weight: 5,
      arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(1, 2_000, 60_000) }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('disk' as const), isFull: fc.boolean() }) },
    { weight: 4, arbitrary: fc.constant({ do: 'crash' as const }) },
  ),
  { maxLength: 30, size: 'max' },
) as fc.Arbitrary<Step[]>;

function replyFor(kind: number, isEvaluation: boolean): Reply {
  switch (kind % 9) {
    case 0:
      return isEvaluation ? verdict(true) : text('Done.');
    case 1:
      return isEvaluation ? text('Not JSON') : calls([{ name: 'run', input: { command: 'ask' } }]);
    case 2:
      return begins('PART', hang());
    case 3:
      return [fails(kind % 2 === 0 ? overloaded() : dropped())];
    case 4:
      return isEvaluation
        ? verdict(false)
        : calls([{ name: 'finish', input: { status: 'blocked', summary: 'No key.' } }]);
    case 5:
      return [fails(badKey())];
    default:
      return isEvaluation ? verdict(false) : text('Something.');
  }
}

async function perform(bench: Bench, step: Step): Promise<Bench> {
  const { session, log } = bench;
  const doing = (): Promise<unknown> => {
    switch (step.do) {
      case 'intent':
        if (step.intent === 'goal_start') return session.dispatch({ ...start, max_iterations: 3 });
        if (step.intent === 'send')
          return session.dispatch({ type: 'send', text: 'prompt', mentions: [], mode: 'send' });
        return session.dispatch({ type: step.intent } as Intent);
      case 'decide':
        return session.dispatch({
          type: 'decide',
          call_id: log.state().approvals[0]?.call_id ?? 'none',
          decision: step.allow ? 'allow' : 'deny',
          scope: 'once',
        });
      case 'navigate':
        return session.dispatch({
          type: 'navigate',
          entry_id:
            log.outline.length === 0 ? null : (log.outline[step.pick % log.outline.length]?.[0] ?? null),
        });
      case 'wait':
        return bench.clock.advance(step.ms);
      case 'disk':
        bench.process.refuse = step.isFull ? diskFull : () => null;
        return Promise.resolve();
      case 'crash':
        return Promise.resolve();
    }
  };
  if (step.do === 'crash') {
    const asked = bench.model.asked.length;
    const isWaiting = log.state().wait !== null;
    const next = await bench.crash();
    await next.session.recover();
    await idle();
    if (!isWaiting) expect(next.model.asked).toHaveLength(asked);
    return next;
  }
  let isDone = false;
  const done = doing().then(() => (isDone = true));
  await idle();
  if (!isDone) await bench.clock.advance(2_000);
  await done;
  await idle();
  return bench;
}

/** What holds of any log of goals, whatever happened. */
function keepsRules(bench: Bench): void {
  const notes = new Map<string, GoalNote[]>();
  for (const batch of bench.disk.batches) {
    for (const entry of batch) if (entry.type === 'goal_update') checkNote(batch, entry, notes);
    // What is sent for a goal is in the log with the note that says which iteration it is.
    const begins = batch.filter((entry) => entry.type === 'message' && entry.goal_id !== undefined);
    if (begins.length === 0) continue;
    expect(batch.map(tell).join(' + ')).toMatch(/turn_start \+ goal_update$/);
    expect(begins).toHaveLength(1);
  }
  const goal = bench.session.goal();
  if (goal?.status === 'active') expect(goal.doing).not.toBeNull();
  const isResting = bench.session.run() === 'idle' && bench.log.state().turn === null;
  if (isResting) expect(goal?.status).not.toBe('active');
}

function checkNote(batch: readonly Entry[], note: GoalNote, notes: Map<string, GoalNote[]>): void {
  const before = notes.get(note.goal_id) ?? [];
  notes.set(note.goal_id, [...before, note]);
  expect(note.iteration).toBeGreaterThan(0);
  expect(note.iteration).toBeLessThanOrEqual(note.max_iterations);
  expect(note.status === 'pruned' || isGoalStatus(note.status)).toBe(true);
  expect(note.operation_key).toBe(`${note.goal_id}-${String(note.iteration)}`);
  // Only a look at what is there says that it is reached.
  if (note.status === 'completed') expect(evaluatedOf(note)).toMatchObject({ completed: true });
  // The next iteration begins only behind one that was looked at and found wanting.
  const first = before.find(({ iteration }) => iteration === note.iteration);
  if (first === undefined && note.iteration > 1) {
    expect(batch.some(({ type }) => type === 'turn_start')).toBe(true);
    const evaluated = before.filter(
      ({ iteration, phase }) => iteration === note.iteration - 1 && phase === 'evaluated',
    );
    expect(evaluated.length).toBeGreaterThan(0);
  }
}

describe('whatever happens to a goal', () => {
  it(
    'its iterations stay within the limit, one at a time, each in the log before it is sent',
    { timeout: 300_000 },
    async () => {
      await fc.assert(
        fc.asyncProperty(steps, fc.infiniteStream(fc.nat(35)), async (list, stream) => {
          let bench = await openBench({
            tools: [...fakeTools([]), finishTool],
            endless: () => {
              const next = stream.next();
              return replyFor(next.done === true ? 0 : next.value, isVerdict(bench));
            },
          });
          let since = 0;
          for (const step of list) {
            bench = await perform(bench, step);
            keepsRules(bench);
            if (step.do === 'crash') since = bench.model.asked.length;
            // One request at a time, for whatever it is.
            const asking = bench.model.asked.slice(since).filter(({ signal }) => !signal.aborted);
            expect(asking.length).toBeLessThanOrEqual(1);
          }
        }),
        { numRuns: runs({ usual: 150, soak: 3_000 }) },
      );
    },
  );
});
