import { describe, expect, it } from 'vitest';
import { failureOf, openBench, type Bench } from './bench.js';
import { calls, hang, text } from './fake-model.js';

const write = (path: string, content: string) => ({ name: 'write', input: { path, content } });
const run = (command: string) => ({ name: 'run', input: { command } });

const pending = (bench: Bench): string[] => bench.session.log.state().approvals.map(({ call_id }) => call_id);

const decide = (bench: Bench, index: number, decision: 'allow' | 'deny', feedback?: string) =>
  bench.do({
    type: 'decide',
    call_id: pending(bench)[index] ?? '',
    decision,
    scope: 'once',
    ...(feedback === undefined ? {} : { feedback }),
  });

describe('approvals', () => {
  it('asks for all calls of a step in one batch, lets go of the lease, and runs each once it is allowed', async () => {
    const bench = await openBench({
      files: { 'a.txt': 'old' },
      script: [calls([write('a.txt', 'new'), run('npm test')], { text: 'I will.' }), text('done')],
    });
    await bench.send('change it');
    expect(bench.session.run()).toBe('waiting');
    expect(bench.isFree()).toBe(true);
    expect(bench.ran).toEqual([]);
    await decide(bench, 0, 'allow');
    expect(bench.session.run()).toBe('waiting');
    expect(bench.workspace.text('a.txt')).toBe('new');
    await decide(bench, 0, 'allow');
    expect(bench.story().slice(2)).toEqual([
      'assistant "I will." write({"path":"a.txt","content":"new"}) run({"command":"npm test"}) + usage',
      'request Write a.txt + request Run npm test',
      'decision allow + tool_start',
      'tool result "Wrote a.txt." + files_changed',
      'decision allow + tool_start',
      'tool result "ran npm test"',
      'step_end 1',
      'step_start 2',
      'assistant "done" + usage + step_end 2 + turn_end completed',
    ]);
    expect(bench.isFree()).toBe(true);
  });

  it('keeps the proposal and what stood before as blobs, so that card and recovery can show them', async () => {
    const bench = await openBench({
      files: { 'a.txt': 'old' },
      script: [calls([write('a.txt', 'new')]), text('done')],
    });
    await bench.send('change it');
    const [approval] = bench.log.state().approvals;
    const blob = async (hash: string | null | undefined) =>
      new TextDecoder().decode(await bench.log.blobs.get(hash ?? ''));
    expect(await blob(approval?.proposal[0]?.before)).toBe('old');
    expect(await blob(approval?.proposal[0]?.after)).toBe('new');
    await decide(bench, 0, 'allow');
    const start = bench.entries('tool_start')[0];
    const before = start?.type === 'tool_start' ? start.before?.[0] : undefined;
    expect(before).toMatchObject({ path: 'a.txt', hash: approval?.targets[0]?.hash });
    expect(await blob(before?.hash)).toBe('old');
  });

  it('runs without asking what a rule allows', async () => {
    const bench = await openBench({
      allows: ({ subject }) => subject === 'npm test',
      script: [calls([run('rm x'), run('npm test')]), text('done')],
    });
    await bench.send('go');
    expect(bench.story().slice(3)).toEqual(['request Run rm x', 'tool_start', 'tool result "ran npm test"']);
    expect(bench.session.run()).toBe('waiting');
  });

  it('F4: a denial is a result that the model is told, with the feedback, and the turn goes on', async () => {
    const bench = await openBench({ script: [calls([run('one'), run('two')]), text('fine')] });
    await bench.send('go');
    await decide(bench, 0, 'deny', 'use npm');
    await decide(bench, 0, 'allow');
    expect(bench.ran).toEqual(['run two']);
    expect(bench.story().slice(4)).toEqual([
      'decision deny + tool error "The person denied this call. It was not run. They said: use npm"',
      'decision allow + tool_start',
      'tool result "ran two"',
      'step_end 1',
      'step_start 2',
      'assistant "fine" + usage + step_end 2 + turn_end completed',
    ]);
  });

  it('F4: a new prompt is refused while a call waits, or answers it when the person says so', async () => {
    const bench = await openBench({ script: [calls([run('one')]), text('fine')] });
    await bench.send('go');
    const before = bench.disk.batches.length;
    expect(failureOf(await bench.send('rather this')).code).toBe('ResumeRequired');
    expect(bench.disk.batches.length).toBe(before);
    await bench.send('rather this', { reply_instead: true });
    expect(bench.story(before)[0]).toMatch(
      /^decision replied \+ tool error "The person replied instead .*" \+ step_end 1 \+ turn_end stopped \+ user "rather this" \+ turn_start$/,
    );
    expect(bench.story().at(-1)).toContain('turn_end completed');
    expect(bench.ran).toEqual([]);
  });

  it('F1: an undecided request survives a restart, and is executed exactly once', async () => {
    const first = await openBench({
      files: { 'a.txt': 'old' },
      script: [calls([write('a.txt', 'new')]), text('done')],
    });
    await first.send('change it');
    const bench = await first.crash();
    const size = bench.disk.batches.length;
    await bench.session.recover();
    expect(bench.disk.batches.length).toBe(size);
    expect(bench.session.run()).toBe('waiting');
    expect(bench.session.interrupted()).toBeNull();
    const [call_id = ''] = pending(bench);
    const allow = { type: 'decide', call_id, decision: 'allow', scope: 'once' } as const;
    const [once, twice] = await Promise.all([bench.do(allow), bench.do(allow)]);
    expect(once).toEqual({});
    expect(failureOf(twice).code).toBe('NotPending');
    expect(bench.ran).toEqual(['write a.txt']);
    expect(bench.workspace.text('a.txt')).toBe('new');
    expect(bench.story().at(-1)).toContain('turn_end completed');
  });

  it('F2: an approval expires when its file changed, its turn ended, or the head left', async () => {
    const changed = await openBench({
      files: { 'a.txt': 'old' },
      script: [calls([write('a.txt', 'new')]), text('ok')],
    });
    await changed.send('go');
    changed.workspace.set('a.txt', 'by hand');
    await decide(changed, 0, 'allow');
    expect(changed.workspace.text('a.txt')).toBe('by hand');
    expect(changed.story()[4]).toBe(
      'decision expired + tool error "The call was not run: a.txt has changed since it was proposed. Read it and ask again."',
    );
    expect(changed.ran).toEqual([]);

    const ended = await openBench({ script: [calls([run('one')]), text('ok')] });
    await ended.send('go');
    const [call_id = ''] = pending(ended);
    await ended.do({ type: 'stop' });
    expect(ended.story().at(-1)).toMatch(
      /^decision cancelled \+ tool error ".*" \+ step_end 1 \+ turn_end stopped$/,
    );
    const late = await ended.do({ type: 'decide', call_id, decision: 'allow', scope: 'once' });
    expect(failureOf(late).code).toBe('NotPending');

    const left = await openBench({ script: [calls([run('one')]), text('ok')] });
    await left.send('go');
    const [other = ''] = pending(left);
    await left.do({ type: 'navigate', entry_id: left.disk.entries[0]?.id ?? null });
    expect(left.story().at(-2)).toMatch(
      /^decision expired \+ tool error ".*" \+ step_end 1 \+ turn_end stopped$/,
    );
    expect(left.story().at(-1)).toBe('head');
    expect(
      failureOf(await left.do({ type: 'decide', call_id: other, decision: 'allow', scope: 'once' })).code,
    ).toBe('NotPending');
    expect([...ended.ran, ...left.ran]).toEqual([]);
  });

  it('lets several edits of one file be approved one after the other, but not after somebody else changed it', async () => {
    const script = [
      calls([write('a.txt', 'one'), write('a.txt', 'two'), write('a.txt', 'three')]),
      text('ok'),
    ];
    const bench = await openBench({ files: { 'a.txt': 'old' }, script });
    await bench.send('go');
    await decide(bench, 0, 'allow');
    await decide(bench, 0, 'allow');
    expect(bench.workspace.text('a.txt')).toBe('two');
    bench.workspace.set('a.txt', 'by hand');
    await decide(bench, 0, 'allow');
    expect(bench.workspace.text('a.txt')).toBe('by hand');
    expect(bench.story()[8]).toContain('decision expired');
    expect(bench.ran).toEqual(['write a.txt', 'write a.txt']);
  });

  it('decides one while another runs: it follows in its turn', async () => {
    const bench = await openBench({ script: [calls([run('hang'), run('two')]), text('ok'), [hang()]] });
    await bench.send('go');
    await decide(bench, 0, 'allow');
    expect(bench.session.run()).toBe('running');
    await decide(bench, 0, 'allow');
    expect(bench.ran).toEqual(['run hang']);
    expect(bench.story().at(-1)).toBe('decision allow');
    await bench.do({ type: 'stop' });
    expect(bench.ran).toEqual(['run hang']);
    expect(bench.story().slice(-2)).toEqual([
      'tool error "killed"',
      'tool error "The tool did not run: this call was never started. Call it again if it is still needed." + step_end 1 + turn_end stopped',
    ]);
  });

  it('remembers what the person allowed for longer, after it was checked', async () => {
    const bench = await openBench({ script: [calls([run('one')]), text('ok')] });
    await bench.send('go');
    const [call_id = ''] = pending(bench);
    await bench.do({ type: 'decide', call_id, decision: 'allow', scope: 'always' });
    expect(bench.remembered).toEqual([{ tool: 'run', subject: 'one', scope: 'always' }]);
  });
});
