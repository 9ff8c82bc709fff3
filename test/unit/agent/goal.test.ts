/** A goal: turn after turn until an evaluation apart says that it is reached, and what becomes of it when one does not end well. */
import { describe, expect, it } from 'vitest';
import { readEvaluation } from '../../../src/agent/goal-evaluation.js';
import type { Tool } from '../../../src/ports.js';
import { isFailure } from '../../../src/shared/failure.js';
import { finishTool } from '../../../src/tools/finish.js';
import { failureOf, later, openBench, type Bench, type BenchOptions } from './bench.js';
import { idle } from './fake-clock.js';
import { badKey, begins, calls, fails, hang, rateLimit, text, type Reply } from './fake-model.js';
import { fakeTools } from './fake-tools.js';

const verdict = (completed: boolean, reason: string, next_prompt = ''): Reply =>
  text(JSON.stringify({ completed, reason, next_prompt }));
const finish = (status: string, summary: string): Reply =>
  calls([{ name: 'finish', input: { status, summary } }]);

const open = (options: BenchOptions = {}): Promise<Bench> =>
  openBench({ files: { 'a.txt': 'a' }, tools: [...fakeTools([]), finishTool], ...options });

const start = (bench: Bench, more: { criteria?: string; max_iterations?: number } = {}) =>
  bench.do({ type: 'goal_start', objective: 'Make it green', criteria: '', ...more });

const goals = (bench: Bench): string[] =>
  bench
    .entries('goal_update')
    .map(({ status, iteration, phase = '-' }) => `${status} ${String(iteration)} ${phase}`);

const last = (bench: Bench) => bench.entries('goal_update').at(-1);

