/** Tasks given to agents of their own: what the parent's log says of them, and what is refused. */
import { describe, expect, it } from 'vitest';
import type { SubagentEnd, SubagentRun } from '../../../src/ports.js';
import { toolFailure, type Failure } from '../../../src/shared/failure.js';
import { subagentId } from '../../../src/shared/route.js';
import { backgroundTool } from '../../../src/tools/background.js';
import { subagentTool } from '../../../src/tools/subagent.js';
import { openBench, type Bench, type BenchOptions } from './bench.js';
import { idle } from './fake-clock.js';
import { calls, hang, text, type Reply } from './fake-model.js';
import { fakeTools } from './fake-tools.js';

const give = (input: Record<string, unknown>): Reply => calls([{ name: 'subagent', input }]);

type Answer = (run: SubagentRun, signal: AbortSignal) => Promise<SubagentEnd | Failure>;

const done: Answer = ({ session }) =>
  Promise.resolve({ session, status: 'completed', summary: 'Three places.', steps: 2 });

async function openWith(answer: Answer, options: BenchOptions): Promise<Bench & { runs: SubagentRun[] }> {
  const runs: SubagentRun[] = [];
  const bench = await openBench({
    tools: [...fakeTools([]), subagentTool],
    subagents: {
      run: (run, { signal }) => {
        runs.push(run);
        return answer(run, signal);
      },
    },
    ...options,
  });
  return { ...bench, runs };
}

const resultOf = (bench: Bench): unknown =>
  bench.entries('message').findLast(({ role }) => role === 'tool')?.parts[0];

describe('a task given to a subagent', () => {
  it('is in the log before it begins, and its outcome after', async () => {
    const usage = { input_tokens: 5, output_tokens: 1, total_tokens: 6, cost: 0.2 };
    let story: string[] = [];
    const bench: Bench & { runs: SubagentRun[] } = await openWith(
      (run) => {
        story = bench.story();
        return done(run, new AbortController().signal).then((end) => ({ ...end, usage }) as SubagentEnd);
      },
      { script: [give({ task: 'Find the callers.', agent: 'scout' }), text('ok')] },
    );
    await bench.send('go');
    const session = `sub:${bench.log.id}:scout:1`;
    expect(story.at(-1)).toBe('subagent_start');
    expect(bench.runs).toEqual([
      {
        ...{ agent: 'scout', task: 'Find the callers.', session, parent: bench.log.id, mode: 'ask' },
        model: { provider: 'fake', model_id: 'one' },
      },
    ]);
    expect(bench.entries('subagent_end')).toMatchObject([
      { agent: 'scout', session, status: 'completed', summary: 'Three places.', steps: 2 },
    ]);
    expect(bench.entries('usage').filter(({ purpose }) => purpose === 'subagent')).toMatchObject([usage]);
    expect(bench.log.state().usage.cost).toBeCloseTo(0.2);
    expect(resultOf(bench)).toMatchObject({
      is_error: false,
      content: expect.stringContaining(session) as string,
    });
  });

  it('gets a session of its own each time, or goes on in the one that is named', async () => {
    const bench = await openWith(done, {
      script: [
        give({ task: 'One.' }),
        give({ task: 'Two.' }),
        calls([{ name: 'subagent', input: { task: 'More.', session: 'sub:%s:subagent:1' } }]),
        text('ok'),
      ],
    });
    await bench.send('go');
    expect(bench.runs.map(({ session }) => session.split(':').at(-1))).toEqual(['1', '2']);
    expect(resultOf(bench)).toMatchObject({ is_error: true });
    bench.model.play(give({ task: 'More.', session: `sub:${bench.log.id}:subagent:1` }), text('ok'));
    await bench.send('more');
    expect(bench.runs.at(-1)).toMatchObject({ session: `sub:${bench.log.id}:subagent:1`, task: 'More.' });
  });

  it('never reaches a session that is no subagent of this one', async () => {
    const bench = await openWith(done, { script: [give({ task: 'Hi.', session: 'other' }), text('ok')] });
    await bench.send('go');
    expect(bench.runs).toEqual([]);
    expect(resultOf(bench)).toMatchObject({
      is_error: true,
      content: expect.stringContaining('No subagent of this session has the id "other"') as string,
    });
  });

  it.each([
    ['the person’s session', 's', true],
    ['a subagent', subagentId('s', 'scout', 1), true],
    ['a subagent of a subagent', subagentId(subagentId('s', 'scout', 1), 'scout', 2), false],
  ])('two levels deep at most: %s may have one or not', async (_, id, may) => {
    const bench = await openWith(done, { id, script: [give({ task: 'Find the callers.' }), text('ok')] });
    await bench.send('go');
    expect(bench.runs).toHaveLength(may ? 1 : 0);
    expect(bench.entries('subagent_start')).toHaveLength(may ? 1 : 0);
    expect(resultOf(bench)).toMatchObject({
      is_error: !may,
      content: expect.stringContaining(
        may ? 'Three places.' : 'nested 2 deep, and this is one of the deepest. Do the task yourself.',
      ) as string,
    });
    expect(bench.entries('turn_end')).toMatchObject([{ status: 'completed' }]);
  });

  it.each<[string, SubagentEnd['status'], boolean]>([
    ['is blocked', 'blocked', false],
    ['was stopped', 'stopped', true],
    ['failed', 'failed', true],
  ])('that %s says so', async (_name, status, isError) => {
    const bench = await openWith(
      ({ session }) => Promise.resolve({ session, status, summary: 'Half.', steps: 1 }),
      { script: [give({ task: 'x' }), text('ok')] },
    );
    await bench.send('go');
    expect(resultOf(bench)).toMatchObject({
      is_error: isError,
      content: expect.stringMatching(/^Half\./) as string,
    });
    expect(bench.entries('subagent_end')).toMatchObject([{ status }]);
  });

  it('that could not begin is an error result, and the turn goes on', async () => {
    const bench = await openWith(() => Promise.resolve(toolFailure('x', 'The disk is full.')), {
      script: [give({ task: 'x' }), text('ok')],
    });
    await bench.send('go');
    expect(resultOf(bench)).toMatchObject({ is_error: true, content: 'The disk is full.' });
    expect(bench.entries('subagent_end')).toMatchObject([{ status: 'failed', error: 'The disk is full.' }]);
    expect(bench.entries('turn_end')).toMatchObject([{ status: 'completed' }]);
  });

  it('is stopped with the turn', async () => {
    const bench = await openWith(
      ({ session }, signal) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () =>
            resolve({ session, status: 'stopped', summary: 'Half.', steps: 1 }),
          );
        }),
      { script: [give({ task: 'x' })] },
    );
    await bench.send('go');
    await bench.do({ type: 'stop' });
    await idle();
    expect(bench.entries('subagent_end')).toMatchObject([{ status: 'stopped' }]);
    expect(bench.entries('turn_end')).toMatchObject([{ status: 'stopped' }]);
  });

  it('can be done by nobody where there are no subagents', async () => {
    const bench = await openBench({
      tools: [subagentTool],
      script: [give({ task: 'x' }), text('ok')],
    });
    await bench.send('go');
    expect(resultOf(bench)).toMatchObject({ is_error: true });
    expect(bench.entries('subagent_start')).toEqual([]);
  });
});

