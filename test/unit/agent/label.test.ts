import { describe, expect, it } from 'vitest';
import { failureOf, openBench } from './bench.js';
import { text } from './fake-model.js';

describe('labels', () => {
  it('name a place in the tree, once, and are taken away again', async () => {
    const bench = await openBench({ script: [text('A1'), text('A2')] });
    await bench.send('Q1');
    const entry_id = bench.log.head ?? '';
    await bench.send('Q2');
    const { head } = bench.log;
    const from = bench.disk.batches.length;
    await bench.do({ type: 'label', entry_id, label: 'before the change' });
    await bench.do({ type: 'label', entry_id, label: 'before the change' });
    expect(bench.log.state().labels).toEqual({ [entry_id]: 'before the change' });
    expect(bench.disk.batches.length - from).toBe(1);
    expect(bench.log.head).toBe(head);
    await bench.do({ type: 'label', entry_id, label: null });
    expect(bench.log.state().labels).toEqual({});
  });

  it('refuses what is not there', async () => {
    const bench = await openBench({ script: [] });
    const failure = failureOf(await bench.do({ type: 'label', entry_id: 'nowhere', label: 'x' }));
    expect(failure.message).toContain('"nowhere"');
  });
});
