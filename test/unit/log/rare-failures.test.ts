// What hardly ever goes wrong, each through the seam at which it would: nothing is lost, and somebody is told.
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { connectStore, type ConnectedStore } from '../../../src/log/connected-store.js';
import type { FileStore } from '../../../src/log/file-store.js';
import { HEARTBEAT_MS, LeaseFileLock } from '../../../src/log/lease-file.js';
import { SessionLease, type LeaseParts } from '../../../src/log/lease.js';
import { LockTable } from '../../../src/log/lock-table.js';
import { createNodeFiles } from '../../../src/log/node-files.js';
import { workspaceKey } from '../../../src/log/workspace-key.js';
import type { Files } from '../../../src/ports.js';
import type { Draft } from '../../../src/shared/notes.js';
import { MapStore } from './custom-stores.js';
import { FaultyFiles } from './faulty-files.js';
import { bytesOf, headerLine, joined, lines, messageLine, noteLine, pathTexts, putLog } from './lines.js';
import { assistant, FakeClock, makePlace, randomIds, realClock, user, type Place } from './support.js';

const DEAD_PID = 2 ** 22 + 1;
let place: Place;
let files: FaultyFiles;
let store: FileStore;
beforeEach(async () => {
  place = await makePlace();
  files = new FaultyFiles(createNodeFiles());
  store = place.store({ files });
});
afterEach(async () => {
  files.heal();
  await place.dispose();
});

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');
const connect = (custom: MapStore): ConnectedStore =>
  connectStore({
    ...{ custom, clock: realClock, ids: randomIds, producer: 'bough/0.0.0-test' },
    onTrouble: (error) => expect.fail(error.message),
  });
const inSessions = (...names: string[]): string => path.join(place.folder, 'sessions', ...names);
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

describe('verifying', () => {
  const all = (): { hashes: string[]; drafts: Draft[] } => {
    const hashes: string[] = [];
    const drafts = naming(() => {
      hashes.push(hashOf(String(hashes.length)));
      return hashes.at(-1) ?? '';
    });
    return { hashes: hashes.sort(), drafts };
  };

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
    expect(a?.repaired).toEqual([expect.stringMatching(/^Nothing was mended: .*a\.damaged.*\(EIO\)/)]);
    expect(b?.repaired).toEqual([expect.stringContaining('b.damaged')]);
    files.heal();
    const again = await store.verify({ repair: true });
    expect(again.logs.flatMap(({ repaired }) => repaired)).toEqual([expect.stringContaining('a.damaged')]);
  });

  it('says who holds a log that could not be mended', async () => {
    await putLog(place, 's', joined(lines(headerLine('s'), messageLine('m', null)), '{"type":"mess'));
    const locks = new LockTable();
    const lease = await (await place.store({ locks }).open('s')).acquire();
    const report = await place.store({ locks }).verify({ repair: true });
    expect(report.logs[0]?.repaired).toEqual([expect.stringMatching(/^Nothing was mended: .*in use/)]);
    lease.dispose();
  });

  it('leaves out a log that is deleted while it looks', async () => {
    for (const id of ['a', 'b']) await putLog(place, id, lines(headerLine(id), messageLine('m', null)));
    files.faults = [{ call: 'open', path: 'a.jsonl', errno: 'ENOENT' }];
    expect((await store.verify()).logs.map(({ id }) => id)).toEqual(['b']);
  });
});

