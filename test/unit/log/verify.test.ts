import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FileStore } from '../../../src/log/file-store.js';
import { LockTable } from '../../../src/log/lock-table.js';
import { createNodeFiles } from '../../../src/log/node-files.js';
import { stagedName } from '../../../src/log/staged-name.js';
import type { LogReport } from '../../../src/log/upkeep.js';
import { FaultyFiles } from './faulty-files.js';
import { bytesOf, headerLine, joined, lines, messageLine, pathTexts, putLog } from './lines.js';
import { makePlace, user, type Place } from './support.js';

let place: Place;
let store: FileStore;
beforeEach(async () => {
  place = await makePlace();
  store = place.store();
});
afterEach(() => place.dispose());

const inSessions = (name: string): string => path.join(place.folder, 'sessions', name);
const one = async (from = store, repair = false): Promise<LogReport | undefined> =>
  (await from.verify({ repair })).logs[0];
const image = (blob: string): string =>
  messageLine('a', null, '', { parts: [{ type: 'image', blob, mime: 'image/png', name: 'x' }] });

describe('verifying a folder of logs', () => {
  it('counts lines and entries of a good one, and changes nothing', async () => {
    const bytes = lines(headerLine('s', { title: 'T' }), messageLine('a', null), messageLine('b', 'a'));
    await putLog(place, 's', bytes);
    expect(await store.verify()).toEqual({
      folder: place.folder,
      logs: [
        {
          id: 's',
          title: 'T',
          file: place.log('s'),
          lines: 3,
          entries: 2,
          bytes: bytes.length,
          damage: [],
          missingBlobs: [],
          repaired: [],
        },
      ],
      orphans: [],
      strayFiles: [],
      repaired: [],
    });
    expect((await bytesOf(place.log('s'))).equals(bytes)).toBe(true);
    await expect(stat(path.join(place.folder, 'cache'))).rejects.toThrow('ENOENT');
  });

  it('reports each damage with line and reason, in the words of the session itself', async () => {
    await putLog(
      place,
      's',
      joined(
        lines(headerLine('s'), messageLine('a', null), 'garbage', messageLine('b', 'ghost')),
        '{"type":"mess',
      ),
    );
    const report = await one();
    expect(report?.damage.map(({ kind, line }) => `${kind} ${line}`)).toEqual([
      'unreadable-line 3',
      'missing-parent 4',
      'torn-tail 5',
    ]);
    expect([report?.lines, report?.entries]).toEqual([5, 2]);
    const log = await store.open('s');
    expect(report?.damage).toEqual(log.damage);
    expect(report?.damage[1]?.ids).toBe('entry b, its parent ghost, shown after a');
  });

  it('says of an empty file that it is one, not that it is none of a session', async () => {
    await putLog(place, 's', new Uint8Array(0));
    const report = await one();
    expect(report?.damage).toEqual([{ kind: 'empty', line: 1, reason: 'the file is empty' }]);
    expect(report?.isForeign).toBeUndefined();
  });

  it('moves a record that was cut short beside the log, and nothing else', async () => {
    const good = lines(headerLine('s'), messageLine('a', null));
    await putLog(place, 's', joined(good, '{"type":"mess'));
    const live = await store.open('s');
    expect((await one(store, true))?.repaired).toEqual([expect.stringContaining('s.damaged')]);
    expect((await bytesOf(place.log('s'))).equals(good)).toBe(true);
    expect(await readFile(inSessions('s.damaged'), 'utf8')).toContain('{"type":"mess');
    expect((await one())?.damage).toEqual([]);
    await live.append([user('b')]);
    expect(await pathTexts(live)).toEqual(['a', 'b']);
  });

  it('says how much could be mended, and after mending what stays', async () => {
    await putLog(
      place,
      's',
      joined(lines(headerLine('s'), 'garbage', messageLine('a', null)), '{"type":"mess'),
    );
    await putLog(place, 'whole', lines(headerLine('whole'), 'garbage', messageLine('a', null)));
    const [torn, whole] = (await store.verify()).logs;
    expect([torn?.mendable, whole?.mendable]).toEqual([1, undefined]);
    const [mended] = (await store.verify({ repair: true })).logs;
    expect(mended?.repaired).toHaveLength(1);
    expect(mended?.damage.map(({ kind, line }) => `${kind} ${line}`)).toEqual(['unreadable-line 2']);
    expect(mended?.mendable).toBeUndefined();
  });

  it('never touches a file that is no session log', async () => {
    const garbage = Buffer.from([0, 255, 10, 1, 2, 10, 123, 34, 200, 9]);
    await putLog(place, 'garbage', garbage);
    await putLog(place, 'chat', Buffer.from('{"role":"user","content":"hi"}\n{"role":"assist'));
    for (const repair of [false, true]) {
      const { logs } = await store.verify({ repair });
      for (const log of logs) {
        expect(log).toMatchObject({ isForeign: true, repaired: [] });
        expect(log.mendable).toBeUndefined();
      }
    }
    expect((await bytesOf(place.log('garbage'))).equals(garbage)).toBe(true);
    expect((await readdir(inSessions(''))).sort()).toEqual(['chat.jsonl', 'garbage.jsonl']);
  });

  it('adds the newline that a last record lacks', async () => {
    await putLog(place, 's', joined(headerLine('s'), '\n', messageLine('a', null)));
    const live = await store.open('s');
    expect((await one(store, true))?.repaired).toEqual([expect.stringContaining('newline')]);
    expect((await bytesOf(place.log('s'))).at(-1)).toBe(0x0a);
    expect(await one(store, true)).toMatchObject({ repaired: [], damage: [], entries: 1 });
    await live.append([user('b')]);
    expect(await pathTexts(live)).toEqual(['a', 'b']);
  });

  it('leaves bad lines in the middle, logs that are in use, and those of other versions as they are', async () => {
    const bad = lines(headerLine('s'), 'garbage', messageLine('a', null));
    await putLog(place, 's', bad);
    await one(store, true);
    expect((await bytesOf(place.log('s'))).equals(bad)).toBe(true);
    const newer = joined(lines(headerLine('s', { version: 99 }), messageLine('a', null)), '{"ty');
    await putLog(place, 's', newer);
    await one(store, true);
    expect((await bytesOf(place.log('s'))).equals(newer)).toBe(true);
    const torn = joined(lines(headerLine('s'), messageLine('a', null)), '{"ty');
    await putLog(place, 's', torn);
    const locks = new LockTable();
    const lease = await (await place.store({ locks }).open('s')).acquire();
    expect((await one(place.store({ locks }), true))?.unmended).toContain('Nothing was mended');
    expect((await bytesOf(place.log('s'))).equals(torn)).toBe(true);
    lease.dispose();
  });

  it('says which blobs are missing or changed, and takes them from a copy that has them', async () => {
    const log = await store.create({ id: 's' });
    const hash = await log.blobs.put('picture');
    await log.append([
      { type: 'message', role: 'user', parts: [{ type: 'image', blob: hash, mime: 'i', name: 'x' }] },
    ]);
    const file = path.join(inSessions('s'), hash);
    await rm(file);
    expect((await one())?.missingBlobs).toEqual([{ hash, reason: expect.stringContaining('not there') }]);
    expect((await one(store, true))?.repaired).toEqual([]);
    await log.blobs.put('picture');
    await store.fork('s', { id: 'copy' });
    await rm(file);
    await writeFile(file, 'changed');
    expect((await store.verify()).logs.find(({ id }) => id === 's')?.mendable).toBe(1);
    const mended = (await store.verify({ repair: true })).logs.find(({ id }) => id === 's');
    expect(mended).toMatchObject({
      missingBlobs: [],
      repaired: [expect.stringContaining(hash)],
    });
    expect(new TextDecoder().decode(await log.blobs.get(hash))).toBe('picture');
    expect(await readFile(`${file}.damaged`, 'utf8')).toBe('changed');
    expect((await store.verify()).logs.flatMap(({ missingBlobs }) => missingBlobs)).toEqual([]);
  });

  it('takes an attachment from a copy beside a stray file', async () => {
    const store = place.store();
    const log = await store.create({ id: 's' });
    const hash = await log.blobs.put('kept');
    await log.append([
      { type: 'message', role: 'user', parts: [{ type: 'file', blob: hash, mime: 'm', name: 'n' }] },
    ]);
    await (await store.fork('s', { id: 'copy' })).close();
    await log.close();
    const sessions = path.dirname(place.log('s'));
    await rm(path.join(sessions, 's', hash));
    await writeFile(path.join(sessions, 'a-stray'), 'x');
    const report = await place.store().verify({ repair: true });
    expect(report.logs.find(({ id }) => id === 's')?.repaired).toEqual([
      `The attachment ${hash} was taken from a copy.`,
    ]);
  });

  it('lists side files of no session and what dead processes left, and leaves them where they are', async () => {
    await putLog(place, 's', lines(headerLine('s'), image('0'.repeat(64))));
    const draft = path.join(inSessions('new'), 'draft.json');
    await mkdir(path.dirname(draft));
    await writeFile(draft, '{}');
    await mkdir(inSessions('gone'));
    await writeFile(inSessions('gone.stream'), 'x');
    await writeFile(inSessions('s.stream'), 'x');
    const dead = stagedName(inSessions('x.json')).replace(`.${String(process.pid)}-`, '.999999999-');
    await writeFile(dead, 'x');
    await writeFile(stagedName(inSessions('y.json')), 'x');
    await store.create({ id: 'unwritten' });
    await mkdir(inSessions('unwritten'));
    const report = await store.verify({ repair: true });
    expect(report.orphans.sort()).toEqual([inSessions('gone'), inSessions('gone.stream')]);
    expect(report.strayFiles).toEqual([dead]);
    expect(report.logs[0]?.missingBlobs).toHaveLength(1);
    for (const file of [...report.orphans, dead]) await stat(file);
  });

  it('says why a log cannot be read, goes on with the others, and ends when it is told to', async () => {
    const files = new FaultyFiles(createNodeFiles());
    const faulty = place.store({ files });
    await putLog(place, 's', lines(headerLine('s')));
    await putLog(place, 't', lines(headerLine('t'), messageLine('a', null)));
    files.faults = [{ call: 'open', path: 's.jsonl', errno: 'EACCES' }];
    const { logs } = await faulty.verify({ repair: true });
    expect(logs).toMatchObject([
      { id: 's', unreadable: expect.stringContaining('EACCES'), entries: 0 },
      { id: 't', entries: 1 },
    ]);
    const stop = new AbortController();
    stop.abort(new Error('enough'));
    await expect(faulty.verify({ signal: stop.signal })).rejects.toThrow('enough');
  });

  it('makes the list anew when it mends', async () => {
    await putLog(place, 's', lines(headerLine('s'), messageLine('a', null, 'right')));
    await store.list();
    const index = path.join(place.folder, 'cache', 'index.json');
    await writeFile(index, (await readFile(index, 'utf8')).replace('right', 'wrong'));
    const fresh = place.store();
    expect((await fresh.list()).sessions[0]?.title).toBe('wrong');
    await fresh.verify({ repair: true });
    expect((await fresh.list()).sessions[0]?.title).toBe('right');
  });

  it('finds nothing in a folder that is not there', async () => {
    expect(await store.verify({ repair: true })).toMatchObject({ logs: [], orphans: [], repaired: [] });
    await putLog(place, 'e', Buffer.alloc(0));
    expect((await store.verify()).logs).toMatchObject([{ lines: 0, entries: 0, bytes: 0 }]);
  });
});
