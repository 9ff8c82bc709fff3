import { describe, expect, it } from 'vitest';
import {
  parseAgain,
  parseLine,
  serialiseBatch,
  serialiseHeader,
  type Dialect,
} from '../../../src/log/codec.js';
import { MAX_ENTRY_BYTES } from '../../../src/shared/entry.js';
import { isBoughError } from '../../../src/shared/failure.js';
import type { KnownEntry } from '../../../src/shared/notes.js';

const time = '2026-01-01T00:00:00.000Z';
const message = (id: string, text: string): KnownEntry => ({
  parts: [{ type: 'text', text }],
  role: 'user',
  timestamp: time,
  parent_id: null,
  id,
  type: 'message',
});
const parse = (line: string | Uint8Array, dialect: Dialect = 'own') =>
  parseLine(typeof line === 'string' ? Buffer.from(line) : line, dialect, time);
const json = (id: string, text = 'x'): string => serialiseBatch([message(id, text)]).trimEnd();
const codeOf = (work: () => unknown): string => {
  try {
    work();
    return 'no error';
  } catch (error) {
    return isBoughError(error) ? error.code : String(error);
  }
};

describe('writing a line', () => {
  it('writes keys in a fixed order, whatever order they came in', () => {
    expect(json('a')).toBe(
      `{"type":"message","id":"a","parent_id":null,"timestamp":"${time}","parts":[{"type":"text","text":"x"}],"role":"user"}`,
    );
  });

  it('writes a batch of one as an object and of more as an array, each on one line', () => {
    expect(serialiseBatch([message('a', '1')])).toMatch(/^\{.*\}\n$/);
    expect(serialiseBatch([message('a', '1'), message('b', '2\n3')])).toMatch(/^\[\{.*\},\{.*\}\]\n$/);
  });

  it('writes the header with its links first and what is unknown behind', () => {
    expect(
      serialiseHeader({ producer: 'p', id: 'i', type: 'session', version: 4, folder: 'f', timestamp: time }),
    ).toBe(`{"type":"session","version":4,"id":"i","timestamp":"${time}","folder":"f","producer":"p"}\n`);
  });

  it('A5: escapes U+2028 and U+2029 and reads them back', () => {
    const line = json('a', 'x\u2028y\u2029z\u0085w');
    expect(line).not.toMatch(/[\u2028\u2029]/);
    expect(parse(line).entries).toEqual([message('a', 'x\u2028y\u2029z\u0085w')]);
  });

  it('C5: makes strings and keys well formed, at any depth', () => {
    const entry: KnownEntry = {
      type: 'extension_data',
      id: 'a',
      parent_id: null,
      timestamp: time,
      ext_type: 'x',
      data: { 'k\ud800': ['\udc00', { deep: 'ok \u{1f525}' }], literal: '\\ud800' },
    };
    const [read] = parse(serialiseBatch([entry]).trimEnd()).entries;
    expect(read).toMatchObject({
      data: { 'k\ufffd': ['\ufffd', { deep: 'ok \u{1f525}' }], literal: '\\ud800' },
    });
  });

  it('refuses an entry beyond the limit, and takes one just within it', () => {
    const room = MAX_ENTRY_BYTES - json('a', '').length;
    expect(Buffer.byteLength(json('a', 'x'.repeat(room)))).toBe(MAX_ENTRY_BYTES);
    expect(codeOf(() => json('a', 'x'.repeat(room + 1)))).toBe('TooLarge');
    expect(codeOf(() => json('a', 'ü'.repeat(room / 2 + 1)))).toBe('TooLarge');
  });

  it('refuses a batch beyond the limit of a line', () => {
    const batch = Array.from({ length: 65 }, (_, index) =>
      message(`m${index}`, 'x'.repeat(MAX_ENTRY_BYTES - 500)),
    );
    expect(codeOf(() => serialiseBatch(batch))).toBe('TooLarge');
  });

  it('refuses what JSON cannot hold', () => {
    const loop: Record<string, unknown> = {};
    loop['self'] = loop;
    const entry = (data: unknown): KnownEntry => ({
      type: 'extension_data',
      id: 'a',
      parent_id: null,
      timestamp: time,
      ext_type: 'x',
      data,
    });
    expect(codeOf(() => serialiseBatch([entry(loop)]))).toBe('InvalidArgument');
    expect(codeOf(() => serialiseBatch([entry(1n)]))).toBe('InvalidArgument');
  });
});

