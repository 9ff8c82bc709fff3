/** What deleting, undoing and pruning say and do where another window, a lost log or a foreign file is in the way. */
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FileStore } from '../../../src/log/file-store.js';
import { createNodeFiles } from '../../../src/log/node-files.js';
import type { SessionLog } from '../../../src/log/store.js';
import { reportFindings } from '../../../src/host/sessions/verify-report.js';
import { headerLine, lines, messageLine, pathTexts, putLog } from './lines.js';
import { makePlace, user, type Place } from './support.js';

let place: Place;
let store: FileStore;
beforeEach(async () => {
  place = await makePlace();
  store = place.store();
});
afterEach(() => place.dispose());

const DAY = 86_400_000;
const other = (): FileStore =>
  place.store({ who: { window: 'other', pid: process.pid, host: os.hostname() } });
const rows = async (from: FileStore): Promise<string[]> =>
  (await from.list()).sessions.map(({ id, status }) => `${id} ${status}`);
const inSessions = (...names: string[]): string => path.join(place.folder, 'sessions', ...names);
const begin = async (id = 's'): Promise<SessionLog> => {
  const log = await store.create({ id });
  await log.append([user('one')]);
  await store.list();
  return log;
};
const away = (): string => path.join(place.folder, 'away');
const old = (file: string): Promise<void> => utimes(file, 1_700_000_000, 1_700_000_000);
const attach = async (log: SessionLog): Promise<string> => {
  const blob = await log.blobs.put('an attachment');
  await log.append([
    { type: 'message', role: 'user', parts: [{ type: 'file', blob, mime: 'text/plain', name: 'x' }] },
  ]);
  return blob;
};

describe('undoing a deletion', () => {
  it('fails in words where another window had deleted the session before, and leaves it in the trash', async () => {
    await begin();
    const second = other();
    await second.open('s');
    await store.delete('s');
    const { undo } = await second.delete('s');
    await expect(undo()).rejects.toMatchObject({
      code: 'SessionNotFound',
      message: expect.stringContaining('deleted before') as string,
    });
    expect((await second.deleted()).map(({ id }) => id)).toEqual(['s']);
    for (const window of [store, second, place.store()]) expect(await rows(window)).toEqual([]);
  });

  it('is done where the session was brought back from the list by then, here or in another window', async () => {
    await begin();
    for (const window of [store, other()]) {
      const { undo } = await store.delete('s');
      await window.restore((await window.deleted())[0]?.key ?? '');
      await undo();
      expect(await pathTexts(await store.open('s'))).toEqual(['one']);
    }
  });

  it('says what there is to say where the session was brought back and moved away since', async () => {
    await begin();
    const { undo, purge } = await store.delete('s');
    const there = other();
    await there.restore((await there.deleted())[0]?.key ?? '');
    await rename(place.log('s'), away());
    await expect(undo()).rejects.toMatchObject({
      code: 'SessionNotFound',
      message: expect.stringContaining('not where it was put in the trash any more') as string,
    });
    await purge();
    await expect(undo()).rejects.toThrow('removed for good');
  });

  it('brings back the row of a session whose log is not found', async () => {
    await begin();
    await store.close();
    await rename(place.log('s'), away());
    const window = place.store();
    expect(await rows(window)).toEqual(['s missing']);
    const { undo } = await window.delete('s');
    expect(await rows(window)).toEqual([]);
    await undo();
    expect(await rows(window)).toEqual(['s missing']);
    expect(await rows(place.store())).toEqual(['s missing']);
  });
});

describe('a session that was deleted and is there again', () => {
  it.each<[string, () => Promise<unknown>]>([
    ['created anew', async () => (await store.create({ id: 's' })).append([user('two')])],
    ['begun anew', async () => (await store.openOrCreate('s')).append([user('two')])],
    ['a fork', async () => (await begin('from'), store.fork('from', { id: 's' }))],
    ['a copy', async () => store.importCopy(await begin('from'), { id: 's' })],
  ])('keeps its row when its log is lost: %s', async (_, make) => {
    await begin();
    await store.delete('s');
    await make();
    await expect(stat(path.join(place.folder, 'cache', 'deleted', 's'))).rejects.toThrow('ENOENT');
    await store.list();
    await store.close();
    await rm(place.log('s'));
    expect(await rows(place.store())).toContain('s missing');
  });

  it('keeps its row when it was put back by hand, in each window', async () => {
    await begin();
    const second = other();
    await second.list();
    await store.delete('s');
    const [at = ''] = await readdir(path.join(place.folder, 'trash'));
    await rename(path.join(place.folder, 'trash', at, 's.jsonl'), place.log('s'));
    expect(await rows(second)).toEqual(['s idle']);
    await rename(place.log('s'), away());
    for (const window of [store, second]) expect(await rows(window)).toEqual(['s missing']);
  });

  it('has no row while it is being deleted, whoever looks meanwhile', async () => {
    await begin();
    const second = other();
    await second.list();
    const inner = createNodeFiles();
    const slow = place.store({
      files: {
        ...inner,
        rename: async (from, to) => {
          if (from === place.log('s')) await second.list();
          return inner.rename(from, to);
        },
      },
    });
    await slow.delete('s');
    for (const window of [second, slow]) expect(await rows(window)).toEqual([]);
  });
});