describe('a goal', () => {
  it('works until its evaluation says that it is reached, each word of it in the log before it counts', async () => {
    const bench = await open({
      script: [
        text('Half of it.'),
        verdict(false, 'One test is red.', 'Make the last test green.'),
        text('All of it.'),
        verdict(true, 'All tests are green.'),
      ],
    });
    await start(bench, { criteria: 'npm test exits with 0' });
    expect(goals(bench)).toEqual([
      'active 1 begun',
      'active 1 answered',
      'active 1 evaluated',
      'active 2 begun',
      'active 2 answered',
      'completed 2 evaluated',
    ]);
    expect(bench.story()).toEqual([
      expect.stringMatching(
        /^user "Make it green\n\nIt is done when: npm test exits with 0\n\n.*" \+ turn_start \+ goal_update$/s,
      ),
      expect.stringMatching(/step_start 1$/),
      expect.stringMatching(/^assistant "Half of it\." \+ .*turn_end completed$/),
      'goal_update',
      'usage + goal_update',
      expect.stringMatching(/^user "Make the last test green\..*" \+ turn_start \+ goal_update$/s),
      expect.stringMatching(/step_start 1$/),
      expect.stringMatching(/^assistant "All of it\." \+ .*turn_end completed$/),
      'goal_update',
      'usage + goal_update',
    ]);
    expect(last(bench)).toMatchObject({
      objective: 'Make it green',
      criteria: 'npm test exits with 0',
      max_iterations: 20,
      evaluation: { completed: true, reason: 'All tests are green.' },
    });
    expect(bench.entries('usage').filter(({ purpose }) => purpose === 'evaluation')).toHaveLength(2);
    // The evaluation has no tools, sees the conversation as material, and is in no later request.
    expect(bench.model.asked[1]?.request).toMatchObject({ tools: [] });
    expect(JSON.stringify(bench.model.asked[1]?.request)).toContain('[Assistant]: Half of it.');
    expect(JSON.stringify(bench.model.asked[2]?.request)).not.toContain('One test is red.');
    expect(bench.session.goal()).toEqual({
      status: 'completed',
      doing: null,
      reason: 'All tests are green.',
    });
    expect(bench.session.run()).toBe('idle');
    expect(bench.isFree()).toBe(true);
  });

  it('says the same operation key at each try of an iteration, and another for the next', async () => {
    const bench = await open({
      script: [text('A'), verdict(false, 'No.', 'B'), fails400(), text('B'), verdict(true, 'Yes.')],
    });
    await start(bench);
    expect(bench.session.goal()?.status).toBe('blocked');
    await bench.do({ type: 'goal_retry' });
    const keys = new Set(
      bench.entries('goal_update').map((note) => `${String(note.iteration)} ${String(note.operation_key)}`),
    );
    expect(keys.size).toBe(2);
    expect(last(bench)).toMatchObject({ status: 'completed', iteration: 2 });
  });

  it('is never at rest between an answer and what follows', async () => {
    const bench = await open({
      script: [text('A'), verdict(false, 'No.', 'B'), text('B'), verdict(true, 'Yes.')],
    });
    await start(bench);
    const runs = bench.events
      .filter(({ type }) => type === 'run')
      .map((event) => (event as { run: string }).run);
    expect(runs.slice(0, -1)).not.toContain('idle');
    expect(runs.at(-1)).toBe('idle');
  });

  it('stops at its limit, blocked, and Retry only looks again', async () => {
    const bench = await open({
      script: [
        text('A'),
        verdict(false, 'No.', 'B'),
        text('B'),
        verdict(false, 'Still not.'),
        verdict(true, 'The person mended it.'),
      ],
    });
    await start(bench, { max_iterations: 2 });
    expect(last(bench)).toMatchObject({ status: 'blocked', iteration: 2 });
    expect(last(bench)?.reason).toMatch(/limit of 2 iterations/);
    await bench.do({ type: 'goal_retry' });
    expect(last(bench)).toMatchObject({ status: 'completed', iteration: 2 });
  });

  it('refuses a second goal, a blank one, one beside a turn, and what does not fit its state', async () => {
    const bench = await open({ script: [begins('Working', hang())] });
    expect(
      failureOf(await start({ ...bench, do: (intent) => bench.do({ ...intent, objective: ' ' } as never) })),
    ).toMatchObject({ code: 'EmptyPrompt' });
    for (const type of ['goal_pause', 'goal_resume', 'goal_retry', 'goal_clear'] as const)
      expect(failureOf(await bench.do({ type }))).toMatchObject({ code: 'NoGoal' });
    await start(bench);
    expect(failureOf(await start(bench))).toMatchObject({ code: 'GoalOpen' });
    expect(failureOf(await bench.do({ type: 'goal_resume' }))).toMatchObject({ code: 'GoalNotActive' });
    expect(failureOf(await bench.do({ type: 'goal_retry' }))).toMatchObject({ code: 'GoalNotActive' });
  });

  it('pauses with what runs, and resumes from there', async () => {
    const bench = await open({ script: [begins('Working ', hang())] });
    await start(bench);
    expect(bench.session.goal()).toMatchObject({ status: 'active', doing: 'working' });
    await bench.do({ type: 'goal_pause' });
    expect(bench.session.goal()).toEqual({ status: 'paused', doing: null, reason: 'You paused it.' });
    expect(bench.session.run()).toBe('idle');
    bench.model.play(text('Done.'), verdict(true, 'Yes.'));
    await bench.do({ type: 'goal_resume' });
    expect(goals(bench)).toEqual([
      'active 1 begun',
      'paused 1 begun',
      'active 1 begun',
      'active 1 answered',
      'completed 1 evaluated',
    ]);
    expect(bench.entries('turn_start').at(-1)?.continues).toBeDefined();
  });

  it('pauses when the person stops the turn, or the evaluation, which is then asked for again', async () => {
    const bench = await open({ script: [text('Done.'), begins('{', hang())] });
    await start(bench);
    expect(bench.session.goal()).toMatchObject({ status: 'active', doing: 'checking' });
    await bench.do({ type: 'stop' });
    expect(bench.session.goal()).toMatchObject({ status: 'paused', reason: 'You stopped the evaluation.' });
    bench.model.play(verdict(true, 'Yes.'));
    await bench.do({ type: 'goal_resume' });
    expect(last(bench)).toMatchObject({ status: 'completed', iteration: 1 });
    expect(bench.entries('turn_start')).toHaveLength(1);
  });

  it('asks once more, in the log, when the evaluation is no JSON; then it is blocked with the reason', async () => {
    const bench = await open({
      script: [text('Done.'), text('Looks good!'), text('{"completed": "maybe"}')],
    });
    await start(bench);
    expect(bench.session.goal()).toMatchObject({
      status: 'active',
      doing: 'checking',
      reason: expect.stringContaining('JSON') as string,
    });
    expect(bench.session.run()).toBe('retrying');
    await bench.clock.advance(30_000);
    expect(bench.entries('retry_start')).toMatchObject([{ kind: 'retry', attempt: 1, max_attempts: 2 }]);
    expect(bench.entries('retry_end')).toMatchObject([{ success: false }]);
    expect(bench.model.asked).toHaveLength(3);
    expect(last(bench)).toMatchObject({ status: 'blocked', phase: 'answered' });
    expect(last(bench)?.reason).toMatch(/could not be found out: .*JSON.*completed/s);
    bench.model.play(text('```json\n{"completed": true, "reason": "Yes."}\n```'));
    await bench.do({ type: 'goal_retry' });
    expect(last(bench)).toMatchObject({ status: 'completed', iteration: 1 });
  });

  it('is blocked at once when the evaluation fails for good, and asks no server before it permits it', async () => {
    const bench = await open({ script: [text('Done.'), [fails(badKey())]] });
    await start(bench);
    expect(last(bench)).toMatchObject({ status: 'blocked', iteration: 1 });
    // The goal says so, and the turn ended well.
    expect(bench.session.failure()).toBeNull();
    expect(bench.session.goal()).toMatchObject({ status: 'blocked', action: 'set-key' });
    bench.model.play([fails(rateLimit(120_000))]);
    await bench.do({ type: 'goal_retry' });
    const asked = bench.model.asked.length;
    expect(failureOf(await bench.do({ type: 'goal_retry' }))).toMatchObject({ code: 'RetryNotAllowed' });
    expect(bench.model.asked).toHaveLength(asked);
    await bench.clock.advance(121_000);
    bench.model.play(verdict(true, 'Yes.'));
    await bench.do({ type: 'goal_retry' });
    expect(last(bench)).toMatchObject({ status: 'completed' });
  });

  it('shows what mends one goal at no other', async () => {
    const bench = await open({ script: [finish('blocked', 'The key is missing.')] });
    await start(bench);
    const own = bench.log.head;
    await bench.do({ type: 'clear' });
    bench.model.play(text('Done.'), [fails(badKey())]);
    await start(bench);
    expect(bench.session.goal()).toMatchObject({ status: 'blocked', action: 'set-key' });
    await bench.do({ type: 'navigate', entry_id: own });
    expect(bench.session.goal()).toEqual({ status: 'blocked', doing: null, reason: 'The key is missing.' });
  });

  it('is blocked when the model says so, and tries the same iteration again', async () => {
    const bench = await open({ script: [finish('blocked', 'The key is missing.')] });
    await start(bench);
    expect(bench.session.goal()).toEqual({ status: 'blocked', doing: null, reason: 'The key is missing.' });
    bench.model.play(finish('completed', 'Done.'), verdict(true, 'Yes.'));
    await bench.do({ type: 'goal_retry' });
    expect(last(bench)).toMatchObject({ status: 'completed', iteration: 1 });
    expect(bench.entries('message').filter(({ goal_id }) => goal_id !== undefined)).toHaveLength(2);
  });

  it('waits with its turn for the person, and goes on with the decision', async () => {
    const bench = await open({
      script: [calls([{ name: 'write', input: { path: 'a.txt', content: 'b' } }])],
    });
    await start(bench);
    expect(bench.session.run()).toBe('waiting');
    expect(bench.session.goal()).toMatchObject({ status: 'active', doing: 'asking' });
    const [approval] = bench.log.state().approvals;
    bench.model.play(text('Done.'), verdict(true, 'Yes.'));
    await bench.do({ type: 'decide', call_id: approval?.call_id ?? '', decision: 'allow', scope: 'once' });
    expect(last(bench)).toMatchObject({ status: 'completed', iteration: 1 });
  });

  it('lets what the person says meanwhile go first', async () => {
    const gate = later();
    const bench = await open({
      script: [[() => gate.opened, ...text('Half.')], text('Blue it is.'), verdict(true, 'Yes.')],
    });
    await start(bench);
    await bench.send('And make it blue', { mode: 'queue' });
    gate.open();
    await idle();
    expect(goals(bench)).toEqual(['active 1 begun', 'active 1 answered', 'completed 1 evaluated']);
    expect(JSON.stringify(bench.model.asked[2]?.request)).toContain('Blue it is.');
  });

  it('belongs to its branch', async () => {
    const bench = await open({ script: [text('Hello.'), text('Done.'), verdict(true, 'Yes.')] });
    await bench.send('Hi');
    const { head } = bench.log;
    await start(bench);
    expect(bench.session.goal()?.status).toBe('completed');
    await bench.do({ type: 'navigate', entry_id: head });
    expect(bench.session.goal()).toBeNull();
    bench.model.play(text('A.'));
    await bench.send('Another line');
    expect(bench.session.goal()).toBeNull();
  });

  it('is gone when it is cleared, and another may begin', async () => {
    const bench = await open({ script: [begins('Working ', hang())] });
    await start(bench);
    expect(isFailure(await bench.do({ type: 'goal_clear' }))).toBe(false);
    expect(bench.session.goal()).toBeNull();
    expect(bench.session.run()).toBe('idle');
    bench.model.play(text('Done.'), verdict(true, 'Yes.'));
    await start(bench);
    expect(bench.session.goal()?.status).toBe('completed');
  });

  it('is not driven from a second window while the first works, which sees it', async () => {
    const bench = await open({ script: [begins('Working ', hang())] });
    await start(bench);
    const second = await bench.second();
    await second.session.recover();
    expect(second.session.goal()).toMatchObject({ status: 'active', doing: 'elsewhere' });
    expect(failureOf(await second.do({ type: 'goal_clear' }))).toMatchObject({ code: 'Locked' });
    expect(failureOf(await second.do({ type: 'goal_pause' }))).toMatchObject({ code: 'Locked' });
    expect(goals(bench)).toEqual(['active 1 begun']);
  });
});

