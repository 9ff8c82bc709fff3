/** What is longer than an entry may be: kept whole beside the log, or refused in words that a person understands. */
import { describe, expect, it } from 'vitest';
import { MAX_ENTRY_BYTES } from '../../../src/shared/entry.js';
import { failureOf, later, openBench, type Bench } from './bench.js';
import { calls, fails, badKey, hang, text, type Beat } from './fake-model.js';

const run = (command: string) => ({ name: 'run', input: { command } });

const blobText = async (bench: Bench, hash: string | undefined): Promise<string> =>
  new TextDecoder().decode(await bench.log.blobs.get(hash ?? ''));

const callOf = (bench: Bench) =>
  bench
    .entries('message')
    .flatMap((entry) => (entry.type === 'message' ? entry.parts : []))
    .find((part) => part.type === 'tool_call');

describe('what a provider wants back', () => {
  it('goes back whole although it is longer than an entry, and is not missed when its blob is gone', async () => {
    const signature = 'y'.repeat(1_200_000);
    const provider_metadata = { fake: { data: 'z'.repeat(100_000) } };
    const thought: Beat = {
      type: 'part',
      part: { type: 'reasoning', text: 'hm', signature, provider_metadata },
    };
    const script = [[thought, ...text('one')], text('two'), text('three')];
    const bench = await openBench({ script });
    await bench.send('go');
    expect(bench.story().at(-1)).toContain('turn_end completed');
    await bench.send('and');
    const sentBack = (index: number): unknown => bench.model.asked[index]?.request.messages[1]?.parts[0];
    expect(sentBack(1)).toMatchObject({ type: 'reasoning', text: 'hm', signature, provider_metadata });
    await bench.disk.files.removeTree('/memory/sessions/session');
    await bench.send('again');
    expect(sentBack(2)).toMatchObject({ type: 'reasoning', text: 'hm' });
    expect(bench.told.join('\n')).toContain('goes without a blob');
  });
});

describe('calls longer than an entry', () => {
  it('keeps arguments that do not parse as a blob, and answers the call with an error', async () => {
    const raw = `{"path":"a.txt","content":"${'x'.repeat(1_500_000)}`;
    const bench = await openBench({
      script: [calls([{ name: 'write', raw }], { reason: 'length' }), text('ok')],
    });
    await bench.send('go');
    expect(bench.story().at(-1)).toContain('turn_end completed');
    expect(bench.story()[3]).toContain('tool error "The call was not run: its arguments are not valid JSON');
    const call = callOf(bench);
    expect(call).toMatchObject({ name: 'write', input: {}, raw_input: '', preview: raw.slice(0, 2_000) });
    expect(await blobText(bench, call?.blob)).toBe(raw);
    expect(bench.model.asked[1]?.request.messages[1]?.parts[0]).toMatchObject({ input: {} });
    expect(bench.ran).toEqual([]);
  });

  it('counts the line separators as the log writes them', async () => {
    const raw = `{"content":"${'\u2028'.repeat(250_000)}`;
    const bench = await openBench({ script: [calls([{ name: 'write', raw }]), text('ok')] });
    await bench.send('go');
    expect(bench.story().at(-1)).toContain('turn_end completed');
    expect(await blobText(bench, callOf(bench)?.blob)).toBe(raw);
  });

  it('shortens a name that is none, in call and answer, and leaves out an id that nobody takes back', async () => {
    const long = 'n'.repeat(1_200_000);
    const bench = await openBench({ script: [calls([{ name: long, id: long }]), text('ok')] });
    await bench.send('go');
    expect(bench.story().at(-1)).toContain('turn_end completed');
    const call = callOf(bench);
    expect(call?.name).toBe(`${'n'.repeat(256)}… and 1199744 more characters`);
    expect(call?.provider_call_id).toBeUndefined();
  });

  it('asks for a long command in a summary that says it is shortened, and runs the whole', async () => {
    const command = 'c'.repeat(1_200_000);
    const bench = await openBench({ script: [calls([run(command)]), text('ok')] });
    await bench.send('go');
    const [approval] = bench.log.state().approvals;
    expect(approval?.summary).toBe(`Run ${'c'.repeat(996)}… and 1199004 more characters`);
    await bench.do({
      type: 'decide',
      call_id: approval?.call_id ?? '',
      decision: 'allow',
      scope: 'once',
    });
    expect(bench.ran).toEqual([`run ${command}`]);
    expect(bench.story().at(-1)).toContain('turn_end completed');
  });
});

