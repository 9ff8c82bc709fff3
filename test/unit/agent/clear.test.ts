import { describe, expect, it } from 'vitest';
import { failureOf, later, openBench } from './bench.js';
import { calls, text } from './fake-model.js';

describe('clearing', () => {
  it('begins anew: the model hears nothing of before, all of it stays, the model and the mode are kept', async () => {
    const bench = await openBench({ script: [text('A1'), text('A2')] });
    await bench.send('Q1');
    await bench.do({ type: 'set_mode', mode: 'read_only' });
    const { model } = bench.log.state();
    await bench.do({ type: 'clear' });
    expect(bench.log.head).toBeNull();
    expect(bench.log.state()).toMatchObject({ model, approval: { mode: 'read_only' }, todos: [], queue: [] });
    await bench.send('Q2');
    const asked = bench.model.asked[1]?.request.messages.map(({ parts }) => parts);
    expect(asked).toEqual([[expect.objectContaining({ text: 'Q2' })]]);
    expect(bench.log.outline.map((node) => node[4])).toEqual(['Q1', 'A1', 'Q2', 'A2']);
  });

  it('lets an approval expire that waits, with its result, and everything queued go', async () => {
    const bench = await openBench({ script: [calls([{ name: 'run', input: { command: 'one' } }])] });
    await bench.send('Q1');
    expect(bench.session.run()).toBe('waiting');
    await bench.do({ type: 'clear' });
    expect(bench.log.head).toBeNull();
    expect(bench.entries('approval_decision')).toMatchObject([{ decision: 'expired' }]);
    expect(bench.entries('turn_end')).toMatchObject([{ status: 'stopped' }]);
    expect(bench.entries('message').filter(({ role }) => role === 'tool')).toHaveLength(1);
    expect(bench.log.state()).toMatchObject({ approvals: [], queue: [], turn: null });
    expect(bench.ran).toEqual([]);
  });

  it('waits for the run', async () => {
    let open = (): void => undefined;
    const gate = new Promise<void>((resolve) => (open = resolve));
    const bench = await openBench({ script: [[() => gate, ...text('A1')]] });
    void bench.send('Q1');
    await expect.poll(() => bench.session.run()).toBe('running');
    const cleared = bench.do({ type: 'clear' });
    expect(bench.log.head).not.toBeNull();
    open();
    await cleared;
    expect(bench.log.head).toBeNull();
    expect(bench.entries('turn_end')).toMatchObject([{ status: 'completed' }]);
  });

  it('sends nothing of the queue on its way', async () => {
    let open = (): void => undefined;
    const gate = new Promise<void>((resolve) => (open = resolve));
    const bench = await openBench({ script: [[() => gate, ...text('A1')], text('A2')] });
    void bench.send('Q1');
    await expect.poll(() => bench.session.run()).toBe('running');
    await bench.send('Q2', { mode: 'queue' });
    await bench.send('Q3', { mode: 'queue' });
    const cleared = bench.do({ type: 'clear' });
    open();
    await cleared;
    expect(bench.model.asked).toHaveLength(1);
    expect(bench.log.state()).toMatchObject({ queue: [], queue_held: false });
    expect(bench.log.head).toBeNull();
  });
});

describe('undoing a turn', () => {
  it('goes to before what it began with, not to before what was said into it', async () => {
    const gate = later();
    const bench = await openBench({ script: [text('A1'), [() => gate.opened, ...text('A2')], text('A3')] });
    await bench.send('Q1');
    const end = bench.log.head;
    await bench.send('Q2');
    await bench.send('also that', { mode: 'steer' });
    gate.open();
    await bench.session.settled();
    expect(bench.story().at(-1)).toContain('"A3"');
    await bench.do({ type: 'undo' });
    expect(bench.log.head).toBe(end);
  });

  it('goes to before its prompt, again and again, and loses nothing', async () => {
    const bench = await openBench({ script: [text('A1'), text('A2')] });
    await bench.send('Q1');
    const end = bench.log.head;
    await bench.send('Q2');
    await bench.do({ type: 'undo' });
    expect(bench.log.head).toBe(end);
    await bench.do({ type: 'undo' });
    expect(bench.log.head).toBeNull();
    expect(failureOf(await bench.do({ type: 'undo' })).code).toBe('NothingToUndo');
    expect(bench.log.outline).toHaveLength(4);
  });
});
