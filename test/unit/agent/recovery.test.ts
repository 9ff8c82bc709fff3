import { describe, expect, it } from 'vitest';
import { setAsideFragment } from '../../../src/log/tail.js';
import { INTERRUPTED_RESULT, LOST_RESULT, NOT_RUN_RESULT } from '../../../src/shared/fold/stand-in.js';
import { failureOf, openBench, type Bench } from './bench.js';
import { begins, calls, dropped, fails, hang, overloaded, rateLimit, text } from './fake-model.js';

const write = (path: string, content: string) => ({ name: 'write', input: { path, content } });
const run = (command: string) => ({ name: 'run', input: { command } });

const allowFirst = (bench: Bench) =>
  bench.do({
    type: 'decide',
    call_id: bench.log.state().approvals[0]?.call_id ?? '',
    decision: 'allow',
    scope: 'once',
  });

const reopened = async (bench: Bench): Promise<Bench> => {
  const next = await bench.crash();
  await next.session.recover();
  return next;
};

describe('after a crash', () => {
  it('D5: text that streamed becomes an entry marked crash; Continue completes the turn', async () => {
    const before = await openBench({ script: [begins('half an answer', hang()), text('whole')] });
    await before.send('hi');
    await before.clock.advance(1_000);
    const bench = await reopened(before);
    expect(bench.story().at(-1)).toBe('incomplete crash "half an answer"');
    expect(await bench.disk.journal()).toBeNull();
    expect(bench.session.run()).toBe('idle');
    expect(bench.session.interrupted()?.message).toBe(
      'The turn was interrupted in step 1: the text so far is kept.',
    );
    const from = bench.disk.batches.length;
    await bench.do({ type: 'continue' });
    expect(bench.story(from)).toEqual([
      'step_end 1 + turn_end interrupted + session_recovery + turn_start continues',
      'step_start 1',
      'assistant "whole" + usage + step_end 1 + turn_end completed',
    ]);
    expect(JSON.stringify(bench.model.asked[1]?.request)).not.toContain('half');
    expect(bench.session.interrupted()).toBeNull();
  });

  it('C4: opening again and again changes nothing; one repair, byte-identical afterwards', async () => {
    let bench = await openBench({ script: [begins('half', hang()), text('ok')] });
    await bench.send('hi');
    await bench.clock.advance(1_000);
    bench = await reopened(bench);
    const opened = await bench.disk.bytes();
    for (let n = 0; n < 3; n++) {
      bench = await reopened(bench);
      expect(await bench.disk.bytes()).toBe(opened);
    }
    await bench.do({ type: 'leave' });
    const repaired = await bench.disk.bytes();
    expect(bench.story().at(-1)).toBe('step_end 1 + turn_end interrupted + session_recovery');
    for (let n = 0; n < 3; n++) {
      bench = await reopened(bench);
      expect(failureOf(await bench.do({ type: 'leave' })).code).toBe('NothingToLeave');
      expect(await bench.disk.bytes()).toBe(repaired);
    }
    await bench.send('next');
    const results = bench.entries('session_recovery');
    expect(results).toHaveLength(1);
  });

  it.each([
    ['the result of a call', 'whether read ran is not known', `tool error "${LOST_RESULT}" + `],
    ['what followed the result', 'how it went on after the turn was in step 1 is not known', ''],
  ])(
    'A3: where the end of the file is lost with %s, says that it is not known',
    async (what, known, results) => {
      const before = await openBench({
        files: { 'a.txt': 'old' },
        script: [calls([{ name: 'read', input: { path: 'a.txt' } }]), begins('half', hang()), text('ok')],
      });
      await before.send('go');
      before.process.kill();
      const lines = (await before.disk.bytes()).split('\n');
      const lost = lines.findIndex((line) => line.includes('"tool_result"'));
      const whole = lines.slice(0, what === 'the result of a call' ? lost : lost + 1);
      const file = await before.disk.files.open('/memory/sessions/session.jsonl', 'append');
      await file.truncate(Buffer.byteLength(`${whole.join('\n')}\n`) + 9);
      await file.close();
      const bench = await before.crash();
      expect(bench.log.damage).toMatchObject([{ kind: 'torn-tail' }]);
      expect(bench.session.interrupted()).toMatchObject({
        message: `The end of the file is lost; ${known}.`,
        is_torn: true,
      });
      const from = bench.disk.batches.length;
      await bench.do({ type: 'leave' });
      expect(bench.story(from)[0]).toMatch(
        results === '' ? /^step_end 1/ : /^tool error "The end of the file/,
      );
      expect(bench.story(from)[0]).toContain(
        `${results}step_end 1 + turn_end interrupted + session_recovery`,
      );
      expect(bench.entries('session_recovery')[0]?.reason).toMatch(/end of the file was lost/);
      expect(bench.session.interrupted()).toBeNull();
      const next = await reopened(bench);
      expect(next.session.interrupted()).toBeNull();
    },
  );

  it.each([
    ['nothing was written', () => Promise.resolve([])],
    ['the session was renamed', (bench: Bench) => bench.log.append([{ type: 'session_info', name: 'Mine' }])],
  ])(
    'A3: the lost end is still known of when it was set aside, %s and the process died again',
    async (what, change) => {
      const before = await openBench({
        files: { 'a.txt': 'old' },
        allows: () => true,
        script: [calls([write('a.txt', 'new')]), text('ok')],
      });
      await before.send('go');
      before.process.kill();
      const whole = await before.disk.bytes();
      const start = whole.split('\n').findIndex((line) => line.includes('"tool_start"'));
      const kept = `${whole.split('\n').slice(0, start).join('\n')}\n`;
      const torn = whole.slice(kept.length, kept.length + 9);
      const { files } = before.disk;
      const logPath = '/memory/sessions/session.jsonl';
      const file = await files.open(logPath, 'append');
      await file.truncate(Buffer.byteLength(kept) + 9);
      if (what === 'nothing was written') {
        // A process that died between setting the end aside and writing what it opened the file for.
        const offset = Buffer.byteLength(kept);
        await setAsideFragment(
          file,
          { offset, end: offset + torn.length },
          { files, logPath, damagedPath: '/memory/sessions/session.damaged', now: 'now' },
        );
      }
      await file.close();
      const between = await before.crash();
      await change(between);
      const bench = await between.crash();
      expect(bench.log.damage).toEqual([]);
      expect(bench.session.interrupted()).toMatchObject({
        message: 'The end of the file is lost; whether write ran is not known.',
        is_torn: true,
      });
      const from = bench.disk.batches.length;
      await bench.do({ type: 'leave' });
      expect(bench.story(from)[0]).toContain(`tool error "${LOST_RESULT}"`);
      // What is begun afterwards has nothing to do with it.
      await bench.send('next');
      expect(bench.session.interrupted()).toBeNull();
    },
  );

  it('a turn that began behind an end that was set aside is no victim of it', async () => {
    const before = await openBench({ script: [text('one'), begins('half', hang())] });
    await before.send('hi');
    const file = await before.disk.files.open('/memory/sessions/session.jsonl', 'append');
    await file.write(new TextEncoder().encode('{"type":"mess'));
    await file.close();
    const torn = await before.crash();
    expect(torn.session.interrupted()).toBeNull();
    await torn.send('again');
    const bench = await torn.crash();
    expect(bench.session.interrupted()?.message).toBe('The turn was interrupted in step 1.');
    expect(bench.session.interrupted()?.is_torn).toBeUndefined();
  });

  it('answers calls in one batch: unknown outcome with what the disk says, or did not run', async () => {
    const before = await openBench({
      files: { 'a.txt': 'old', 'b.txt': 'old' },
      allows: () => true,
      script: [calls([run('hang'), write('a.txt', 'new')]), text('ok')],
    });
    await before.send('go');
    expect(before.session.run()).toBe('running');
    const bench = await reopened(before);
    expect(bench.session.interrupted()?.message).toBe(
      'The turn was interrupted in step 1: run was running and may have partly run, write did not run.',
    );
    const from = bench.disk.batches.length;
    await bench.send('and now?');
    expect(bench.story(from)[0]).toBe(
      `tool error "${INTERRUPTED_RESULT}" + tool error "${NOT_RUN_RESULT}" + step_end 1 + turn_end interrupted + session_recovery + user "and now?" + turn_start`,
    );
    expect(bench.entries('session_recovery')[0]).toMatchObject({
      orphan_results: 2,
      steps: 1,
      closed_step: 1,
    });
    expect(bench.ran).toEqual(['run hang']);
  });

  it.each([
    ['old', 'a.txt is unchanged since before the call.'],
    ['new', 'a.txt has changed since before the call.'],
  ])('compares the disk with what stood before a file tool that was cut off: %s', async (now, said) => {
    const before = await openBench({
      files: { 'a.txt': 'old' },
      allows: () => true,
      script: [calls([write('a.txt', 'new')]), text('ok')],
    });
    let isApplying = false;
    before.workspace.apply = async () => {
      isApplying = true;
      return new Promise(() => undefined);
    };
    await before.send('go');
    expect(isApplying).toBe(true);
    before.workspace.set('a.txt', now);
    const bench = await reopened(before);
    await bench.do({ type: 'continue' });
    expect(bench.story()[4]).toContain(`tool error "${INTERRUPTED_RESULT} ${said}"`);
  });

  it('leaves a pending approval pending, and answers only what is unknown beside it', async () => {
    const before = await openBench({ script: [calls([run('hang'), run('two')]), text('ok')] });
    await before.send('go');
    await allowFirst(before);
    const bench = await reopened(before);
    expect(bench.session.run()).toBe('waiting');
    const from = bench.disk.batches.length;
    await allowFirst(bench);
    expect(bench.story(from)).toEqual([
      `tool error "${INTERRUPTED_RESULT}"`,
      'decision allow + tool_start',
      'tool result "ran two"',
      'step_end 1',
      'step_start 2',
      'assistant "ok" + usage + step_end 2 + turn_end completed',
    ]);
    expect(bench.ran).toEqual(['run hang', 'run two']);
  });

  it('tries again on a sibling branch, after the repair', async () => {
    const before = await openBench({ script: [begins('half', hang()), text('other')] });
    await before.send('hi');
    await before.clock.advance(1_000);
    const bench = await reopened(before);
    const from = bench.disk.batches.length;
    await bench.do({ type: 'try_again' });
    expect(bench.story(from)).toEqual([
      'step_end 1 + turn_end interrupted + session_recovery + head + turn_start retries',
      'step_start 1',
      'assistant "other" + usage + step_end 1 + turn_end completed',
    ]);
    const [prompt, half, answer] = bench.log.outline;
    expect([half?.[1], answer?.[1]]).toEqual([0, 0]);
    expect(prompt?.[0]).toBe(bench.disk.entries[0]?.id);
  });

  it('touches nothing while another window runs the turn, and is refused there', async () => {
    const first = await openBench({ script: [begins('half', hang())] });
    await first.send('hi');
    const second = await first.second();
    const bytes = await first.disk.bytes();
    await second.session.recover();
    expect(await first.disk.bytes()).toBe(bytes);
    expect(second.session.interrupted()).toBeNull();
    expect(failureOf(await second.send('me too'))).toMatchObject({ code: 'Locked' });
    expect(failureOf(await second.do({ type: 'continue' }))).toMatchObject({ code: 'Locked' });
    await first.do({ type: 'stop' });
    expect(second.disk.batches).toHaveLength(3);
  });
});

