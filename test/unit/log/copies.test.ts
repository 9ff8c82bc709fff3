import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { FileStore } from '../../../src/log/file-store.js';
import { LockTable } from '../../../src/log/lock-table.js';
import { lineOf, recordTexts, withField } from '../../../src/log/record-text.js';
import type { SessionLog } from '../../../src/log/store.js';
import { CUT_COPY } from '../../../src/shared/fold/stand-in.js';
import type { FaultyFiles } from './faulty-files.js';
import { useFaultyPlace } from './faulty-place.js';
import { bytesOf, headerLine, joined, lines, messageLine, noteLine, pathTexts, putLog } from './lines.js';
import { assistant, makePlace, user, type Place } from './support.js';

let place: Place;
let files: FaultyFiles;
let store: FileStore;
let inSessions: (...names: string[]) => string;
useFaultyPlace((made) => ({ place, files, store, inSessions } = made));

const linesOf = async (id: string): Promise<string[]> =>
  (await readFile(place.log(id), 'utf8')).trimEnd().split('\n');
const left = async (): Promise<string[]> => {
  const trash = await readdir(path.join(place.folder, 'trash')).catch(() => []);
  return [...(await readdir(inSessions())), ...trash]
    .filter((name) => !/\.(lock|lease\.json)$/.test(name))
    .sort();
};
/** Whole, wherever it is kept. */
async function partsOf(log: SessionLog, id: string): Promise<string[]> {
  const entry = await log.entry(id);
  if (entry?.type !== 'message') return [];
  const texts: string[] = [];
  for (const part of entry.parts) {
    if (part.type !== 'tool_result') continue;
    const { blob, content } = part;
    texts.push(blob === undefined ? content : new TextDecoder().decode(await log.blobs.get(blob)));
  }
  return texts;
}
const blobMessage = (blob: string) => ({
  type: 'message' as const,
  role: 'user' as const,
  parts: [{ type: 'image' as const, blob, mime: 'image/png', name: 'x' }],
});

