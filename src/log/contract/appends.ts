/** What an append does, and what it refuses. */
import type { Draft } from '../../shared/notes.js';
import { answer, codeOf, text, textOf, texts, type Check, type Runner } from './runner.js';

export function describeAppends({ expect }: Runner, check: Check): void {
  check('fills in ids, parents and times, and moves the head', async (store) => {
    const log = await store.create();
    const [a] = await log.append([text('a')]);
    const [b, note] = await log.append([
      answer('b'),
      { type: 'turn_end', turn_id: 't', steps: 1, status: 'completed' },
    ]);
    expect(a?.parent_id).toBe(null);
    expect(b?.parent_id).toBe(a?.id);
    expect(note?.parent_id).toBe(b?.id);
    expect(log.head).toBe(b?.id);
    expect(log.position).toBe(3);
    expect(log.damage).toEqual([]);
    expect(log.access).toEqual({ mode: 'write' });
    expect(/^[0-9a-f]{16}$/.test(a?.id ?? '')).toBe(true);
    expect(Number.isNaN(Date.parse(a?.timestamp ?? ''))).toBe(false);
  });

  check('lets a head note within a batch move the head for what follows it', async (store) => {
    const log = await store.create();
    const [a] = await log.append([text('a')]);
    await log.append([answer('b')]);
    await log.append([{ type: 'head', entry_id: a?.id ?? '' }, answer('b2')]);
    expect(await texts(log)).toEqual(['a', 'b2']);
    await log.append([{ type: 'head', entry_id: null }, text('root')]);
    expect(await texts(log)).toEqual(['root']);
  });

  check('refuses an append whose expected head is not the head, and changes nothing', async (store) => {
    const log = await store.create();
    const [a] = await log.append([text('a')], { expectedHead: null });
    expect(await codeOf(log.append([text('x')], { expectedHead: null }))).toBe('SessionConflict');
    await log.append([text('b')], { expectedHead: a?.id ?? null });
    expect(await texts(log)).toEqual(['a', 'b']);
  });

  check('refuses what it could not read back', async (store) => {
    const log = await store.create();
    await log.append([{ ...text('a'), id: 'mine' }]);
    expect(await codeOf(log.append([]))).toBe('InvalidArgument');
    const unfit = [
      { type: 'riddle' },
      { type: 'message', role: 'oracle', parts: [] },
      { type: 'label' },
    ] as unknown as Draft[];
    for (const draft of unfit) expect(await codeOf(log.append([draft]))).toBe('InvalidArgument');
    expect(await codeOf(log.append([{ ...text('b'), id: 'mine' }]))).toBe('InvalidArgument');
    expect(await codeOf(log.append([{ ...text('b'), parent_id: 'ghost' }]))).toBe('InvalidArgument');
    expect(await codeOf(log.append([{ type: 'head', entry_id: 'ghost' }]))).toBe('InvalidArgument');
    expect(
      await codeOf(log.append([{ type: 'extension_data', ext_type: 'x', data: 'y'.repeat(1024 * 1024) }])),
    ).toBe('TooLarge');
    expect(log.position).toBe(1);
  });

  check('keeps the order of a burst and loses none of it', async (store) => {
    const log = await store.create();
    const wanted = Array.from({ length: 200 }, (_, index) => `m${index}`);
    await Promise.all(wanted.map((one) => log.append([text(one)])));
    expect(await texts(log)).toEqual(wanted);
  });

  check('refuses one append of a burst without harming the others', async (store) => {
    const log = await store.create();
    const results = await Promise.all([
      codeOf(log.append([text('a')])),
      codeOf(log.append([{ ...text('bad'), parent_id: 'ghost' }])),
      codeOf(log.append([text('b')])),
    ]);
    expect(results).toEqual(['no error', 'InvalidArgument', 'no error']);
    expect(await texts(log)).toEqual(['a', 'b']);
  });

  check('tells listeners what was appended, once it is', async (store) => {
    const log = await store.create();
    const told: number[] = [];
    const listening = log.onAppend((placed) => told.push(...placed.map(({ position }) => position)));
    await log.append([text('a'), answer('b')]);
    await log.append([text('c')]);
    listening.dispose();
    await log.append([text('d')]);
    expect(told).toEqual([0, 1, 2]);
  });

  check('keeps what it was given, not what became of it afterwards', async (store) => {
    const log = await store.create();
    const draft = { type: 'extension_data' as const, ext_type: 'x', data: { list: [1], gone: undefined } };
    const appending = log.append([draft]);
    const [entry] = await appending;
    draft.data.list.push(2);
    expect(entry?.type === 'extension_data' ? entry.data : undefined).toEqual({ list: [1] });
    expect((await log.since(0))[0]?.entry).toEqual(entry);
  });

  check('reads bodies by id, by position and along a line', async (store) => {
    const log = await store.create();
    const [a] = await log.append([text('a')]);
    const [b] = await log.append([answer('b')]);
    await log.append([{ type: 'head', entry_id: a?.id ?? '' }]);
    const [c] = await log.append([answer('c')]);
    const found = await log.entry(c?.id ?? '');
    expect(found === undefined ? undefined : textOf(found)).toBe('c');
    expect(await log.entry('ghost')).toBe(undefined);
    expect((await log.since(2)).map(({ position, entry }) => [position, entry.type])).toEqual([
      [2, 'head'],
      [3, 'message'],
    ]);
    expect((await log.line()).map(({ position }) => position)).toEqual([0, 2, 3]);
    expect(log.outline.map(([id, parent]) => [id, parent])).toEqual([
      [a?.id, -1],
      [b?.id, 0],
      [c?.id, 0],
    ]);
    expect(log.state().head).toBe(c?.id);
  });
}