describe('text that was never finished and is longer than an entry', () => {
  it.each([
    ['reasoning', 1_200_000, 10],
    ['both', 1_200_000, 1_100_000],
    ['both together', 600_000, 500_000],
  ])('keeps %s whole', async (_name, reasoningChars, textChars) => {
    const reasoning = 'r'.repeat(reasoningChars);
    const words = 't'.repeat(textChars);
    const bench = await openBench({
      script: [[{ type: 'reasoning', delta: reasoning }, { type: 'text', delta: words }, fails(badKey())]],
    });
    await bench.send('go');
    const [entry] = bench.entries('incomplete_output');
    if (entry?.type !== 'incomplete_output') throw new Error('there is no incomplete output');
    expect(entry.reasoning).toBe(reasoning.slice(0, 2_000));
    expect(await blobText(bench, entry.reasoning_blob)).toBe(reasoning);
    expect(entry.blob === undefined ? entry.text : await blobText(bench, entry.blob)).toBe(words);
    expect(JSON.stringify(entry).length).toBeLessThan(MAX_ENTRY_BYTES);
  });
});

describe('what the person writes', () => {
  it('queues a prompt longer than an entry, whatever it is made of', async () => {
    const gate = later();
    const bench = await openBench({ script: [[() => gate.opened, ...text('one')], text('two')] });
    await bench.send('first');
    const mention = { kind: 'selection' as const, label: 'a.txt', text: 'm'.repeat(12_000) };
    await bench.send('p'.repeat(1_200_000), { mode: 'queue', mentions: Array(120).fill(mention) });
    expect(bench.log.state().queue).toHaveLength(1);
    gate.open();
    await bench.session.settled();
    const sent = JSON.stringify(bench.model.asked[1]?.request);
    expect(sent).toContain('p'.repeat(1_200_000));
    expect(sent.split('m'.repeat(12_000))).toHaveLength(121);
  });

  it('says that the queue is full, and keeps what is in it', async () => {
    const bench = await openBench({ script: [[hang()]] });
    await bench.send('first');
    let refused;
    let count = 0;
    while (refused === undefined && count < 200) {
      const outcome = await bench.send('q'.repeat(15_000), { mode: 'queue' });
      if ('message' in outcome) refused = outcome;
      else count += 1;
    }
    expect(refused).toMatchObject({ kind: 'refused', code: 'TooLarge' });
    expect(failureOf(refused).message).toContain(`the queue is full (messages in it: ${String(count)})`);
    expect(bench.log.state().queue).toHaveLength(count);
    expect(count).toBeGreaterThan(40);
  });

  it('refuses feedback that is too long, and the approval stays open', async () => {
    const bench = await openBench({ script: [calls([run('x')]), text('ok')] });
    await bench.send('go');
    const [approval] = bench.log.state().approvals;
    const deny = (feedback: string) =>
      bench.do({
        type: 'decide',
        call_id: approval?.call_id ?? '',
        decision: 'deny',
        scope: 'once',
        feedback,
      });
    const failure = failureOf(await deny('f'.repeat(1_200_000)));
    expect(failure).toMatchObject({ kind: 'refused', code: 'FeedbackTooLong' });
    expect(failure.message).toContain('The feedback is too long (1200000 characters');
    expect(bench.log.state().approvals).toHaveLength(1);
    const long = '\u0001'.repeat(100_000);
    await deny(long);
    expect(bench.story().at(-1)).toContain('turn_end completed');
    expect(bench.entries('approval_decision')[0]).toMatchObject({ decision: 'deny', feedback: long });
  });
});
