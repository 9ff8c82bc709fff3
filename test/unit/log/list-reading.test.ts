import { readFile, rm, utimes } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { FileStore } from '../../../src/log/file-store.js';
import { ListReading, type ListProgress } from '../../../src/log/list-reading.js';
import { cursorAt } from '../../../src/log/list-page.js';
import { sessionName } from '../../../src/log/session-name.js';
import type { SessionSummary } from '../../../src/log/store.js';
import type { FaultyFiles } from './faulty-files.js';
import { useFaultyPlace } from './faulty-place.js';
import { headerLine, lines, messageLine, putLog } from './lines.js';
import { user, type Place } from './support.js';

let place: Place;
let files: FaultyFiles;
let store: FileStore;
useFaultyPlace((made) => ({ place, files, store } = made));

const LOGS = 12;
const rows = async (from = store): Promise<SessionSummary[]> =>
  (await from.list({ archived: 'all' })).sessions;
const unread = async (from = store): Promise<SessionSummary[]> =>
  (await rows(from)).filter(({ status }) => status === 'unread');
const reads = (): number =>
  files.calls.splice(0).filter((call) => call.startsWith('open:read') && call.endsWith('.jsonl')).length;

async function fill(): Promise<void> {
  for (let at = 0; at < LOGS; at++) {
    const owner = at === LOGS - 1 ? { owner: 'ext.mine' } : {};
    await putLog(place, `s${at}`, lines(headerLine(`s${at}`, owner), messageLine('a', null, `prompt ${at}`)));
    await utimes(place.log(`s${at}`), 1_700_000_000 + at, 1_700_000_000 + at);
  }
}

/** Reads the list and stops it after its first logs. */
async function stopped(): Promise<SessionSummary[]> {
  const listening = store.reading.on((progress) => {
    if ((progress?.read ?? 0) >= 3) store.reading.stop();
  });
  const found = await rows();
  listening.dispose();
  return found;
}

