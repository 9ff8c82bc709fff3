// Calls that no rule and no mode lets run without a card: a question, a page of the web.
import { describe, expect, it } from 'vitest';
import { NOT_RUN_RESULT } from '../../../src/shared/fold/stand-in.js';
import { createTools } from '../../../src/tools/index.js';
import { failureOf, openBench, type Bench, type BenchOptions } from './bench.js';
import { calls, text, type Reply } from './fake-model.js';
import { fakeTools } from './fake-tools.js';

const ask = { name: 'ask', input: { question: 'Which port?', options: ['80', '8080'] } };
const fetched = { name: 'fetch', input: { url: 'https://example.com/a' } };
const open = (script: Reply[], more: Partial<BenchOptions> = {}): Promise<Bench> =>
  openBench({ tools: createTools(), allows: () => true, script, ...more });
const pending = (bench: Bench): string[] =>
  bench.log.state().approvals.map(({ call_id }: { call_id: string }) => call_id);
const allow = (bench: Bench, more: { scope?: 'once' | 'always'; feedback?: string } = {}) =>
  bench.do({ type: 'decide', call_id: pending(bench)[0] ?? '', decision: 'allow', scope: 'once', ...more });
const results = (bench: Bench): (string | undefined)[] =>
  bench
    .entries('message')
    .flatMap(({ parts }) => parts.flatMap((part) => (part.type === 'tool_result' ? [part.content] : [])));