describe('a wait at a restart', () => {
  const waiting = async (failure = overloaded()): Promise<Bench> => {
    const bench = await openBench({ script: [[fails(failure)], text('ok')] });
    await bench.send('hi');
    return bench;
  };

  it('goes on when it is not due yet', async () => {
    const bench = await reopened(await waiting(rateLimit(20_000)));
    expect(bench.session.run()).toBe('retrying');
    await bench.clock.advance(19_999);
    expect(bench.model.asked).toHaveLength(1);
    await bench.clock.advance(1);
    expect(bench.story().at(-1)).toBe(
      'retry_end 1 ok + assistant "ok" + usage + step_end 1 + turn_end completed',
    );
  });

  it('starts the step when it was due less than ten minutes ago', async () => {
    const before = await waiting();
    const dead = await before.crash();
    await dead.clock.advance(9 * 60_000);
    await dead.session.recover();
    await dead.clock.advance(0);
    expect(dead.story().at(-1)).toContain('turn_end completed');
  });

  it('asks when it was due longer ago; Continue starts the same step', async () => {
    const before = await waiting();
    const bench = await before.crash();
    await bench.clock.advance(11 * 60_000);
    await bench.session.recover();
    await bench.clock.advance(0);
    expect(bench.model.asked).toHaveLength(1);
    expect(bench.session.run()).toBe('idle');
    expect(bench.session.interrupted()?.message).toContain('Overloaded.');
    const from = bench.disk.batches.length;
    await bench.do({ type: 'continue' });
    expect(bench.story(from)).toEqual([
      'step_start 1',
      'retry_end 1 ok + assistant "ok" + usage + step_end 1 + turn_end completed',
    ]);
  });

  it('asks for a model of VS Code, whenever it is due', async () => {
    const before = await openBench({ script: [[fails(overloaded())], text('ok')] });
    before.model.info = { provider: 'vscode', id: 'copilot/gpt', label: 'GPT' };
    await before.send('hi');
    const bench = await reopened(before);
    await bench.clock.advance(60_000);
    expect(bench.model.asked).toHaveLength(1);
    expect(bench.session.interrupted()).not.toBeNull();
  });

  it('never makes a wait longer because the clock was set back', async () => {
    const before = await waiting();
    const bench = await before.crash();
    bench.clock.setBack(24 * 3_600_000);
    await bench.session.recover();
    await bench.clock.advance(1_000);
    expect(bench.story().at(-1)).toContain('turn_end completed');
  });

  it('counts on from the attempts and resumes in the log: a restart resets no budget', async () => {
    const script = [...Array.from({ length: 30 }, () => [fails(overloaded())])];
    let bench = await openBench({ script });
    await bench.send('hi');
    for (let n = 0; n < 40; n++) {
      await bench.clock.advance(5_000);
      bench = await reopened(bench);
    }
    await bench.clock.advance(3_600_000);
    expect(bench.story().at(-1)).toContain('turn_end failed');
    expect(
      bench.entries('resume_start').map((entry) => (entry.type === 'resume_start' ? entry.resume : 0)),
    ).toEqual([1, 2, 3, 4, 5]);
  });

  it('keeps the text of a dropped attempt while its resume is due, and marks it when the person gives up', async () => {
    const before = await openBench({ script: [begins('some words', fails(dropped()))] });
    await before.send('hi');
    await before.clock.advance(1_000);
    const bench = await before.crash();
    await bench.clock.advance(20 * 60_000);
    await bench.session.recover();
    expect(bench.entries('incomplete_output')).toEqual([]);
    await bench.do({ type: 'leave' });
    expect(bench.story().at(-1)).toBe(
      'incomplete connection "some words" + step_end 1 + turn_end interrupted + session_recovery',
    );
  });

  it('a parked wait is still parked', async () => {
    const bench = await reopened(await waiting(rateLimit(3_600_000)));
    expect(bench.session.run()).toBe('parked');
    expect(bench.session.interrupted()).toBeNull();
    await bench.clock.advance(3_600_001);
    expect(bench.model.asked).toHaveLength(1);
    await bench.do({ type: 'retry_now' });
    expect(bench.story().at(-1)).toContain('turn_end completed');
  });
});

