import { describe, expect, it } from 'vitest';
import { collapsible } from '../../../src/agent/compaction/branch.js';
import type { ConversationEntry } from '../../../src/shared/entry.js';
import type { ModelMessage } from '../../../src/ports.js';
import { failureOf, later, openBench, type Bench } from './bench.js';
import { begins, calls, hang, text } from './fake-model.js';

const idOf = (bench: Bench, words: string): string => {
  const found = bench.log.outline.find(([, , , , preview]) => preview === words);
  if (found === undefined) throw new Error(`no entry "${words}"`);
  return found[0];
};
const plain = (message: ModelMessage): string =>
  message.role === 'tool'
    ? message.parts.map((part) => part.content).join('\n')
    : message.parts.map((part) => ('text' in part ? part.text : part.type)).join('\n');
const toldTo = (bench: Bench, index: number): string =>
  (bench.model.asked[index]?.request.messages ?? []).map(plain).join('\n');

/** Q1 A1, then a line of Q2 A2, left for one of Q2b A2b. */
async function branched(): Promise<Bench> {
  const bench = await openBench({ script: [text('A1'), text('A2'), text('A2b')] });
  await bench.send('Q1');
  await bench.send('Q2');
  await bench.send('Q2b', { editing: idOf(bench, 'Q2') });
  return bench;
}

describe('a branch that is left', () => {
  it('brings its summary along when asked to: told to the model, its own line stays', async () => {
    const bench = await branched();
    bench.model.play(text('On the other line A2 was said.'), text('A3'));
    const range = { from_id: idOf(bench, 'Q2'), to_id: idOf(bench, 'A2') };
    const from = bench.disk.batches.length;
    await bench.do({ type: 'bring_summary', ...range, focus: 'A2' });
    expect(bench.story(from)[0]).toMatch(/^head \+ branch_summary/);
    expect(bench.disk.entries.find(({ type }) => type === 'branch_summary')).toMatchObject({
      ...range,
      parent_id: idOf(bench, 'A2b'),
      summary: 'On the other line A2 was said.',
    });
    await bench.send('Q3');
    expect(toldTo(bench, 4)).toContain('On the other line A2 was said.');
    expect(toldTo(bench, 4)).toContain('Q2b');
    expect(bench.log.outline.map((node) => node[4])).toContain('A2');
  });

  it('is read without a trace', async () => {
    const bench = await branched();
    bench.model.play(text('Q2 was asked.'));
    const before = bench.disk.entries.length;
    const range = { from_id: idOf(bench, 'Q2'), to_id: idOf(bench, 'A2') };
    expect(await bench.session.summarizeBranch(range)).toBe('Q2 was asked.');
    expect(bench.disk.entries).toHaveLength(before);
    expect(bench.session.run()).toBe('idle');
  });

  it('is read after a crash too: the interrupted turn stays as it is, and what is said meanwhile waits', async () => {
    const before = await openBench({
      script: [text('A1'), calls([{ name: 'read', input: { path: 'a.txt' } }]), begins('half', hang())],
      files: { 'a.txt': 'x' },
    });
    await before.send('Q1');
    await before.send('Q2');
    await before.clock.advance(1_000);
    const bench = await before.crash();
    await bench.session.recover();
    const door = later();
    bench.model.play(text('Q1 was asked.'), [() => door.opened, ...text('Q1.')], text('A3'));
    const range = { from_id: idOf(bench, 'Q1'), to_id: idOf(bench, 'A1') };
    const [bytes, interrupted] = [await bench.disk.bytes(), bench.session.interrupted()];
    expect(interrupted).not.toBeNull();
    expect(await bench.session.summarizeBranch(range)).toBe('Q1 was asked.');
    expect(await bench.disk.bytes()).toBe(bytes);
    expect(bench.session.interrupted()).toEqual(interrupted);
    expect(bench.isFree()).toBe(true);
    const from = bench.disk.batches.length;
    const summary = bench.session.summarizeBranch(range);
    await bench.send('Q3');
    door.open();
    expect(await summary).toBe('Q1.');
    expect(bench.story(from)).toEqual(['queue queue:Q3', 'queue queue:Q3 held']);
    await bench.do({ type: 'release_queue' });
    expect(bench.story(from)[2]).toContain('turn_end interrupted');
    expect(bench.story().at(-1)).toContain('assistant "A3"');
  });

  it('must be one line', async () => {
    const bench = await branched();
    const range = { from_id: idOf(bench, 'Q2'), to_id: idOf(bench, 'A2b') };
    expect(failureOf(await bench.session.summarizeBranch(range)).message).toContain('one line');
    expect(failureOf(await bench.do({ type: 'collapse', ...range })).message).toContain('one line');
  });
});

