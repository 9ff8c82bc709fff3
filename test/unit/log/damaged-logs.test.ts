import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OutlineFlag } from '../../../src/shared/fold/types.js';
import {
  bytesOf,
  damageOf,
  headerLine,
  joined,
  lines,
  messageLine,
  noteLine,
  pathTexts,
  putLog,
} from './lines.js';
import { assistant, makePlace, user, type Place } from './support.js';

let place: Place;
beforeEach(async () => {
  place = await makePlace();
});
afterEach(() => place.dispose());

/** Opens the log, looks at it, closes it: nothing of that may change the file. */
async function look(id: string): Promise<{
  texts: string[];
  damage: string[];
  reasons: string[];
  kept: number[];
  title: string;
  status: string;
}> {
  const before = await bytesOf(place.log(id));
  const store = place.store();
  const log = await store.open(id);
  const texts = await pathTexts(log);
  const row = (await store.list({ archived: 'all' })).sessions.find((session) => session.id === log.id);
  await log.close();
  expect((await bytesOf(place.log(id))).equals(before)).toBe(true);
  return {
    texts,
    damage: damageOf(log),
    reasons: log.damage.map(({ reason }) => reason),
    kept: log.damage.filter(({ kept }) => kept === true).map(({ line }) => line),
    title: row?.title ?? '',
    status: row?.status ?? '',
  };
}