describe('a fork in files', () => {
  it('A11: keeps types and fields it does not know byte for byte', async () => {
    const strange = `{ "type" : "future_x","id":"f1","parent_id":"a","timestamp":"t","n":1.0,"big":12345678901234567890,"e":1e2 }`;
    const known = messageLine('b', 'a').replace('"parts"', '"later":{"k":1.50},"parts"');
    const batch = `[${noteLine('label', 'l', 'b', { target_id: 'a', label: 'x' })},{"type":"future_y","id":"f2","parent_id":"b","x":[1.0]}]`;
    await putLog(place, 's', lines(headerLine('s'), messageLine('a', null), strange, known, batch));
    await store.fork('s', { id: 'copy' });
    expect((await linesOf('copy')).slice(1)).toEqual([messageLine('a', null), strange, known, batch]);
  });

  it('A11: changes only the link of what stood on an entry that is left out', async () => {
    const start = noteLine('turn_start', 't', 'a', { turn_id: 'T' });
    const end = `{"type":"turn_end","id":"e","parent_id":"c","timestamp":"t","turn_id":"T","steps":1,"status":"completed","n":1.0}`;
    const other = messageLine('c', null);
    await putLog(
      place,
      's',
      lines(headerLine('s'), messageLine('a', null), start, messageLine('b', 'a'), other, end),
    );
    await store.fork('s', { id: 'copy', at: 'b' });
    expect((await linesOf('copy')).slice(1)).toEqual([
      messageLine('a', null),
      start,
      messageLine('b', 'a'),
      end.replace('"parent_id":"c"', '"parent_id":null'),
    ]);
  });

  it('says of a turn that its place cuts that this was the copying, and not anybody who stopped it', async () => {
    const start = noteLine('turn_start', 't', 'a', { turn_id: 'T' });
    const answer = messageLine('b', 'a').replace('"parts"', '"turn_id":"T","parts"');
    const end = noteLine('turn_end', 'e', 'b', { turn_id: 'T', steps: 1, status: 'completed' });
    await putLog(place, 's', lines(headerLine('s'), messageLine('a', null), start, answer, end));
    const ends = async (id: string) =>
      (await linesOf(id)).flatMap((line) =>
        line.includes('"turn_end"') ? [JSON.parse(line) as unknown] : [],
      );
    await store.fork('s', { id: 'within', at: 'a' });
    expect(await ends('within')).toMatchObject([{ turn_id: 'T', status: 'stopped', is_cut: true }]);
    await store.fork('s', { id: 'whole', at: 'b' });
    expect(await ends('whole')).toEqual([JSON.parse(end)]);
  });

  it('A14, A16: gives entries the ids and parents they were read with', async () => {
    await putLog(
      place,
      's',
      lines(
        headerLine('s'),
        messageLine('a', null, 'one'),
        noteLine('label', 'l', 'a', { target_id: 'a', label: 'x' }),
        messageLine('a', 'l', 'two'),
        'garbage',
        messageLine('b', 'ghost', 'three'),
      ),
    );
    const source = await store.open('s');
    expect(source.damage).toHaveLength(3);
    const copy = await store.fork('s');
    expect(await pathTexts(copy)).toEqual(await pathTexts(source));
    expect(copy.damage).toEqual([]);
  });

  it.each([
    ['first', 'a', ['a']],
    ['middle', 'b', ['a', 'b']],
    ['last', 'c', ['a', 'b', 'c']],
  ])('H4: a fork at the %s entry names its source and goes on in its own file alone', async (_, at, path) => {
    await putLog(
      place,
      's',
      lines(headerLine('s'), messageLine('a', null), messageLine('b', 'a'), messageLine('c', 'b')),
    );
    const before = await readFile(place.log('s'));
    const copy = await store.fork('s', { id: 'copy', at });
    expect(copy.header.parent_session_id).toBe('s');
    await copy.append([user('further')]);
    const again = await place.store().open('copy');
    expect(again.header.parent_session_id).toBe('s');
    expect(await pathTexts(again)).toEqual([...path, 'further']);
    expect((await linesOf('copy')).at(-1)).toContain('further');
    expect(await readFile(place.log('s'))).toEqual(before);
  });

  it('B19: forks take the room of their text; blobs are there once', async () => {
    const log = await store.create({ id: 's' });
    const hash = await log.blobs.put(new Uint8Array(1024 * 1024));
    await log.append([blobMessage(hash)]);
    for (let at = 0; at < 50; at++) await store.fork('s', { id: `f${at}` });
    const original = await stat(inSessions('s', hash));
    expect(original.nlink).toBe(51);
    expect((await stat(inSessions('f49', hash))).ino).toBe(original.ino);
    expect((await stat(place.log('f49'))).size).toBeLessThan(2_048);
  });

  it('B19: copies blobs where there are no hard links', async () => {
    const log = await store.create({ id: 's' });
    const hash = await log.blobs.put('picture');
    files.faults = [{ call: 'link', errno: 'EPERM', path: hash }];
    await log.append([blobMessage(hash), blobMessage('0'.repeat(64))]);
    const copy = await store.fork('s', { id: 'copy' });
    expect(new TextDecoder().decode(await copy.blobs.get(hash))).toBe('picture');
    expect((await stat(inSessions('copy', hash))).nlink).toBe(1);
    expect(await copy.blobs.has('0'.repeat(64))).toBe(false);
  });

  it.skipIf(process.platform === 'win32')('B18: lets nobody else read a copy', async () => {
    const log = await store.create({ id: 's' });
    await log.append([blobMessage(await log.blobs.put('x'))]);
    await store.fork('s', { id: 'copy' });
    expect((await stat(place.log('copy'))).mode & 0o777).toBe(0o600);
    expect((await stat(inSessions('copy'))).mode & 0o777).toBe(0o700);
  });

  it.each([
    ['file.write', 'ENOSPC'],
    ['file.datasync', 'EIO'],
    ['rename', 'EACCES'],
    ['makeFolder', 'EROFS'],
  ] as const)(
    'leaves nothing behind when %s fails with %s, and the original as it is',
    async (call, errno) => {
      const log = await store.create({ id: 's' });
      await log.append([blobMessage(await log.blobs.put('x')), user('a')]);
      await log.close();
      const before = await bytesOf(place.log('s'));
      const target = call === 'rename' || call === 'makeFolder' ? 'copy' : 'copy.jsonl';
      files.faults = [{ call, errno, path: target, times: 1 }];
      await expect(store.fork('s', { id: 'copy' })).rejects.toMatchObject({
        code: 'StorageFailure',
        data: { errno },
      });
      files.heal();
      expect(await left()).toEqual(['s', 's.jsonl']);
      expect((await bytesOf(place.log('s'))).equals(before)).toBe(true);
      expect(await pathTexts(await store.fork('s', { id: 'copy' }))).toHaveLength(2);
    },
  );

  it('is gone with the next look when its process died before it was whole', async () => {
    await putLog(place, 's', lines(headerLine('s'), messageLine('a', null)));
    const dead = path.join(place.folder, 'trash', `half.${'0'.repeat(12)}.copy`);
    await mkdir(dead, { recursive: true });
    const owner = { window: 'w', pid: 999_999_999, host: 'h', since: new Date().toISOString() };
    await writeFile(path.join(dead, 'owner.json'), JSON.stringify(owner));
    await writeFile(path.join(dead, 'half.jsonl'), 'half');
    await mkdir(inSessions('half'));
    await writeFile(inSessions('half', '0'.repeat(64)), 'blob');
    const next = place.store({ who: { window: 'w', pid: process.pid, host: 'h' } });
    expect((await next.list()).sessions.map(({ id }) => id)).toEqual(['s']);
    expect(await left()).toEqual(['s.jsonl']);
  });

  it('waits for a turn that runs in another window', async () => {
    const locks = new LockTable();
    const here = place.store({ locks });
    const there = await place.store({ locks }).create({ id: 's' });
    const lease = await there.acquire();
    await there.append([user('a')]);
    const forking = here.fork('s', { id: 'copy' });
    await there.append([assistant('b')]);
    lease.dispose();
    expect(await pathTexts(await forking)).toEqual(['a', 'b']);
  });

  it('refuses a newer format, whose entries it does not understand', async () => {
    await putLog(place, 's', lines(headerLine('s', { version: 99 }), messageLine('a', null)));
    await expect(store.fork('s')).rejects.toMatchObject({ code: 'NewerFormat' });
    expect(await left()).toEqual(['s.jsonl']);
  });
});