describe('an imported copy of version 3', () => {
  it('has what is too long for a line in blobs, whole, and the rest in the line', async () => {
    const long = (mark: string): string => mark.repeat(400_000);
    const v3 = (id: string, parent: string | undefined, role: string, parts: object[]): string =>
      JSON.stringify({
        type: 'message',
        id,
        ...(parent ? { parent_id: parent } : {}),
        timestamp: 't',
        role,
        parts,
      });
    const part = (type: string, data: object): object => ({ type, data });
    const call = (input: string): object => part('tool_call', { id: 'c', name: 'n', input, finished: true });
    await putLog(
      place,
      'k',
      lines(
        JSON.stringify({ type: 'session', version: 3, id: 'k', cwd: '/w' }),
        v3('a', undefined, 'user', [
          part('text', { text: 'short' }),
          part('image', { data: 'AAEC', media_type: '' }),
        ]),
        v3('b', 'a', 'assistant', [
          part('text', { text: 'short' }),
          part('text', { text: long('t') }),
          part('reasoning', { thinking: 'short' }),
          part('reasoning', { thinking: long('r') }),
          call('{"a":1}'),
          call(JSON.stringify({ a: long('i') })),
          call(`{"cut": "${long('x')}`),
          part('image', { data: 'AAEC', media_type: 'image/png' }),
        ]),
        v3('c', 'b', 'tool', [
          part('tool_result', { tool_call_id: 'c', name: 'n', content: 'short', is_error: false }),
          part('tool_result', {
            tool_call_id: 'c',
            name: 'n',
            content: long('z').repeat(3),
            is_error: false,
          }),
        ]),
      ),
    );
    const copy = await store.importCopy(await store.open('k'), { id: 'copy' });
    const [, b, c] = await copy.path();
    if (b?.type !== 'message' || c?.type !== 'message') return expect.fail('two messages');
    const whole = async (one: { blob?: string | undefined } | undefined): Promise<string> =>
      new TextDecoder().decode(await copy.blobs.get(one?.blob ?? ''));
    expect(b.parts).toMatchObject([
      { text: 'short' },
      { text: long('t') },
      { text: 'short' },
      { text: long('r') },
      { input: { a: 1 } },
      { input: {}, preview: expect.stringContaining('{"a":"iii') as string },
      { input: {}, raw_input: '', preview: expect.stringContaining('{"cut": "xxx') as string },
      { type: 'image', mime: 'image/png' },
    ]);
    expect(JSON.parse(await whole(b.parts[5]))).toEqual({ a: long('i') });
    expect(await whole(b.parts[6])).toBe(`{"cut": "${long('x')}`);
    expect(await whole(c.parts[1])).toBe(long('z').repeat(3));
    await copy.close();
    expect((await store.open('copy')).damage).toEqual([]);
  });
});

describe('taking a failed write back', () => {
  /** A disk that takes some bytes, leaves others behind them, and fails. */
  const leaving = (more: (bytes: Uint8Array) => Uint8Array): Files => {
    const inner = createNodeFiles();
    return {
      ...inner,
      open: async (file, mode) => {
        const opened = await inner.open(file, mode);
        if (!file.endsWith('.jsonl') || mode === 'read') return opened;
        let isFirst = true;
        return {
          ...opened,
          write: async (bytes) => {
            if (!isBroken) return opened.write(bytes);
            if (isFirst) {
              isFirst = false;
              return opened.write(bytes.subarray(0, 10));
            }
            await opened.write(more(bytes));
            throw Object.assign(new Error('EIO: write'), { code: 'EIO' });
          },
        };
      },
    };
  };
  let isBroken = false;
  beforeEach(() => (isBroken = false));

  it('A4: takes back what was left unreported, when it is ours', async () => {
    const log = await place.store({ files: leaving((bytes) => bytes.subarray(0, 7)) }).create({ id: 's' });
    await log.append([user('a')]);
    const before = await bytesOf(place.log('s'));
    isBroken = true;
    await expect(log.append([user('lost')])).rejects.toMatchObject({ data: { errno: 'EIO' } });
    expect([log.access.mode, await bytesOf(place.log('s'))]).toEqual(['write', before]);
    isBroken = false;
    await log.append([user('b')]);
    expect(await pathTexts(await place.store().open('s'))).toEqual(['a', 'b']);
  });

  it('A4: changes nothing that somebody else may have written, and refuses to go on', async () => {
    const log = await place.store({ files: leaving(() => Buffer.from('theirs')) }).create({ id: 's' });
    await log.append([user('a')]);
    isBroken = true;
    await expect(log.append([user('lost')])).rejects.toMatchObject({ data: { errno: 'EIO' } });
    expect(log.access).toMatchObject({
      mode: 'poisoned',
      message: expect.stringContaining('ends with something else than what was written') as string,
    });
    expect((await bytesOf(place.log('s'))).toString()).toMatch(/theirs$/);
    isBroken = false;
    await expect(log.append([user('no')])).rejects.toMatchObject({ code: 'StorageFailure' });
  });

  it('A8: does not mind that somebody has removed the file that was begun', async () => {
    const log = await store.create({ id: 's' });
    files.faults = [
      { call: 'file.write', path: 's.jsonl', errno: 'ENOSPC', bytes: 10 },
      { call: 'remove', path: 's.jsonl', errno: 'ENOENT' },
    ];
    await expect(log.append([user('a')])).rejects.toMatchObject({ data: { errno: 'ENOSPC' } });
    expect(log.access).toEqual({ mode: 'write' });
    await rm(place.log('s'));
    files.heal();
    await log.append([user('b')]);
    expect(await pathTexts(await place.store().open('s'))).toEqual(['b']);
  });
});