describe('a subagent that was interrupted with its parent', () => {
  const forever: Answer = () => new Promise(() => undefined);

  it('is told of with its session, and is never begun a second time', async () => {
    const bench = await openWith(forever, {
      allows: () => false,
      script: [
        calls([
          { name: 'subagent', input: { task: 'x' }, id: '1' },
          { name: 'write', input: { path: 'a.txt', content: 'a' }, id: '2' },
        ]),
      ],
    });
    await bench.send('go');
    expect(bench.story().at(-2)).toBe('tool_start');
    const after = await bench.crash();
    await after.session.recover();
    after.model.play(text('ok'));
    const call_id = after.log.state().approvals[0]?.call_id ?? '';
    await after.do({ type: 'decide', call_id, decision: 'allow', scope: 'once' });
    await idle();
    expect(bench.runs).toHaveLength(1);
    const told = after
      .entries('message')
      .flatMap(({ parts }) => parts)
      .find((part) => part.type === 'tool_result' && part.name === 'subagent');
    expect(told).toMatchObject({ is_error: true });
    expect(told?.type === 'tool_result' ? told.content : '').toContain(`sub:${bench.log.id}:subagent:1`);
  });

  it('is not stopped by a window that closes: what waits in its session goes on waiting', async () => {
    let isStopped = false;
    const bench = await openWith(
      (_run, signal) =>
        new Promise(() => {
          signal.addEventListener('abort', () => (isStopped = true));
        }),
      { script: [give({ task: 'x' })] },
    );
    await bench.send('go');
    const closing = bench.session.shutdown();
    await bench.clock.advance(3_000);
    await closing;
    expect(isStopped).toBe(false);
    expect(bench.entries('subagent_end')).toEqual([]);
  });

  it('of a log that this one was copied from is not its own', async () => {
    const bench = await openWith(done, {
      script: [give({ task: 'x', session: 'sub:other:subagent:1' }), text('ok')],
    });
    await bench.log.append([
      { type: 'subagent_start', agent: 'subagent', session: 'sub:other:subagent:1', task: 'y' },
    ]);
    await bench.send('go');
    expect(bench.runs).toEqual([]);
    expect(resultOf(bench)).toMatchObject({ is_error: true });
  });
});

