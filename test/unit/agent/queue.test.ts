import { describe, expect, it } from 'vitest';
import { failureOf, later, openBench, type Bench } from './bench.js';
import { idle } from './fake-clock.js';
import { badKey, begins, calls, fails, hang, text } from './fake-model.js';
import { diskFull } from './test-log.js';

const run = (command: string) => ({ name: 'run', input: { command } });

const sentTexts = (bench: Bench): string[] =>
  bench
    .entries('message')
    .flatMap((entry) =>
      entry.type === 'message' && entry.role === 'user'
        ? [entry.parts.map((part) => (part.type === 'text' ? part.text : '')).join('')]
        : [],
    );

describe('prompts sent while a turn runs', () => {
  it('queues them durably and sends each once, in order, in one batch with the shorter list', async () => {
    const gate = later();
    const bench = await openBench({
      script: [[() => gate.opened, ...text('one')], text('two'), text('three')],
    });
    await bench.send('first');
    await bench.send('second', { mode: 'queue' });
    await bench.send('third');
    expect(bench.log.state().queue.map((item) => item.text)).toEqual(['second', 'third']);
    gate.open();
    await bench.session.settled();
    expect(bench.story()).toEqual([
      'user "first" + turn_start',
      'model_change + step_start 1',
      'queue queue:second',
      'queue queue:second,queue:third',
      'assistant "one" + usage + step_end 1 + turn_end completed',
      'user "second" + turn_start + queue queue:third',
      'step_start 1',
      'assistant "two" + usage + step_end 1 + turn_end completed',
      'user "third" + turn_start + queue ',
      'step_start 1',
      'assistant "three" + usage + step_end 1 + turn_end completed',
    ]);
  });

  it('holds a steer back while a tool runs; after a stop it is queued, for there is no turn to steer', async () => {
    const bench = await openBench({ allows: () => true, script: [calls([run('hang')])] });
    await bench.send('go');
    await bench.send('faster', { mode: 'steer' });
    expect(bench.story().at(-1)).toBe('queue steer:faster');
    expect(bench.model.asked).toHaveLength(1);
    await bench.do({ type: 'stop' });
    expect(bench.log.state()).toMatchObject({ queue_held: true, queue: [{ text: 'faster', mode: 'queue' }] });
  });

  it('lets a steer in behind the results and keeps the turn open for it', async () => {
    const gate = later();
    const bench = await openBench({
      script: [[() => gate.opened, ...text('done already')], text('then this')],
    });
    await bench.send('go');
    await bench.send('also that', { mode: 'steer' });
    gate.open();
    await bench.session.settled();
    expect(bench.story().slice(3)).toEqual([
      'assistant "done already" + usage + step_end 1',
      'steer "also that" + queue ',
      'step_start 2',
      'assistant "then this" + usage + step_end 2 + turn_end completed',
    ]);
  });

  it('G12: holds the queue after a stop until it is released; each is sent exactly once', async () => {
    const bench = await openBench({ script: [begins('some', hang()), text('two'), text('three')] });
    await bench.send('first');
    await bench.send('second', { mode: 'queue' });
    await bench.send('third', { mode: 'queue' });
    await bench.do({ type: 'stop' });
    expect(bench.story().at(-1)).toBe(
      'incomplete stopped "some" + step_end 1 + turn_end stopped + queue queue:second,queue:third held',
    );
    await bench.clock.advance(60_000);
    expect(sentTexts(bench)).toEqual(['first']);
    await bench.do({ type: 'release_queue' });
    expect(sentTexts(bench)).toEqual(['first', 'second', 'third']);
    expect(bench.log.state().queue).toEqual([]);
  });

  it('G12: after a failure, a crash and a restart the queue is there, held', async () => {
    const failed = await openBench({ script: [[hang()]] });
    await failed.send('first');
    await failed.send('second', { mode: 'queue' });
    const crashed = await failed.crash();
    await crashed.session.recover();
    expect(crashed.log.state()).toMatchObject({ queue_held: true, queue: [{ text: 'second' }] });
    crashed.model.play([fails(badKey())], text('two'));
    await crashed.do({ type: 'continue' });
    expect(sentTexts(crashed)).toEqual(['first']);
    await crashed.do({ type: 'release_queue' });
    expect(sentTexts(crashed)).toEqual(['first', 'second']);
  });

  it('keeps a long prompt whole, however often the list is written', async () => {
    const long = 'y'.repeat(700_000);
    const bench = await openBench({ script: [begins('a b', hang()), text('ok'), text('ok')] });
    await bench.send('first');
    await bench.send(long, { mode: 'queue' });
    await bench.send(`${long}!`, { mode: 'queue' });
    await bench.do({ type: 'stop' });
    expect(bench.log.state().queue.map((item) => item.text.length)).toEqual([2_000, 2_000]);
    await bench.do({ type: 'release_queue' });
    expect(JSON.stringify(bench.model.asked[1]?.request)).toContain(long);
    expect(JSON.stringify(bench.model.asked[2]?.request)).toContain(`${long}!`);
    expect((await bench.disk.bytes()).length).toBeLessThan(100_000);
  });

  it('a steer goes in while older prompts are held; what it did not reach is held with them', async () => {
    const gate = later();
    const bench = await openBench({
      script: [
        begins('a b', hang()),
        [() => gate.opened, ...text('one')],
        text('two'),
        begins('c d', hang()),
      ],
    });
    await bench.send('first');
    await bench.send('held', { mode: 'queue' });
    await bench.do({ type: 'stop' });
    await bench.send('second');
    await bench.send('steered', { mode: 'steer' });
    gate.open();
    await bench.session.settled();
    expect(sentTexts(bench)).toEqual(['first', 'second', 'steered']);
    expect(bench.log.state()).toMatchObject({ queue_held: true, queue: [{ text: 'held' }] });
    await bench.send('third');
    await bench.send('too late', { mode: 'steer' });
    await bench.do({ type: 'stop' });
    expect(bench.log.state().queue.map(({ text: words, mode }) => `${mode} ${words}`)).toEqual([
      'queue held',
      'queue too late',
    ]);
  });

  it('drops an item, and says so when it is not there any more', async () => {
    const bench = await openBench({ script: [[hang()]] });
    await bench.send('first');
    await bench.send('second', { mode: 'queue' });
    const [item] = bench.log.state().queue;
    await bench.do({ type: 'drop_queued', item_id: item?.id ?? '' });
    expect(bench.log.state().queue).toEqual([]);
    expect(failureOf(await bench.do({ type: 'drop_queued', item_id: item?.id ?? '' })).code).toBe(
      'InvalidArgument',
    );
  });

  it('keeps an item in the queue when its turn cannot be written', async () => {
    const gate = later();
    const bench = await openBench({ script: [[() => gate.opened, ...text('one')], text('two')] });
    await bench.send('first');
    await bench.send('second', { mode: 'queue' });
    bench.process.refuse = (batch) => (batch.some(({ type }) => type === 'turn_start') ? diskFull() : null);
    gate.open();
    await bench.session.settled();
    expect(bench.session.failure()).toMatchObject({ kind: 'storage' });
    expect(bench.log.state().queue).toHaveLength(1);
    await idle();
    expect(bench.isFree()).toBe(true);
    bench.process.refuse = () => null;
    await bench.do({ type: 'release_queue' });
    expect(sentTexts(bench)).toEqual(['first', 'second']);
  });

  it('a stop at the moment the answer ends does not let the queue go on', async () => {
    const answer = later();
    const write = later();
    const bench = await openBench({ script: [[() => answer.opened, ...text('one')], text('never')] });
    await bench.send('first');
    await bench.send('second', { mode: 'queue' });
    bench.process.slow = () => write.opened;
    answer.open();
    await idle();
    const stopped = bench.do({ type: 'stop' });
    write.open();
    await stopped;
    expect(bench.story().slice(-2)).toEqual([
      'assistant "one" + usage + step_end 1 + turn_end completed',
      'queue queue:second held',
    ]);
    expect(sentTexts(bench)).toEqual(['first']);
    expect(bench.model.asked).toHaveLength(1);
  });

  it('while an approval waits, an explicit queue is taken and a steer goes in behind the results', async () => {
    const bench = await openBench({ script: [calls([run('one')]), text('ok')] });
    await bench.send('go');
    await bench.send('mind the tests', { mode: 'steer' });
    const [approval] = bench.log.state().approvals;
    await bench.do({ type: 'decide', call_id: approval?.call_id ?? '', decision: 'allow', scope: 'once' });
    expect(bench.story().slice(-5)).toEqual([
      'tool result "ran one"',
      'step_end 1',
      'steer "mind the tests" + queue ',
      'step_start 2',
      'assistant "ok" + usage + step_end 2 + turn_end completed',
    ]);
  });

  it('a reply while another call of the step runs answers what is pending and goes in behind the batch', async () => {
    const bench = await openBench({ script: [calls([run('hang'), run('two')]), text('ok')] });
    await bench.send('go');
    const [approval] = bench.log.state().approvals;
    await bench.do({ type: 'decide', call_id: approval?.call_id ?? '', decision: 'allow', scope: 'once' });
    const reply = {
      type: 'send' as const,
      text: 'no, wait',
      mentions: [],
      mode: 'send' as const,
      reply_instead: true,
    };
    const moved = await bench.session.dispatch(reply, approval?.call_id);
    expect(failureOf(moved).code).toBe('SessionConflict');
    expect(bench.log.state().approvals).toHaveLength(1);
    await bench.send('no, wait', { reply_instead: true });
    expect(bench.story().at(-1)).toMatch(/^decision replied \+ tool error ".*" \+ queue steer:no, wait$/);
    expect(bench.ran).toEqual(['run hang']);
    await bench.do({ type: 'stop' });
    expect(bench.log.state().approvals).toEqual([]);
  });
});