describe('around a goal', () => {
  it('tools are told the key of the iteration, and none in a turn that is the person’s own', async () => {
    const keys: (string | undefined)[] = [];
    const [read] = fakeTools([]);
    if (read === undefined) throw new Error('no tool');
    const spy: Tool = {
      ...read,
      run: (prepared, context) => {
        keys.push(context.operation_key);
        return read.run(prepared, context);
      },
    };
    const look = calls([{ name: 'read', input: { path: 'a.txt' } }]);
    const bench = await open({
      tools: [spy],
      script: [
        look,
        text('A'),
        verdict(false, 'No.', 'B'),
        look,
        text('B'),
        verdict(true, 'Yes.'),
        look,
        text('C'),
      ],
    });
    await start(bench);
    await bench.send('And now something else');
    const goal_id = last(bench)?.goal_id ?? '';
    expect(keys).toEqual([`${goal_id}-1`, `${goal_id}-2`, undefined]);
  });

  it('pruning one takes it from its line, and no other', async () => {
    const bench = await open({ script: [text('A'), verdict(true, 'Yes.')] });
    await start(bench);
    const { goal_id, objective } = last(bench) ?? { goal_id: '', objective: '' };
    const note = {
      type: 'goal_update',
      objective,
      iteration: 1,
      max_iterations: 20,
      status: 'pruned',
    } as const;
    await bench.log.append([{ ...note, goal_id: 'another' }]);
    expect(bench.session.goal()?.status).toBe('completed');
    await bench.log.append([{ ...note, goal_id }]);
    expect(bench.session.goal()).toBeNull();
  });

  it('an evaluation is one JSON object, between fences or not, and nothing else', () => {
    const yes = { completed: true, reason: 'Yes.', next_prompt: '' };
    expect(readEvaluation('{"completed":true,"reason":"Yes."}')).toEqual(yes);
    expect(readEvaluation('```json\n{"completed":true,"reason":"Yes.","next_prompt":null}\n```')).toEqual(
      yes,
    );
    for (const text of [
      '',
      'Yes.',
      '{"completed":true}',
      '{"completed":"true","reason":"a"}',
      '[]',
      'Sure: {"completed":true,"reason":"a"}',
    ])
      expect(readEvaluation(text), text).toBeTypeOf('string');
  });

  it('begins anew without it when the conversation is cleared, and pauses it where it was', async () => {
    const gate = later();
    const bench = await open({ script: [[() => gate.opened, ...text('Half.')]] });
    await start(bench);
    const clearing = bench.session.dispatch({ type: 'clear' });
    await idle();
    gate.open();
    await clearing;
    expect(bench.session.goal()).toBeNull();
    expect(last(bench)).toMatchObject({ status: 'paused', reason: 'The conversation was begun anew.' });
    expect(bench.model.asked).toHaveLength(1);
  });
});

function fails400(): Reply {
  return [fails({ kind: 'refused', message: 'Bad request.', status: 400, transient: false })];
}