describe('a damaged log', () => {
  it('A1: loses only the record that NUL bytes took the place of, in list, transcript and context alike', async () => {
    const bytes = lines(headerLine('s'), messageLine('a', null), new Uint8Array(300), messageLine('b', 'a'));
    await putLog(place, 's', bytes);
    const found = await look('s');
    expect(found).toMatchObject({
      texts: ['a', 'b'],
      damage: ['unreadable-line in line 3'],
      status: 'damaged',
    });
    expect(found).toMatchObject({ reasons: ['300 NUL bytes and no record'], kept: [] });
  });

  it('A1: keeps a record that NUL bytes are glued to the front of', async () => {
    const bytes = lines(
      headerLine('s'),
      messageLine('a', null),
      joined(new Uint8Array(300), messageLine('b', 'a')),
    );
    await putLog(place, 's', bytes);
    expect(await look('s')).toMatchObject({
      texts: ['a', 'b'],
      damage: ['unreadable-line in line 3'],
      kept: [3],
    });
  });

  it('A5: reads raw Unicode line separators in a record', async () => {
    const text = 'x\u2028y\u2029z\u0085w';
    await putLog(place, 's', lines(headerLine('s'), messageLine('a', null, text)));
    expect(await look('s')).toMatchObject({ texts: [text], damage: [], status: 'idle' });
  });

  it('A6: rebuilds a header that cannot be read, keeps its bytes and appends', async () => {
    const good = [
      messageLine('a', null),
      messageLine('b', 'a'),
      messageLine('c', 'b'),
      messageLine('d', 'c'),
      messageLine('e', 'd'),
    ];
    const bytes = lines('{"type":"sess', ...good);
    await putLog(place, 's', bytes);
    expect(await look('s')).toMatchObject({
      texts: ['a', 'b', 'c', 'd', 'e'],
      damage: ['header in line 1'],
      title: 'a',
    });
    const store = place.store();
    const log = await store.open('s');
    await log.append([user('f')]);
    await log.append([user('g')]);
    await log.close();
    const after = await bytesOf(place.log('s'));
    expect(after.subarray(0, bytes.length)).toEqual(bytes);
    const again = await place.store().open('s');
    expect(await pathTexts(again)).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g']);
    const headers = (await again.since(0)).filter(({ entry }) => entry.type === 'session_info');
    expect(headers).toHaveLength(1);
    expect(again.header).toMatchObject({ id: 's', version: 4, producer: 'bough/0.0.0-test' });
  });

  it('A6: takes a log without any header', async () => {
    await putLog(place, 's', lines(messageLine('a', null), messageLine('b', 'a')));
    expect(await look('s')).toMatchObject({ texts: ['a', 'b'], damage: ['header in line 1'] });
  });

  it('A8: says of an empty file that it is damaged, and begins the session anew with a header', async () => {
    await putLog(place, 's', new Uint8Array(0));
    expect(await look('s')).toMatchObject({ texts: [], damage: ['empty in line 1'], status: 'damaged' });
    const { sessions } = await place.store().list();
    expect(sessions[0]?.detail).toBe('the file is empty; nothing of it could be read');
    expect(sessions[0]?.title).toBe('New session');
    const log = await place.store().open('s');
    await log.append([user('a')]);
    expect(log.damage).toMatchObject([{ kind: 'empty', isAll: true }]);
    await log.close();
    expect(await look('s')).toMatchObject({ texts: ['a'], damage: [], status: 'idle' });
    expect((await bytesOf(place.log('s'))).toString()).toMatch(/^\{"type":"session","version":4,"id":"s"/);
  });

  it('an empty file that another window begins anew is in order here too', async () => {
    await putLog(place, 's', new Uint8Array(0));
    const seen = await place.store().open('s');
    const other = await place.store().open('s');
    await other.append([user('a')]);
    await other.close();
    await seen.catchUp();
    expect([await pathTexts(seen), damageOf(seen)]).toEqual([['a'], []]);
    await seen.close();
  });

  it('A1: a file of NUL bytes alone is one of which nothing could be read, set aside before the first append', async () => {
    await putLog(place, 's', new Uint8Array(300));
    expect(await look('s')).toMatchObject({
      damage: ['torn-tail in line 1'],
      reasons: ['nothing in the file could be read (300 bytes)'],
      status: 'damaged',
    });
    const log = await place.store().open('s');
    await log.append([user('a')]);
    const where = place.log('s').replace(/jsonl$/, 'damaged');
    expect(log.damage).toEqual([
      {
        ...{ kind: 'torn-tail', line: 1, moved: true, isAll: true },
        reason: `nothing in the file could be read (300 bytes); moved to ${where}`,
      },
    ]);
    await log.close();
    expect((await bytesOf(where)).includes(Buffer.alloc(300))).toBe(true);
    expect(await look('s')).toMatchObject({ texts: ['a'], damage: [], status: 'idle' });
  });

  it('says in words where a message is shown that lost the one before it, and which it is beside them', async () => {
    await putLog(
      place,
      's',
      lines(
        headerLine('s'),
        messageLine('a', null),
        '{"id":',
        messageLine('b', 'lost'),
        messageLine('c', 'c0'),
      ),
    );
    const log = await place.store().open('s');
    expect(log.damage.map(({ reason, ids }) => [reason, ids])).toEqual([
      ['not valid JSON (it ends too early)', undefined],
      [
        'a message lost the one before it; it is shown after the last one before the lines that could not be read',
        'entry b, its parent lost, shown after a',
      ],
      [
        'a message lost the one before it; it is shown after the last one before the lines that could not be read',
        'entry c, its parent c0, shown after a',
      ],
    ]);
    await log.close();
  });

  it('takes a byte-order mark and CRs', async () => {
    const bytes = Buffer.from(`\ufeff${[headerLine('s'), messageLine('a', null), ''].join('\r\n')}`);
    await putLog(place, 's', bytes);
    expect(await look('s')).toMatchObject({ texts: ['a'], damage: [] });
  });

  it('takes a header that an entry is glued to, and skips a second header', async () => {
    await putLog(
      place,
      's',
      lines(headerLine('s') + messageLine('a', null), headerLine('x'), messageLine('b', 'a')),
    );
    expect(await look('s')).toMatchObject({
      texts: ['a', 'b'],
      damage: ['unreadable-line in line 1', 'unreadable-line in line 2'],
      kept: [1],
    });
  });

  it('A10: reads a version-3 log as it is, and does not write to it', async () => {
    const v3 = (fields: object): string => JSON.stringify({ timestamp: '2026-01-01T00:00:00Z', ...fields });
    const part = (type: string, data: object): object => ({ type, data });
    const bytes = lines(
      v3({ type: 'session', version: 3, id: 'k', cwd: '/w/p' }),
      v3({ type: 'message', id: 'a1', role: 'user', parts: [part('text', { text: 'go' })] }),
      v3({ type: 'label', id: 'l1', parent_id: 'a1', target_id: 'a1', label: '' }),
      v3({
        type: 'message',
        id: 'a2',
        parent_id: 'l1',
        role: 'assistant',
        parts: [
          part('reasoning', { thinking: 'hm', signature: 'sig' }),
          part('text', { text: 'reading' }),
          part('tool_call', { id: 'c1', name: 'read', input: '{"path":"x"}', finished: true }),
          part('tool_call', { id: '', name: 'read', input: '{"pa', finished: false }),
          part('image', { data: 'AAAA', media_type: 'image/png' }),
          part('riddle', {}),
          part('finish', { reason: 'tool_use' }),
        ],
      }),
      v3({
        type: 'message',
        id: 'a3',
        parent_id: 'a2',
        role: 'tool',
        parts: [part('tool_result', { tool_call_id: 'c1', name: 'read', content: 'X', is_error: false })],
      }),
      v3({
        type: 'incomplete_output',
        id: 'a4',
        parent_id: 'a3',
        attempt_id: 'at',
        text: 'half a',
        incomplete: true,
      }),
      v3({
        type: 'compaction',
        id: 'a5',
        summary: 'so far',
        first_kept_entry_id: 'a2',
        tokens_before: 9,
        tokens_after: 3,
        messages_removed: 1,
      }),
      v3({ type: 'message', id: 'a6', parent_id: 'a5', role: 'user', parts: [part('text', { text: 'on' })] }),
      v3({ type: 'system_prompt', id: 'sp', content: 'You are' }),
    );
    await putLog(place, 'k', bytes);
    expect(await look('k')).toMatchObject({
      texts: ['go', '', 'tool', 'incomplete_output', 'compaction', 'on'].map((text) =>
        text === 'tool' ? '' : text,
      ),
    });
    const log = await place.store().open('k');
    expect(log.access).toMatchObject({ mode: 'read-only', reason: 'version-3' });
    const path = await log.path();
    expect(path.map(({ id, parent_id }) => [id, parent_id])).toEqual([
      ['a1', null],
      ['a2', 'a1'],
      ['a3', 'a2'],
      ['a4', 'a3'],
      ['a5', 'a4'],
      ['a6', 'a5'],
    ]);
    expect(path[1]).toMatchObject({
      finish_reason: 'tool_use',
      parts: [
        { type: 'reasoning', text: 'hm', signature: 'sig' },
        { type: 'text', text: 'reading' },
        { type: 'tool_call', call_id: 'c1', name: 'read', input: { path: 'x' } },
        { type: 'tool_call', name: 'read', input: {}, raw_input: '{"pa' },
        { type: 'text', text: expect.stringContaining('image/png') },
        { type: 'text', text: expect.stringContaining('riddle') },
      ],
    });
    await expect(log.append([user('x')])).rejects.toMatchObject({ code: 'AccessDenied' });
    await expect(log.acquire()).rejects.toMatchObject({ code: 'AccessDenied' });
    expect(await bytesOf(place.log('k'))).toEqual(bytes);
  });

  it('A11: opens a newer format read-only, says why, and leaves the file alone', async () => {
    const bytes = lines(
      headerLine('s', { version: 99 }),
      messageLine('a', null),
      noteLine('future_x', 'f', 'a', { blob: { k: 1 } }),
      messageLine('b', 'f'),
      noteLine('message', 'm', 'b', { role: 'oracle' }),
    );
    await putLog(place, 's', bytes);
    expect(await look('s')).toMatchObject({ texts: ['a', 'b'], damage: [] });
    const log = await place.store().open('s');
    expect(log.access).toMatchObject({
      mode: 'read-only',
      reason: 'newer',
      message: expect.stringContaining('format 99'),
    });
    await expect(log.append([user('x')])).rejects.toMatchObject({ code: 'NewerFormat' });
    expect(await bytesOf(place.log('s'))).toEqual(bytes);
  });

  it('A11: keeps entries of unknown type where they are while the session goes on', async () => {
    const future = noteLine('future_x', 'f', 'a', { blob: { k: 1 } });
    await putLog(place, 's', lines(headerLine('s'), messageLine('a', null), future, messageLine('b', 'f')));
    const log = await place.store().open('s');
    await log.append([user('c')]);
    expect(await pathTexts(log)).toEqual(['a', 'b', 'c']);
    expect(await log.entry('f')).toMatchObject({ type: 'unknown', unknown_type: 'future_x' });
    expect((await bytesOf(place.log('s'))).toString()).toContain(`${future}\n`);
  });

  it.each([
    ['newer', { version: 5, id: 7 }],
    ['version-3', { version: 3, id: null }],
    ['unreadable', { version: 1, title: {} }],
  ])('A11: does not write to another version whose header does not fit (%s)', async (reason, fields) => {
    const bytes = lines(headerLine('s', fields), messageLine('a', null));
    await putLog(place, 's', bytes);
    const log = await place.store().open('s');
    expect([log.id, log.access]).toMatchObject(['s', { mode: 'read-only', reason }]);
    expect(damageOf(log)[0]).toBe('unreadable-line in line 1');
    await expect(log.append([user('x')])).rejects.toBeInstanceOf(Error);
    expect(await bytesOf(place.log('s'))).toEqual(bytes);
  });

  it('does not write to a version it does not know', async () => {
    await putLog(place, 's', lines(headerLine('s', { version: 1 }), messageLine('a', null)));
    const log = await place.store().open('s');
    expect(log.access).toMatchObject({ mode: 'read-only', reason: 'unreadable' });
    await expect(log.append([user('x')])).rejects.toMatchObject({ code: 'LogDamaged' });
  });

  it('A13: shows an entry whose parent was never written as a recovered root', async () => {
    await putLog(
      place,
      's',
      lines(headerLine('s'), messageLine('a', null), messageLine('b', 'ghost'), messageLine('c', 'b')),
    );
    expect(await look('s')).toMatchObject({ texts: ['b', 'c'], damage: ['missing-parent in line 3'] });
    const log = await place.store().open('s');
    expect(
      log.outline.map(([id, parent, , flags]) => [id, parent, (flags & OutlineFlag.recovered) !== 0]),
    ).toEqual([
      ['a', -1, false],
      ['b', -1, true],
      ['c', 1, false],
    ]);
    await log.append([assistant('d')]);
    expect(await pathTexts(log)).toEqual(['b', 'c', 'd']);
  });

  it('A13: attaches what follows an unreadable line to the head before it, notes included', async () => {
    const bytes = lines(
      headerLine('s'),
      messageLine('a', null),
      messageLine('b', 'a'),
      '{"type":"message","id":"lost","parent_id":"b"',
      'garbage',
      noteLine('turn_start', 't', 'lost', { turn_id: 'turn' }),
      messageLine('c', 'lost'),
      messageLine('c2', 'lost'),
      messageLine('d', 'c'),
    );
    await putLog(place, 's', bytes);
    const found = await look('s');
    expect(found.texts).toEqual(['a', 'b', 'c', 'd']);
    expect(found.damage.sort()).toEqual([
      'missing-parent in line 6',
      'unreadable-line in line 4',
      'unreadable-line in line 5',
    ]);
    const log = await place.store().open('s');
    expect(await log.entry('c2')).toMatchObject({ parent_id: 'b' });
    expect(log.state().turn).toMatchObject({ turn_id: 'turn', message_id: 'b' });
  });

  it('A13: a second damaged line hides nothing that came before it either', async () => {
    await putLog(
      place,
      's',
      lines(
        headerLine('s'),
        messageLine('a', null),
        'bad',
        messageLine('c', 'b'),
        messageLine('c1', 'c'),
        'bad',
        messageLine('e', 'd'),
        messageLine('late', 'b'),
      ),
    );
    const log = await place.store().open('s');
    expect(log.outline.map(([id, parent]) => [id, parent])).toEqual([
      ['a', -1],
      ['c', 0],
      ['c1', 1],
      ['e', 2],
      ['late', 0],
    ]);
  });

  it.each([
    [
      'two entries that descend from each other',
      [messageLine('a', 'b'), messageLine('b', 'a')],
      ['a', 'b'],
      ['missing-parent in line 2', 'cycle in line 3'],
    ],
    [
      'an entry that is its own parent',
      [messageLine('a', 'a'), messageLine('b', 'a')],
      ['a', 'b'],
      ['cycle in line 2'],
    ],
    [
      'a long way round',
      [messageLine('a', 'c'), messageLine('b', 'a'), messageLine('c', 'b')],
      ['a', 'b', 'c'],
      ['missing-parent in line 2', 'cycle in line 4'],
    ],
    [
      'a parent that merely comes late',
      [messageLine('a', 'b'), messageLine('b', null)],
      ['b'],
      ['missing-parent in line 2'],
    ],
  ])('A14: cuts %s and says so', async (_, records, texts, damage) => {
    await putLog(place, 's', lines(headerLine('s'), ...records));
    expect(await look('s')).toMatchObject({ texts, damage });
  });

  it('A14: gives the second of two entries with one id a new one, the same on every open', async () => {
    await putLog(
      place,
      's',
      lines(
        headerLine('s'),
        messageLine('r', null),
        messageLine('x', 'r', 'first'),
        messageLine('x', null, 'second'),
        messageLine('y', 'x'),
      ),
    );
    const first = await place.store().open('s');
    const second = await place.store().open('s');
    const ids = first.outline.map(([id]) => id);
    expect(ids).toHaveLength(4);
    expect(ids[2]).toMatch(/^[0-9a-f]{16}$/);
    expect(second.outline).toEqual(first.outline);
    expect(await pathTexts(first)).toEqual(['r', 'first', 'y']);
    expect(damageOf(first)).toEqual(['duplicate-id in line 4']);
    expect(await first.entry(ids[2] ?? '')).toMatchObject({ id: ids[2], parts: [{ text: 'second' }] });
  });

  it('A16: finds the way through notes that stand between messages', async () => {
    await putLog(
      place,
      's',
      lines(
        headerLine('s'),
        messageLine('a', null),
        noteLine('label', 'l', 'a', { target_id: 'a', label: 'here' }),
        messageLine('b', 'l'),
        noteLine('model_change', 'm', 'b', { provider: 'p', model_id: 'q' }),
        messageLine('c', 'm'),
      ),
    );
    expect(await look('s')).toMatchObject({ texts: ['a', 'b', 'c'], damage: [] });
  });

  it('A23: opens a valid log of 20 MB, and tells a line beyond all measure from damage', async () => {
    const big = 'x'.repeat(1024 * 1024 - 500);
    const records = Array.from({ length: 20 }, (_, index) =>
      messageLine(`m${index}`, index === 0 ? null : `m${index - 1}`, big),
    );
    await putLog(place, 's', lines(headerLine('s'), ...records));
    const log = await place.store().open('s');
    expect([log.position, log.damage]).toEqual([20, []]);
    const huge = Buffer.alloc(65 * 1024 * 1024, 0x78);
    await putLog(place, 'h', lines(headerLine('h'), messageLine('a', null), huge, messageLine('b', 'a')));
    expect(await look('h')).toMatchObject({
      texts: ['a', 'b'],
      damage: ['too-large in line 3'],
      reasons: [expect.stringContaining('65 MB')],
    });
  });

  it('lists a thousand faults one by one and counts the rest', async () => {
    const garbage = Array.from({ length: 2_500 }, () => 'garbage');
    await putLog(
      place,
      's',
      lines(headerLine('s'), messageLine('a', null), ...garbage, messageLine('b', 'a')),
    );
    const log = await place.store().open('s');
    expect([log.damage.length, await pathTexts(log)]).toEqual([1_001, ['a', 'b']]);
    expect(log.damage.at(-1)).toMatchObject({
      line: 2_502,
      reason: expect.stringContaining('1499 more') as string,
    });
  });

  it('B16: orders by place in the file and parent links, whatever the times say', async () => {
    const at = (timestamp: string): object => ({ timestamp });
    await putLog(
      place,
      's',
      lines(
        headerLine('s'),
        messageLine('a', null, 'a', at('2026-06-02T00:00:00Z')),
        messageLine('b', 'a', 'b', at('2026-06-01T00:00:00Z')),
        messageLine('c', 'b', 'c', at('2099-01-01T00:00:00Z')),
        messageLine('d', 'c', 'd', at('not a time')),
      ),
    );
    expect(await look('s')).toMatchObject({ texts: ['a', 'b', 'c', 'd'], damage: [] });
    const log = await place
      .store({ clock: { now: () => 0, elapsed: () => 0, after: () => ({ dispose: () => undefined }) } })
      .open('s');
    await log.append([user('e')]);
    expect(await pathTexts(log)).toEqual(['a', 'b', 'c', 'd', 'e']);
  });
});