describe('left-over files', () => {
  it('stay where their session is not found here, and are said to', async () => {
    const log = await begin();
    const blob = await attach(log);
    await store.list();
    await store.close();
    for (const name of ['s.stream', 's.damaged']) await writeFile(inSessions(name), 'left');
    for (const file of [inSessions('s', blob), inSessions('s.stream'), inSessions('s.damaged')])
      await old(file);
    await rename(place.log('s'), away());
    const window = place.store();
    for (const dryRun of [true, false])
      expect(await window.prune({ detachedResultAge: DAY }, { dryRun })).toMatchObject({
        results: [],
        kept: [{ session: 's', reason: expect.stringContaining('not found here') as string }],
      });
    expect((await window.prune({ sessionIdle: 1000 * DAY })).kept).toEqual([]);
    expect(await readdir(inSessions())).toEqual(expect.arrayContaining(['s.stream', 's.damaged']));
    await rename(away(), place.log('s'));
    expect(await (await window.open('s')).blobs.has(blob)).toBe(true);
  });

  it('go to the trash where nobody knows of their session any more, and lie there as they did', async () => {
    const log = await begin();
    const blob = await attach(log);
    await store.close();
    await writeFile(inSessions('s.stream'), 'left');
    await mkdir(inSessions('empty'));
    for (const file of [inSessions('s', blob), inSessions('s.stream')]) await old(file);
    await rename(place.log('s'), away());
    await rm(path.join(place.folder, 'cache'), { recursive: true });
    const { results } = await place.store().prune({ detachedResultAge: DAY });
    expect(results.map(({ session, file }) => [session, file]).sort()).toEqual(
      [
        ['s', blob],
        ['s', 's.stream'],
      ].sort(),
    );
    expect(await readdir(inSessions())).toEqual([]);
    const [at = ''] = await readdir(path.join(place.folder, 'trash'));
    expect(await readFile(path.join(place.folder, 'trash', at, 's', blob), 'utf8')).toBe('an attachment');
    expect(await readFile(path.join(place.folder, 'trash', at, 's.stream'), 'utf8')).toBe('left');
  });
});

describe('a fork', () => {
  it('is whole or not there where its source is deleted meanwhile', async () => {
    const blob = await attach(await begin());
    const inner = createNodeFiles();
    const second = other();
    const window = place.store({
      files: {
        ...inner,
        link: async (from, to) => {
          if (from.endsWith(blob)) await second.delete('s');
          return inner.link(from, to);
        },
      },
    });
    await store.close();
    await expect(window.fork('s', { id: 'copy' })).rejects.toMatchObject({
      code: 'SessionConflict',
      message: expect.stringMatching(/Session s was deleted or moved away.*no copy was made/) as string,
    });
    expect(await rows(window)).toEqual([]);
    expect((await second.deleted()).map(({ id }) => id)).toEqual(['s']);
  });

  it('lacks what its source lacked before', async () => {
    const blob = await attach(await begin());
    await rm(inSessions('s', blob));
    const copy = await store.fork('s');
    expect([(await copy.path()).length, await copy.blobs.has(blob)]).toEqual([2, false]);
  });
});

describe('what is not ours', () => {
  it('is not deleted, and is said not to be', async () => {
    await mkdir(inSessions(), { recursive: true });
    await writeFile(inSessions('Foo Bar.jsonl'), 'x\n');
    const [row] = (await store.list()).sessions;
    await expect(store.delete(row?.id ?? '')).rejects.toMatchObject({
      code: 'InvalidArgument',
      message: expect.stringMatching(/Foo Bar\.jsonl was not named by Bough and is left as it is/) as string,
    });
    expect(await readFile(inSessions('Foo Bar.jsonl'), 'utf8')).toBe('x\n');
    expect(await readdir(inSessions())).toEqual(['Foo Bar.jsonl']);
    // What only ends like that is a session as any.
    await (await store.create({ id: 'a.jsonl' })).append([user('a')]);
    await store.delete('a.jsonl');
    expect((await store.list()).sessions).toHaveLength(1);
  });

  it('and of a newer format is said to be, in the list and in the report, and is not called in order', async () => {
    await putLog(place, 'n', lines(headerLine('n', { version: 99 }), messageLine('m', null)));
    expect((await store.list()).sessions).toMatchObject([
      { status: 'idle', detail: expect.stringMatching(/^newer format: .*format 99/) as string },
    ]);
    const report = await store.verify();
    expect(report.logs).toMatchObject([{ id: 'n', newer: expect.stringContaining('format 99') as string }]);
    const { text, troubles } = reportFindings([report], 'Now');
    expect(troubles).toBe(0);
    expect(text).toMatch(/## Of a newer format: .*\n\n- .*format 99/);
    expect(text).not.toMatch(/all in order|## In order/);
  });
});
