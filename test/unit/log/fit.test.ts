import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createNodeFiles } from '../../../src/log/node-files.js';
import type { SessionLog } from '../../../src/log/store.js';
import { MAX_ENTRY_BYTES, PREVIEW_CHARS, type Part } from '../../../src/shared/entry.js';
import type { Draft, Entry } from '../../../src/shared/notes.js';
import { runs } from '../runs.js';
import { FaultyFiles } from './faulty-files.js';
import { bytesOf } from './lines.js';
import { makePlace, user, type Place } from './support.js';

const MB = 1024 * 1024;

let place: Place;
let files: FaultyFiles;
let log: SessionLog;
beforeEach(async () => {
  place = await makePlace();
  files = new FaultyFiles(createNodeFiles());
  log = await place.store({ files }).create({ id: 's' });
});
afterEach(() => place.dispose());

const says = (...parts: Part[]): Draft => ({ type: 'message', role: 'assistant', parts });
const call = (fields: object): Part => ({ type: 'tool_call', call_id: 'c', name: 'n', input: {}, ...fields });

/** Appends, and reads what another process finds. */
async function kept(draft: Draft): Promise<Entry> {
  const [entry] = await log.append([draft]);
  const line = (await bytesOf(place.log('s'))).toString().trimEnd().split('\n').at(-1) ?? '';
  expect(Buffer.byteLength(line)).toBeLessThanOrEqual(MAX_ENTRY_BYTES);
  const again = await place.store().open('s');
  expect(again.damage).toEqual([]);
  expect(await again.entry(entry?.id ?? '')).toEqual(entry);
  return entry as Entry;
}

const partsOf = (entry: Entry): Part[] => (entry.type === 'message' ? entry.parts : []);
const blobText = async (hash: string | undefined): Promise<string> =>
  new TextDecoder().decode(await log.blobs.get(hash ?? ''));

