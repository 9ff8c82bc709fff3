import { describe, expect, it } from 'vitest';
import type { FileDifference, RestoreOutcome } from '../../../src/agent/files.js';
import { isFailure } from '../../../src/shared/failure.js';
import { sha256 } from '../tools/fake-workspace.js';
import { failureOf, openBench, type Bench, type BenchOptions } from './bench.js';
import { calls, hang, text } from './fake-model.js';
import { diskFull } from './test-log.js';

const write = (path: string, content: string) => calls([{ name: 'write', input: { path, content } }]);
const idOf = (bench: Bench, words: string): string => {
  const found = bench.log.outline.find(([, , , , preview]) => preview === words);
  if (found === undefined) throw new Error(`no entry "${words}"`);
  return found[0];
};
const go = (bench: Bench, words: string) => bench.do({ type: 'navigate', entry_id: idOf(bench, words) });

/** Q1 → A1, then two lines that write plan.md: "one" by Q2, "two" by Q3. The second is shown. */
async function twoLines(options: BenchOptions = {}): Promise<Bench> {
  const bench = await openBench({
    files: { 'plan.md': 'base' },
    allows: () => true,
    script: [text('A1'), write('plan.md', 'one'), text('A2'), write('plan.md', 'two'), text('A3')],
    ...options,
  });
  await bench.send('Q1');
  await bench.send('Q2');
  await go(bench, 'A1');
  await bench.send('Q3');
  return bench;
}

async function restoreAll(bench: Bench): Promise<RestoreOutcome> {
  const files = await bench.session.fileDifferences();
  const outcome = await bench.session.restoreFiles(
    files.map(({ path, wanted, now }) => ({ path, wanted, seen: now })),
  );
  if (isFailure(outcome)) throw new Error(outcome.message);
  return outcome;
}
const brief = ({ path, isChangedSince, isOfLine }: FileDifference) => [path, isChangedSince, isOfLine];