describe('an imported copy', () => {
  const v3 = (fields: object): string => JSON.stringify({ timestamp: '2026-01-01T00:00:00Z', ...fields });
  const part = (type: string, data: object): object => ({ type, data });
  const call = (id: string): object =>
    part('tool_call', { id, name: 'read', input: '{"path":"x"}', finished: true });
  const result = (id: string, content: string): object =>
    part('tool_result', { tool_call_id: id, name: 'read', content, is_error: false });

  it('A10: goes on with a version-3 log: calls have ids of ours, images are blobs, the original stays', async () => {
    const bytes = lines(
      v3({ type: 'session', version: 3, id: 'k', cwd: '/w/p' }),
      v3({
        type: 'message',
        id: 'a1',
        role: 'user',
        parts: [part('text', { text: 'go' }), part('image', { data: 'AAEC', media_type: 'image/png' })],
      }),
      v3({ type: 'message', id: 'a2', parent_id: 'a1', role: 'assistant', parts: [call(''), call('')] }),
      v3({
        type: 'message',
        id: 'a3',
        parent_id: 'a2',
        role: 'tool',
        parts: [result('', 'first'), result('', 'z'.repeat(1_100_000))],
      }),
      v3({ type: 'system_prompt', id: 'sp', content: 'You are' }),
      v3({ type: 'session_info', id: 'si', parent_id: 'a3', name: 'Named' }),
      v3({
        type: 'compaction',
        id: 'c',
        summary: 'so far',
        first_kept_entry_id: 'a2',
        tokens_before: 9,
        tokens_after: 3,
      }),
      v3({ type: 'message', id: 'a6', parent_id: 'c', role: 'user', parts: [part('text', { text: 'on' })] }),
    );
    await putLog(place, 'k', bytes);
    const source = await store.open('k');
    const copy = await store.importCopy(source, { id: 'copy', folder: 'file:///w/p' });
    expect(copy.damage).toEqual([]);
    expect(copy.header).toMatchObject({ version: 4, parent_session_id: 'k', folder: 'file:///w/p' });
    expect(copy.state()).toMatchObject({ name: 'Named', open_calls: [] });
    expect(copy.outline.map(([id, parent]) => [id, parent])).toEqual(
      source.outline.map(([id, parent]) => [id, parent]),
    );
    const [first, asked, answered] = await copy.path();
    if (first?.type !== 'message' || asked?.type !== 'message' || answered?.type !== 'message')
      return expect.fail('three messages');
    const [, image] = first.parts;
    expect([image?.type, first.origin]).toEqual(['image', 'import']);
    expect([...(await copy.blobs.get(image?.type === 'image' ? image.blob : ''))]).toEqual([0, 1, 2]);
    const ids = asked.parts.map((one) => (one.type === 'tool_call' ? one.call_id : ''));
    expect(new Set(ids).size).toBe(2);
    expect(answered.parts.map((one) => (one.type === 'tool_result' ? one.call_id : ''))).toEqual(ids);
    const long = answered.parts[1];
    expect((await copy.blobs.get(long?.type === 'tool_result' ? (long.blob ?? '') : '')).length).toBe(
      1_100_000,
    );
    expect(await linesOf('copy')).toContainEqual(expect.stringContaining('"content":"You are"'));
    await copy.append([user('more')]);
    expect((await bytesOf(place.log('k'))).equals(bytes)).toBe(true);
  });

  it.each([
    [
      'what it was named',
      { title: 'Begun as' },
      [noteLine('session_info', 'n', 'a', { name: 'Named' })],
      'Named',
    ],
    ['what it was begun with', { title: 'Begun as' }, [], 'Begun as'],
    ['its first prompt', {}, [], 'First words'],
    ['what it is named in the copy', { title: 'Begun as' }, [], 'Given', 'Given'],
  ])('is called by %s, in the list too', async (_, header, notes, title, given?: string) => {
    const file = path.join(place.folder, 'from-elsewhere.jsonl');
    await writeFile(file, lines(headerLine('far', header), messageLine('a', null, 'First words'), ...notes));
    const source = await store.openFile(file);
    const copy = await store.importCopy(source, {
      id: 'copy',
      ...(given === undefined ? {} : { title: given }),
    });
    expect((await store.summary('copy'))?.title).toBe(title);
    expect((await place.store().list()).sessions).toMatchObject([{ id: 'copy', title }]);
    expect(copy.header.parent_session_id).toBe('far');
  });

  it('A10: a stopped call without a result shifts no later one', async () => {
    const said = (id: string, parent: string | null, role: string, ...parts: object[]): string =>
      v3({ type: 'message', id, ...(parent === null ? {} : { parent_id: parent }), role, parts });
    const bytes = lines(
      v3({ type: 'session', version: 3, id: 'k', cwd: '/w/p' }),
      said('a1', null, 'user', part('text', { text: 'go' })),
      said('a2', 'a1', 'assistant', call('')),
      said('a3', 'a2', 'user', part('text', { text: 'stopped; again' })),
      said('a4', 'a3', 'assistant', call(''), call('')),
      said('a5', 'a4', 'tool', result('', 'one')),
      said('a6', 'a5', 'tool', result('', 'two')),
      said('a7', 'a6', 'assistant', call('')),
      said('a8', 'a7', 'tool', result('', 'three')),
    );
    await putLog(place, 'k', bytes);
    const copy = await store.importCopy(await store.open('k'), { id: 'copy' });
    const callsOf = new Map<string, string>();
    const answered: string[] = [];
    for (const entry of await copy.path()) {
      if (entry.type !== 'message') continue;
      entry.parts.forEach((one, index) => {
        if (one.type === 'tool_call') callsOf.set(one.call_id, `${entry.id}/${index}`);
        if (one.type === 'tool_result')
          answered.push(`${one.content} of ${callsOf.get(one.call_id) ?? 'none'}`);
      });
    }
    expect(answered).toEqual(['one of a4/0', 'two of a4/1', 'three of a7/0']);
  });

  it('A3: says of what was cut within a turn that it ends there, not that somebody stopped it', async () => {
    await putLog(
      place,
      'k',
      joined(
        lines(
          headerLine('k'),
          messageLine('a', null),
          noteLine('turn_start', 't', 'a', { turn_id: 'T' }),
          noteLine('step_start', 'p', 'a', { turn_id: 'T', step: 1, attempt_id: 'x' }),
        ),
        '{"type":"mess',
      ),
    );
    const copy = await store.importCopy(await store.open('k'), { id: 'copy' });
    expect(copy.state().turn).toBeNull();
    expect((await copy.since(0)).map(({ entry }) => entry).slice(-2)).toMatchObject([
      { type: 'turn_end', turn_id: 'T', status: 'interrupted' },
      { type: 'session_recovery', turn_id: 'T', turn_start_id: 't', reason: CUT_COPY },
    ]);
  });

  it('A10: takes over what is too long for one entry; what is so all the same is named, not the end of it', async () => {
    const said = (id: string, parent: string | null, role: string, ...parts: object[]): string =>
      v3({ type: 'message', id, ...(parent === null ? {} : { parent_id: parent }), role, parts });
    const calls = Array.from({ length: 50 }, (_, index) => call(`c${index}`));
    const results = Array.from({ length: 50 }, (_, index) =>
      result(`c${index}`, String.fromCharCode(65 + index).repeat(30_000)),
    );
    const long = 'x'.repeat(1_100_000);
    const bytes = lines(
      v3({ type: 'session', version: 3, id: 'k', cwd: '/w/p' }),
      said('a1', null, 'assistant', ...calls),
      said('a2', 'a1', 'tool', ...results),
      v3({ type: 'extension_data', id: 'e', parent_id: 'a2', ext_type: 'other', data: long }),
      v3({ type: 'incomplete_output', id: 'i', parent_id: 'a2', attempt_id: 'at', text: long }),
      v3({ type: 'branch_summary', id: 'b', parent_id: 'a2', from_id: 'a1', summary: long }),
      said('a3', 'b', 'user', part('text', { text: 'on' })),
    );
    await putLog(place, 'k', bytes);
    const copy = await store.importCopy(await store.open('k'), { id: 'copy' });
    expect(copy.damage).toEqual([]);
    const contents = await partsOf(copy, 'a2');
    expect(contents.map((text) => [text[0], text.length])).toEqual(
      results.map((_, index) => [String.fromCharCode(65 + index), 30_000]),
    );
    const cut = await copy.entry('i');
    const blob = cut?.type === 'incomplete_output' ? (cut.blob ?? '') : '';
    expect((await copy.blobs.get(blob)).length).toBe(long.length);
    expect(await copy.entry('e')).toBe(undefined);
    const path = await copy.path();
    expect(path.map(({ id }) => id).slice(-2)).toEqual(['b', 'a3']);
    expect(JSON.stringify(path.at(-2))).toContain('The branch_summary b was not copied from session k');
    expect(place.troubles.map(({ code, data }) => [code, data['entry']])).toEqual([
      ['TooLarge', 'e'],
      ['TooLarge', 'b'],
    ]);
    await copy.append([user('more')]);
  });

  it('is made of a log that lies elsewhere, with the blobs beside it', async () => {
    const elsewhere = path.join(place.folder, 'elsewhere');
    await mkdir(path.join(elsewhere, 'My chat'), { recursive: true });
    const file = path.join(elsewhere, 'My chat.jsonl');
    const other = await makePlace();
    const log = await other.store().create({ id: 's' });
    const hash = await log.blobs.put('picture');
    await log.append([blobMessage(hash)]);
    await writeFile(file, await bytesOf(other.log('s')));
    await writeFile(path.join(elsewhere, 'My chat', hash), 'picture');
    await other.dispose();
    const opened = await store.openFile(file);
    expect([opened.id, opened.file, opened.position]).toEqual([file, file, 1]);
    expect((await store.open(file)) === opened).toBe(true);
    expect((await store.list()).sessions).toEqual([]);
    await expect(store.delete(file)).rejects.toMatchObject({ code: 'AccessDenied' });
    const copy = await store.importCopy(opened, { id: 'copy' });
    expect(new TextDecoder().decode(await copy.blobs.get(hash))).toBe('picture');
    await opened.append([user('there')]);
    expect(copy.position).toBe(1);
    expect((await readdir(elsewhere)).filter((name) => name.endsWith('.jsonl'))).toEqual(['My chat.jsonl']);
  });

  it('says of files nothing that counts here, in a copy, a fork, and a fork of those', async () => {
    const elsewhere = path.join(place.folder, 'elsewhere');
    await mkdir(elsewhere, { recursive: true });
    const file = path.join(elsewhere, 'theirs.jsonl');
    const changes = [{ path: '.git/hooks/post-checkout', before: 'a'.repeat(64), after: null }];
    const change = noteLine('files_changed', 'c', 'a', { changes });
    // The last of two fields of the same name is the one that counts.
    const sly = `${change.slice(0, -1)},"foreign":true,"foreign":false}`.replace('"id":"c"', '"id":"d"');
    await writeFile(file, lines(headerLine('s'), messageLine('a', null), change, sly));
    const opened = await store.openFile(file);
    const copy = await store.importCopy(opened, { id: 'copy' });
    await copy.append([{ type: 'files_changed', changes: [{ path: 'mine', before: null, after: null }] }]);
    await store.fork(file, { id: 'fork' });
    await store.fork('copy', { id: 'again' });
    for (const id of ['copy', 'fork', 'again']) {
      const said = (await (await store.open(id)).since(0)).flatMap(({ entry }) =>
        entry.type === 'files_changed' ? [entry.foreign] : [],
      );
      expect(said.slice(0, 2)).toEqual([true, true]);
      expect(said.slice(2)).toEqual(id === 'fork' ? [] : [undefined]);
      const states = (await store.open(id)).files();
      expect(states[0]).toMatchObject({ path: '.git/hooks/post-checkout', isForeign: true });
      expect(states.slice(1).map(({ isForeign }) => isForeign)).toEqual(id === 'fork' ? [] : [false]);
    }
  });

  it('is the session itself when its own file is opened', async () => {
    await putLog(place, 's', lines(headerLine('s'), messageLine('a', null)));
    const log = await store.open('s');
    expect((await store.openFile(place.log('s'))) === log).toBe(true);
    await expect(store.openFile(path.join(place.folder, 'none.jsonl'))).rejects.toMatchObject({
      code: 'StorageFailure',
      data: { errno: 'ENOENT' },
    });
  });
});

