import { describe, expect, it } from 'vitest';
import type { Intent } from '../../../src/shared/protocol.js';
import { failureOf, openBench, type Bench } from './bench.js';
import { badKey, begins, calls, fails, hang, rateLimit, text } from './fake-model.js';
import { diskFull } from './test-log.js';

const idOf = (bench: Bench, words: string): string => {
  const found = bench.log.outline.find(([, , , , preview]) => preview === words);
  if (found === undefined) throw new Error(`no entry "${words}"`);
  return found[0];
};

const askedTexts = (bench: Bench, index: number): string[] =>
  (bench.model.asked[index]?.request.messages ?? []).flatMap((message) =>
    message.role === 'tool' ? [] : message.parts.map((part) => ('text' in part ? part.text : '')),
  );

describe('branches', () => {
  it('H1: an edit is a new sibling in one batch with the head note; the old line stays whole', async () => {
    const bench = await openBench({ script: [text('A1'), text('A2'), text('A2b')] });
    await bench.send('Q1');
    await bench.send('Q2');
    const from = bench.disk.batches.length;
    await bench.send('Q2 changed', { editing: idOf(bench, 'Q2') });
    expect(bench.story(from)).toEqual([
      'head + user "Q2 changed" + turn_start',
      'step_start 1',
      'assistant "A2b" + usage + step_end 1 + turn_end completed',
    ]);
    const parentOf = (words: string): number | undefined =>
      bench.log.outline.find((node) => node[4] === words)?.[1];
    expect(parentOf('Q2 changed')).toBe(parentOf('Q2'));
    expect(bench.log.outline.map((node) => node[4])).toEqual(['Q1', 'A1', 'Q2', 'A2', 'Q2 changed', 'A2b']);
    expect(askedTexts(bench, 2)).toEqual(['Q1', 'A1', 'Q2 changed']);
  });

  it('H1: an edit whose write fails changes nothing', async () => {
    const bench = await openBench({ script: [text('A1'), text('A1b')] });
    await bench.send('Q1');
    const before = bench.log.head;
    bench.process.refuse = diskFull;
    failureOf(await bench.send('changed', { editing: idOf(bench, 'Q1') }));
    expect(bench.log.head).toBe(before);
    bench.process.refuse = () => null;
    await bench.send('changed', { editing: idOf(bench, 'Q1') });
    expect(askedTexts(bench, 1)).toEqual(['changed']);
  });

  it('H5: attachments travel with the message that is edited', async () => {
    const bench = await openBench({ script: [text('A1'), text('A2')] });
    const blob = await bench.log.blobs.put('png');
    await bench.log.append([
      {
        type: 'message',
        role: 'user',
        parts: [
          { type: 'text', text: 'see' },
          { type: 'image', blob, mime: 'image/png', name: 'a.png' },
        ],
      },
    ]);
    await bench.send('look at this', { editing: idOf(bench, 'see') });
    const edited = await bench.log.entry(idOf(bench, 'look at this'));
    expect(edited).toMatchObject({ parts: [{ type: 'text' }, { type: 'image', blob }] });
  });

  it('H5: when the images are named, one that was taken away does not travel along', async () => {
    const bench = await openBench({ script: [text('A1')] });
    const [first, second] = [await bench.log.blobs.put('one'), await bench.log.blobs.put('two')];
    const image = (blob: string, name: string) => ({ type: 'image' as const, blob, mime: 'image/png', name });
    const parts = [{ type: 'text' as const, text: 'see' }, image(first, '1.png'), image(second, '2.png')];
    await bench.log.append([{ type: 'message', role: 'user', parts }]);
    await bench.send('only this', {
      editing: idOf(bench, 'see'),
      images_named: true,
      mentions: [{ kind: 'image', label: '2.png', blob: second, mime: 'image/png' }],
    });
    const edited = await bench.log.entry(idOf(bench, 'only this'));
    expect(edited).toMatchObject({ parts: [{ type: 'text' }, image(second, '2.png')] });
  });

  it('H7: after going back the request is built from the line that is shown', async () => {
    const bench = await openBench({ script: [text('A1'), text('A2'), text('A3')] });
    await bench.send('Q1');
    await bench.send('Q2');
    await bench.do({ type: 'navigate', entry_id: idOf(bench, 'A1') });
    expect(bench.story().at(-1)).toBe('head');
    await bench.send('Q3');
    expect(askedTexts(bench, 2)).toEqual(['Q1', 'A1', 'Q3']);
  });

  it('goes back to the beginning, and does nothing when the head is there already', async () => {
    const bench = await openBench({ script: [text('A1'), text('A2')] });
    await bench.send('Q1');
    await bench.do({ type: 'navigate', entry_id: null });
    expect(bench.log.head).toBeNull();
    const size = bench.disk.batches.length;
    await bench.do({ type: 'navigate', entry_id: null });
    expect(bench.disk.batches).toHaveLength(size);
    await bench.send('Q2');
    expect(askedTexts(bench, 1)).toEqual(['Q2']);
  });

  it('puts the head behind the results of a message with tool calls', async () => {
    const bench = await openBench({
      files: { 'a.txt': 'A', 'b.txt': 'B' },
      script: [
        calls(
          [
            { name: 'read', input: { path: 'a.txt' } },
            { name: 'read', input: { path: 'b.txt' } },
          ],
          { text: 'reading' },
        ),
        text('done'),
      ],
    });
    await bench.send('look');
    await bench.do({ type: 'navigate', entry_id: idOf(bench, 'reading') });
    const results = bench
      .entries('message')
      .filter((entry) => entry.type === 'message' && entry.role === 'tool');
    expect(bench.log.head).toBe(results.at(-1)?.id);
  });

  it('refuses to move the head while a turn runs or waits for a server, and writes nothing', async () => {
    const bench = await openBench({ script: [text('A1'), [hang()]] });
    await bench.send('Q1');
    await bench.send('Q2');
    const size = bench.disk.batches.length;
    for (const intent of [
      { type: 'navigate', entry_id: idOf(bench, 'A1') },
      { type: 'try_again' },
      { type: 'continue' },
      { type: 'leave' },
    ] as const) {
      expect(failureOf(await bench.do(intent)).code).toBe('SessionRunning');
    }
    expect(failureOf(await bench.send('x', { editing: idOf(bench, 'Q1') })).code).toBe('SessionRunning');
    expect(bench.disk.batches).toHaveLength(size);

    const parked = await openBench({ script: [text('A1'), [fails(rateLimit(3_600_000))]] });
    await parked.send('Q1');
    await parked.send('Q2');
    expect(failureOf(await parked.do({ type: 'navigate', entry_id: idOf(parked, 'A1') })).code).toBe(
      'SessionRunning',
    );
    expect(failureOf(await parked.send('Q3')).message).toContain('give up');
  });

  it('tries a finished answer again as a sibling of it', async () => {
    const bench = await openBench({ script: [text('A1'), text('A1b')] });
    await bench.send('Q1');
    const first = bench.entries('turn_start')[0];
    await bench.do({ type: 'try_again', entry_id: idOf(bench, 'A1') });
    expect(bench.log.outline.map(([, parent, , , words]) => [words, parent])).toEqual([
      ['Q1', -1],
      ['A1', 0],
      ['A1b', 0],
    ]);
    const second = bench.entries('turn_start')[1];
    expect(second).toMatchObject({ retries: first?.type === 'turn_start' ? first.turn_id : '' });
    expect(askedTexts(bench, 1)).toEqual(['Q1']);
  });

  it('tries an answer again with another model, which counts for the new line alone', async () => {
    const bench = await openBench({ script: [text('A1'), text('A1b')] });
    await bench.send('Q1');
    const model = { provider: 'acme', model_id: 'other' };
    await bench.do({ type: 'try_again', entry_id: idOf(bench, 'A1'), model });
    expect(bench.session.model()).toBe('acme/other');
    await bench.do({ type: 'navigate', entry_id: idOf(bench, 'A1') });
    expect(bench.session.model()).not.toBe('acme/other');
    await bench.do({ type: 'navigate', entry_id: idOf(bench, 'A1b') });
    expect(bench.session.model()).toBe('acme/other');
  });

  it('continues what was stopped or failed from where it ended; a completed turn has nothing to continue', async () => {
    const bench = await openBench({ script: [[fails(badKey())], text('A1')] });
    await bench.send('Q1');
    expect(bench.session.failure()).toEqual(badKey());
    await bench.do({ type: 'continue' });
    expect(bench.session.failure()).toBeNull();
    expect(bench.story().slice(-3)).toEqual([
      'turn_start continues',
      'step_start 1',
      'assistant "A1" + usage + step_end 1 + turn_end completed',
    ]);
    expect(failureOf(await bench.do({ type: 'continue' })).code).toBe('NothingToContinue');
  });

  it('refuses an intent made on a head that has moved, and changes nothing', async () => {
    const bench = await openBench({ script: [text('A1'), text('A2')] });
    await bench.send('Q1');
    const old = bench.log.head;
    await bench.send('Q2');
    const bytes = await bench.disk.bytes();
    const stale: Intent = { type: 'send', text: 'Q3', mentions: [], mode: 'send' };
    expect(failureOf(await bench.session.dispatch(stale, old)).code).toBe('SessionConflict');
    expect(failureOf(await bench.session.dispatch({ type: 'try_again' }, old)).code).toBe('SessionConflict');
    expect(await bench.disk.bytes()).toBe(bytes);
  });

  it('knows after a restart how the last turn of the line failed, and forgets it on another line', async () => {
    const before = await openBench({ script: [text('A1'), [fails(badKey())]] });
    await before.send('Q1');
    await before.send('Q2');
    const bench = await before.crash();
    await bench.session.recover();
    expect(bench.session.failure()).toEqual(badKey());
    await bench.do({ type: 'navigate', entry_id: idOf(bench, 'A1') });
    expect(bench.session.failure()).toBeNull();
    await bench.do({ type: 'navigate', entry_id: idOf(bench, 'Q2') });
    expect(bench.session.failure()).toEqual(badKey());
  });

  it('closes an interrupted turn before the head leaves it', async () => {
    const before = await openBench({ script: [text('A1'), begins('half', hang())] });
    await before.send('Q1');
    await before.send('Q2');
    await before.clock.advance(1_000);
    const bench = await before.crash();
    await bench.session.recover();
    const from = bench.disk.batches.length;
    await bench.do({ type: 'navigate', entry_id: idOf(bench, 'A1') });
    expect(bench.story(from)).toEqual(['step_end 1 + turn_end interrupted + session_recovery', 'head']);
  });
});
