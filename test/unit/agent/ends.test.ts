import { describe, expect, it, vi } from 'vitest';
import type { Failure } from '../../../src/shared/failure.js';
import { NOT_RUN_RESULT } from '../../../src/shared/fold/stand-in.js';
import { failureOf, later, openBench, type Bench } from './bench.js';
import {
  begins,
  calls,
  dropped,
  fails,
  hang,
  overloaded,
  rateLimit,
  text,
  type Beat,
  type Reply,
} from './fake-model.js';
import { diskFull } from './test-log.js';

const run = (command: string) => ({ name: 'run', input: { command } });
const noResumes = { maxAttempts: 1, maxResumes: -1 };

describe('streams that do not end well', () => {
  it('D1: a dropped connection is never a finished answer: text, marker and reason stay', async () => {
    const bench = await openBench({ retry: noResumes, script: [begins('two words', fails(dropped()))] });
    await bench.send('hi');
    expect(bench.story().at(-1)).toBe('incomplete connection "two words" + step_end 1 + turn_end failed');
    expect(bench.entries('incomplete_output')[0]).toMatchObject({ error: 'The connection was lost.' });
    expect(bench.session.failure()?.message).toBe('The connection was lost.');
  });

  it('D1: a stream that just ends, with text, with a whole call, or with nothing, is a failure', async () => {
    const call = calls([run('one')]).slice(0, -1);
    for (const reply of [begins('two words'), call, []]) {
      const bench = await openBench({ retry: noResumes, allows: () => true, script: [reply] });
      await bench.send('hi');
      expect(bench.story().at(-1)).toContain('turn_end failed');
      expect(bench.session.failure()?.code).toBe('UnexpectedEnd');
      expect(bench.ran).toEqual([]);
    }
  });

  it('D3: an error inside the stream keeps the text and is not retried when it is not transient', async () => {
    const quota: Failure = { kind: 'refused', message: 'The quota is used up.', transient: false };
    const bench = await openBench({ script: [begins('so far', fails(quota))] });
    await bench.send('hi');
    await bench.clock.advance(600_000);
    expect(bench.model.asked).toHaveLength(1);
    expect(bench.story().at(-1)).toBe('incomplete error "so far" + step_end 1 + turn_end failed');
  });

  it('D11: silence in mid-stream is a transient failure after the idle time; bytes alone keep it alive', async () => {
    const beats: Beat[] = [{ type: 'text', delta: 'words' }];
    const bench = await openBench({
      script: [[...beats, ({ onBytes }) => void (ping = onBytes), hang()], text('again')],
    });
    let ping = (): void => undefined;
    await bench.send('hi');
    await bench.clock.advance(59_000);
    ping();
    await bench.clock.advance(59_999);
    expect(bench.entries('resume_start')).toEqual([]);
    await bench.clock.advance(1);
    expect(bench.entries('resume_start')[0]).toMatchObject({
      error: 'Fake One sent nothing for 60 seconds in the middle of its answer.',
    });
    await bench.clock.advance(10_000);
    expect(bench.story().at(-1)).toContain('turn_end completed');
  });

  it.each([
    [false, 5],
    [true, 30],
  ])('waits for the first byte for minutes (local: %s)', async (local, minutes) => {
    const bench = await openBench({ script: [[{ type: 'response' }, hang()], text('ok')] });
    bench.model.info = { ...bench.model.info, local };
    await bench.send('hi');
    await bench.clock.advance(minutes * 60_000 - 1);
    expect(bench.entries('resume_start')).toEqual([]);
    await bench.clock.advance(1);
    // The request's own budget of two minutes is over by then: the step starts again.
    expect(bench.entries('resume_start')[0]).toMatchObject({
      error: `Fake One sent nothing for ${String(minutes)} minutes after the request.`,
    });
  });

  it('keeps what streamed when the adapter throws, and says that it is a bug', async () => {
    const broken: Beat = () => {
      throw new TypeError('x is undefined');
    };
    const bench = await openBench({ script: [begins('so far', broken)] });
    await bench.send('hi');
    expect(bench.story().at(-1)).toBe('incomplete error "so far" + step_end 1 + turn_end failed');
    expect(bench.told.some((line) => line.startsWith('error') && line.includes('x is undefined'))).toBe(true);
  });

  it('an answer cut by length is incomplete output, the turn fails with what to do, the model never sees it', async () => {
    const bench = await openBench({ script: [text('cut off', 'length'), text('short')] });
    await bench.send('hi');
    expect(bench.story().at(-1)).toBe('usage + incomplete length "cut off" + step_end 1 + turn_end failed');
    expect(bench.session.failure()).toMatchObject({ code: 'OutputLimit' });
    await bench.do({ type: 'continue' });
    expect(JSON.stringify(bench.model.asked[1]?.request)).not.toContain('cut off');
  });

  it('an answer that a content filter withheld is a failure', async () => {
    const bench = await openBench({ script: [text('I ', 'content_filter')] });
    await bench.send('hi');
    expect(bench.session.failure()).toMatchObject({ code: 'ContentFilter' });
  });

  it('C14: calls whose arguments do not parse, and calls of a step cut by length, are never run', async () => {
    for (const [reply, said] of [
      [calls([{ name: 'run', raw: '{"command":"npm i","npm t"' }]), 'not valid JSON'],
      [calls([run('npm i')], { reason: 'length' }), 'output limit'],
      [calls([{ name: 'run', raw: '{"command":"xx' }], { reason: 'length' }), 'not valid JSON'],
    ] as const) {
      const bench = await openBench({ allows: () => true, script: [reply, text('sorry')] });
      await bench.send('go');
      expect(bench.ran).toEqual([]);
      expect(bench.story()[3]).toContain(`tool error "The call was not run:`);
      expect(bench.story()[3]).toContain(said);
      expect(bench.story().at(-1)).toContain('turn_end completed');
      const sent = bench.model.asked[1]?.request.messages;
      expect(sent?.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool']);
    }
  });

  it('C12: gives each call an id of its own, however the provider names them', async () => {
    const bench = await openBench({
      allows: () => true,
      script: [
        calls([
          { ...run('one'), id: 'x' },
          { ...run('two'), id: 'x' },
          { ...run('three'), id: '' },
        ]),
        text('ok'),
      ],
    });
    await bench.send('go');
    expect(bench.ran).toEqual(['run one', 'run two', 'run three']);
    const ids = bench
      .entries('tool_start')
      .map((entry) => (entry.type === 'tool_start' ? entry.call_id : ''));
    expect(new Set(ids).size).toBe(3);
  });
});

describe('D14: stop', () => {
  const ends = (bench: Bench): string => bench.story().at(-1) ?? '';

  it('in a stream, in a tool, at an approval, in a retry wait: one turn_end, nothing after it', async () => {
    const stream = await openBench({ script: [begins('a b', hang())] });
    const tool = await openBench({ allows: () => true, script: [calls([run('hang'), run('two')])] });
    const approval = await openBench({ script: [calls([run('one')])] });
    const wait = await openBench({ script: [[fails(overloaded())]] });
    const parked = await openBench({ script: [[fails(rateLimit(3_600_000))]] });
    const resume = await openBench({ script: [begins('some text', fails(dropped()))] });
    const benches = [stream, tool, approval, wait, parked, resume];
    for (const bench of benches) {
      await bench.send('go');
      expect(await bench.do({ type: 'stop' })).toEqual({});
      expect(ends(bench)).toContain('turn_end stopped');
      expect(bench.session.run()).toBe('idle');
      const size = bench.disk.batches.length;
      await bench.clock.advance(7_200_000);
      expect(bench.disk.batches).toHaveLength(size);
      expect(bench.model.asked).toHaveLength(1);
      expect(bench.isFree()).toBe(true);
    }
    expect(tool.ran).toEqual(['run hang']);
    expect(ends(tool)).toContain(NOT_RUN_RESULT);
    expect(stream.model.asked[0]?.signal.aborted).toBe(true);
    expect(ends(resume)).toBe('incomplete stopped "some text" + step_end 1 + turn_end stopped');
    // It broke off first: both are said.
    expect(resume.entries('incomplete_output')[0]).toMatchObject({ error: 'The connection was lost.' });
  });

  it('does not wait for a tool that does not heed it, and says that its outcome is not known', async () => {
    const bench = await openBench({ allows: () => true, script: [calls([run('deaf')])] });
    await bench.send('go');
    const stopped = bench.do({ type: 'stop' });
    await bench.clock.advance(0);
    expect(bench.session.run()).toBe('stopping');
    await bench.clock.advance(2_000);
    await stopped;
    expect(bench.story().slice(-2)).toEqual([
      'tool error "The turn was stopped while this call was running. It may have partly run. Look at its effects before running it again."',
      'step_end 1 + turn_end stopped',
    ]);
  });

  it('does nothing when nothing runs', async () => {
    const bench = await openBench({});
    expect(await bench.do({ type: 'stop' })).toEqual({});
    expect(bench.disk.batches).toEqual([]);
  });
});

describe('F9: ending one call', () => {
  const endCall = (bench: Bench) =>
    bench.do({ type: 'end_call', call_id: bench.session.progress()[0]?.call_id ?? '' });

  it('lets the turn go on with what it gave, and the other calls run', async () => {
    const bench = await openBench({
      allows: () => true,
      script: [calls([run('hang'), run('two')]), text('done')],
    });
    await bench.send('go');
    expect(await endCall(bench)).toEqual({});
    expect(bench.session.run()).toBe('idle');
    expect(bench.ran).toEqual(['run hang', 'run two']);
    expect(JSON.stringify(bench.model.asked[1]?.request.messages)).toContain(
      'The person ended this call by hand',
    );
    expect(bench.story().at(-1)).toContain('turn_end completed');
    expect(failureOf(await endCall(bench)).code).toBe('NotRunning');
  });

  it('leaves one that does not heed it, and says so', async () => {
    const bench = await openBench({ allows: () => true, script: [calls([run('deaf')]), text('done')] });
    await bench.send('go');
    await endCall(bench);
    expect(bench.session.run()).toBe('running');
    await bench.clock.advance(2_000);
    expect(bench.story().at(-1)).toContain('turn_end completed');
    expect(JSON.stringify(bench.model.asked[1]?.request.messages)).toContain('was left. It may go on.');
  });
});

describe('F9: a command goes on beside the turn', () => {
  const idOf = (bench: Bench) => bench.session.progress()[0]?.call_id ?? '';
  const putAside = (bench: Bench) => bench.do({ type: 'background_call', call_id: idOf(bench) });
  const open = () =>
    openBench({
      allows: () => true,
      script: [calls([run('hang'), run('two')]), text('done'), text('again')],
    });

  const nothingRuns = (bench: Bench) => vi.waitFor(() => expect(bench.session.progress()).toEqual([]));

  it('the turn is told and goes on; the command is shown, and ends by hand when the turn is over', async () => {
    const bench = await open();
    await bench.send('go');
    const id = idOf(bench);
    expect(await putAside(bench)).toEqual({});
    expect(bench.session.run()).toBe('idle');
    expect(bench.ran).toEqual(['run hang', 'run two']);
    expect(bench.story().at(-1)).toContain('turn_end completed');
    expect(JSON.stringify(bench.model.asked[1]?.request.messages)).toContain(
      `hang\\n\\n[The person lets this go on in the background: it is still running, as \\"${id}\\".`,
    );
    expect(bench.session.progress().map(({ call_id, tail }) => [call_id, tail])).toEqual([[id, 'hang\n']]);
    expect(await bench.do({ type: 'end_call', call_id: id })).toEqual({});
    await nothingRuns(bench);
    expect(failureOf(await bench.do({ type: 'end_call', call_id: id })).code).toBe('NotRunning');
  });

  it('D15: the stop of its own turn ends it, that of a later turn does not, a stop beside all turns does', async () => {
    const own = await openBench({
      allows: () => true,
      script: [calls([run('hang'), run('hang')]), text('done')],
    });
    await own.send('go');
    await putAside(own);
    expect(own.session.progress()).toHaveLength(2);
    await own.do({ type: 'stop' });
    await nothingRuns(own);

    const bench = await openBench({
      allows: () => true,
      script: [calls([run('hang')]), text('done'), calls([run('hang')])],
    });
    await bench.send('go');
    await putAside(bench);
    await bench.send('more');
    await bench.do({ type: 'stop' });
    expect(bench.session.progress()).toHaveLength(1);
    await bench.do({ type: 'stop' });
    await nothingRuns(bench);
  });

  it('D15: the stop of its turn ends it also when the turn has waited for the person since', async () => {
    const bench = await openBench({
      allows: ({ subject }) => subject === 'hang',
      script: [
        calls([run('hang')]),
        calls([run('two')]),
        calls([{ name: 'run', input: { command: 'hang' } }]),
      ],
    });
    await bench.send('go');
    await putAside(bench);
    const call_id = bench.log.state().approvals[0]?.call_id ?? '';
    await bench.do({ type: 'decide', call_id, decision: 'allow', scope: 'once' });
    expect(bench.session.progress()).toHaveLength(2);
    await bench.do({ type: 'stop' });
    await nothingRuns(bench);
  });

  it('closing the session ends it', async () => {
    const bench = await open();
    await bench.send('go');
    await putAside(bench);
    await bench.session.shutdown();
    await nothingRuns(bench);
  });

  it('only what runs, and only a command, is let go on', async () => {
    const bench = await open();
    const failed = await bench.do({ type: 'background_call', call_id: 'none' });
    expect(failureOf(failed).code).toBe('NotRunning');
  });
});

describe('limits of a turn', () => {
  it('ends at maxSteps over the whole turn, with what to do', async () => {
    const bench = await openBench({
      settings: { maxSteps: 2 },
      files: { 'a.txt': 'A' },
      script: Array.from({ length: 3 }, () => calls([{ name: 'read', input: { path: 'a.txt' } }])),
    });
    await bench.send('go');
    expect(bench.model.asked).toHaveLength(2);
    expect(bench.session.failure()).toMatchObject({ code: 'MaxSteps' });
    expect(bench.story().at(-1)).toBe('turn_end failed');
  });

  it('ends at maxDuration, in a stream too; waiting for a person does not count', async () => {
    const bench = await openBench({
      settings: { maxDuration: 60_000 },
      script: [calls([run('one')]), begins('slow', hang())],
    });
    await bench.send('go');
    await bench.clock.advance(3_600_000);
    const [approval] = bench.log.state().approvals;
    await bench.do({ type: 'decide', call_id: approval?.call_id ?? '', decision: 'allow', scope: 'once' });
    await bench.clock.advance(59_999);
    expect(bench.session.run()).toBe('running');
    await bench.clock.advance(1);
    expect(bench.story().at(-1)).toBe('incomplete error "slow" + step_end 2 + turn_end failed');
    expect(bench.session.failure()).toMatchObject({ code: 'MaxDuration' });
  });

  it.each([
    ['a wait', (bench: Bench) => bench.log.state().wait !== null, 40_000],
    ['an approval', (bench: Bench) => bench.log.state().approvals.length > 0, 3_600_000],
  ])('counts maxDuration on after a restart in %s', async (name, isThere, away) => {
    const isWait = name === 'a wait';
    const slow: Reply = [() => gate.opened, ...(isWait ? [fails(rateLimit(30_000))] : calls([run('one')]))];
    const gate = later();
    const bench = await openBench({ settings: { maxDuration: 60_000 }, script: [slow] });
    await bench.send('go');
    await bench.clock.advance(25_000);
    gate.open();
    await bench.clock.advance(0);
    expect(isThere(bench)).toBe(true);
    const next = await bench.crash();
    await next.clock.advance(away);
    next.model.play(begins('slow', hang()));
    await next.session.recover();
    await next.clock.advance(1);
    const [approval] = next.log.state().approvals;
    if (approval !== undefined) {
      await next.do({ type: 'decide', call_id: approval.call_id, decision: 'allow', scope: 'once' });
    }
    expect(next.session.run()).toBe('running');
    await next.clock.advance(36_000);
    expect(next.session.failure()).toMatchObject({ code: 'MaxDuration' });
  });

  it('a stop whose last write hangs says so after a while; the write goes on, and the turn ends with it', async () => {
    const bench = await openBench({ script: [begins('kept ', hang()), text('ok')] });
    await bench.send('go');
    const gate = later();
    bench.process.slow = () => gate.opened;
    const stopping = bench.session.dispatch({ type: 'stop' });
    await bench.clock.advance(6_999);
    expect(bench.session.run()).toBe('stopping');
    await bench.clock.advance(1);
    expect(failureOf(await stopping)).toMatchObject({ kind: 'storage', code: 'StorageFailure' });
    gate.open();
    await bench.session.settled();
    expect(bench.story().at(-1)).toBe('incomplete stopped "kept " + step_end 1 + turn_end stopped');
  });

  it('does not schedule a retry or a resume that would pass the deadline', async () => {
    for (const reply of [[fails(rateLimit(20_000))], begins('x y', fails(dropped()))]) {
      const bench = await openBench({ settings: { maxDuration: 1_000 }, script: [reply] });
      await bench.send('go');
      expect(bench.story().at(-1)).toContain('turn_end failed');
      expect([...bench.entries('retry_start'), ...bench.entries('resume_start')]).toEqual([]);
    }
  });

  it('says which model setting is wrong when no model can be had; the prompt stays', async () => {
    const bench = await openBench({});
    bench.model.resolveFailure = {
      kind: 'refused',
      message: 'No such model.',
      transient: false,
      action: 'select-model',
    };
    await bench.send('hi');
    expect(bench.story()).toEqual(['user "hi" + turn_start', 'turn_end failed']);
    expect(bench.session.failure()).toMatchObject({ action: 'select-model' });
  });
});

describe('writes that fail in mid-turn', () => {
  it.each([
    ['step_start', 0],
    ['usage', 1],
    ['tool_start', 1],
    ['step_end', 1],
  ] as const)(
    'stop the turn at %s: no further request, no second try, and Continue goes on',
    async (type, asked) => {
      const bench = await openBench({
        allows: () => true,
        script: [calls([run('one')]), text('fine'), text('fine')],
      });
      let tries = 0;
      bench.process.refuse = (batch) => {
        if (!batch.some((draft) => draft.type === type)) return null;
        tries += 1;
        return diskFull();
      };
      await bench.send('go');
      expect(tries).toBe(1);
      expect(bench.model.asked).toHaveLength(asked);
      expect(bench.session.failure()).toMatchObject({ kind: 'storage', code: 'StorageFailure' });
      expect(bench.entries('turn_end')).toEqual([]);
      bench.process.refuse = () => null;
      await bench.do({ type: 'continue' });
      expect(
        bench.entries('turn_end').map((entry) => (entry.type === 'turn_end' ? entry.status : ''))[0],
      ).toBe('interrupted');
    },
  );

  it('the result of a call that ran is not lost: it is written when the turn is closed', async () => {
    const bench = await openBench({ allows: () => true, script: [calls([run('one')]), text('fine')] });
    bench.process.refuse = (batch) =>
      batch.some((draft) => draft.type === 'message' && draft.role === 'tool') ? diskFull() : null;
    await bench.send('go');
    expect(bench.ran).toEqual(['run one']);
    bench.process.refuse = () => null;
    await bench.do({ type: 'continue' });
    expect(bench.story()[4]).toBe(
      'tool result "ran one" + step_end 1 + turn_end interrupted + session_recovery + turn_start continues',
    );
    expect(bench.ran).toEqual(['run one']);
  });

  it('a retry that cannot be written is not made', async () => {
    const bench = await openBench({ script: [[fails(overloaded())], text('never')] });
    bench.process.refuse = (batch) => (batch.some(({ type }) => type === 'retry_start') ? diskFull() : null);
    await bench.send('go');
    await bench.clock.advance(600_000);
    expect(bench.model.asked).toHaveLength(1);
    expect(bench.session.failure()?.kind).toBe('storage');
  });

  it('a stop that cannot be written says so, and the text is kept for the next write', async () => {
    const bench = await openBench({ script: [begins('kept words', hang()), text('ok')] });
    await bench.send('go');
    bench.process.refuse = diskFull;
    expect(failureOf(await bench.do({ type: 'stop' }))).toMatchObject({ kind: 'storage' });
    bench.process.refuse = () => null;
    await bench.send('next');
    expect(bench.story()[2]).toBe(
      'incomplete error "kept words" + step_end 1 + turn_end interrupted + session_recovery + user "next" + turn_start',
    );
  });
});

describe('a disk that fills up', () => {
  it('stops the turn, says so, leaves a readable log, and the session goes on when there is space again', async () => {
    const gate = later();
    const bench = await openBench({
      script: [[...begins('some words'), () => gate.opened, ...text('never')], text('fine')],
    });
    await bench.send('hi');
    bench.process.isDiskFull = true;
    await bench.clock.advance(1_000);
    expect(bench.process.troubles.map(({ data }) => data['errno'])).toEqual(['ENOSPC']);
    gate.open();
    await bench.session.settled();
    expect(bench.session.failure()).toMatchObject({ kind: 'storage', detail: 'ENOSPC' });
    expect(failureOf(await bench.send('again'))).toMatchObject({ kind: 'storage' });
    expect(bench.model.asked).toHaveLength(1);
    bench.process.isDiskFull = false;
    const prompt = await bench.send('again');
    expect(prompt).toHaveProperty('entry_id');
    expect(bench.story()[2]).toMatch(/^incomplete error "some wordsnever" .* \+ user "again" \+ turn_start$/);
    expect(bench.story().at(-1)).toContain('turn_end completed');
    const other = await bench.crash();
    expect(other.log.damage).toEqual([]);
    expect(other.log.outline.map((node) => node[4])).toEqual(['hi', 'some wordsnever', 'again', 'fine']);
  });
});

describe('bugs', () => {
  it('a tool that throws gives an error result, and the stack goes to the output channel', async () => {
    const bench = await openBench({ allows: () => true, script: [calls([run('throw')]), text('ok')] });
    await bench.send('go');
    expect(bench.story()[4]).toBe('tool error "The tool run failed inside: a bug in the tool"');
    expect(bench.told.some((line) => line.includes('a bug in the tool') && line.includes('fake-tools'))).toBe(
      true,
    );
    expect(bench.story().at(-1)).toContain('turn_end completed');
  });

  it('an unknown tool and a bad input are error results without a card', async () => {
    const bench = await openBench({
      script: [calls([{ name: 'dance' }, { name: 'run', input: {} }]), text('ok')],
    });
    await bench.send('go');
    expect(bench.story().slice(3, 5)).toEqual([
      'tool error "There is no tool "dance". The tools are: read, write, run."',
      'tool error "There is no command."',
    ]);
    expect(bench.entries('approval_request')).toEqual([]);
  });
});
