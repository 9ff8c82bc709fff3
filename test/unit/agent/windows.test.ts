import { describe, expect, it } from 'vitest';
import type { Intent } from '../../../src/shared/protocol.js';
import { failureOf, later, openBench, type Bench } from './bench.js';
import { begins, calls, fails, hang, rateLimit, text } from './fake-model.js';

const run = (command: string) => ({ name: 'run', input: { command } });

const allow = (bench: Bench): Intent => ({
  type: 'decide',
  call_id: bench.log.state().approvals[0]?.call_id ?? '',
  decision: 'allow',
  scope: 'once',
});

describe('two windows', () => {
  it('F2: whoever decides first runs on; the other is told that it was decided', async () => {
    const first = await openBench({ script: [calls([run('one')]), text('ok')] });
    await first.send('go');
    const second = await first.second();
    await second.session.recover();
    expect(second.session.run()).toBe('waiting');
    const late = allow(first);
    await second.do(allow(second));
    expect(failureOf(await first.do(late)).code).toBe('NotPending');
    expect(first.ran).toEqual(['run one']);
    expect(second.story().at(-1)).toContain('turn_end completed');
    expect(first.session.run()).toBe('idle');
  });

  it('F2: both end what waits at once: it is ended once, and neither fails', async () => {
    for (const type of ['stop', 'dismiss'] as const) {
      const first = await openBench({ script: [calls([run('one')])] });
      await first.send('go');
      const second = await first.second();
      await second.session.recover();
      const both = Promise.all([first.do({ type: 'stop' }), second.do({ type })]);
      // The lease of the other is waited for.
      await first.clock.advance(5_000);
      const [mine, theirs] = await both;
      const codes = [mine, theirs].flatMap((done) => ('code' in done ? [done.code] : []));
      expect(['', 'Locked', 'NotPending']).toContain(codes.join());
      expect(first.entries('turn_end')).toHaveLength(1);
      expect(first.entries('approval_decision')).toHaveLength(1);
      expect(first.told.concat(second.told).filter((line) => line.startsWith('error'))).toEqual([]);
    }
  });

  it('a compaction in one window sees the approval that waits in the other', async () => {
    const first = await openBench({ script: [text('one'), text('two'), calls([run('one')])] });
    await first.send('go');
    await first.send('on');
    const second = await first.second();
    await second.session.recover();
    await first.send('and on');
    expect(first.session.run()).toBe('waiting');
    expect(failureOf(await second.do({ type: 'compact' })).code).toBe('ResumeRequired');
    expect(first.log.state().approvals).toHaveLength(1);
  });

  it('G12: what was queued during a compaction is sent once, though another window lets the queue go on too', async () => {
    const slow = later();
    const first = await openBench({
      script: [text('x'.repeat(4_000)), text('two'), [() => slow.opened, ...text('sum')], text('sent')],
      endless: () => text('sent again'),
      settings: { keepRecentTokens: 10 },
    });
    await first.send('go');
    await first.send('on');
    const second = await first.second();
    await second.session.recover();
    const compacted = first.do({ type: 'compact' });
    await first.send('queued', { mode: 'queue' });
    await second.log.catchUp();
    slow.open();
    await Promise.all([
      compacted,
      second.do({ type: 'release_queue' }),
      second.do({ type: 'release_queue' }),
    ]);
    await first.clock.advance(1_000);
    expect(first.entries('message').filter(({ queue_item_id }) => queue_item_id !== undefined)).toHaveLength(
      1,
    );
    expect(first.log.state().queue).toEqual([]);
  });

  it('the second window notices that the first died, and offers what can be done', async () => {
    const first = await openBench({ script: [begins('half', hang()), text('whole')] });
    await first.send('hi');
    await first.clock.advance(1_000);
    const second = await first.second();
    await second.session.recover();
    expect(second.session.interrupted()).toBeNull();
    first.process.kill();
    await second.clock.advance(5_000);
    expect(second.session.interrupted()).not.toBeNull();
    expect(second.story().at(-1)).toBe('incomplete crash "half"');
    await second.do({ type: 'continue' });
    expect(second.story().at(-1)).toContain('turn_end completed');
  });

  it('no turn is called interrupted that another window goes on with, before or after it is known who holds it', async () => {
    const first = await openBench({ script: [calls([run('one')]), begins('half', hang())] });
    await first.send('go');
    const second = await first.second();
    await second.session.recover();
    await second.do(allow(second));
    await second.clock.advance(1_000);
    const seen: unknown[] = [];
    first.log.onAppend(() => seen.push(first.session.interrupted()));
    first.session.on(() => seen.push(first.session.interrupted()));
    await first.log.catchUp();
    seen.push(first.session.interrupted());
    await first.clock.advance(6_000);
    seen.push(first.session.interrupted());
    expect(seen.length).toBeGreaterThan(3);
    expect(seen.filter((interruption) => interruption !== null)).toEqual([]);
    expect(first.log.state().turn).not.toBeNull();
    second.process.kill();
    await first.clock.advance(5_000);
    expect(first.session.interrupted()).not.toBeNull();
  });

  it('the second window takes up a wait when the first died in it', async () => {
    const first = await openBench({ script: [[fails(rateLimit(20_000))], text('ok')] });
    await first.send('hi');
    const second = await first.second();
    await second.session.recover();
    await second.clock.advance(6_000);
    expect(second.model.asked).toHaveLength(1);
    first.process.kill();
    await second.clock.advance(5_000);
    expect(second.session.run()).toBe('retrying');
    await second.clock.advance(20_000);
    expect(second.model.asked).toHaveLength(2);
    expect(second.model.asked[1]?.at).toBe(20_000);
    expect(second.story().at(-1)).toContain('turn_end completed');
  });

  it('a queue stays as it is while the first window still waits for the person', async () => {
    const first = await openBench({ script: [calls([run('one')]), text('ok'), text('second')] });
    await first.send('go');
    await first.send('next', { mode: 'queue' });
    const second = await first.second();
    const bytes = await first.disk.bytes();
    await second.session.recover();
    expect(await first.disk.bytes()).toBe(bytes);
    await first.do(allow(first));
    expect(first.log.state().queue).toEqual([]);
    expect(first.story().at(-1)).toContain('turn_end completed');
  });

  it('looks no more once it is closed', async () => {
    const first = await openBench({ script: [[hang()]] });
    await first.send('hi');
    const second = await first.second();
    await second.session.recover();
    const pending = second.clock.pending;
    await second.session.shutdown();
    expect(second.clock.pending).toBe(pending - 1);
  });
});