describe('what was confirmed', () => {
  const data = (value: unknown, more: object = {}): KnownEntry => ({
    type: 'extension_data',
    id: 'd',
    parent_id: null,
    timestamp: time,
    ext_type: 'x',
    data: value,
    ...more,
  });

  it.each([
    ['nothing', data(undefined)],
    ['a function', data(() => 1)],
    ['what says that it is nothing', data({ toJSON: () => undefined })],
    ['what says that it is another entry', data(1, { toJSON: () => message('other', 'text') })],
    ['what says that it is empty', data(1, { toJSON: () => ({}) })],
  ])('can be read back: %s is refused', (_, entry) => {
    expect(codeOf(() => serialiseBatch([message('a', 'x'), entry]))).toBe('InvalidArgument');
  });

  it('can be read back: what JSON has a form for is taken', () => {
    for (const value of [null, NaN, new Date(0), { toJSON: () => 5 }, [undefined], {}])
      expect(parse(serialiseBatch([data(value)]).trimEnd())).toMatchObject({
        entries: [{ id: 'd' }],
        faults: [],
      });
  });
});

describe('reading a line', () => {
  it('takes an object, an array, any order of keys, a CR and white space around it', () => {
    expect(parse(json('a')).entries).toHaveLength(1);
    expect(
      parse(serialiseBatch([message('a', '1'), message('b', '2')]).trimEnd()).entries.map(({ id }) => id),
    ).toEqual(['a', 'b']);
    const shuffled = `{"timestamp":"${time}","parts":[],"id":"a","role":"user","type":"message","parent_id":null}`;
    expect(parse(shuffled).entries).toHaveLength(1);
    expect(parse(`${json('a')}\r`)).toEqual({ entries: [message('a', 'x')], faults: [] });
    expect(parse(` ${json('a')} `).faults).toEqual([]);
  });

  it('takes no blank line for a fault', () => {
    for (const blank of ['', '\r', '  ', '\ufeff']) expect(parse(blank)).toEqual({ entries: [], faults: [] });
  });

  it('keeps fields it does not know', () => {
    const line = json('a').replace('"role"', '"future":{"k":1},"role"');
    expect(parse(line).entries[0]).toMatchObject({ future: { k: 1 } });
  });

  it.each(['', '"timestamp":5,', '"timestamp":null,'])(
    'takes the time of the file where %j says none',
    (stamp) => {
      for (const type of ['message', 'future_x']) {
        const line = `{"type":"${type}","id":"a","parent_id":null,${stamp}"role":"user","parts":[]}`;
        const { entries, faults } = parse(line);
        expect(faults).toEqual([]);
        expect(entries).toMatchObject([{ id: 'a', timestamp: time }]);
      }
    },
  );

  it('A11: reads a type it does not know as unknown, with its links', () => {
    const line = `{"type":"future_x","id":"f","parent_id":"a","timestamp":"${time}","turn_id":"t","blob":{"k":1}}`;
    expect(parse(line)).toEqual({
      entries: [
        { type: 'unknown', id: 'f', parent_id: 'a', timestamp: time, turn_id: 't', unknown_type: 'future_x' },
      ],
      faults: [],
    });
    expect(parse('{"type":"future_x","parent_id":null}').faults).toEqual([
      'an entry of unknown type "future_x" without an id',
    ]);
    expect(parse('{"type":"future_x","id":"a"}').faults).toEqual([
      'an entry of unknown type "future_x" without a parent_id',
    ]);
    expect(parse('{"type":"future_x","id":"a","parent_id":3}').entries).toEqual([]);
  });

  it('reads shapes it does not know as unknown in a newer format, and as damage in its own', () => {
    const line = `{"type":"message","id":"a","parent_id":null,"timestamp":"${time}","role":"oracle"}`;
    expect(parse(line).faults).toEqual([expect.stringContaining('a message that does not fit: role:')]);
    expect(parse(line, 'newer').entries).toMatchObject([{ type: 'unknown', unknown_type: 'message' }]);
  });

  it('lets a missing time fall back to the file’s', () => {
    const line = json('a').replace(`"timestamp":"${time}",`, '');
    expect(parseLine(Buffer.from(line), 'own', 'then').entries[0]?.timestamp).toBe('then');
  });

  it.each([
    ['not valid JSON', 'hello'],
    ['not valid JSON', '{"type":"message"'],
    ['not valid JSON (byte 12)', '{"type":"é\u0001"}'],
    ['neither an entry nor a batch', '3'],
    ['neither an entry nor a batch', 'null'],
    ['neither an entry nor a batch', '["x"]'],
    ['an empty batch', '[]'],
    ['without a type', '{}'],
    ['without a type', '{"type":5}'],
    ['does not fit: id', '{"type":"head","entry_id":null,"parent_id":null}'],
    ['does not fit: parent_id', '{"type":"head","id":"a","entry_id":null}'],
    ['a header that does not fit: version', '{"type":"session","id":"x"}'],
    ['a header that does not fit: id', '{"type":"session","version":4}'],
  ])('says what is wrong with a bad line: %s', (reason, line) => {
    const { entries, header, faults } = parse(line);
    expect({ entries, header }).toEqual({ entries: [], header: undefined });
    expect(faults).toEqual([expect.stringContaining(reason)]);
  });

  it('takes a batch whole or not at all', () => {
    const line = `[${json('a')},{"type":"head"}]`;
    expect(parse(line)).toMatchObject({
      entries: [],
      faults: [expect.stringContaining('a head that does not fit')],
    });
  });

  it('A1: skips NUL bytes glued in front of a record, keeps the record and says so', () => {
    const line = Buffer.concat([Buffer.alloc(300), Buffer.from(json('b'))]);
    expect(parse(line)).toEqual({
      entries: [message('b', 'x')],
      faults: ['300 NUL bytes around a record; the record was kept'],
    });
    expect(parse(Buffer.concat([Buffer.from(json('b')), Buffer.alloc(7)])).entries).toHaveLength(1);
    expect(parse(Buffer.alloc(300))).toEqual({ entries: [], faults: ['300 NUL bytes and no record'] });
    expect(parse(Buffer.from(json('b').replace('user', 'us\0er'))).entries).toEqual([]);
  });

  it('keeps a record with bytes that are not UTF-8 and says so', () => {
    const line = Buffer.from(json('a', 'x'));
    line[line.indexOf('"x"') + 1] = 0xff;
    expect(parse(line)).toMatchObject({
      entries: [message('a', '\ufffd')],
      faults: ['bytes that are not UTF-8'],
    });
  });

  it('tolerates a byte-order mark', () => {
    expect(parse(`\ufeff${json('a')}`)).toEqual({ entries: [message('a', 'x')], faults: [] });
  });

  it('A3: keeps both of two records glued to each other, and says so', () => {
    const { entries, faults } = parse(json('a', '}{"') + json('b'));
    expect(entries.map(({ id }) => id)).toEqual(['a', 'b']);
    expect(faults).toEqual(['2 records on one line; all were kept']);
    expect(
      parse(`${json('a')} ${serialiseBatch([message('b', ''), message('c', '')])}`).entries,
    ).toHaveLength(3);
  });

  it('A4: keeps a whole record behind one that was cut short, and says so', () => {
    const cut = json('a', 'some text').slice(0, -12);
    const { entries, faults } = parse(cut + json('b'));
    expect(entries.map(({ id }) => id)).toEqual(['b']);
    expect(faults).toEqual([
      `a record cut short (${cut.length} characters) and 1 whole behind it; the whole were kept`,
    ]);
    expect(parse(cut + serialiseBatch([message('b', ''), message('c', '')]).trimEnd()).entries).toHaveLength(
      2,
    );
  });

  it('A1 A4: keeps every whole record behind one that was cut short, whatever a crash left between them', () => {
    const cut = json('a', 'some text').slice(0, -12);
    const two = serialiseBatch([message('c', ''), message('d', '')]).trimEnd();
    const { entries, faults } = parse(`${cut}${json('b')}${'\0'.repeat(9)}${two}`);
    expect(entries.map(({ id }) => id)).toEqual(['b', 'c', 'd']);
    expect(faults).toEqual([
      `a record cut short (${cut.length} characters) and 2 whole behind it; the whole were kept`,
    ]);
    // Cut just behind an inner object that might be one.
    const inner = '{"type":"message","id":"a","provider":[{"type":"reasoning","id":"r"}';
    expect(parse(inner + json('b')).entries.map(({ id }) => id)).toEqual(['b']);
  });

  it.each(['[1]', '[null]', '["x"]', '[[]]', '{"id":1}', '1'])(
    'A1: says that a line is damaged where %s stands among what a cut left of its records',
    (odd) => {
      const cut = json('a', 'some text').slice(0, -12);
      for (const line of [`${cut}${json('b')}${odd}`, `${cut}${odd}${json('b')}`, `${odd}${cut}${json('b')}`])
        expect(parse(line).faults.length).toBeGreaterThan(0);
    },
  );

  it('A4: keeps it also where either of the two has very many parts', () => {
    const parts = (count: number): string =>
      Array.from({ length: count }, (_, index) => `{"type":"text","text":"${index}"}`).join(',');
    const record = (id: string, count: number): string =>
      `{"type":"message","id":"${id}","parent_id":null,"timestamp":"t","role":"user","parts":[${parts(count)}]}`;
    for (const [before, behind] of [
      [1_000, 1],
      [1, 1_000],
      [1_000, 30],
    ] as const) {
      const cut = record('a', before).slice(0, -5);
      expect(parse(cut + record('b', behind)).entries).toMatchObject([{ id: 'b' }]);
    }
    // Cut just where its parts began.
    expect(parse(record('a', 0).slice(0, -2) + record('b', 1)).entries).toMatchObject([{ id: 'b' }]);
  });

  it('takes no part of a record for a record', () => {
    const header = '{"type":"session","version":4,"id":"h"}';
    for (const line of [
      '{"type":"message","id":"a","parent_id":null,"parts":[{"type":"text","text":"x"}',
      `{"type":"session_info","id":"a","parent_id":null,"header":${header}`,
      '{"type":"x","a":[{"type":"y","id":3}',
    ]) {
      const { entries, header: found, faults } = parse(line);
      expect({ entries, found, faults: faults.length }).toEqual({ entries: [], found: undefined, faults: 1 });
    }
  });

  it('does not take for ever over a hostile line', () => {
    const line = '{"type":"x",'.repeat(50_000);
    expect(parse(line).entries).toEqual([]);
    expect(parse('['.repeat(200_000)).entries).toEqual([]);
    expect(parse(`${'['.repeat(5_000)}${']'.repeat(5_000)}`).entries).toEqual([]);
  });

  it('reads a line that was found good the same way again, or not at all', () => {
    const result = (styles: unknown): string =>
      JSON.stringify({
        type: 'message',
        id: 'a',
        parent_id: null,
        timestamp: time,
        parts: [{ type: 'tool_result', call_id: 'c', name: 'run', content: 'x', is_error: false, styles }],
        role: 'tool',
      });
    for (const line of [
      json('a'),
      serialiseBatch([message('a', '1'), message('b', '2')]).trimEnd(),
      result(undefined),
      result([[0, 1, '31']]),
      result('red'),
    ]) {
      const again = parseAgain(Buffer.from(line));
      if (again !== undefined) expect(again).toEqual(parse(line).entries);
      // What does not fit there is left out by the schema alone.
      expect(again === undefined).toBe(line.includes('"styles"'));
    }
    expect(parseAgain(Buffer.from(json('a').slice(0, -1)))).toBeUndefined();
    expect(parseAgain(Buffer.from(json('a') + json('b')))).toBeUndefined();
    expect(parseAgain(Buffer.from('7'))).toBeUndefined();
  });
});