describe('files follow branches', () => {
  it('H8 H9: going to another line leaves files alone; on request they are put back, and that is undone again', async () => {
    const bench = await twoLines();
    expect(bench.workspace.text('plan.md')).toBe('two');
    await go(bench, 'A2');
    expect(bench.workspace.text('plan.md')).toBe('two');
    expect((await bench.session.fileDifferences()).map(brief)).toEqual([['plan.md', false, true]]);

    const { restored } = await restoreAll(bench);
    expect(bench.workspace.text('plan.md')).toBe('one');
    expect(restored).toEqual([{ path: 'plan.md', before: sha256('two'), after: sha256('one'), saved: true }]);
    expect(bench.entries('files_changed').at(-1)).toMatchObject({
      restored: true,
      changes: [{ path: 'plan.md', before: sha256('two'), after: sha256('one') }],
    });
    expect(await bench.session.fileDifferences()).toEqual([]);

    const undone = await bench.session.restoreFiles([
      { path: 'plan.md', wanted: sha256('two'), seen: sha256('one') },
    ]);
    expect(undone).toMatchObject({ failed: [], unrecorded: null });
    expect(bench.workspace.text('plan.md')).toBe('two');
    // The line still says what it said.
    expect((await bench.session.fileDifferences()).map(brief)).toEqual([['plan.md', false, true]]);
    expect(bench.log.head).toBe(idOf(bench, 'A2'));
  });

  it('H8: a file that somebody changed since is told apart, and is not touched when it changes once more', async () => {
    const bench = await twoLines();
    await go(bench, 'A2');
    bench.workspace.set('plan.md', 'by hand');
    const [difference] = await bench.session.fileDifferences();
    expect(difference).toMatchObject({ isChangedSince: true, now: sha256('by hand'), wanted: sha256('one') });

    bench.workspace.set('plan.md', 'by hand, again');
    const outcome = await bench.session.restoreFiles([
      { path: 'plan.md', wanted: sha256('one'), seen: sha256('by hand') },
    ]);
    expect(outcome).toMatchObject({
      restored: [],
      failed: [
        {
          path: 'plan.md',
          message: expect.stringContaining('plan.md was changed after you were asked') as string,
        },
      ],
    });
    expect(bench.workspace.text('plan.md')).toBe('by hand, again');
    expect(bench.entries('files_changed').filter(({ restored }) => restored)).toEqual([]);
  });

  it('H8: what the person overwrote on request is kept and comes back by undo', async () => {
    const bench = await twoLines();
    await go(bench, 'A2');
    bench.workspace.set('plan.md', 'by hand');
    await restoreAll(bench);
    expect(bench.workspace.text('plan.md')).toBe('one');
    await bench.session.restoreFiles([{ path: 'plan.md', wanted: sha256('by hand'), seen: sha256('one') }]);
    expect(bench.workspace.text('plan.md')).toBe('by hand');
    // It is the person's text still, though it was brought back by us.
    expect((await bench.session.fileDifferences()).map(brief)).toEqual([['plan.md', true, true]]);
  });

  it('a file that was changed by hand while its line says the same is no matter of branches', async () => {
    const bench = await twoLines();
    bench.workspace.set('plan.md', 'by hand');
    expect((await bench.session.fileDifferences()).map(brief)).toEqual([['plan.md', true, false]]);
  });

  it('the unsaved text of an editor counts as what stands there, and is changed, not saved', async () => {
    const bench = await twoLines();
    await go(bench, 'A2');
    bench.workspace.dirty.set('/workspace/plan.md', 'typed');
    expect((await bench.session.fileDifferences())[0]).toMatchObject({
      isChangedSince: true,
      now: sha256('typed'),
    });
    const { restored } = await restoreAll(bench);
    expect(restored[0]).toMatchObject({ before: sha256('typed'), after: sha256('one'), saved: false });
    expect(bench.workspace.text('plan.md')).toBe('two');
  });

  it('created files go, removed ones and binary ones come back byte for byte', async () => {
    const bench = await openBench({
      allows: () => true,
      script: [text('A1'), write('sub/new.txt', 'new'), text('A2')],
    });
    await bench.send('Q1');
    await bench.send('Q2');
    const bytes = new Uint8Array([0, 255, 1, 254, 10]);
    const blob = await bench.log.blobs.put(bytes);
    await bench.log.append([
      { type: 'files_changed', changes: [{ path: 'logo.bin', before: blob, after: null }] },
    ]);
    await go(bench, 'A1');
    const { restored, failed } = await restoreAll(bench);
    expect(failed).toEqual([]);
    expect(restored.map(({ path }) => path)).toEqual(['sub/new.txt', 'logo.bin']);
    expect(bench.workspace.disk.has('/workspace/sub/new.txt')).toBe(false);
    expect(bench.workspace.disk.get('/workspace/logo.bin')).toEqual(bytes);
    await go(bench, 'A2');
    await restoreAll(bench);
    expect(bench.workspace.text('sub/new.txt')).toBe('new');
    expect(bench.workspace.disk.has('/workspace/logo.bin')).toBe(false);
  });

  it('H8: what cannot be put back is named with its reason, and the rest goes on', async () => {
    const bench = await openBench({
      files: { 'a.txt': 'a', 'b.txt': 'b' },
      allows: () => true,
      script: [text('A1'), write('a.txt', 'A'), write('b.txt', 'B'), text('A2')],
      failPut: (shown) => (shown === 'a.txt' ? 'a.txt is read-only; it was left alone.' : undefined),
    });
    await bench.send('Q1');
    await bench.send('Q2');
    await bench.log.append([
      {
        type: 'files_changed',
        changes: [
          { path: 'lost.txt', before: sha256('nowhere'), after: null },
          { path: '../outside.txt', before: sha256('x'), after: null },
        ],
      },
    ]);
    await go(bench, 'A1');
    const outcome = await restoreAll(bench);
    expect(outcome.restored.map(({ path }) => path)).toEqual(['b.txt']);
    expect(outcome.failed).toEqual([
      { path: 'a.txt', message: 'a.txt is read-only; it was left alone.' },
      { path: 'lost.txt', message: expect.stringContaining('The bytes of lost.txt are not kept') as string },
      { path: '../outside.txt', message: expect.stringContaining('outside') as string },
    ]);
    expect(
      bench
        .entries('files_changed')
        .at(-1)
        ?.changes.map(({ path }) => path),
    ).toEqual(['b.txt']);
  });

  it('a file whose bytes hold a key is not replaced, since they could not be kept', async () => {
    const bench = await twoLines({ key: 'sk-1234567890' });
    await go(bench, 'A2');
    bench.workspace.set('plan.md', 'sk-1234567890');
    const outcome = await restoreAll(bench);
    expect(outcome.restored).toEqual([]);
    expect(outcome.failed[0]?.message).toContain('plan.md holds a key');
    expect(bench.workspace.text('plan.md')).toBe('sk-1234567890');
  });

  it('is refused while a turn runs or waits for a decision; a log that cannot be written is said', async () => {
    const bench = await twoLines({
      script: [
        ...[text('A1'), write('plan.md', 'one'), text('A2'), write('plan.md', 'two'), text('A3')],
        [hang()],
      ],
    });
    await go(bench, 'A2');
    bench.process.refuse = diskFull;
    const outcome = await restoreAll(bench);
    expect(outcome.restored).toHaveLength(1);
    expect(outcome.unrecorded).toMatchObject({ code: 'StorageFailure' });
    bench.process.refuse = () => null;
    await bench.send('Q4');
    expect(failureOf(await bench.session.restoreFiles([])).code).toBe('SessionRunning');
    await bench.do({ type: 'stop' });
  });

  it('nothing a log from elsewhere says of a file is taken for what was left there', async () => {
    const bench = await twoLines({ isForeign: true });
    await go(bench, 'A1');
    expect((await bench.session.fileDifferences()).map(brief)).toEqual([['plan.md', true, true]]);
  });

  it('tells when another line is shown: by going there, by undo, by an edit, by another try', async () => {
    const bench = await openBench({ endless: () => text('A') });
    const lines = () => bench.events.filter(({ type }) => type === 'line').length;
    await bench.send('Q1');
    await bench.send('Q2');
    expect(lines()).toBe(0);
    await go(bench, 'Q1');
    await bench.do({ type: 'undo' });
    expect(lines()).toBe(2);
    await bench.send('Q1 again', { editing: idOf(bench, 'Q1') });
    await bench.do({ type: 'try_again' });
    expect(lines()).toBe(4);
    await bench.do({ type: 'clear' });
    expect(lines()).toBe(4);
  });
});