describe('setting a torn tail aside', () => {
  const torn = '{"type":"message","id":"';
  const label = (offset: number, bytes: number): string =>
    `{"offset":${offset},"bytes":${bytes},"timestamp":"t"}\n`;
  it.each<[string, (offset: number) => string]>([
    [
      'holds other bytes of the same place',
      (offset) => `${label(offset, torn.length)}${'x'.repeat(torn.length)}\n`,
    ],
    ['is cut short itself', (offset) => `${label(offset, torn.length)}{"ty`],
    ['makes no sense', () => 'no label\n'],
  ])('A3: is done again where the file of what was set aside %s', async (_, kept) => {
    const whole = lines(headerLine('s'), messageLine('a', null));
    await putLog(place, 's', joined(whole, torn));
    await writeFile(inSessions('s.damaged'), kept(whole.length));
    await (await store.open('s')).append([user('b')]);
    const aside = (await readFile(inSessions('s.damaged'))).toString();
    expect(aside.startsWith(kept(whole.length))).toBe(true);
    expect(aside.endsWith(`${torn}\n`)).toBe(true);
    expect(await pathTexts(await place.store().open('s'))).toEqual(['a', 'b']);
  });
});

describe('a lease', () => {
  const who = (window: string, pid = process.pid): LeaseParts['who'] => ({
    window,
    pid,
    host: os.hostname(),
  });
  const paths = (): { lock: string; lease: string } => ({
    lock: inSessions('s.lock'),
    lease: inSessions('s.lease.json'),
  });
  beforeEach(() => mkdir(inSessions(), { recursive: true }));

  it('that somebody here holds keeps its files', async () => {
    const locks = new LockTable();
    const parts = { files, clock: realClock, locks, who: who('one') };
    const held = new SessionLease(paths(), parts);
    await held.take('run');
    const before = await readdir(inSessions());
    await new SessionLease(paths(), parts).removeFiles();
    expect(await readdir(inSessions())).toEqual(before);
    await held.release();
    await held.removeFiles();
    expect(await readdir(inSessions())).toEqual([]);
  });

  it('whose files cannot be removed is left where others use them, and told where the disk fails', async () => {
    const lease = new SessionLease(paths(), {
      files,
      clock: realClock,
      locks: new LockTable(),
      who: who('one'),
    });
    files.faults = [{ call: 'remove', path: 's.lock', errno: 'EBUSY', times: 1 }];
    await lease.removeFiles();
    files.faults = [{ call: 'remove', path: 's.lock', errno: 'EIO', times: 1 }];
    await expect(lease.removeFiles()).rejects.toMatchObject({ code: 'EIO' });
  });

  it('B1: is waited for while it names a process that is dead', async () => {
    await writeFile(
      paths().lease,
      JSON.stringify({ ...who('gone', DEAD_PID), since: '2026-01-01T00:00:00Z' }),
    );
    let refusals = 3;
    const osLock = () => ({
      namesHolder: false,
      tryTake: () => Promise.resolve(--refusals < 0),
      isOurs: () => Promise.resolve(true),
      release: () => Promise.resolve(),
    });
    const parts = { files, clock: realClock, locks: new LockTable(), who: who('one'), osLock };
    const lease = new SessionLease(paths(), parts);
    await lease.take('run');
    expect([lease.isHeld, refusals]).toEqual([true, -1]);
    await lease.release();
  });

  it('says since when it is held in the words it finds, where they are no time', async () => {
    await writeFile(paths().lease, JSON.stringify({ ...who('other'), since: 'this morning' }));
    const osLock = () => ({
      namesHolder: false,
      tryTake: () => Promise.resolve(false),
      isOurs: () => Promise.resolve(false),
      release: () => Promise.resolve(),
    });
    const parts = { files, clock: realClock, locks: new LockTable(), who: who('one'), osLock };
    await expect(new SessionLease(paths(), parts).take('run')).rejects.toMatchObject({
      code: 'Locked',
      message: expect.stringContaining('since this morning') as string,
    });
  });

  it.each(['EPERM', 'ENOTSUP'])(
    'B1: by its file has one holder also where there are no links (%s), and a dead one is taken by one',
    async (errno) => {
      const faulty = (): FaultyFiles => {
        const one = new FaultyFiles(createNodeFiles());
        one.faults = [{ call: 'link', errno }];
        return one;
      };
      const lockOf = (window: string): LeaseFileLock =>
        new LeaseFileLock({ files: faulty(), clock: realClock, who: who(window), path: paths().lease });
      const left = { ...who('gone', DEAD_PID), since: '2026-01-01T00:00:00Z', nonce: 'old', beat: 'b' };
      for (const before of [undefined, JSON.stringify(left)]) {
        if (before !== undefined) await writeFile(paths().lease, before);
        const locks = Array.from({ length: 6 }, (_, index) => lockOf(`w${index}`));
        const taken = await Promise.all(locks.map((lock) => lock.tryTake('run')));
        expect(taken.filter((isTaken) => isTaken).length).toBeLessThanOrEqual(1);
        const last = taken.includes(true) ? undefined : lockOf('last');
        if (last) expect(await last.tryTake('run')).toBe(true);
        expect(await lockOf('other').tryTake('run')).toBe(false);
        for (const [index, lock] of locks.entries()) if (taken[index]) await lock.release();
        await last?.release();
        expect(await readdir(inSessions())).toEqual([]);
      }
    },
  );

  it('that cannot be written where there are no links leaves no name behind', async () => {
    files.faults = [
      { call: 'link', errno: 'EPERM' },
      { call: 'file.write', path: 's.lease.json', errno: 'ENOSPC', bytes: 5 },
    ];
    const lock = new LeaseFileLock({ files, clock: realClock, who: who('one'), path: paths().lease });
    await expect(lock.tryTake('run')).rejects.toMatchObject({ code: 'ENOSPC' });
    expect(await readdir(inSessions())).toEqual([]);
  });

  it('that another has taken is beaten no more', async () => {
    const clock = new FakeClock();
    const lock = new LeaseFileLock({ files, clock, who: who('one'), path: paths().lease });
    await lock.tryTake('run');
    const theirs = JSON.stringify({ ...who('two'), since: '2026-01-01T00:00:00Z', nonce: 'n', beat: 'b' });
    await writeFile(paths().lease, theirs);
    clock.advance(HEARTBEAT_MS);
    await expect.poll(() => files.calls.filter((call) => call === `read ${paths().lease}`).length).toBe(2);
    await lock.release();
    expect([await readFile(paths().lease, 'utf8'), clock.pending]).toEqual([theirs, 0]);
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
    await writeFile(inSessions('gone.damaged'), 'y');
    await writeFile(inSessions('gone.lock'), '');
    const report = await place.store({ files, clock: later() }).prune({ detachedResultAge: 1_000 });
    expect(report.results.map(({ file }) => file).sort()).toEqual([hashOf('x'), 'gone.damaged'].sort());
    expect((await readdir(inSessions('typed'))).sort()).toEqual([hashOf('y'), 'draft.json'].sort());
    expect(existsSync(inSessions('gone'))).toBe(false);
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

describe('a fork', () => {
  it('stays without a blob that the original lacks, where links are not to be had', async () => {
    const log = await store.create({ id: 's' });
    const kept = await log.blobs.put('kept');
    const file = (blob: string) => ({ type: 'file' as const, blob, mime: 'm', name: 'n' });
    await log.append([{ type: 'message', role: 'user', parts: [file(kept), file(hashOf('gone'))] }]);
    files.faults = [kept, hashOf('gone')].map((hash) => ({ call: 'link', path: hash, errno: 'EPERM' }));
    const copy = await store.fork('s', { id: 'copy' });
    expect([await copy.blobs.has(kept), await copy.blobs.has(hashOf('gone'))]).toEqual([true, false]);
    expect(await copy.path()).toHaveLength(1);
  });

  it('carries notes of steps and waits that belong to no turn, and tags without a name', async () => {
    const log = await store.create({ id: 's' });
    const wait = { step: 1, attempt_id: 'a', delay_ms: 1, due_at: '2026-01-01T00:00:00Z', error: 'e' };
    const retry = { type: 'retry_start', kind: 'retry', attempt: 1, max_attempts: 2, ...wait } as const;
    await log.append([user('a')]);
    await log.append([{ type: 'step_start', step: 1, attempt_id: 'a' }]);
    await log.append([retry]);
    await log.append([{ type: 'retry_end', success: true, attempt: 1 }]);
    await log.append([{ type: 'step_end', step: 1, attempt_id: 'a' }]);
    await log.append([user('b'), { type: 'turn_start', turn_id: 't' }]);
    await log.append([{ ...retry, turn_id: 't' }]);
    await log.append([{ type: 'retry_end', success: true, attempt: 1, turn_id: 't' }]);
    await log.append([{ ...retry, turn_id: 't' }]);
    await log.append([{ type: 'turn_end', turn_id: 't', steps: 1, status: 'failed' }]);
    await store.setTags('s', ['kept']);
    const copy = await store.fork('s', { id: 'copy' });
    const types = (await copy.since(0)).map(({ entry }) => entry.type);
    expect(types.filter((type) => type === 'retry_end')).toHaveLength(2);
    expect(types.filter((type) => type === 'retry_start')).toHaveLength(3);
    expect(copy.state()).toMatchObject({ name: null, tags: ['kept'], wait: null, turn: null });
  });
});

describe('the stream journal', () => {
  it('is none when its first line is of something else', async () => {
    await putLog(place, 's', lines(headerLine('s'), messageLine('a', null)));
    await writeFile(inSessions('s.stream'), '{"attempt_id":1}\n{"text":"half"}\n');
    expect(await (await store.open('s')).journal.read()).toBe(null);
  });
});

describe('a key of a folder', () => {
  it('B7: is not guessed where the folder cannot be looked at', async () => {
    const denied: Files = {
      ...createNodeFiles(),
      realPath: () => Promise.reject(Object.assign(new Error('EACCES'), { code: 'EACCES' })),
    };
    await expect(workspaceKey(denied, { uri: 'file:///p', path: '/p' })).rejects.toMatchObject({
      code: 'EACCES',
    });
  });
});

describe('a custom store', () => {
  let custom: MapStore;
  let connected: ConnectedStore;
  beforeEach(() => {
    custom = new MapStore();
    connected = connect(custom);
  });
  afterEach(() => connected.close());
  const image = (blob: string): Draft => ({
    type: 'message',
    role: 'user',
    parts: [{ type: 'file', blob, mime: 'm', name: 'n' }],
  });

  it('refuses a blank tag as files do, and archives what is archived without another entry', async () => {
    for (const one of [store, connected]) {
      await (await one.create({ id: 's' })).append([user('a')]);
      await expect(one.setTags('s', ['a', ' '])).rejects.toMatchObject({ code: 'InvalidArgument' });
      await one.archive('s');
      await one.archive('s');
      expect((await one.open('s')).position).toBe(2);
    }
  });

  it('follows nothing once its handle has ended, and nothing of a session that is not there yet', async () => {
    const log = await connected.create({ id: 's' });
    await log.catchUp();
    expect(log.position).toBe(0);
    await log.append([user('a')]);
    await log.close();
    await custom.append('s', 1, {
      type: 'message',
      id: 'x',
      parent_id: null,
      timestamp: '2026-01-01T00:00:00Z',
      role: 'user',
      parts: [],
    });
    await log.catchUp();
    expect([log.position, log.access.mode]).toEqual([1, 'stale']);
  });

  it('ends a handle that was not stored yet when another has made a session of its id', async () => {
    const log = await connected.create({ id: 's' });
    const other = connect(custom);
    await (await other.create({ id: 's' })).append([user('theirs')]);
    await expect(log.catchUp()).rejects.toMatchObject({ code: 'SessionConflict' });
    expect(log.access.mode).toBe('stale');
    expect(await pathTexts(await other.open('s'))).toEqual(['theirs']);
    await other.close();
  });

  it('makes no copy over a session that another has made meanwhile', async () => {
    await (await connected.create({ id: 's' })).append([user('a')]);
    custom.create = () => Promise.resolve(false);
    await expect(connected.fork('s', { id: 'copy' })).rejects.toMatchObject({ code: 'SessionExists' });
  });

  it('B5: says whether it failed to write, which can be saved again, or to read', async () => {
    const log = await connected.create({ id: 's' });
    await log.append([user('a')]);
    const away = () => Promise.reject(new Error('away'));
    custom.append = away;
    await expect(log.append([user('b')])).rejects.toMatchObject({
      code: 'StorageFailure',
      data: { operation: 'append', op: 'write' },
    });
    custom.load = away;
    await expect(connect(custom).open('s')).rejects.toMatchObject({
      data: { operation: 'load', op: 'read' },
    });
  });

  it('forks, deletes and brings back what lacks a blob, without it', async () => {
    const log = await connected.create({ id: 's' });
    await log.append([image(hashOf('gone'))]);
    const copy = await connected.fork('s', { id: 'copy' });
    expect([copy.position, await copy.blobs.has(hashOf('gone'))]).toEqual([1, false]);
    await (await connected.delete('s')).undo();
    expect((await connected.open('s')).position).toBe(1);
  });

  it('brings back all that was confirmed before the deletion was through', async () => {
    const log = await connected.create({ id: 's' });
    await log.append([user('a')]);
    const load = custom.load.bind(custom);
    let late: Promise<boolean> | undefined;
    custom.load = async (id) => {
      const loaded = await load(id);
      late ??= log.append([user('late')]).then(
        () => true,
        () => false,
      );
      const copied = loaded && { ...loaded, entries: [...loaded.entries] };
      await late;
      return copied;
    };
    const deletion = await connected.delete('s');
    custom.load = load;
    await deletion.undo();
    const isConfirmed = await late;
    expect(await pathTexts(await connected.open('s'))).toEqual(isConfirmed === true ? ['a', 'late'] : ['a']);
  });

  it('A12: deletes and brings back a session whose entries are more than one string can hold', async () => {
    const log = await connected.create({ id: 's' });
    const hash = await log.blobs.put('kept');
    await log.append([image(hash)]);
    const { stringify } = JSON;
    const spy = vi.spyOn(JSON, 'stringify').mockImplementation((value: unknown) => {
      if (Array.isArray(value)) throw new RangeError('Invalid string length');
      return stringify(value);
    });
    const deletion = await connected.delete('s').finally(() => spy.mockRestore());
    await deletion.undo();
    const back = await connected.open('s');
    expect(new TextDecoder().decode(await back.blobs.get(hash))).toBe('kept');
  });

  it('copies what lies beside a damaged attachment, without that one, to either kind of store', async () => {
    const log = await connected.create({ id: 's' });
    const [good, bad] = [await log.blobs.put('good'), await log.blobs.put('bad')];
    await log.append([image(bad), image(good)]);
    custom.blobs.set(`s ${bad}`, new TextEncoder().encode('changed'));
    for (const copy of [
      await connected.fork('s'),
      await connected.importCopy(log),
      await store.importCopy(log),
    ]) {
      expect([copy.position, await copy.blobs.has(bad)]).toEqual([2, false]);
      expect(new TextDecoder().decode(await copy.blobs.get(good))).toBe('good');
    }
  });

  it('keeps what is open when it deletes by age, and says so', async () => {
    await (await connected.create({ id: 's' })).append([user('a')]);
    for (const kept of custom.sessions.values()) kept.row = { ...kept.row, updated: 1, created: 1 };
    const report = await connected.prune({ sessionIdle: 1_000 }, { isOpen: () => true });
    expect([report.kept, report.sessions]).toEqual([[{ session: 's', reason: 'It is open.' }], []]);
  });

  it('takes over files, with their blobs, from a store of files', async () => {
    const log = await store.create({ id: 's', subagent_task: 'Look' });
    const hash = await log.blobs.put('kept');
    await log.append([image(hash)]);
    const copy = await connected.importCopy(log, { id: 'copy' });
    expect(new TextDecoder().decode(await copy.blobs.get(hash))).toBe('kept');
    const back = await store.importCopy(copy);
    expect(back.header).toMatchObject({ parent_session_id: 'copy', subagent_task: 'Look' });
    expect(new TextDecoder().decode(await back.blobs.get(hash))).toBe('kept');
  });
});

describe('a log that is not called as one', () => {
  it('is opened all the same, with its blobs beside it', async () => {
    const folder = path.join(place.folder, 'elsewhere');
    await mkdir(folder);
    const file = path.join(folder, 'chat.txt');
    await writeFile(file, lines(headerLine('s'), messageLine('a', null)));
    const log = await store.openFile(file);
    await log.append([user('b')]);
    const copy = await store.importCopy(log);
    expect(await pathTexts(copy)).toEqual(['a', 'b']);
  });
});