describe('a list whose logs are read for long', () => {
  it('says with each log how far it is, and when that is over', async () => {
    await fill();
    const told: (ListProgress | null)[] = [];
    store.reading.on((progress) => told.push(progress));
    await rows();
    const steps = Array.from({ length: LOGS }, (_, at) => ({ read: at + 1, of: LOGS }));
    expect(told).toEqual([...steps, null]);
    await rows();
    expect(told).toHaveLength(LOGS + 1);
  });

  it('has a row of every log when it was stopped, and reads the rest only when it is asked to', async () => {
    await fill();
    const found = await stopped();
    expect(found.map(({ id }) => id)).toEqual(Array.from({ length: LOGS }, (_, at) => `s${LOGS - 1 - at}`));
    expect(reads()).toBeLessThan(LOGS);
    const left = found.filter(({ status }) => status === 'unread');
    expect(left.length).toBeGreaterThan(LOGS / 2);
    expect(store.reading.left).toBe(left.length);
    expect(left[0]).toMatchObject({ title: left[0]?.id, messages: 0, updated: expect.any(Number) as number });

    expect(await rows()).toEqual(found);
    expect(reads()).toBe(0);
    store.reading.again();
    expect(await unread()).toEqual([]);
    expect(reads()).toBe(left.length);
    expect(store.reading.left).toBe(0);
  });

  it('keeps what was read for the next window, which goes on from there', async () => {
    await fill();
    const left = (await stopped()).filter(({ status }) => status === 'unread').length;
    const index = await readFile(path.join(place.folder, 'cache/index.json'), 'utf8');
    expect(index).not.toContain('unread');
    reads();
    const next = place.store({ files });
    expect(await unread(next)).toEqual([]);
    expect(reads()).toBe(left);
  });

  it('reads what was left once it changes or is opened to be written, and calls it as it was known before', async () => {
    await fill();
    await rows();
    for (let at = 0; at < LOGS; at++)
      await utimes(place.log(`s${at}`), 1_800_000_000 + at, 1_800_000_000 + at);
    const left = (await stopped()).filter(({ status }) => status === 'unread');
    for (const row of left) expect(row).toMatchObject({ title: row.id.replace('s', 'prompt '), messages: 1 });
    const [one] = left;
    expect(one?.updated).toBeGreaterThanOrEqual(1_800_000_000_000);
    await (await store.open(one?.id ?? '')).append([user('more')]);
    const again = await rows();
    expect(again.find(({ id }) => id === one?.id)).toMatchObject({ status: 'idle', messages: 2 });
    expect(again.filter(({ status }) => status === 'unread')).toHaveLength(left.length - 1);
  });

  it('is read whole for an extension that asks for its own, for only the log says whose it is', async () => {
    await fill();
    await stopped();
    const { sessions } = await store.list({ owner: 'ext.mine' });
    expect(sessions.map(({ id }) => id)).toEqual([`s${LOGS - 1}`]);
    expect(await unread()).toEqual([]);
  });

  it('is read whole when the next page of an owner’s list follows one that was stopped', async () => {
    await fill();
    for (let at = 0; at < LOGS; at++)
      await putLog(place, `s${at}`, lines(headerLine(`s${at}`, { owner: 'ext.mine' })));
    await stopped();
    const cursor = cursorAt({ updated: Number.MAX_SAFE_INTEGER, id: '' });
    const { sessions } = await store.list({ owner: 'ext.mine', cursor });
    expect(sessions).toHaveLength(LOGS);
  });

  it('calls what is left by the id of its session, from its beginning, which is looked at once', async () => {
    await fill();
    const ids = Array.from({ length: 8 }, (_, at) => `sub:${String(at)}`);
    const name = (at: number): string => sessionName(ids[at] ?? '');
    const long = messageLine('a', null, 'x'.repeat(300_000));
    for (const id of ids) await putLog(place, sessionName(id), lines(headerLine(id), long));
    await putLog(place, name(1), lines(headerLine('sub:1', { title: 't'.repeat(10_000) }), long));
    await putLog(place, name(2), lines('{"type":"sess', long));
    await putLog(place, name(3), lines(headerLine('copied'), long));
    await putLog(place, name(4), Buffer.alloc(0));
    const strangers = ['Foo 1', 'Foo 2', 'Foo 3', 'Foo 4'];
    for (const stranger of strangers) await putLog(place, stranger, lines(headerLine(stranger)));
    store.reading.on(() => store.reading.stop());
    const left = await unread();
    expect(left.length).toBeGreaterThanOrEqual(LOGS + ids.length - 2);
    const known = new Set([
      ...ids,
      ...Array.from({ length: LOGS }, (_, at) => `s${at}`),
      name(2),
      name(3),
      name(4),
    ]);
    for (const { id } of left) expect(known).toContain(id);
    const found = await rows();
    for (const stranger of strangers)
      expect(found.find(({ id }) => id === `${stranger}.jsonl`)?.status).toBe('unreadable');
    reads();
    expect(await rows()).toEqual(found);
    const damagedOnes = 3;
    expect(reads()).toBeLessThanOrEqual(damagedOnes);
    store.reading.again();
    const whole = await rows(place.store());
    expect(found.map(({ id }) => id).sort()).toEqual(whole.map(({ id }) => id).sort());
  });

  it('calls one whose beginning cannot be read by its name, as long as that is so', async () => {
    const ids = Array.from({ length: 8 }, (_, at) => `sub:${String(at)}`);
    for (const id of ids) await putLog(place, sessionName(id), lines(headerLine(id), messageLine('a', null)));
    store.reading.on(() => store.reading.stop());
    files.faults = [{ call: 'open', path: '.jsonl', errno: 'EIO' }];
    const left = await unread();
    expect(left.length).toBeGreaterThan(0);
    const names = ids.map((id) => sessionName(id));
    for (const { id } of left) expect(names).toContain(id);
    files.heal();
    const healed = await unread();
    expect(healed.length).toBeGreaterThan(0);
    for (const { id } of healed) expect(ids).toContain(id);
  });

  it('searches what was said in what it left, the second time too', async () => {
    await fill();
    await stopped();
    for (let time = 0; time < 2; time++) {
      const { sessions } = await store.list({ text: 'prompt', archived: 'all' });
      expect(sessions).toHaveLength(LOGS);
    }
    expect(store.reading.left).toBeGreaterThan(0);
  });

  it('leaves nothing once what it left is gone', async () => {
    await fill();
    for (const { id } of (await stopped()).filter(({ status }) => status === 'unread'))
      await rm(place.log(id));
    const told: (ListProgress | null)[] = [];
    store.reading.on((progress) => told.push(progress));
    expect(await unread()).toEqual([]);
    expect(store.reading.left).toBe(0);
    expect(told).toEqual([null]);
  });

  it('is pruned whole for an owner; without one, what is left stays, and that is said', async () => {
    await fill();
    const left = (await stopped()).filter(({ status }) => status === 'unread').map(({ id }) => id);
    const day = 86_400_000;
    const all = await store.prune({ sessionIdle: day }, { dryRun: true });
    expect(all.kept.map(({ session }) => session).sort()).toEqual([...left].sort());
    expect(all.sessions).toHaveLength(LOGS - left.length);
    const { sessions, kept } = await store.prune({ sessionIdle: day }, { dryRun: true, owner: 'ext.mine' });
    expect(sessions.map(({ id }) => id)).toEqual([`s${LOGS - 1}`]);
    expect(kept).toEqual([]);
  });

  it('has nothing to stop while nothing is read', async () => {
    await fill();
    store.reading.stop();
    expect(await unread()).toEqual([]);
  });
});

describe('what is left while logs are read', () => {
  const logs = ['a', 'b', 'c'].map((name) => ({
    name,
    stat: { size: 1, mtime: 1, isFile: true, isFolder: false },
  }));
  const stop = async (reading: ListReading): Promise<void> => {
    await reading.each(logs, false, () => {
      reading.stop();
      return Promise.resolve();
    });
  };

  it('is what was left before, until that is over', async () => {
    const reading = new ListReading();
    await stop(reading);
    const { left } = reading;
    expect(left).toBeGreaterThan(0);
    const during: number[] = [];
    await reading.each(logs, true, () => Promise.resolve(void during.push(reading.left)));
    expect(during).toEqual([left, left, left]);
    expect(reading.left).toBe(0);
  });

  it('is read by the next list when it is asked for meanwhile, unless that is stopped again', async () => {
    const reading = new ListReading();
    await stop(reading);
    const changed = [{ name: 'd', stat: { size: 2, mtime: 2, isFile: true, isFolder: false } }];
    await reading.each([...logs, ...changed], false, () => Promise.resolve(reading.again()));
    expect(reading.left).toBe(0);
    await stop(reading);
    await reading.each([...logs, ...changed], false, () => {
      reading.again();
      return Promise.resolve(reading.stop());
    });
    expect(reading.left).toBeGreaterThan(0);
  });
});
