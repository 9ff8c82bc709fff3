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

  it('F2: Send of an edit goes elsewhere: what waited expires before the head moves, and nothing is asked', async () => {
    const bench = await openBench({ script: [calls([run('one')]), text('fine')] });
    await bench.send('go');
    const [prompt] = bench.disk.entries;
    await bench.send('later', { mode: 'queue' });
    const before = bench.disk.batches.length;
    expect(await bench.send('go elsewhere', { editing: prompt?.id })).toMatchObject({
      entry_id: expect.any(String) as string,
    });
    expect(bench.story(before)[0]).toMatch(
      /^decision expired \+ tool error "The call was not run: the person went to another place .*" \+ step_end 1 \+ turn_end stopped \+ .*head \+ user "go elsewhere" \+ turn_start$/,
    );
    expect(bench.story().at(-1)).toContain('turn_end completed');
    // As beside any other move: what was queued behind the call that waited is sent when the person says so.
    expect(bench.log.state()).toMatchObject({ queue: [{ text: 'later' }], queue_held: true });
    expect(bench.ran).toEqual([]);
  });

  it('F2: an edit is not sent while another call of the step runs; stopping is what there is', async () => {
    const bench = await openBench({ script: [calls([run('hang'), run('two')]), text('ok'), [hang()]] });
    await bench.send('go');
    const [prompt] = bench.disk.entries;
    await decide(bench, 0, 'allow');
    const size = bench.disk.batches.length;
    for (const reply_instead of [false, true]) {
      const sent = await bench.send('go elsewhere', { editing: prompt?.id, reply_instead });
      expect(failureOf(sent).code).toBe('SessionRunning');
    }
    expect(bench.disk.batches.length).toBe(size);
    await bench.do({ type: 'stop' });
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

const allowAll = (bench: Bench, index: number, scope: 'once' | 'session' | 'workspace' | 'always') =>
  bench.do({ type: 'decide', call_id: pending(bench)[index] ?? '', decision: 'allow', scope });

const edit = (bench: Bench, index: number, edited_input: Record<string, unknown>) =>
  bench.do({
    type: 'decide',
    call_id: pending(bench)[index] ?? '',
    decision: 'allow',
    scope: 'once',
    edited_input,
  });

const toldLast = (bench: Bench): string[] =>
  (bench.model.asked.at(-1)?.request.messages ?? []).flatMap((message) =>
    message.role === 'tool' ? message.parts.map(({ content }) => content) : [],
  );

describe('a rule given on one card', () => {
  const wide =
    (command: string) =>
    ({ subject }: { subject: string }) =>
      subject.startsWith(command);

  it('settles the other cards it allows, each run once and in order, and only those', async () => {
    const rules: string[] = [];
    const bench = await openBench({
      allows: ({ subject }) => rules.some((rule) => wide(rule)({ subject })),
      script: [calls([run('npm test'), run('rm -rf x'), run('npm run build'), run('npm pack')]), text('ok')],
    });
    await bench.send('go');
    expect(pending(bench)).toHaveLength(4);
    rules.push('npm');
    await allowAll(bench, 2, 'always');
    expect(bench.remembered).toEqual([{ tool: 'run', subject: 'npm run build', scope: 'always' }]);
    expect(bench.ran).toEqual(['run npm run build', 'run npm test', 'run npm pack']);
    expect(bench.log.state().approvals.map(({ summary }) => summary)).toEqual(['Run rm -rf x']);
    expect(bench.story()[4]).toBe('decision allow + decision allow + decision allow + tool_start');
    const scopes = bench.entries('approval_decision').map((entry) => 'scope' in entry && entry.scope);
    expect(scopes).toEqual(['always', 'always', 'always']);
    await decide(bench, 0, 'deny');
    expect(bench.story().at(-1)).toContain('turn_end completed');
    expect(bench.ran).toHaveLength(3);
  });

  it('settles none with `once`, and none that has expired meanwhile', async () => {
    const rules: string[] = [];
    const bench = await openBench({
      files: { 'a.txt': 'old' },
      allows: () => rules.length > 0,
      script: [calls([run('one'), run('two'), write('a.txt', 'new')]), text('ok')],
    });
    await bench.send('go');
    await allowAll(bench, 0, 'once');
    expect(bench.ran).toEqual(['run one']);
    bench.workspace.set('a.txt', 'changed by hand');
    rules.push('all');
    await allowAll(bench, 0, 'session');
    expect(bench.ran).toEqual(['run one', 'run two']);
    expect(bench.log.state().approvals.map(({ summary }) => summary)).toEqual(['Write a.txt']);
  });

  it('holds after a crash between the decision and the run: what was settled runs, once', async () => {
    const rules: string[] = [];
    const bench = await openBench({
      allows: () => rules.length > 0,
      script: [calls([run('hang'), run('two')]), text('ok')],
    });
    await bench.send('go');
    rules.push('all');
    await allowAll(bench, 0, 'always');
    const next = await bench.crash();
    await next.session.recover();
    expect(next.session.interrupted()?.message).toContain('run was running');
    next.model.play(text('on'));
    await next.do({ type: 'continue' });
    expect(next.ran).toEqual(['run hang']);
    expect(toldLast(next)[1]).toContain('did not run');
  });
});

describe('an edited proposal', () => {
  it('runs as the person left it, the log has both, and the model is told what really ran', async () => {
    const bench = await openBench({
      files: { 'a.txt': 'old' },
      script: [calls([write('a.txt', 'new')]), text('ok')],
    });
    await bench.send('go');
    await edit(bench, 0, { path: 'a.txt', content: 'better' });
    expect(bench.workspace.text('a.txt')).toBe('better');
    expect(bench.entries('approval_decision')).toMatchObject([
      { decision: 'allow', edited_input: { path: 'a.txt', content: 'better' } },
    ]);
    expect(bench.story()[2]).toContain('write({"path":"a.txt","content":"new"})');
    expect(toldLast(bench)[0]).toBe(
      '[The person changed the input before it ran: {"path":"a.txt","content":"better"}]\nWrote a.txt.',
    );
  });

  it('keeps the edit when the call runs later: another call of the step runs first, or the process dies', async () => {
    const bench = await openBench({ script: [calls([run('hang'), run('two')]), text('ok')] });
    await bench.send('go');
    await decide(bench, 0, 'allow');
    await edit(bench, 0, { command: 'three' });
    expect(bench.ran).toEqual(['run hang']);
    const next = await bench.crash();
    next.model.play(text('on'));
    await next.session.recover();
    expect(next.log.state().open_calls.map(({ status }) => status)).toEqual(['started', 'allowed']);
  });

  it('runs the edited call after the one before it', async () => {
    const bench = await openBench({ script: [calls([run('one'), run('two')]), text('ok')] });
    await bench.send('go');
    await edit(bench, 1, { command: 'three' });
    expect(bench.ran).toEqual(['run three']);
    await decide(bench, 0, 'allow');
    expect(bench.ran).toEqual(['run three', 'run one']);
    expect(toldLast(bench)[1]).toContain('{"command":"three"}]\nran three');
    expect(toldLast(bench)[0]).toBe('ran one');
  });

  it('that no tool can run, or that touches another file, is refused and the card stays', async () => {
    const bench = await openBench({
      files: { 'a.txt': 'old', 'b.txt': 'b' },
      script: [calls([write('a.txt', 'new'), run('one')]), text('ok')],
    });
    await bench.send('go');
    expect(failureOf(await edit(bench, 0, { path: 'b.txt', content: 'x' }))).toMatchObject({
      kind: 'refused',
      code: 'InvalidEdit',
    });
    expect(failureOf(await edit(bench, 1, {})).message).toContain('There is no command.');
    expect(pending(bench)).toHaveLength(2);
    expect(bench.entries('approval_decision')).toEqual([]);
    expect(bench.workspace.text('b.txt')).toBe('b');
  });

  it('expires like any other when its file changed', async () => {
    const bench = await openBench({
      files: { 'a.txt': 'old' },
      script: [calls([write('a.txt', 'new')]), text('ok')],
    });
    await bench.send('go');
    bench.workspace.set('a.txt', 'by hand');
    await edit(bench, 0, { path: 'a.txt', content: 'better' });
    expect(bench.workspace.text('a.txt')).toBe('by hand');
    expect(bench.entries('approval_decision')).toMatchObject([{ decision: 'expired' }]);
  });
});