describe('a subagent in the background', () => {
  const besideTools = [...fakeTools([]), subagentTool, backgroundTool];
  const beside = (): Reply => give({ task: 'Look it up.', agent: 'scout', background: true });

  /** One that works until it is told to be done. */
  function working(): {
    answer: Answer;
    finish: (summary: string) => Promise<void>;
    isStopped: () => boolean;
  } {
    let settle: (end: SubagentEnd) => void = () => undefined;
    let stopped = false;
    return {
      answer: ({ session }, signal) =>
        new Promise((resolve) => {
          settle = (end) => resolve({ ...end, session });
          signal.addEventListener('abort', () => {
            stopped = true;
            settle({ session, status: 'stopped', summary: 'Half.', steps: 1 });
          });
        }),
      finish: async (summary) => {
        settle({ session: '', status: 'completed', summary, steps: 2 });
        await idle();
      },
      isStopped: () => stopped,
    };
  }

  const reports = (bench: Bench) => bench.entries('message').filter(({ origin }) => origin === 'subagent');

  it('lets its turn go on at once, and its report goes into the turn that runs when it is done', async () => {
    const work = working();
    const bench = await openWith(work.answer, { script: [beside(), [hang()]], tools: besideTools });
    await bench.send('go');
    expect(resultOf(bench)).toMatchObject({
      is_error: false,
      content: expect.stringContaining('works in the background') as string,
    });
    expect(bench.entries('subagent_start')).toMatchObject([
      { async: true, session: `sub:${bench.log.id}:scout:1` },
    ]);
    expect(bench.model.asked).toHaveLength(2);
    await work.finish('Seven percent.');
    const [start] = bench.entries('subagent_start');
    expect(bench.entries('subagent_end')).toMatchObject([{ status: 'completed', job_id: start?.call_id }]);
    expect(bench.log.state().queue).toMatchObject([{ mode: 'steer', origin: 'subagent' }]);
    expect(bench.log.state().queue_held).toBe(false);
  });

  it('whose turn is over begins none: its report waits in sight, and goes into the next one, once', async () => {
    const work = working();
    const bench = await openWith(work.answer, {
      script: [beside(), text('It works.'), text('ok'), text('Seven it is.'), text('Nothing new.')],
    });
    await bench.send('go');
    expect(bench.session.run()).toBe('idle');
    await work.finish('Seven percent.');
    expect(bench.session.run()).toBe('idle');
    expect(bench.model.asked).toHaveLength(2);
    expect(bench.log.state()).toMatchObject({ queue: [{ origin: 'subagent' }], queue_held: true });
    await bench.send('and?');
    await idle();
    expect(reports(bench)).toHaveLength(1);
    expect(JSON.stringify(bench.model.asked.at(-1)?.request.messages)).toContain('Seven percent.');
    await bench.send('more?');
    await idle();
    expect(reports(bench)).toHaveLength(1);
    expect(bench.log.state().queue).toEqual([]);
  });

  it('that the model waited for is not told a second time', async () => {
    const work = working();
    const bench = await openWith(work.answer, {
      tools: besideTools,
      script: [beside(), text('It works.')],
    });
    await bench.send('go');
    const id = bench.entries('subagent_start')[0]?.call_id;
    bench.model.play(calls([{ name: 'background', input: { id, action: 'wait' } }]), text('Seven.'));
    await bench.send('Wait for it');
    await work.finish('Seven percent.');
    await idle();
    expect(bench.entries('turn_end')).toMatchObject([{ status: 'completed' }, { status: 'completed' }]);
    expect(resultOf(bench)).toMatchObject({ content: expect.stringContaining('Seven percent.') as string });
    expect(bench.log.state().queue).toEqual([]);
    expect(reports(bench)).toEqual([]);
  });

  it('ends with the stop of its turn, and by hand', async () => {
    const work = working();
    const bench = await openWith(work.answer, { script: [beside(), [hang()]], tools: besideTools });
    await bench.send('go');
    await bench.do({ type: 'stop' });
    await idle();
    expect(work.isStopped()).toBe(true);
    expect(bench.entries('subagent_end')).toMatchObject([{ status: 'stopped' }]);
  });

  it('that could not begin is an error result like one that is waited for', async () => {
    const bench = await openWith(done, {
      script: [give({ task: 'x', session: 'other', background: true }), text('ok')],
    });
    await bench.send('go');
    expect(resultOf(bench)).toMatchObject({ is_error: true });
  });
});

it('the time limit of a turn stands still while its subagent waits for the person', async () => {
  let say: (isWaiting: boolean) => void = () => undefined;
  const bench = await openBench({
    tools: [...fakeTools([]), subagentTool],
    settings: { maxDuration: 10_000 },
    script: [give({ task: 'x' })],
    subagents: {
      run: (_run, { onWaiting }) => {
        say = onWaiting;
        return new Promise(() => undefined);
      },
    },
  });
  await bench.send('go');
  await bench.clock.advance(6_000);
  expect(bench.session.isWaiting()).toBe(false);
  say(true);
  expect(bench.session.isWaiting()).toBe(true);
  await bench.clock.advance(3_600_000);
  expect(bench.session.run()).toBe('running');
  say(false);
  await bench.clock.advance(3_900);
  expect(bench.session.run()).toBe('running');
  await bench.clock.advance(200);
  await bench.clock.advance(3_000);
  await idle();
  expect(bench.entries('turn_end')).toMatchObject([
    { status: 'failed', error: expect.stringContaining('time limit') as string },
  ]);
});