describe('an orderly end of the window', () => {
  it('writes what streamed as closed and no turn_end; nothing is sent at the next start', async () => {
    const before = await openBench({ script: [begins('half', hang())] });
    await before.send('hi');
    await before.session.shutdown();
    expect(before.story().at(-1)).toBe('incomplete closed "half"');
    expect(await before.disk.journal()).toBeNull();
    expect(failureOf(await before.send('more')).code).toBe('SessionStale');
    const bench = await reopened(before);
    await bench.clock.advance(60_000);
    expect(bench.model.asked).toHaveLength(1);
    expect(bench.session.interrupted()).not.toBeNull();
  });

  it('takes three seconds at most, however deaf a tool is', async () => {
    const bench = await openBench({ allows: () => true, script: [calls([run('deaf')])] });
    await bench.send('go');
    let isDone = false;
    const end = bench.session.shutdown().then(() => (isDone = true));
    await bench.clock.advance(3_000);
    expect(isDone).toBe(true);
    await end;
    const next = await reopened(bench);
    expect(next.session.interrupted()?.message).toContain('run was running');
  });

  it('leaves a retry wait as it is', async () => {
    const before = await openBench({ script: [[fails(rateLimit(20_000))], text('ok')] });
    await before.send('hi');
    const size = before.disk.batches.length;
    await before.session.shutdown();
    expect(before.disk.batches).toHaveLength(size);
    const bench = await reopened(before);
    await bench.clock.advance(20_000);
    expect(bench.story().at(-1)).toContain('turn_end completed');
  });
});