describe('a call that is always asked about', () => {
  it('is asked whatever the rules say, and remembers nothing', async () => {
    const bench = await open([calls([fetched]), calls([fetched]), text('done')]);
    await bench.do({ type: 'set_mode', mode: 'accept_edits' });
    await bench.send('go');
    expect(bench.session.run()).toBe('waiting');
    expect(bench.log.state().approvals[0]).toMatchObject({ tool: 'fetch', risk: 'net', always_asked: true });
    await allow(bench, { scope: 'always' });
    expect(bench.remembered).toEqual([]);
    expect(bench.entries('approval_decision')[0]).toMatchObject({ decision: 'allow', scope: 'once' });
    expect(bench.session.run()).toBe('waiting');
    expect(results(bench)).toHaveLength(1);
  });

  it('a rule given for another call lets none of them run along', async () => {
    const bench = await open([calls([{ name: 'run', input: { command: 'x' } }, fetched]), text('done')], {
      allows: ({ tool }) => tool === 'fetch',
    });
    await bench.send('go');
    await allow(bench, { scope: 'always' });
    expect(bench.log.state().approvals.map(({ tool }: { tool: string }) => tool)).toEqual(['fetch']);
  });

  it('a question waits over a crash, is answered once, and its answer is the result', async () => {
    const bench = await open([calls([ask]), text('done')]);
    await bench.send('go');
    expect(bench.session.run()).toBe('waiting');
    const after = await bench.crash();
    expect(after.log.state().approvals[0]).toMatchObject({ tool: 'ask', summary: 'Which port?' });
    await allow(after, { feedback: '8080' });
    expect(results(after)).toEqual(['8080']);
    expect(after.entries('approval_decision')[0]).toMatchObject({ decision: 'allow', feedback: '8080' });
    expect(after.session.run()).toBe('idle');
  });

  it('a message in place of the answer is the answer, where nothing else waits', async () => {
    const bench = await open([calls([ask]), text('done')]);
    await bench.send('go');
    expect(failureOf(await bench.send('8080')).message).toContain('send your message as the answer');
    const goal = { type: 'goal_start' as const, objective: 'Oaks', criteria: '' };
    for (const intent of [{ type: 'continue' as const }, goal])
      expect(failureOf(await bench.do(intent)).message).toMatch(/^A question waits .* on its card first\.$/);
    const mentions = [{ kind: 'file' as const, label: 'a.txt', path: 'a.txt' }];
    expect(failureOf(await bench.send('8080', { mentions })).message).toMatch(/on its card first\.$/);
    await bench.send('8080', { reply_instead: true });
    expect(results(bench)).toEqual(['8080']);
    expect(bench.entries('approval_decision')[0]).toMatchObject({ decision: 'allow', feedback: '8080' });
    expect(bench.entries('message').filter(({ role }) => role === 'user')).toHaveLength(1);
    expect(bench.story().at(-1)).toContain('turn_end completed');
  });

  it('is no answer to a question that was not asked yet when it was written', async () => {
    const bench = await open([calls([fetched]), calls([ask]), text('done')]);
    await bench.send('go');
    const seen = bench.log.head;
    await bench.do({ type: 'decide', call_id: pending(bench)[0] ?? '', decision: 'deny', scope: 'once' });
    expect(bench.log.state().approvals).toMatchObject([{ tool: 'ask' }]);
    const before = bench.disk.batches.length;
    const reply = {
      type: 'send' as const,
      text: 'rather this',
      mentions: [],
      mode: 'send' as const,
      reply_instead: true,
    };
    expect(failureOf(await bench.session.dispatch(reply, seen)).code).toBe('SessionConflict');
    expect(bench.disk.batches.length).toBe(before);
    expect(bench.session.run()).toBe('waiting');
    await bench.session.dispatch({ ...reply, text: '8080' }, bench.log.head);
    expect(bench.entries('approval_decision').at(-1)).toMatchObject({ decision: 'allow', feedback: '8080' });
  });

  it('and denies what waits where that is more than one question, or brings a file along', async () => {
    const two = await open([calls([ask, fetched]), text('done')]);
    await two.send('go');
    await two.send('neither', { reply_instead: true });
    const filed = await open([calls([ask]), text('done')]);
    await filed.send('go');
    const mentions = [{ kind: 'file' as const, label: 'a.txt', path: 'a.txt' }];
    await filed.send('as in this', { reply_instead: true, mentions });
    for (const bench of [two, filed]) {
      const decided = bench.entries('approval_decision').map(({ decision }) => decision);
      expect(new Set(decided)).toEqual(new Set(['replied']));
      expect(bench.entries('message').filter(({ role }) => role === 'user')).toHaveLength(2);
    }
  });

  /** The answer is given while a command of the same step runs. */
  async function answeredMeanwhile(): Promise<Bench> {
    const ran: string[] = [];
    const tools = [...fakeTools(ran), ...createTools().filter(({ spec }) => spec.name === 'ask')];
    const hanging = { name: 'run', input: { command: 'hang' } };
    const bench = await open(
      [calls([hanging, ask, { name: 'run', input: { command: 'x' } }]), text('done')],
      {
        tools,
        allows: ({ subject }) => subject === 'hang',
      },
    );
    await bench.send('go');
    await allow(bench, { feedback: ' 8080 ' });
    await allow(bench, { feedback: 'only once' });
    expect(bench.session.run()).toBe('running');
    return bench;
  }
  const answers = (bench: Bench) =>
    bench
      .entries('message')
      .flatMap(({ parts }) =>
        parts.flatMap((part) => (part.type === 'tool_result' ? [[part.is_error, part.content]] : [])),
      )
      .slice(-2);
  const heard = [
    [false, '8080'],
    [true, `${NOT_RUN_RESULT} The person said: only once`],
  ];

  it('what the person said while another call ran is not lost when the process dies', async () => {
    const bench = await (await answeredMeanwhile()).crash();
    await bench.session.recover();
    await bench.send('go on');
    expect(answers(bench)).toEqual(heard);
  });

  it('nor when they stop the turn', async () => {
    const bench = await answeredMeanwhile();
    await bench.do({ type: 'stop' });
    expect(bench.session.run()).toBe('idle');
    expect(answers(bench)).toEqual(heard);
  });

  it('an answer that the model writes itself is no answer', async () => {
    const answered = { name: 'ask', input: { ...ask.input, answer: '80' } };
    const bench = await open([calls([answered]), calls([ask]), text('done')]);
    await bench.send('go');
    expect(results(bench)[0]).toContain('input of ask is not valid');
    await allow(bench);
    expect(results(bench)[1]).toBe('The person gave no answer to this question.');
  });

  it('a question may be asked where nothing may be changed, and none where nobody is to be asked', async () => {
    const careful = await open([calls([ask]), text('done')]);
    await careful.do({ type: 'set_mode', mode: 'read_only' });
    await careful.send('go');
    expect(careful.session.run()).toBe('waiting');
    const alone = await open([calls([ask]), text('done')]);
    await alone.do({ type: 'set_mode', mode: 'auto' });
    await alone.send('go');
    expect(alone.session.run()).toBe('idle');
    expect(alone.entries('approval_request')).toEqual([]);
    expect(results(alone)).toHaveLength(1);
  });
});
