// What a line made of its files: looked through, kept, undone; whole and by turn.
import { describe, expect, it } from 'vitest';
import { isOpenChange, type FileChangeOfLine } from '../../../src/agent/review.js';
import { isFailure } from '../../../src/shared/failure.js';
import { sha256 } from '../tools/fake-workspace.js';
import { openBench, type Bench } from './bench.js';
import { calls, text } from './fake-model.js';

const write = (path: string, content: string) => calls([{ name: 'write', input: { path, content } }]);
const brief = ({ path, before, after, now }: FileChangeOfLine) => [path, before, after, now];
const [base, one, two, hand] = ['base', 'one', 'two', 'hand'].map(sha256) as [string, string, string, string];
const open = (bench: Bench) => bench.session.log.files().filter(isOpenChange).length;

/** a.md: base → one → two by two turns; new.md by the second. */
async function twoTurns(): Promise<Bench> {
  const bench = await openBench({
    files: { 'a.md': 'base' },
    allows: () => true,
    script: [
      ...[write('a.md', 'one'), text('A1')],
      ...[write('a.md', 'two'), write('new.md', 'one'), text('A2')],
      ...[write('a.md', 'hand'), text('A3')],
    ],
  });
  await bench.send('Q1');
  await bench.send('Q2');
  return bench;
}

const undo = async (bench: Bench) => {
  const files = await bench.session.fileChanges();
  const outcome = await bench.session.restoreFiles(
    files.map(({ path, before, now }) => ({ path, wanted: before, seen: now })),
  );
  if (isFailure(outcome)) throw new Error(outcome.message);
  return outcome;
};

describe('looking through what a line changed', () => {
  it('is from before its first change to after its last, and for a turn what that turn did', async () => {
    const bench = await twoTurns();
    expect((await bench.session.fileChanges()).map(brief)).toEqual([
      ['a.md', base, two, two],
      ['new.md', null, one, one],
    ]);
    const turns = bench.entries('turn_start').map((note) => note.turn_id ?? '');
    expect((await bench.session.fileChanges(turns[0])).map(brief)).toEqual([['a.md', base, one, two]]);
    expect((await bench.session.fileChanges(turns[1])).map(brief)).toEqual([
      ['a.md', one, two, two],
      ['new.md', null, one, one],
    ]);
    expect(open(bench)).toBe(2);
  });

  it('what is kept is not asked about again, also after a reload; what comes then begins there', async () => {
    const bench = await twoTurns();
    await bench.session.keepFiles(await bench.session.fileChanges());
    expect(await bench.session.fileChanges()).toEqual([]);
    expect(bench.workspace.text('a.md')).toBe('two');
    const after = await bench.crash();
    expect(await after.session.fileChanges()).toEqual([]);
    await after.send('Q3');
    expect((await after.session.fileChanges()).map(brief)).toEqual([['a.md', two, hand, hand]]);
  });

  it('what is undone is not either, until that is taken back', async () => {
    const bench = await twoTurns();
    const { restored } = await undo(bench);
    expect(bench.workspace.text('a.md')).toBe('base');
    expect(bench.workspace.text('new.md')).toBeUndefined();
    expect([open(bench), await bench.session.fileChanges()]).toEqual([0, []]);
    await bench.session.restoreFiles(
      restored.map(({ path, before, after }) => ({ path, wanted: before, seen: after })),
    );
    expect(bench.workspace.text('a.md')).toBe('two');
    expect(open(bench)).toBe(2);
  });

  it('another line has its own; keeping on one keeps nothing on the other', async () => {
    const bench = await twoTurns();
    const onTwo = bench.session.log.head;
    await bench.do({ type: 'undo' });
    expect((await bench.session.fileChanges()).map(({ path, after }) => [path, after])).toEqual([
      ['a.md', one],
    ]);
    await bench.session.keepFiles(await bench.session.fileChanges());
    expect(await bench.session.fileChanges()).toEqual([]);
    await bench.do({ type: 'navigate', entry_id: onTwo });
    expect((await bench.session.fileChanges()).map(({ path }) => path)).toEqual(['a.md', 'new.md']);
  });

  it('nothing that a log from elsewhere says, copied or not, is taken for what was left here', async () => {
    const bench = await openBench({
      files: { 'a.md': 'base' },
      allows: () => true,
      script: [write('a.md', 'one'), text('A')],
    });
    await bench.send('Q1');
    const asked = async (session: Bench['session']) =>
      (await session.fileChanges()).map(({ path, isChangedSince }) => [path, isChangedSince]);
    expect(await asked(bench.session)).toEqual([['a.md', false]]);
    const changes = [{ path: 'b.md', before: one, after: null }];
    await bench.log.append([{ type: 'files_changed', foreign: true, changes }]);
    expect(await asked(bench.session)).toEqual([
      ['a.md', false],
      ['b.md', true],
    ]);
    bench.workspace.set('b.md', 'two');
    expect(await bench.session.fileDifferences()).toMatchObject([{ path: 'b.md', isChangedSince: true }]);

    const foreign = await openBench({
      isForeign: true,
      files: { 'a.md': 'base' },
      script: [write('a.md', 'one'), text('A')],
    });
    await foreign.send('Q1');
    await foreign.do({
      type: 'decide',
      call_id: foreign.log.state().approvals[0]?.call_id ?? '',
      decision: 'allow',
      scope: 'once',
    });
    expect(await asked(foreign.session)).toEqual([['a.md', true]]);
  });

  it('what can make things run is told, whoever left it so', async () => {
    const paths = ['.git/hooks/post-checkout', 'package.json', 'a.md'];
    const bench = await openBench({
      files: {},
      allows: () => true,
      script: [...paths.flatMap((path) => [write(path, 'one')]), text('A')],
    });
    await bench.send('Q1');
    const facts = (await bench.session.fileChanges()).map((file) => [
      file.makesThingsRun,
      file.isChangedSince,
    ]);
    expect(facts).toEqual([
      [true, false],
      [true, false],
      [false, false],
    ]);
    for (const path of paths) bench.workspace.set(path, 'hand');
    expect((await bench.session.fileDifferences()).map((file) => file.makesThingsRun)).toEqual([
      true,
      true,
      false,
    ]);
  });

  it('what somebody else changed since is told from what the line left', async () => {
    const bench = await twoTurns();
    bench.workspace.set('a.md', 'hand');
    expect((await bench.session.fileChanges()).map(brief)[0]).toEqual(['a.md', base, two, hand]);
  });
});
