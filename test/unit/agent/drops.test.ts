/** An answer that drops more than once: every word of a step that ends without an answer is in the log. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { afterDrop, partialOf, triesOf } from '../../../src/agent/partial.js';
import type { PartialText, TriedText } from '../../../src/agent/types.js';
import { openBench, type Bench } from './bench.js';
import { begins, dropped, fails, hang, text } from './fake-model.js';

const LONG = 'forty words that took a while to come and that nobody wants to read again';

/** Whether a text of an attempt is in the log's last incomplete output. */
function isKept(bench: Bench, said: string): boolean {
  const entry = bench.entries('incomplete_output').at(-1);
  if (entry === undefined) return false;
  return [entry, ...(entry.earlier ?? [])].some((kept) => kept.text.startsWith(said));
}

const brokenOff = (said: string) => begins(said, fails(dropped()));

describe('an answer that drops more than once', () => {
  it('keeps the last text as it is, and beside it the longer one before', async () => {
    const bench = await openBench({
      retry: { maxResumes: 2 },
      script: [brokenOff(LONG), brokenOff('Well'), brokenOff('Well, no')],
    });
    await bench.send('hi');
    await bench.clock.advance(60_000);
    const kept = bench.entries('incomplete_output');
    expect(kept).toHaveLength(1);
    const starts = bench.entries('step_start');
    expect(kept[0]).toMatchObject({
      text: 'Well, no',
      attempt_id: starts[2]?.attempt_id,
      reason: 'connection',
      earlier: [{ text: LONG, attempt_id: starts[0]?.attempt_id }],
    });
    expect(kept[0]?.earlier).toHaveLength(1);
    const end = bench.events.find((event) => event.type === 'turn_end');
    expect(end).toMatchObject({ partial: { text: 'Well, no', earlier: [{ text: LONG }] } });
  });

  it('has no earlier tries when the last text holds them', async () => {
    const bench = await openBench({
      retry: { maxResumes: 1 },
      script: [brokenOff('one'), brokenOff('one two')],
    });
    await bench.send('hi');
    await bench.clock.advance(60_000);
    expect(bench.entries('incomplete_output')[0]?.earlier).toBeUndefined();
  });

  it.each(['wait', 'next attempt', 'next attempt with text'])('survives a kill in the %s', async (when) => {
    const script = {
      wait: [begins('Well', fails({ ...dropped(), transient: false }))],
      'next attempt': [[hang()]],
      'next attempt with text': [begins('Well', hang())],
    }[when];
    const bench = await openBench({ script: [brokenOff(LONG), ...(script ?? [])] });
    await bench.send('hi');
    if (when !== 'wait') await bench.clock.advance(10_000);
    if (when === 'next attempt with text') await bench.clock.advance(1_000);
    const after = await bench.crash();
    await after.session.recover();
    await after.clock.advance(60_000);
    expect(isKept(after, LONG)).toBe(true);
    if (when !== 'next attempt') expect(isKept(after, 'Well')).toBe(true);
    const again = await after.crash();
    await again.session.recover();
    expect(again.entries('incomplete_output')).toHaveLength(1);
  });

  it('shows what had streamed while the step waits, and until the next attempt brings something', async () => {
    const bench = await openBench({
      script: [brokenOff(LONG), begins('', hang())],
    });
    await bench.send('hi');
    expect(bench.session.growing()).toBeNull();
    expect(bench.session.dropped()?.tries.map((tried) => tried.text)).toEqual([LONG]);
    await bench.clock.advance(10_000);
    expect(bench.session.dropped()?.tries).toHaveLength(1);
    await bench.do({ type: 'stop' });
    expect(bench.session.dropped()).toBeNull();
    expect(isKept(bench, LONG)).toBe(true);
  });

  it('shows it again after a reload in the wait, and no more once there is an answer', async () => {
    const bench = await openBench({ script: [brokenOff(LONG), text('all of it')] });
    await bench.send('hi');
    const after = await bench.crash();
    await after.session.recover();
    expect(after.session.dropped()?.tries.map((tried) => tried.text)).toEqual([LONG]);
    await after.clock.advance(10_000);
    expect(after.session.dropped()).toBeNull();
    expect(after.story().at(-1)).toContain('turn_end completed');
  });

  it('loses no streamed word, whatever the attempts said and wherever the step ends', async () => {
    const said = fc.array(fc.constantFrom('', 'a', 'ab', 'a long one', 'other words'), {
      minLength: 1,
      maxLength: 6,
    });
    await fc.assert(
      fc.asyncProperty(said, fc.nat({ max: 200_000 }), fc.boolean(), async (texts, stopAt, isKilled) => {
        const bench = await openBench({
          retry: { maxAttempts: 1, maxResumes: texts.length },
          script: texts.map(brokenOff),
          endless: () => [fails({ ...dropped(), transient: false })],
        });
        await bench.send('hi');
        await bench.clock.advance(stopAt);
        const end = isKilled ? await bench.crash() : bench;
        if (isKilled) await end.session.recover();
        if (end.session.run() !== 'idle') await end.do({ type: 'stop' });
        const asked = bench.entries('step_start').length;
        for (const one of texts.slice(0, asked)) if (one !== '') expect(isKept(end, one)).toBe(true);
      }),
      { numRuns: 60 },
    );
  });
});

describe('what the attempts of a step streamed', () => {
  const tried = fc.record({
    attempt_id: fc.uuid(),
    text: fc.constantFrom('', ' ', 'a', 'ab', 'b', 'bc'),
    reasoning: fc.constantFrom('', 'r', 'rs'),
  });

  it('is the same whether put together as it comes or from a journal, and holds every word', () => {
    fc.assert(
      fc.property(fc.array(tried, { minLength: 1, maxLength: 6 }), (all) => {
        const brought = all.filter(({ text: said, reasoning }) => said + reasoning !== '');
        const grown = brought.reduce<PartialText | null>((before, next) => afterDrop(before, next), null);
        const last = all.at(-1);
        if (grown === null || last === undefined) return;
        const read = partialOf(last, all.slice(0, -1));
        const holds = (kept: TriedText, { text: said, reasoning }: TriedText) =>
          kept.text.startsWith(said) && kept.reasoning.startsWith(reasoning);
        const isBlank = (one: TriedText) => (one.text + one.reasoning).trim() === '';
        for (const whole of [grown, read]) {
          for (const one of all) {
            expect(isBlank(one) || triesOf(whole).some((kept) => holds(kept, one))).toBe(true);
          }
        }
      }),
    );
  });
});
