import { appendFile, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LogWriter } from '../../../src/log/commit.js';
import type { FileStore } from '../../../src/log/file-store.js';
import { LockTable } from '../../../src/log/lock-table.js';
import { createNodeFiles } from '../../../src/log/node-files.js';
import type { Access, SessionLog } from '../../../src/log/store.js';
import { FaultyFiles, type Fault } from './faulty-files.js';
import { bytesOf, headerLine, lines, messageLine, pathTexts, putLog } from './lines.js';
import { assistant, makePlace, user, type Place } from './support.js';

let place: Place;
let files: FaultyFiles;
let store: FileStore;
let log: SessionLog;

beforeEach(async () => {
  place = await makePlace();
  files = new FaultyFiles(createNodeFiles());
  store = place.store({ files });
  log = await store.create({ id: 's' });
});
afterEach(async () => {
  files.heal();
  await place.dispose();
});

/** What another process finds. */
async function reread(): Promise<string[]> {
  const again = await place.store().open('s');
  expect(again.damage).toEqual([]);
  return pathTexts(again);
}

const faults: [string, Fault, string][] = [
  ['the disk is full', { call: 'file.write', path: '.jsonl', errno: 'ENOSPC', bytes: 0 }, 'ENOSPC'],
  [
    'the disk fills up within the write',
    { call: 'file.write', path: '.jsonl', errno: 'ENOSPC', bytes: 30 },
    'ENOSPC',
  ],
  ['a quota is used up', { call: 'file.write', path: '.jsonl', errno: 'EDQUOT', bytes: 30 }, 'EDQUOT'],
  ['the file may not grow', { call: 'file.write', path: '.jsonl', errno: 'EFBIG', bytes: 30 }, 'EFBIG'],
  ['the disk fails', { call: 'file.write', path: '.jsonl', errno: 'EIO', bytes: 5 }, 'EIO'],
  ['nothing is taken any more', { call: 'file.write', path: '.jsonl', bytes: 0 }, 'ENOSPC'],
  ['the sync fails', { call: 'file.datasync', path: '.jsonl', errno: 'EIO' }, 'EIO'],
  ['access is denied', { call: 'open', path: '.jsonl', errno: 'EACCES' }, 'EACCES'],
  ['the volume is read-only', { call: 'open', path: '.jsonl', errno: 'EROFS' }, 'EROFS'],
  ['too many files are open', { call: 'open', path: '.jsonl', errno: 'EMFILE' }, 'EMFILE'],
  ['the file cannot be looked at', { call: 'stat', path: '.jsonl', errno: 'EACCES' }, 'EACCES'],
];