describe('what waits in the queue', () => {
  const idOf = (bench: Bench, index: number): string => bench.log.state().queue[index]?.id ?? '';

  it('can be edited in its place, is sent as it was left, once, and survives a restart', async () => {
    const bench = await openBench({ script: [begins('x ', hang())] });
    await bench.send('go');
    await bench.send('one', { mode: 'queue', mentions: [{ kind: 'file', label: 'a.ts', path: 'a.ts' }] });
    await bench.send('two', { mode: 'queue' });
    await bench.do({ type: 'edit_queued', item_id: idOf(bench, 0), text: 'first' });
    expect(bench.story().at(-1)).toBe('queue queue:first,queue:two');
    await bench.do({ type: 'stop' });
    const next = await bench.crash();
    await next.session.recover();
    expect(next.log.state().queue_held).toBe(true);
    await next.do({ type: 'edit_queued', item_id: idOf(next, 1), text: 'second', mentions: [] });
    expect(next.log.state().queue_held).toBe(true);
    expect(next.model.asked).toHaveLength(1);
    next.model.play(text('a'), text('b'));
    await next.do({ type: 'release_queue' });
    const said = next
      .entries('message')
      .flatMap((entry) => (entry.type === 'message' && entry.role === 'user' ? [entry.parts] : []));
    expect(said.slice(1)).toMatchObject([
      [{ text: 'first' }, { text: '[The person named this file: a.ts]' }],
      [{ text: 'second' }],
    ]);
  });

  it('can become what steers the running turn, and the other way round', async () => {
    const gate = later();
    const bench = await openBench({
      script: [[...begins('x '), () => gate.opened, ...text('y')], text('z')],
    });
    await bench.send('go');
    await bench.send('one', { mode: 'queue' });
    await bench.do({ type: 'edit_queued', item_id: idOf(bench, 0), text: 'now', mode: 'steer' });
    gate.open();
    await bench.session.settled();
    expect(bench.story().filter((line) => line.startsWith('steer'))).toEqual(['steer "now" + queue ']);
    expect(bench.entries('turn_start')).toHaveLength(1);
  });

  it('is not edited once it is gone, nor to nothing', async () => {
    const bench = await openBench({ script: [begins('x ', hang())] });
    await bench.send('go');
    await bench.send('one', { mode: 'queue' });
    const item_id = idOf(bench, 0);
    expect(failureOf(await bench.do({ type: 'edit_queued', item_id, text: ' ' })).code).toBe('EmptyPrompt');
    await bench.do({ type: 'drop_queued', item_id });
    expect(failureOf(await bench.do({ type: 'edit_queued', item_id, text: 'late' })).code).toBe(
      'InvalidArgument',
    );
    expect(bench.log.state().queue).toEqual([]);
  });
});