describe('a collapse', () => {
  it('replaces the range for the model, widened to whole steps; the originals can be branched from', async () => {
    const bench = await openBench({
      files: { 'a.txt': 'the whole file' },
      script: [calls([{ name: 'read', input: { path: 'a.txt' } }]), text('A1'), text('A2')],
    });
    await bench.send('Q1');
    await bench.send('Q2');
    bench.model.play(text('A file was read.'), text('A3'), text('A1b'));
    const call = bench.log.outline.find(([, , , , preview]) => preview === 'read')?.[0] ?? '';
    await bench.do({ type: 'collapse', from_id: call, to_id: call });
    await bench.send('Q3');
    expect(toldTo(bench, 4)).toContain('A file was read.');
    expect(toldTo(bench, 4)).not.toContain('the whole file');
    expect(toldTo(bench, 4)).toContain('A2');
    await bench.do({ type: 'try_again', entry_id: idOf(bench, 'Q1') });
    expect(toldTo(bench, 5)).not.toContain('A file was read.');
  });

  it('lets an approval expire that waits, but not for a range that cannot be replaced', async () => {
    const bench = await openBench({
      script: [text('A1'), calls([{ name: 'run', input: { command: 'one' } }])],
    });
    await bench.send('Q1');
    await bench.send('Q2');
    expect(bench.session.run()).toBe('waiting');
    expect(failureOf(await bench.do({ type: 'collapse', from_id: 'none', to_id: 'none' })).kind).toBe(
      'refused',
    );
    expect(bench.session.run()).toBe('waiting');
    bench.model.play(text('One was asked.'));
    await bench.do({ type: 'collapse', from_id: idOf(bench, 'Q1'), to_id: idOf(bench, 'A1') });
    expect(bench.entries('approval_decision')).toMatchObject([{ decision: 'expired' }]);
    expect(bench.entries('branch_summary')).toMatchObject([{ collapse: true, summary: 'One was asked.' }]);
    expect(bench.log.state()).toMatchObject({ approvals: [], turn: null });
    expect(bench.ran).toEqual([]);
  });

  const line = (...kinds: ('user' | 'assistant' | 'tool' | 'compaction')[]): ConversationEntry[] =>
    kinds.map((kind, index) => {
      const envelope = { id: `e${index}`, parent_id: index === 0 ? null : `e${index - 1}`, timestamp: '' };
      return kind === 'compaction'
        ? {
            type: 'compaction',
            ...envelope,
            summary: 's',
            first_kept_entry_id: 'e0',
            tokens_before: 2,
            tokens_after: 1,
          }
        : { type: 'message', ...envelope, role: kind, parts: [] };
    });

  it('never cuts a call from its results', () => {
    const path = line('user', 'assistant', 'tool', 'tool', 'assistant');
    expect(collapsible(path, { from_id: 'e2', to_id: 'e2' })).toEqual({ from_id: 'e1', to_id: 'e3' });
  });

  it('may not hold a compaction, nor overlap an earlier one', () => {
    const path = line('user', 'compaction', 'user', 'assistant', 'user', 'assistant');
    expect(failureOf(collapsible(path, { from_id: 'e0', to_id: 'e2' })).message).toContain('compaction');
    const collapsed: ConversationEntry[] = [
      ...path,
      {
        type: 'branch_summary',
        id: 's',
        parent_id: 'e5',
        timestamp: '',
        from_id: 'e3',
        to_id: 'e4',
        summary: 'x',
        collapse: true,
      },
    ];
    expect(failureOf(collapsible(collapsed, { from_id: 'e4', to_id: 'e5' })).message).toContain('overlaps');
    expect(collapsible(collapsed, { from_id: 'e2', to_id: 'e5' })).toEqual({ from_id: 'e2', to_id: 'e5' });
  });
});