describe('a failed append', () => {
  it.each(faults)(
    'A4: when %s says so, leaves the file as it was, and the next one is written',
    async (_, fault, errno) => {
      await log.append([user('a')]);
      const before = await bytesOf(place.log('s'));
      files.faults = [{ ...fault }];
      await expect(log.append([user('lost'), assistant('lost too')])).rejects.toMatchObject({
        code: 'StorageFailure',
        message: expect.stringContaining(place.log('s')),
        data: { errno, path: place.log('s') },
      });
      expect(await bytesOf(place.log('s'))).toEqual(before);
      expect([log.position, await reread()]).toEqual([1, ['a']]);
      files.heal();
      await log.append([user('b')]);
      expect(await reread()).toEqual(['a', 'b']);
      expect(await pathTexts(log)).toEqual(['a', 'b']);
      expect(log.access).toEqual({ mode: 'write' });
    },
  );

  it.each(faults)(
    'A8: as the first of all, when %s, leaves nothing, and the whole is written the next time',
    async (_, fault, errno) => {
      files.faults = [{ ...fault }];
      await expect(log.append([user('a')])).rejects.toMatchObject({
        code: 'StorageFailure',
        data: { errno },
      });
      expect(await place.store().list()).toEqual({ sessions: [] });
      files.heal();
      await log.append([user('a')]);
      await log.append([user('b')]);
      await log.append([user('c')]);
      expect(await reread()).toEqual(['a', 'b', 'c']);
    },
  );

  it('names the volume and what to do', async () => {
    await log.append([user('a')]);
    files.faults = [{ call: 'file.write', errno: 'ENOSPC' }];
    await expect(log.append([user('b')])).rejects.toMatchObject({
      message: expect.stringMatching(
        /^Could not write to .*s\.jsonl: there is no space left on \/mnt\/test; free some space/,
      ),
      data: { volume: '/mnt/test' },
    });
  });

  it('B6: is told before anybody believes that the message is there', async () => {
    await log.append([user('a')]);
    const told: number[] = [];
    log.onAppend((placed) => told.push(placed.length));
    files.faults = [{ call: 'file.datasync', path: '.jsonl', errno: 'EIO', times: 1 }];
    await expect(log.append([user('b')])).rejects.toMatchObject({ code: 'StorageFailure' });
    expect({ told, head: (await log.path()).at(-1)?.id, position: log.position }).toEqual({
      told: [],
      head: log.head,
      position: 1,
    });
  });

  it('fails every append of its group, and none after it', async () => {
    await log.append([user('a')]);
    files.faults = [{ call: 'file.write', path: '.jsonl', errno: 'ENOSPC', bytes: 40, times: 1 }];
    const results = await Promise.allSettled([log.append([user('b')]), log.append([user('c')])]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await log.append([user('d')]);
    expect(await reread()).toEqual(['a', 'd']);
  });

  it('does not show a folder that could not be made durable as written', async () => {
    files.faults = [{ call: 'syncFolder', path: 'sessions', errno: 'EIO', times: 1 }];
    await expect(log.append([user('a')])).rejects.toMatchObject({ code: 'StorageFailure' });
    await log.append([user('a')]);
    expect(await reread()).toEqual(['a']);
  });
});

describe('an append in pieces', () => {
  it('goes on where a write took less than it was given', async () => {
    await log.append([user('a')]);
    files.faults = [{ call: 'file.write', path: '.jsonl', bytes: 7 }];
    await log.append([user('b'), assistant('ü😀')]);
    files.heal();
    expect(await reread()).toEqual(['a', 'b', 'ü😀']);
  });

  it('follows the protocol in order: look at the file, write once, sync, and only then tell', async () => {
    await log.append([user('a')]);
    const lease = await log.acquire();
    const onLog = (): string[] =>
      files.calls
        .splice(0)
        .flatMap((call) => (call === 'told' || call.endsWith('.jsonl') ? (call.split(' ')[0] ?? '') : []));
    onLog();
    log.onAppend(() => files.calls.push('told'));
    await log.append([user('b')]);
    expect(onLog()).toEqual(['stat', 'open:append', 'file.stat', 'file.write', 'file.datasync', 'told']);
    await Promise.all([log.append([user('c')]), log.append([user('d')]), log.append([user('e')])]);
    expect(onLog()).toEqual(['stat', 'file.write', 'file.datasync', 'told']);
    lease.dispose();
  });

  it('creates a file with header and first batch in one write, and makes its name durable', async () => {
    const lease = await log.acquire();
    files.calls.length = 0;
    await log.append([user('a'), { type: 'turn_start', turn_id: 't' }]);
    const own = files.calls.filter((call) => call.endsWith('.jsonl') || call.startsWith('syncFolder'));
    expect(own.map((call) => call.split(' ')[0])).toEqual([
      'syncFolder',
      'stat',
      'open:create',
      'file.write',
      'file.datasync',
      'syncFolder',
    ]);
    lease.dispose();
  });
});

describe('a write that cannot be taken back', () => {
  const cases: [string, Fault[]][] = [
    ['the file cannot be cut', [{ call: 'file.truncate', path: '.jsonl', errno: 'EIO' }]],
    ['the file cannot be looked at', [{ call: 'stat', path: '.jsonl', errno: 'EIO', after: 1 }]],
  ];
  it.each(cases)(
    'when %s, poisons the handle: nothing more is written until it is opened again',
    async (_, more) => {
      await log.append([user('a')]);
      const lease = await log.acquire();
      const heard: Access[] = [];
      log.onAccess((access) => heard.push(access));
      files.faults = [{ call: 'file.write', path: '.jsonl', errno: 'ENOSPC', bytes: 20 }, ...more];
      await expect(log.append([user('b')])).rejects.toMatchObject({
        code: 'StorageFailure',
        data: { errno: 'ENOSPC' },
      });
      files.heal();
      const left = await bytesOf(place.log('s'));
      expect(log.access).toMatchObject({
        mode: 'poisoned',
        message: expect.stringContaining('could not be taken back'),
      });
      expect(heard.map(({ mode }) => mode)).toEqual(['poisoned']);
      await expect(log.append([user('c')])).rejects.toMatchObject({ code: 'StorageFailure' });
      expect(await bytesOf(place.log('s'))).toEqual(left);
      expect(await pathTexts(log)).toEqual(['a']);
      lease.dispose();
      const again = await store.open('s');
      expect(again).not.toBe(log);
      await again.append([user('d')]);
      expect(await pathTexts(again)).toEqual(['a', 'd']);
      expect(await pathTexts(await place.store().open('s'))).toEqual(['a', 'd']);
    },
  );

  it('changes nothing when the file is not as long as it must be, or ends with what is not ours', async () => {
    await log.append([user('a')]);
    const lease = await log.acquire();
    files.faults = [{ call: 'file.datasync', path: '.jsonl', errno: 'EIO' }];
    const foreign = messageLine('foreign', null);
    const original = files.stat.bind(files);
    let looks = 0;
    files.stat = async (path) => {
      // Between our write and our look somebody appends without asking for the lease.
      if (path.endsWith('.jsonl') && ++looks === 2) await appendFile(place.log('s'), `${foreign}\n`);
      return original(path);
    };
    await expect(log.append([user('b')])).rejects.toMatchObject({ code: 'StorageFailure' });
    expect(log.access.mode).toBe('poisoned');
    expect((await bytesOf(place.log('s'))).toString()).toContain(foreign);
    lease.dispose();
  });
});

describe('a lease that is lost', () => {
  const bytes = Buffer.from('{"type":"x"}\n');
  /** The answers to "is the lease ours?", one after the other. */
  const writerWith = (...answers: boolean[]): LogWriter =>
    new LogWriter({
      files,
      path: place.log('s'),
      isLeaseOurs: () => Promise.resolve(answers.shift() ?? true),
    });

  it('before the write: nothing is written', async () => {
    await log.append([user('a')]);
    const before = await bytesOf(place.log('s'));
    await expect(writerWith(false).commit(bytes, before.length, false)).rejects.toMatchObject({
      code: 'SessionConflict',
    });
    expect(await bytesOf(place.log('s'))).toEqual(before);
  });

  it('before a failed write could be taken back: nothing is cut off, and no more is written', async () => {
    await log.append([user('a')]);
    const { length } = await bytesOf(place.log('s'));
    files.faults = [{ call: 'file.datasync', path: '.jsonl', errno: 'EIO', times: 1 }];
    const writer = writerWith(true, false);
    await expect(writer.commit(bytes, length, false)).rejects.toMatchObject({ code: 'StorageFailure' });
    expect((await bytesOf(place.log('s'))).length).toBe(length + bytes.length);
    expect(writer.poison?.message).toContain('The lease was lost meanwhile');
    await expect(writer.commit(bytes, length, false)).rejects.toBe(writer.poison);
    await writer.release();
  });

  it('a new file that cannot be removed again is emptied, and no more is written', async () => {
    files.faults = [
      { call: 'file.datasync', path: '.jsonl', errno: 'EIO', times: 1 },
      { call: 'remove', path: '.jsonl', errno: 'EBUSY' },
    ];
    await expect(log.append([user('a')])).rejects.toMatchObject({
      code: 'StorageFailure',
      data: { errno: 'EIO' },
    });
    expect([(await bytesOf(place.log('s'))).length, log.access.mode]).toEqual([0, 'poisoned']);
    files.heal();
    await (await store.open('s')).append([user('b')]);
    expect(await reread()).toEqual(['b']);
  });
});

describe('a file that is not as it was left', () => {
  const changes: [string, (file: string) => Promise<void>][] = [
    ['longer', (file) => appendFile(file, `${messageLine('foreign', null)}\n`)],
    ['shorter', (file) => truncate(file, 40)],
    ['gone', (file) => rm(file)],
    ['moved', (file) => rename(file, `${file}.elsewhere`)],
  ];
  it.each(changes)(
    'A17: refuses to append when it is %s although the lease is held, and goes stale',
    async (_, change) => {
      await log.append([user('a')]);
      const lease = await log.acquire();
      await change(place.log('s'));
      await expect(log.append([user('b')])).rejects.toMatchObject({ code: 'SessionConflict' });
      expect(log.access.mode).toBe('stale');
      await expect(log.append([user('b')])).rejects.toMatchObject({ code: 'SessionStale' });
      await expect(log.acquire()).rejects.toMatchObject({ code: 'SessionStale' });
      lease.dispose();
    },
  );

  it('tells a body that was overwritten in place from the entry that stood there', async () => {
    log.show();
    await log.append([user('a')]);
    await log.append([user('b')]);
    const again = await place.store().open('s');
    const bytes = await bytesOf(place.log('s'));
    const begin = bytes.lastIndexOf('{"type":"message"');
    await writeFile(
      place.log('s'),
      Buffer.concat([bytes.subarray(0, begin), Buffer.alloc(bytes.length - begin, 0x78)]),
    );
    await expect(again.path()).rejects.toMatchObject({
      code: 'LogDamaged',
      data: { path: place.log('s'), offset: begin },
    });
    // Who wrote it, and is looked at, has what was acknowledged.
    expect(await pathTexts(log)).toEqual(['a', 'b']);
  });

  it('tells a body from another that took its place, though that one is as good and as long', async () => {
    const [entry] = await log.append([user('say a')]);
    const again = await place.store().open('s');
    const bytes = await bytesOf(place.log('s'));
    for (const [from, to, read] of [
      ['say a', 'say b', 'say b'],
      [entry?.id ?? '', 'f'.repeat(16), 'say a'],
    ] as const) {
      await writeFile(place.log('s'), bytes.toString().replace(from, to));
      await expect(again.path()).rejects.toMatchObject({ code: 'LogDamaged' });
      // The end of the file is compared: this handle has read it again.
      expect([again.access.mode, await pathTexts(again)]).toEqual(['write', [read]]);
    }
  });

  it('is opened anew when a line within was overwritten in place: no handle stands in the way', async () => {
    for (const text of ['one', 'two', 'three']) await log.append([user(text)]);
    const other = place.store();
    const again = await other.open('s');
    const told: string[] = [];
    again.onAccess(({ mode }) => told.push(mode));
    const bytes = await bytesOf(place.log('s'));
    await writeFile(place.log('s'), bytes.toString().replace('two', 'TWO'));
    await again.catchUp();
    await expect(again.path()).rejects.toMatchObject({
      code: 'LogDamaged',
      message: expect.stringContaining('open the session again') as string,
    });
    expect([again.access.mode, told]).toEqual(['stale', ['stale']]);
    await expect(again.append([user('four')])).rejects.toMatchObject({ code: 'SessionStale' });
    const fresh = await other.open('s');
    expect(await pathTexts(fresh)).toEqual(['one', 'TWO', 'three']);
    await fresh.append([user('four')]);
    expect([fresh.damage, (await pathTexts(fresh)).length]).toEqual([[], 4]);
  });

  it('A9: notices with the next append that a write was acknowledged but never made', async () => {
    await log.append([user('a')]);
    const lease = await log.acquire();
    files.faults = [{ call: 'file.write', path: '.jsonl', lies: true, times: 1 }];
    await log.append([user('b')]);
    await expect(log.append([user('c')])).rejects.toMatchObject({ code: 'SessionConflict' });
    lease.dispose();
  });

  it('refuses to create over a session that another process created meanwhile', async () => {
    await (await place.store().create({ id: 's' })).append([user('theirs')]);
    await expect(log.append([user('ours')])).rejects.toMatchObject({ code: 'SessionConflict' });
    expect(await reread()).toEqual(['theirs']);
  });

  it('refuses to create over one that appears between the look and the opening', async () => {
    await place.store().list();
    files.faults = [{ call: 'open', path: '.jsonl', errno: 'EEXIST', times: 1 }];
    await expect(log.append([user('ours')])).rejects.toMatchObject({ code: 'SessionConflict' });
  });

  it('A17: two sessions never write to each other’s file', async () => {
    await log.append([user('a')]);
    const other = await store.create({ id: 'other' });
    await other.append([user('x')]);
    const before = await bytesOf(place.log('s'));
    await other.append([user('y')]);
    expect(await bytesOf(place.log('s'))).toEqual(before);
    await log.append([user('b')]);
    expect(await reread()).toEqual(['a', 'b']);
  });

  it('A19: three appends at once are all written, in order', async () => {
    await Promise.all([log.append([user('1')]), log.append([user('2')]), log.append([user('3')])]);
    expect(await reread()).toEqual(['1', '2', '3']);
  });

  it('A20, A21: a log is never replaced, whatever is done at once', async () => {
    await log.append([user('a')]);
    const locks = new LockTable();
    const [one, two] = await Promise.all([
      place.store({ locks }).open('s'),
      place.store({ locks }).open('s'),
    ]);
    await Promise.all([one.append([user('b')]), two.append([user('c')])]);
    const again = await place.store().open('s');
    expect((await again.since(0)).length).toBe(3);
    expect(new Set((await pathTexts(again)).slice(1))).toEqual(new Set(['b', 'c']));
  });

  it('A12: writes record by record, however much the session holds', async () => {
    const filler = Buffer.from(`${messageLine('f', null, 'x'.repeat(1000))}\n`);
    await putLog(place, 'big', Buffer.concat([lines(headerLine('big')), filler]));
    const big = await store.open('big');
    const part = 'y'.repeat(900 * 1024);
    for (let round = 0; round < 4; round++)
      await Promise.all(Array.from({ length: 8 }, () => big.append([user(part)])));
    expect((await big.path()).length).toBe(33);
  });
});
