/** Tasks given to agents of their own: what the parent's log says of them, and what is refused. */
import { describe, expect, it } from 'vitest';
import type { SubagentEnd, SubagentRun } from '../../../src/ports.js';
import { toolFailure, type Failure } from '../../../src/shared/failure.js';
import { subagentTool } from '../../../src/tools/subagent.js';
import { openBench, type Bench, type BenchOptions } from './bench.js';
import { idle } from './fake-clock.js';
import { calls, text, type Reply } from './fake-model.js';
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
