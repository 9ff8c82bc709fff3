import { describe, expect, it } from 'vitest';
import { failureOf, openBench } from './bench.js';
import { diskFull } from './test-log.js';
import { calls, fails, hang, text, begins, badKey } from './fake-model.js';

describe('a turn', () => {
  it('writes prompt and turn_start in one batch, then the step, then the answer with its end', async () => {
    const bench = await openBench({ script: [text('hello you')] });
    const result = await bench.send('hi');
    expect(bench.story()).toEqual([
      'user "hi" + turn_start',
      'model_change + step_start 1',
      'assistant "hello you" + usage + step_end 1 + turn_end completed',
    ]);
    expect(result).toEqual({ entry_id: bench.disk.entries[0]?.id });
    expect(bench.session.run()).toBe('idle');
    expect(bench.isFree()).toBe(true);
    expect(await bench.disk.journal()).toBeNull();
    expect(bench.entries('message')[1]).toMatchObject({
      model: 'one',
      provider: 'fake',
      step: 1,
      finish_reason: 'stop',
    });
  });

  it('runs read tools without asking, writes a result as it arrives, and goes on with the next step', async () => {
    const bench = await openBench({
      files: { 'a.txt': 'A', 'b.txt': 'B' },
      script: [
        calls([
          { name: 'read', input: { path: 'a.txt' } },
          { name: 'read', input: { path: 'b.txt' } },
        ]),
        text('done'),
      ],
    });
    await bench.send('look');
    expect(bench.story()).toEqual([
      'user "look" + turn_start',
      'model_change + step_start 1',
      'assistant read({"path":"a.txt"}) read({"path":"b.txt"}) + usage',
      'tool result "A"',
      'tool result "B"',
      'step_end 1',
      'step_start 2',
      'assistant "done" + usage + step_end 2 + turn_end completed',
    ]);
    expect(bench.model.asked[1]?.request.messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
    ]);
  });

  it('B6: a prompt that cannot be written is not sent: no model call, and the caller gets the failure', async () => {
    const bench = await openBench({ script: [text('never')] });
    bench.process.refuse = diskFull;
    const failure = failureOf(await bench.send('hi'));
    expect(failure).toMatchObject({ kind: 'storage', code: 'StorageFailure', action: 'save-again' });
    expect(bench.model.asked).toHaveLength(0);
    expect(bench.story()).toEqual([]);
    expect(bench.session.run()).toBe('idle');
    expect(bench.isFree()).toBe(true);
    bench.process.refuse = () => null;
    await bench.send('hi');
    expect(bench.story().at(-1)).toContain('turn_end completed');
  });

  it('stops at a step that cannot be written, and the next intent closes the turn', async () => {
    const bench = await openBench({ script: [text('lost words'), text('fine')] });
    bench.process.refuse = (batch) => (batch.some(({ type }) => type === 'usage') ? diskFull() : null);
    await bench.send('hi');
    expect(bench.session.failure()).toMatchObject({ kind: 'storage' });
    expect(bench.session.run()).toBe('idle');
    expect(bench.model.asked).toHaveLength(1);
    expect(bench.session.interrupted()?.message).toContain('no space left');
    bench.process.refuse = () => null;
    await bench.send('again');
    expect(bench.story().slice(2)).toEqual([
      'incomplete error "lost words" + step_end 1 + turn_end interrupted + session_recovery + user "again" + turn_start',
      'step_start 1',
      'assistant "fine" + usage + step_end 1 + turn_end completed',
    ]);
    expect(bench.session.failure()).toBeNull();
  });

  it('D5: a stop keeps the text, marked as stopped, and the session is usable at once', async () => {
    const bench = await openBench({ script: [begins('some text', hang()), text('next')] });
    await bench.send('hi');
    expect(bench.session.run()).toBe('running');
    expect(bench.session.growing()?.text).toBe('some text');
    await bench.do({ type: 'stop' });
    expect(bench.story().at(-1)).toBe('incomplete stopped "some text" + step_end 1 + turn_end stopped');
    expect(bench.session.run()).toBe('idle');
    expect(bench.session.growing()).toBeNull();
    await bench.send('go on');
    expect(bench.story().at(-1)).toContain('turn_end completed');
    expect(JSON.stringify(bench.model.asked[1]?.request)).not.toContain('some text');
  });

  it('writes no incomplete output when a stop comes before any text', async () => {
    const bench = await openBench({ script: [[hang()]] });
    await bench.send('hi');
    await bench.do({ type: 'stop' });
    expect(bench.story().at(-1)).toBe('step_end 1 + turn_end stopped');
  });

  it('fails with the sentence of a failure that no retry mends', async () => {
    const bench = await openBench({ script: [[fails(badKey())]] });
    await bench.send('hi');
    expect(bench.story().at(-1)).toBe('step_end 1 + turn_end failed');
    expect(bench.session.failure()).toEqual(badKey());
    expect(bench.entries('turn_end')[0]).toMatchObject({ error: 'The key is wrong.' });
  });
});
