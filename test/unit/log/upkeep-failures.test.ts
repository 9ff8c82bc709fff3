// Verifying, cleaning up, deleting and pruning where something is away or fails: the rest is done, and somebody is told.
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { appendFile, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { connectStore, type ConnectedStore } from '../../../src/log/connected-store.js';
import type { FileStore } from '../../../src/log/file-store.js';
import { LockTable } from '../../../src/log/lock-table.js';
import type { Draft } from '../../../src/shared/notes.js';
import { MapStore } from './custom-stores.js';
import type { FaultyFiles } from './faulty-files.js';
import { useFaultyPlace } from './faulty-place.js';
import { headerLine, joined, lines, messageLine, noteLine, pathTexts, putLog } from './lines.js';
import { assistant, FakeClock, randomIds, realClock, user, type Place } from './support.js';

let place: Place;
let files: FaultyFiles;
let store: FileStore;
let inSessions: (...names: string[]) => string;
useFaultyPlace((made) => ({ place, files, store, inSessions } = made));

const DEAD_PID = 2 ** 22 + 1;

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Those that name these hashes, one after the other. */
const naming = (hash: () => string): Draft[] => [
  {
    ...{ type: 'message', role: 'user' },
    parts: [
      { type: 'image', blob: hash(), mime: 'image/png', name: 'x' },
      { type: 'text', text: '', blob: hash() },
    ],
  },
  {
    ...{ type: 'message', role: 'assistant' },
    parts: [
      { type: 'reasoning', text: '', metadata_blob: hash() },
      { type: 'tool_call', call_id: 'c', name: 'n', input: {}, blob: hash() },
    ],
  },
  {
    ...{ type: 'message', role: 'tool' },
    parts: [{ type: 'tool_result', call_id: 'c', name: 'n', content: '', is_error: false, blob: hash() }],
  },
  {
    ...{ type: 'incomplete_output', attempt_id: 'a', text: '', incomplete: true },
    ...{ blob: hash(), reasoning_blob: hash() },
  },
  { type: 'skill_load', name: 'n', description: 'd', body: '', blob: hash() },
  {
    ...{ type: 'approval_request', call_id: 'c2', tool: 't', summary: 's', input_hash: 'h', targets: [] },
    proposal: [{ path: 'x', before: hash(), after: hash() }],
  },
  { type: 'files_changed', changes: [{ path: 'x', before: null, after: hash() }] },
  {
    type: 'queue_update',
    items: [
      { id: 'q', mode: 'queue', text: '', parts: [{ type: 'file', blob: hash(), mime: 'm', name: 'y' }] },
    ],
  },
];

const connect = (custom: MapStore): ConnectedStore =>
  connectStore({
    ...{ custom, clock: realClock, ids: randomIds, producer: 'bough/0.0.0-test' },
    onTrouble: (error) => expect.fail(error.message),
  });

describe('verifying', () => {
  const all = (): { hashes: string[]; drafts: Draft[] } => {
    const hashes: string[] = [];
    const drafts = naming(() => {
      hashes.push(hashOf(String(hashes.length)));
      return hashes.at(-1) ?? '';
    });
    return { hashes: hashes.sort(), drafts };
  };

  it('calls a session by its id that a custom store has lost when it is asked what it is called', async () => {
    class Losing extends MapStore {
      loads = Infinity;
      override load(...args: Parameters<MapStore['load']>): ReturnType<MapStore['load']> {
        return --this.loads < 0 ? Promise.resolve(undefined) : super.load(...args);
      }
    }
    const custom = new Losing();
    const before = connect(custom);
    await (await before.create({ id: 's' })).append([user('called so')]);
    await before.close();
    const clock = { ...realClock, now: () => Date.now() + 86_400_000 };
    for (const look of [
      async (one: ConnectedStore) => (await one.verify()).logs,
      async (one: ConnectedStore) => (await one.prune({ sessionIdle: 1 }, { dryRun: true })).sessions,
    ]) {
      custom.loads = 1;
      const parts = { custom, clock, ids: randomIds, producer: 'bough/0.0.0-test' };
      const one = connectStore({ ...parts, onTrouble: (error) => expect.fail(error.message) });
      expect(await look(one)).toMatchObject([{ id: 's', title: 's' }]);
      custom.loads = Infinity;
      await one.close();
    }
  });

  it('misses every blob that any entry names, in files and in a custom store', async () => {
    const { hashes, drafts } = all();
    const connected = connect(new MapStore());
    for (const one of [store, connected]) {
      const log = await one.create({ id: 's' });
      for (const draft of drafts)
        if (!(one === connected && draft.type === 'incomplete_output')) await log.append([draft]);
    }
    const missing = ({ logs }: { logs: { missingBlobs: { hash: string }[] }[] }): string[] =>
      logs.flatMap(({ missingBlobs }) => missingBlobs.map(({ hash }) => hash)).sort();
    expect(missing(await store.verify())).toEqual(hashes);
    const ofCustom = missing(await connected.verify());
    expect(hashes.filter((hash) => !ofCustom.includes(hash))).toHaveLength(2);
    await connected.close();
  });

  it('says why a log could not be mended, and mends the others', async () => {
    for (const id of ['a', 'b'])
      await putLog(place, id, joined(lines(headerLine(id), messageLine('m', null)), '{"type":"mess'));
    files.faults = [{ call: 'open', path: 'a.damaged', errno: 'EIO' }];
    const report = await store.verify({ repair: true });
    const [a, b] = report.logs;
    expect(a?.repaired).toEqual([]);
    expect(a?.unmended).toMatch(/^Nothing was mended: .*a\.damaged.*\(EIO\)/);
    expect(b?.repaired).toEqual([expect.stringContaining('b.damaged')]);
    files.heal();
    const again = await store.verify({ repair: true });
    expect(again.logs.flatMap(({ repaired }) => repaired)).toEqual([expect.stringContaining('a.damaged')]);
  });

  it('says what was mended before something could not be', async () => {
    const hash = hashOf('gone');
    const file = { type: 'file', blob: hash, mime: 'm', name: 'n' } as const;
    const log = await store.create({ id: 's' });
    await log.append([{ type: 'message', role: 'user', parts: [file] }]);
    await store.close();
    await appendFile(place.log('s'), '{"type":"mess');
    await mkdir(inSessions('other'));
    files.faults = [{ call: 'read', path: path.join('other', hash), errno: 'EIO' }];
    const [report] = (await place.store({ files }).verify({ repair: true })).logs;
    expect(report?.repaired).toEqual([expect.stringContaining('s.damaged')]);
    expect(report?.unmended).toMatch(/^No more was mended: .*\(EIO\)/);
  });

  it('says who holds a log that could not be mended', async () => {
    await putLog(place, 's', joined(lines(headerLine('s'), messageLine('m', null)), '{"type":"mess'));
    const locks = new LockTable();
    const lease = await (await place.store({ locks }).open('s')).acquire();
    const report = await place.store({ locks }).verify({ repair: true });
    expect(report.logs[0]?.repaired).toEqual([]);
    expect(report.logs[0]?.unmended).toMatch(/^Nothing was mended: .*in use/);
    lease.dispose();
  });

  it('leaves out a log that is deleted while it looks', async () => {
    for (const id of ['a', 'b']) await putLog(place, id, lines(headerLine(id), messageLine('m', null)));
    files.faults = [{ call: 'open', path: 'a.jsonl', errno: 'ENOENT' }];
    expect((await store.verify()).logs.map(({ id }) => id)).toEqual(['b']);
  });
});

describe('cleaning up', () => {
  it('leaves what somebody writes to at that moment, and what it cannot free is told', async () => {
    const since = '2026-01-01T00:00:00Z';
    const dead = JSON.stringify({ window: 'w', pid: DEAD_PID, host: os.hostname(), since });
    await putLog(place, 's', lines(headerLine('s'), messageLine('a', null)));
    await writeFile(inSessions('s.lease.json'), dead);
    const osLock = () => ({
      namesHolder: false,
      tryTake: () => Promise.resolve(false),
      isOurs: () => Promise.resolve(false),
      release: () => Promise.resolve(),
    });
    expect((await place.store({ files, osLock, clock: new HastyClock() }).list()).sessions).toHaveLength(1);
    expect([existsSync(inSessions('s.lease.json')), place.troubles]).toEqual([true, []]);
    const failing = () => ({
      ...osLock(),
      tryTake: () => Promise.reject(Object.assign(new Error('EIO'), { code: 'EIO' })),
    });
    expect((await place.store({ files, osLock: failing }).list()).sessions).toHaveLength(1);
    expect(place.troubles).toMatchObject([{ code: 'StorageFailure', data: { errno: 'EIO' } }]);
  });

  it('does not mind a folder that is gone between two looks', async () => {
    await putLog(place, 's', lines(headerLine('s'), messageLine('a', null)));
    await mkdir(path.join(place.folder, 'cache'), { recursive: true });
    files.faults = [{ call: 'list', path: 'cache', errno: 'ENOENT' }];
    expect((await store.list()).sessions).toHaveLength(1);
    expect((await store.verify()).strayFiles).toEqual([]);
    expect(place.troubles).toEqual([]);
  });

  it('does not mind a mark of a deletion that another window has removed', async () => {
    const log = await store.create({ id: 's' });
    await log.append([user('a')]);
    await (await store.delete('s')).purge();
    files.faults = [{ call: 'stat', path: path.join('deleted', 's'), errno: 'ENOENT' }];
    const next = place.store({ files });
    expect([(await next.list()).sessions, place.troubles]).toEqual([[], []]);
  });
});

/** Every wait is over at once, and has taken a second. */
class HastyClock extends FakeClock {
  override after(ms: number, fire: () => void): { dispose: () => void } {
    this.monotonic += 1_000;
    return realClock.after(Math.min(ms, 1), fire);
  }
}

describe('deleting', () => {
  it('that fails leaves a turn that runs its lease, and every entry', async () => {
    const log = await store.create({ id: 's' });
    const lease = await log.acquire();
    await log.append([user('a')]);
    files.faults = [{ call: 'rename', path: 's.jsonl', errno: 'EPERM' }];
    await expect(store.delete('s')).rejects.toMatchObject({ code: 'StorageFailure' });
    files.heal();
    await log.append([assistant('b')]);
    expect(await pathTexts(log)).toEqual(['a', 'b']);
    expect(await place.store({ locks: new LockTable() }).summary('s')).toMatchObject({ messages: 2 });
    lease.dispose();
  });
});

describe('pruning', () => {
  const old = 400 * 86_400_000;
  /** Everything is old by this clock. */
  const later = (): FakeClock => {
    const clock = new FakeClock();
    clock.wall = Date.now() + old;
    return clock;
  };

  it('keeps a session that cannot be read, says why, and goes on; one that goes meanwhile is nothing', async () => {
    for (const id of ['a', 'b', 'c']) await putLog(place, id, lines(headerLine(id), messageLine('m', null)));
    const pruning = place.store({ files, clock: later() });
    await pruning.list();
    files.faults = [
      { call: 'open', path: 'a.jsonl', errno: 'EIO' },
      { call: 'open', path: 'b.jsonl', errno: 'ENOENT' },
    ];
    const report = await pruning.prune({ sessionIdle: 1_000 });
    expect(report.sessions.map(({ id }) => id)).toEqual(['c']);
    expect(report.kept).toEqual([{ session: 'a', reason: expect.stringContaining('EIO') as string }]);
    expect([existsSync(place.log('a')), existsSync(place.log('b'))]).toEqual([true, true]);
  });

  it('takes a goal without a readable time by the age of its file, and does not miss a blob that is gone', async () => {
    const goal = { goal_id: 'g', objective: 'o', iteration: 1, max_iterations: 2, status: 'completed' };
    await putLog(
      place,
      's',
      lines(
        headerLine('s'),
        messageLine('m', null),
        noteLine('goal_update', 'n', 'm', {
          ...goal,
          timestamp: 'soon',
          evaluation: { blob: hashOf('gone') },
        }),
      ),
    );
    const report = await place.store({ files, clock: later() }).prune({ completedGoalAge: 1_000 });
    expect(report.goals).toEqual([{ session: 's', goal_id: 'g', bytes: 0 }]);
    const log = await place.store().open('s');
    expect((await log.since(2))[0]?.entry).toMatchObject({ type: 'goal_update', status: 'pruned' });
  });

  it('leaves a draft without a session, and what a session without a log left behind goes', async () => {
    await mkdir(inSessions('gone'), { recursive: true });
    await mkdir(inSessions('typed'), { recursive: true });
    await writeFile(inSessions('typed', 'draft.json'), '{"text":"typed"}');
    await writeFile(inSessions('typed', hashOf('y')), 'y');
    await writeFile(inSessions('gone', hashOf('x')), 'x');
    await mkdir(inSessions('kept', 'a folder of somebody'), { recursive: true });
    await writeFile(inSessions('gone.damaged'), 'y');
    await writeFile(inSessions('gone.lock'), '');
    const report = await place.store({ files, clock: later() }).prune({ detachedResultAge: 1_000 });
    expect(report.results.map(({ file }) => file).sort()).toEqual([hashOf('x'), 'gone.damaged'].sort());
    expect((await readdir(inSessions('typed'))).sort()).toEqual([hashOf('y'), 'draft.json'].sort());
    expect(existsSync(inSessions('gone'))).toBe(false);
    expect(existsSync(inSessions('kept', 'a folder of somebody'))).toBe(true);
  });
});

describe('a list', () => {
  it('B13: has no row for a folder that is called as a log is, and ends behind its last row', async () => {
    await mkdir(inSessions('s.jsonl'), { recursive: true });
    await putLog(place, 'a', lines(headerLine('a'), messageLine('m', null)));
    await putLog(place, 'b', lines(headerLine('b'), messageLine('m', null)));
    expect(await store.summary('s')).toBe(undefined);
    const { sessions, cursor } = await store.list({ limit: 1 });
    expect([sessions.length, typeof cursor]).toEqual([1, 'string']);
    const last = (await store.list()).sessions.at(-1)?.id ?? '';
    await rm(place.log(last));
    await rm(path.join(place.folder, 'cache'), { recursive: true });
    const fresh = place.store();
    expect((await fresh.list({ ...(cursor === undefined ? {} : { cursor }) })).sessions).toEqual([]);
  });
});
