import { readFile, utimes } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { FileStore } from '../../../src/log/file-store.js';
import type { ListProgress } from '../../../src/log/list-reading.js';
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

  it('has nothing to stop while nothing is read', async () => {
    await fill();
    store.reading.stop();
    expect(await unread()).toEqual([]);
  });
});