describe('what is too long for a line', () => {
  const long = `${'a'.repeat(PREVIEW_CHARS - 1)}😀${'ü\u2028"'.repeat(MB / 2)}\ud800`;
  const whole = long.toWellFormed();
  const preview = 'a'.repeat(PREVIEW_CHARS - 1);

  it.each<[string, Part, object]>([
    ['a text', { type: 'text', text: long }, { text: '' }],
    ['a reasoning', { type: 'reasoning', text: long, signature: 's' }, { text: '', signature: 's' }],
    ['arguments that did not parse', call({ raw_input: long }), { input: {}, raw_input: '' }],
    [
      'a result',
      { type: 'tool_result', call_id: 'c', name: 'n', content: long, is_error: false },
      { content: '', logical_chars: long.length },
    ],
  ])('%s is a blob, with its beginning in its place', async (_, part, rest) => {
    const [found] = partsOf(await kept(says(part)));
    expect(found).toMatchObject({ ...rest, preview });
    expect(await blobText(found !== undefined && 'blob' in found ? found.blob : '')).toBe(whole);
  });

  it('a message says how long it is, of which its line shows a part', async () => {
    const input = { n: 1 };
    const parts: Part[] = [{ type: 'text', text: long }, { type: 'reasoning', text: 'so' }, call({ input })];
    expect(await kept(says(...parts))).toMatchObject({
      logical_chars: long.length + 'so'.length + JSON.stringify(input).length,
    });
    expect(await kept(says({ type: 'text', text: 'short' }))).not.toHaveProperty('logical_chars');
  });

  it('an input is a blob of JSON', async () => {
    const input = { content: long.toWellFormed(), n: 1 };
    const [, found] = partsOf(await kept(says({ type: 'text', text: 'short' }, call({ input }))));
    expect(found).toMatchObject({
      type: 'tool_call',
      input: {},
      preview: expect.stringMatching(/^\{"content":"aaa/),
    });
    expect(JSON.parse(await blobText(found?.type === 'tool_call' ? found.blob : ''))).toEqual(input);
  });

  it('text and reasoning of what never got finished are blobs, the longer one first', async () => {
    const base = { type: 'incomplete_output', attempt_id: 'a', incomplete: true } as const;
    const both = await kept({ ...base, text: long, reasoning: `${long}more` });
    expect(both).toMatchObject({ text: '', preview, reasoning: preview });
    const one = await kept({ ...base, text: 'short', reasoning: long });
    expect(one).toMatchObject({ text: 'short', reasoning: preview });
    if (both.type !== 'incomplete_output' || one.type !== 'incomplete_output')
      throw new Error('not kept as it was');
    expect(await blobText(both.blob)).toBe(whole);
    expect(await blobText(one.reasoning_blob)).toBe(whole);
  });

  it('what earlier attempts said goes to blobs first, and the last text stays', async () => {
    const base = { type: 'incomplete_output', attempt_id: 'z', incomplete: true } as const;
    const earlier = [
      { attempt_id: 'a', text: long, reasoning: `${long}more` },
      { attempt_id: 'b', text: 'short' },
    ];
    const entry = await kept({ ...base, text: 'the last', earlier });
    if (entry.type !== 'incomplete_output') throw new Error('not kept as it was');
    expect(entry).toMatchObject({
      text: 'the last',
      earlier: [{ text: '', preview, reasoning: preview }, earlier[1]],
    });
    expect(await blobText(entry.earlier?.[0]?.blob)).toBe(whole);
    const many = Array.from({ length: 60 }, (_, index) => ({
      attempt_id: String(index),
      text: `${String(index)}${'\u0001'.repeat(5_000)}`,
    }));
    const crowd = await kept({ ...base, text: 'the last', earlier: many });
    if (crowd.type !== 'incomplete_output') throw new Error('not kept as it was');
    expect(crowd.text).toBe('the last');
    expect(crowd.earlier?.some(({ blob }) => blob !== undefined)).toBe(true);
    for (const [index, { text, blob }] of (crowd.earlier ?? []).entries())
      expect(blob === undefined ? text : await blobText(blob)).toBe(many[index]?.text);
  });

  it('the body of a skill is a blob', async () => {
    const skill = await kept({ type: 'skill_load', name: 's', description: 'd', body: long });
    expect(skill).toMatchObject({ body: '', preview });
    expect(await blobText(skill.type === 'skill_load' ? skill.blob : '')).toBe(whole);
  });

  it('a signature and what a provider wants back are one blob, whole', async () => {
    const provider_metadata = { p: { data: 'x'.repeat(2 * MB) } };
    const signature = 'y'.repeat(2 * MB);
    const entry = await kept(
      says(
        { type: 'reasoning', text: 'hm', signature, provider_metadata },
        call({ provider_metadata, input: { a: 1 } }),
      ),
    );
    const [reasoning, tool] = partsOf(entry);
    expect(reasoning).toEqual({ type: 'reasoning', text: 'hm', metadata_blob: expect.any(String) });
    expect(tool).toMatchObject({ input: { a: 1 }, metadata_blob: expect.any(String) });
    const hash = reasoning?.type === 'reasoning' ? reasoning.metadata_blob : '';
    expect(JSON.parse(await blobText(hash))).toEqual({ signature, provider_metadata });
  });

  it('together only: the longest go, the others stay; with too many even for previews, without those', async () => {
    const text = (chars: number): Part => ({ type: 'text', text: 't'.repeat(chars) });
    const some = partsOf(await kept(says(text(10), text(MB / 2), text(MB / 2), text(20))));
    expect(some.map((part) => ('blob' in part ? 'blob' : 'inline'))).toEqual([
      'inline',
      'blob',
      'inline',
      'inline',
    ]);
    const nuls: Part = { type: 'text', text: '\0'.repeat(9_000) };
    const many = partsOf(await kept(says(...Array.from({ length: 100 }, () => nuls))));
    expect(many.every((part) => 'blob' in part)).toBe(true);
  });

  it('is kept in the order it was said in, in a burst', async () => {
    const drafts = [user('a'), says({ type: 'text', text: long }), user('c')];
    const written = await Promise.all(drafts.map((draft) => log.append([draft])));
    expect((await log.path()).map(({ id }) => id)).toEqual(written.map(([entry]) => entry?.id));
  });

  it('and cannot be kept fails alone', async () => {
    files.faults = [{ call: 'replace', errno: 'ENOSPC', times: 1 }];
    const [first, second] = await Promise.allSettled([
      log.append([says({ type: 'text', text: long })]),
      log.append([user('short')]),
    ]);
    expect(first).toMatchObject({ reason: { code: 'StorageFailure', data: { errno: 'ENOSPC' } } });
    expect(second.status).toBe('fulfilled');
    expect(log.position).toBe(1);
  });

  it('and fits no format, or no JSON, is refused as any other', async () => {
    const cycle: Record<string, unknown> = { text: long };
    cycle['itself'] = cycle;
    const unfit = [
      says({ type: 'text', text: long, blob: 'no hash' }),
      says(call({ input: cycle })),
      { type: 'message', role: 'user', parts: long } as unknown as Draft,
    ];
    for (const draft of unfit)
      await expect(log.append([draft])).rejects.toMatchObject({ code: 'InvalidArgument' });
    const data = { type: 'extension_data', ext_type: 'x', data: long } as const;
    await expect(log.append([data])).rejects.toMatchObject({ code: 'TooLarge' });
    expect(log.position).toBe(0);
  });

  it('is never too long, whatever is said', async () => {
    const unit = fc.constantFrom('a', 'ü', '😀', '\u2028', '\0', '"', '\ud800');
    const part = fc.tuple(unit, fc.nat(MB), fc.constantFrom('text', 'reasoning', 'raw', 'result'));
    await fc.assert(
      fc.asyncProperty(fc.array(part, { minLength: 1, maxLength: 4 }), async (said) => {
        const parts = said.map(([unit, count, kind]): Part => {
          const text = unit.repeat(count);
          if (kind === 'raw') return call({ raw_input: text });
          if (kind === 'result')
            return { type: 'tool_result', call_id: 'c', name: 'n', content: text, is_error: false };
          return { type: kind === 'text' ? 'text' : 'reasoning', text };
        });
        await kept(says(...parts));
      }),
      { numRuns: runs({ usual: 10, soak: 300 }) },
    );
  }, 60_000);
});

describe('what cannot be made shorter by taking its text out', () => {
  const blob = 'a'.repeat(64);
  const long = 'x'.repeat(1.5 * MB);

  it('is refused alone, as too large, and nothing of it is in the log', async () => {
    const image: Part = { type: 'image', blob, mime: 'image/png', name: long };
    for (const part of [image, { ...image, type: 'file' as const }])
      await expect(log.append([says(part)])).rejects.toMatchObject({ code: 'TooLarge' });
    await log.append([user('short'), says({ type: 'text', text: long })]);
    expect([log.position, log.damage]).toEqual([2, []]);
  });

  it('loses a beginning that is longer than it should be, never its blob', async () => {
    for (const part of [
      { type: 'text', text: '', blob, preview: long },
      call({ blob, preview: long }),
      { type: 'tool_result', call_id: 'c', name: 'n', content: '', is_error: false, blob, preview: long },
    ] as Part[]) {
      const [found] = partsOf(await kept(says(part, { type: 'image', blob, mime: 'm', name: 'n' })));
      expect(found).toMatchObject({ blob, preview: '' });
    }
  });

  it('are more earlier tries than their beginnings fit: each keeps what it said in its blobs', async () => {
    // Six bytes of JSON a character.
    const earlier = Array.from({ length: 80 }, (_, index) => ({
      attempt_id: `try ${index}`,
      text: index === 0 ? 'short' : `${index} ${'\u0001'.repeat(3_000)}`,
      ...(index % 2 === 0 ? {} : { reasoning: `${index} ${'\u0002'.repeat(3_000)}` }),
    }));
    const entry = await kept({
      ...{ type: 'incomplete_output', attempt_id: 'last', text: 'said' },
      ...{ incomplete: true, reason: 'stopped', earlier },
    });
    const tries = entry.type === 'incomplete_output' ? (entry.earlier ?? []) : [];
    expect(tries.map(({ attempt_id }) => attempt_id)).toEqual(earlier.map(({ attempt_id }) => attempt_id));
    for (const nth of [0, 1, 2, 79]) {
      const { text, blob: hash, reasoning, reasoning_blob } = tries[nth] ?? { text: undefined };
      expect(hash === undefined ? text : await blobText(hash)).toBe(earlier[nth]?.text);
      const thought = reasoning_blob === undefined ? reasoning : await blobText(reasoning_blob);
      expect(thought).toBe(earlier[nth]?.reasoning);
    }
  });
});