describe('records as they are written', () => {
  const texts = (line: string): string[] => recordTexts(Buffer.from(line), 'own', 'now');

  it('are found on lines that are damaged or hold several', () => {
    const a = messageLine('a', null, '{"id":"b"} \\"');
    const b = '{"type":"future","id":"b","parent_id":null,"n":1.0}';
    expect(texts(a)).toEqual([a]);
    expect(texts(`[ ${a} , ${b} ]`)).toEqual([a, b]);
    expect(texts(a + b)).toEqual([a, b]);
    expect(texts(`{"type":"message","id":"z","parts":[{"type":"te${b}`)).toEqual([b]);
    expect(recordTexts(joined('\uFEFF', b, '\r'), 'own', 'now')).toEqual([b]);
    expect(texts('garbage')).toEqual([]);
  });

  it('are found however much else stands on their line', () => {
    const b = '{"type":"future","id":"b","parent_id":null,"n":1.0}';
    expect(texts('{"id":1} '.repeat(3_000) + b)).toEqual([b]);
    const parts = '{"type":"text","text":""},'.repeat(3_000);
    expect(texts(`{"type":"message","id":"z","parts":[${parts}{"type":"te${b}`)).toEqual([b]);
    // Where it is not to be found, what is known of it is written.
    const deep = '{"x":['.repeat(1_100);
    const found = texts(`{"id":"z","x":${deep}{"type":"te${b}`).map((text) => JSON.parse(text) as object);
    expect(found).toEqual([{ type: 'future', id: 'b', parent_id: null, timestamp: 'now' }]);
    expect(texts(`${'{"id":1} {"x" [] '.repeat(3)}${b}`)).toEqual([b]);
  });

  it('get another value for one field of their own', () => {
    expect(withField('{"a":{"p":1},"p" : "x","q":[{"p":2}]}', 'p', null)).toBe(
      '{"a":{"p":1},"p" : null,"q":[{"p":2}]}',
    );
    expect(withField('{"p":null}', 'p', 'y"z')).toBe('{"p":"y\\"z"}');
    expect(withField('{"q":"p"}', 'p', null)).toBe('{"p":null,"q":"p"}');
    expect(withField('{"q\\"p":"x\\\\","p":1}', 'p', 'y')).toBe('{"q\\"p":"x\\\\","p":"y"}');
    expect(lineOf(['1', '2'])).toBe('[1,2]\n');
  });
});

describe('A8: a first append that fails', () => {
  it('is written in full by the next one; nothing that was acknowledged is missing', async () => {
    const log = await store.create({ id: 's' });
    files.faults = [{ call: 'open', path: 's.jsonl', errno: 'EACCES', times: 1 }];
    await expect(log.append([user('one')])).rejects.toMatchObject({ data: { errno: 'EACCES' } });
    for (const text of ['one', 'two', 'three']) await log.append([user(text)]);
    await store.close();
    const again = await place.store().open('s');
    expect([await pathTexts(again), again.damage]).toEqual([['one', 'two', 'three'], []]);
    expect((await linesOf('s'))[0]).toContain('"type":"session"');
  });
});
