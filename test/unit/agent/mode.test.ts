import { describe, expect, it } from 'vitest';
import { readApprovalState, type ApprovalMode } from '../../../src/shared/approval-state.js';
import { failureOf, openBench, type Bench } from './bench.js';
import { calls, text } from './fake-model.js';

const write = (path: string, content: string) => ({ name: 'write', input: { path, content } });
const run = (command: string) => ({ name: 'run', input: { command } });

const mode = (bench: Bench) => bench.session.log.state().approval.mode;
const setMode = (bench: Bench, to: ApprovalMode) => bench.do({ type: 'set_mode', mode: to });
const allow = (bench: Bench, scope: 'once' | 'session' = 'once') =>
  bench.do({
    type: 'decide',
    call_id: bench.session.log.state().approvals[0]?.call_id ?? '',
    decision: 'allow',
    scope,
  });
const results = (bench: Bench): string[] =>
  bench
    .entries('message')
    .flatMap((entry) => (entry.type === 'message' ? entry.parts : []))
    .flatMap((part) =>
      part.type === 'tool_result' ? [`${part.is_error ? 'error' : 'ok'} ${part.content}`] : [],
    );

describe('the mode of a session', () => {
  it('accept edits: files are changed without a card, commands are asked about', async () => {
    const bench = await openBench({
      files: { 'a.txt': 'old' },
      script: [calls([write('a.txt', 'new'), run('npm test')]), text('done')],
    });
    await setMode(bench, 'accept_edits');
    await bench.send('change it');
    expect(bench.workspace.text('a.txt')).toBe('new');
    expect(bench.session.run()).toBe('waiting');
    expect(bench.entries('approval_request')).toHaveLength(1);
    expect(bench.ran).toEqual(['write a.txt']);
    expect(bench.model.asked[0]?.request.system).toContain('Mode: accept edits');
  });

  it('accept edits: a file that makes something run is asked about, unless a rule allows it', async () => {
    const script = [calls([write('.vscode/tasks.json', '{}'), write('a.txt', 'new')]), text('done')];
    const bench = await openBench({ script });
    await setMode(bench, 'accept_edits');
    await bench.send('change it');
    expect(bench.session.run()).toBe('waiting');
    expect(bench.ran).toEqual(['write a.txt']);
    expect(bench.entries('approval_request')).toMatchObject([{ summary: 'Write .vscode/tasks.json' }]);
    await allow(bench);
    expect(bench.ran).toEqual(['write a.txt', 'write .vscode/tasks.json']);
    const ruled = await openBench({ script, allows: ({ subject }) => subject === '.vscode/tasks.json' });
    await setMode(ruled, 'accept_edits');
    await ruled.send('change it');
    expect(ruled.entries('approval_request')).toEqual([]);
  });

  it('read only: what changes or runs something is refused with a reason, without a card', async () => {
    const bench = await openBench({
      files: { 'a.txt': 'old' },
      allows: () => true,
      script: [
        calls([{ name: 'read', input: { path: 'a.txt' } }, write('a.txt', 'new'), run('npm test')]),
        text('I only looked.'),
      ],
    });
    await setMode(bench, 'read_only');
    await bench.send('change it');
    expect(bench.session.run()).toBe('idle');
    expect(bench.ran).toEqual(['read a.txt']);
    expect(bench.entries('approval_request')).toEqual([]);
    expect(results(bench)).toEqual([
      expect.stringMatching(/^error .*read-only mode/),
      expect.stringMatching(/^error .*read-only mode/),
      'ok old',
    ]);
    expect(bench.model.asked[0]?.request.system).toContain('Mode: read only');
  });

  it('read only counts for a card that was there before: it cannot be approved until the mode is another', async () => {
    const bench = await openBench({ script: [calls([run('one')]), text('done')] });
    await bench.send('run it');
    await setMode(bench, 'read_only');
    expect(failureOf(await allow(bench)).code).toBe('ReadOnlyMode');
    expect(bench.session.run()).toBe('waiting');
    expect(bench.ran).toEqual([]);
    await setMode(bench, 'ask');
    await allow(bench);
    expect(bench.ran).toEqual(['run one']);
  });

  it('auto: edits and what a rule allows run, the rest is refused with a reason; nobody is asked', async () => {
    const bench = await openBench({
      files: { 'a.txt': 'old' },
      allows: ({ subject }) => subject === 'npm test',
      script: [
        calls([write('a.txt', 'new'), run('npm test'), run('rm a.txt'), write('package.json', '{}')]),
        text('One thing is left undone.'),
      ],
    });
    await setMode(bench, 'auto');
    await bench.send('do it');
    expect(bench.session.run()).toBe('idle');
    expect(bench.ran).toEqual(['write a.txt', 'run npm test']);
    expect(bench.entries('approval_request')).toEqual([]);
    expect(results(bench).filter((result) => result.startsWith('error'))).toEqual([
      expect.stringMatching(/auto mode.*no rule/),
      expect.stringMatching(/auto mode.*no rule/),
    ]);
    expect(bench.model.asked[0]?.request.system).toContain('Mode: auto');
  });

  it('auto: a card that was there before still waits for the person, and can be approved', async () => {
    const bench = await openBench({ script: [calls([run('one')]), text('done')] });
    await bench.send('run it');
    await setMode(bench, 'auto');
    expect(bench.session.run()).toBe('waiting');
    await allow(bench);
    expect(bench.ran).toEqual(['run one']);
  });

  it('auto: a line left in it is entered in the mode in force', async () => {
    const bench = await openBench({ script: [text('one'), text('two'), calls([write('a.txt', 'x')])] });
    await bench.send('one');
    await setMode(bench, 'auto');
    await bench.send('two');
    const inAuto = bench.session.log.head;
    await bench.do({ type: 'undo' });
    await setMode(bench, 'ask');
    await bench.do({ type: 'navigate', entry_id: inAuto });
    expect(mode(bench)).toBe('ask');
  });

  it('F7: after a crash the mode is in force together with what was allowed for the session, and no more', async () => {
    const bench = await openBench({
      files: { 'a.txt': 'old' },
      script: [
        calls([run('one')]),
        text('done'),
        calls([write('a.txt', 'new'), run('one'), run('two')]),
        text('done'),
      ],
    });
    await setMode(bench, 'accept_edits');
    await bench.send('run it');
    await allow(bench, 'session');
    const after = await bench.crash();
    await after.session.recover();
    expect(mode(after)).toBe('accept_edits');
    await after.send('again');
    expect(after.ran).toEqual(['run one', 'write a.txt', 'run one']);
    expect(after.session.log.state().approvals.map(({ summary }) => summary)).toEqual(['Run two']);
  });

  it('F7: what cannot be read is the safest mode, with no rule of it', () => {
    expect(readApprovalState({ mode: 'yolo', rules: [{ tool: 'run', pattern: 'x' }] })).toEqual({
      mode: 'read_only',
      rules: [],
    });
    expect(readApprovalState({ mode: 'accept_edits', rules: 'all' }).mode).toBe('read_only');
    expect(readApprovalState(null).mode).toBe('read_only');
  });

  it('a log from elsewhere can forbid, but not allow', async () => {
    const script = () => [calls([write('a.txt', 'new'), run('one')]), text('done')];
    const bench = await openBench({ isForeign: true, files: { 'a.txt': 'old' }, script: script() });
    const data = { mode: 'accept_edits', rules: [{ tool: 'run', pattern: 'one' }] };
    const lease = await bench.log.acquire();
    await bench.log.append([{ type: 'extension_data', ext_type: 'bough.approvals', data }]);
    lease.dispose();
    expect(bench.session.mode()).toBe('ask');
    await bench.send('change it');
    expect(bench.ran).toEqual([]);
    expect(bench.session.log.state().approvals).toHaveLength(2);
    expect(failureOf(await setMode(bench, 'accept_edits')).code).toBe('ForeignLog');
    await setMode(bench, 'read_only');
    expect(bench.session.mode()).toBe('read_only');
  });

  it('a rule given on one card settles no other card by what a log from elsewhere holds', async () => {
    const bench = await openBench({
      isForeign: true,
      script: [calls([run('one'), run('two')]), text('done')],
    });
    const data = { mode: 'accept_edits', rules: [{ tool: 'run', pattern: 'two' }] };
    const lease = await bench.log.acquire();
    await bench.log.append([{ type: 'extension_data', ext_type: 'bough.approvals', data }]);
    lease.dispose();
    await bench.send('run them');
    const [first] = bench.log.state().approvals;
    await bench.do({ type: 'decide', call_id: first?.call_id ?? '', decision: 'allow', scope: 'session' });
    expect(bench.ran).toEqual(['run one']);
    expect(bench.log.state().approvals.map(({ summary }) => summary)).toEqual(['Run two']);
  });

  it('going to another line never loosens the mode in force', async () => {
    const bench = await openBench({ script: [text('one'), text('two'), text('three')] });
    await setMode(bench, 'accept_edits');
    await bench.send('first');
    const first = bench.log.head;
    await bench.send('second');
    await setMode(bench, 'read_only');
    await bench.do({ type: 'navigate', entry_id: first });
    expect(mode(bench)).toBe('read_only');
    const after = await bench.crash();
    expect(mode(after)).toBe('read_only');
    const second = after.log.outline.find(([, , , , preview]) => preview === 'second')?.[0] ?? '';
    await setMode(after, 'accept_edits');
    await after.send('third, instead of the second', { editing: second });
    expect(mode(after)).toBe('accept_edits');
  });

  it('a line that was more careful stays so', async () => {
    const bench = await openBench({ script: [text('one'), text('two')] });
    await bench.send('first');
    const first = bench.log.head;
    await bench.send('second');
    await setMode(bench, 'accept_edits');
    await bench.do({ type: 'navigate', entry_id: first });
    expect(mode(bench)).toBe('ask');
    expect(bench.entries('extension_data')).toHaveLength(1);
  });

  it('choosing the mode that is in force writes nothing', async () => {
    const bench = await openBench({ script: [] });
    await setMode(bench, 'ask');
    expect(bench.story()).toEqual([]);
  });
});

describe('dismissing what waits', () => {
  it('writes one abandoned result for each call, ends the turn and asks the model nothing', async () => {
    const bench = await openBench({ script: [calls([run('one'), run('two')]), text('fine')] });
    await bench.send('run them');
    await bench.do({ type: 'dismiss' });
    expect(bench.story().slice(4)).toEqual([
      expect.stringMatching(
        /^decision abandoned \+ decision abandoned \+ tool error "The person dismissed.*" \+ tool error "The person dismissed.*" \+ step_end 1 \+ turn_end stopped$/,
      ),
    ]);
    expect(bench.session.run()).toBe('idle');
    expect(bench.model.asked).toHaveLength(1);
    expect(failureOf(await bench.do({ type: 'dismiss' })).code).toBe('NotPending');
    await bench.send('go on');
    expect(
      JSON.stringify(bench.model.asked[1]?.request.messages).match(/The person dismissed/g),
    ).toHaveLength(2);
  });
});
