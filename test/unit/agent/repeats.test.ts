/** E8: a model that makes the same failing call again and again ends its turn and asks. */
import { describe, expect, it } from 'vitest';
import { later, openBench, type Bench } from './bench.js';
import { calls, text, type Reply } from './fake-model.js';

const read = (path: string, id = 'call_1'): Reply => calls([{ name: 'read', input: { path }, id }]);

const ends = (bench: Bench): string[] =>
  bench.entries('turn_end').map((entry) => (entry.type === 'turn_end' ? entry.status : ''));

describe('E8: the same failing call', () => {
  it('is made three times, then the turn ends and says so; Continue goes on', async () => {
    const bench = await openBench({ endless: () => read('missing.txt') });
    await bench.send('go');
    expect(bench.model.asked).toHaveLength(3);
    expect(ends(bench)).toEqual(['failed']);
    expect(bench.session.run()).toBe('idle');
    expect(bench.session.failure()).toMatchObject({ kind: 'tool', code: 'RepeatedFailure' });
    expect(bench.session.failure()?.message).toMatch(/read failed 3 times in the same way: .*missing\.txt/);
    expect(bench.story().at(-1)).toBe('step_end 3 + turn_end failed');
    bench.model.clear();
    bench.model.play(text('I see.'));
    await bench.do({ type: 'continue' });
    expect(ends(bench)).toEqual(['failed', 'completed']);
  });

  it('counts whatever the order of its keys, and however the provider calls it', async () => {
    let n = 0;
    const bench = await openBench({
      endless: () => {
        n += 1;
        const input = n % 2 === 0 ? { path: 'no.txt', x: 1 } : { x: 1, path: 'no.txt' };
        return calls([{ name: 'read', input, id: `id${String(n)}` }]);
      },
    });
    await bench.send('go');
    expect(bench.model.asked).toHaveLength(3);
  });

  it.each([
    ['unknown tools', () => calls([{ name: 'dance', input: { step: 1 } }])],
    ['arguments that do not parse', () => calls([{ name: 'write', raw: '{"path":"a' }])],
    ['a tool that throws', () => calls([{ name: 'run', input: { command: 'throw' } }])],
  ])('counts %s too', async (_name, endless) => {
    const bench = await openBench({ allows: () => true, endless });
    await bench.send('go');
    expect(bench.model.asked).toHaveLength(3);
    expect(bench.session.failure()).toMatchObject({ code: 'RepeatedFailure' });
  });

  it('counts once for a step that makes it three times at once', async () => {
    const twice = calls(
      [1, 2, 3].map((n) => ({ name: 'read', input: { path: 'no.txt' }, id: `c${String(n)}` })),
    );
    const bench = await openBench({ script: [twice, twice, text('done')] });
    await bench.send('go');
    expect(ends(bench)).toEqual(['completed']);
  });

  it.each<[string, Reply[]]>([
    ['the input is another', [read('a'), read('b'), read('c'), read('d'), text('ok')]],
    [
      'it succeeds in between',
      [read('no'), read('no'), read('is.txt'), read('no2'), read('no3'), text('ok')],
    ],
    ['it never failed', [read('is.txt'), read('is.txt'), read('is.txt'), read('is.txt'), text('ok')]],
    [
      'a file was changed in between',
      [
        read('no'),
        read('no'),
        calls([{ name: 'write', input: { path: 'is.txt', content: 'x' } }]),
        read('no'),
        read('no'),
        text('ok'),
      ],
    ],
  ])('does not end the turn when %s', async (_name, script) => {
    const bench = await openBench({ allows: () => true, files: { 'is.txt': 'there' }, script });
    await bench.send('go');
    expect(ends(bench)).toEqual(['completed']);
  });

  it('goes on when the person said something into the turn', async () => {
    const gate = later();
    const waits: Reply = [() => gate.opened, ...read('no')];
    const bench = await openBench({ script: [read('no'), read('no'), waits, text('I see.')] });
    await bench.send('go');
    await bench.send('read another file', { mode: 'steer' });
    gate.open();
    await bench.session.settled();
    expect(ends(bench)).toEqual(['completed']);
    expect(bench.model.asked).toHaveLength(4);
  });

  it('is counted over a restart in mid-turn', async () => {
    const bench = await openBench({
      allows: ({ subject }) => subject !== 'ask',
      script: [read('no'), read('no'), calls([{ name: 'run', input: { command: 'ask' } }])],
    });
    await bench.send('go');
    const next = await bench.crash();
    await next.session.recover();
    next.model.play(read('no'));
    const [approval] = next.log.state().approvals;
    await next.do({ type: 'decide', call_id: approval?.call_id ?? '', decision: 'deny', scope: 'once' });
    expect(next.session.failure()).toMatchObject({ code: 'RepeatedFailure' });
  });
});
