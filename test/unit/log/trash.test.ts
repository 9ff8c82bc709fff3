/** Deleted sessions until they are gone for good: what is listed of them, and how one is brought back. */
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FileStore } from '../../../src/log/file-store.js';
import { headerLine, lines, messageLine, pathTexts, putLog } from './lines.js';
import { makePlace, user, type Place } from './support.js';

let place: Place;
let store: FileStore;
beforeEach(async () => {
  place = await makePlace();
  store = place.store();
});
afterEach(() => place.dispose());

describe('the trash', () => {
  it('lists what was deleted, the newest first, and brings one back to where it was, in another window too', async () => {
    for (const id of ['a', 'b']) {
      const log = await store.create({ id, title: 'Same' });
      const blob = await log.blobs.put('picture');
      await log.append([
        { type: 'message', role: 'user', parts: [{ type: 'image', blob, mime: 'i', name: 'x' }] },
      ]);
      await store.delete(id);
    }
    const other = place.store();
    const found = await other.deleted();
    expect(found.map(({ id, title, messages }) => [id, title, messages])).toEqual(
      expect.arrayContaining([
        ['a', 'Same', 1],
        ['b', 'Same', 1],
      ]),
    );
    expect(found[0]?.deleted).toBeGreaterThanOrEqual(found[1]?.deleted ?? Infinity);
    expect(found[0]?.bytes).toBeGreaterThan('picture'.length);
    const key = found.find(({ id }) => id === 'a')?.key ?? '';
    expect(await other.restore(key)).toBe('a');
    expect((await other.list()).sessions.map(({ id }) => id)).toEqual(['a']);
    expect((await (await other.open('a')).path()).length).toBe(1);
    expect((await other.deleted()).map(({ id }) => id)).toEqual(['b']);
    await expect(other.restore(key)).rejects.toMatchObject({ code: 'SessionNotFound' });
    await expect(store.restore('../a.0123456789ab')).rejects.toMatchObject({ code: 'SessionNotFound' });
  });

  it('replaces no new session of the same id, and lists one that cannot be read by its name', async () => {
    await putLog(place, 's', lines(headerLine('s'), messageLine('old', null)));
    await store.delete('s');
    await (await store.create({ id: 's' })).append([user('new')]);
    const [found] = await store.deleted();
    await expect(store.restore(found?.key ?? '')).rejects.toMatchObject({ code: 'SessionExists' });
    expect(await pathTexts(await store.open('s'))).toEqual(['new']);
    const log = path.join(place.folder, 'trash', found?.key ?? '', 's.jsonl');
    await rm(log);
    expect(await store.deleted()).toEqual([]);
  });
});

describe('a file that is opened', () => {
  it.each([
    ['empty', ''],
    ['prose', 'Once upon a time\nthere was a log.\n'],
    ['a chat of another program', '{"role":"user","content":"hi"}\n{"type":"user","uuid":"1","message":{}}'],
    ['another tree', '{"type":"thing","id":"1","parent_id":null}\n'],
    ['bytes', '\u0000\u0001\n\u0000{"'],
  ])('and is no session log (%s) is refused, and left as it is', async (name, text) => {
    const file = path.join(place.folder, 'foreign.jsonl');
    await writeFile(file, text);
    const before = await readdir(place.folder);
    await expect(store.openFile(file), name).rejects.toMatchObject({
      code: 'InvalidArgument',
      message: expect.stringMatching(/foreign\.jsonl is no session log.*format 4.*format 3/) as string,
    });
    expect(await readFile(file, 'utf8')).toBe(text);
    expect(await readdir(place.folder)).toEqual(before);
    await writeFile(file, lines(headerLine('s'), messageLine('a', null)));
    expect(await pathTexts(await store.openFile(file))).toEqual(['a']);
  });

  it('and has one line of a session among others is opened', async () => {
    const file = path.join(place.folder, 'partly.jsonl');
    await writeFile(file, lines('{"role":"user"}', messageLine('a', null)));
    expect(await pathTexts(await store.openFile(file))).toEqual(['a']);
  });
});
