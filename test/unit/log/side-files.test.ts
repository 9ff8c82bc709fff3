import { createHash } from 'node:crypto';
import { mkdir, readFile, readdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ActiveSessions } from '../../../src/log/active-sessions.js';
import { DraftFiles } from '../../../src/log/draft.js';
import { LockTable } from '../../../src/log/lock-table.js';
import { createNodeFiles } from '../../../src/log/node-files.js';
import type { SessionLog } from '../../../src/log/store.js';
import { FileStreamJournal } from '../../../src/log/stream-journal.js';
import type { BoughError } from '../../../src/shared/failure.js';
import { FaultyFiles } from './faulty-files.js';
import { FakeClock, makePlace, realClock, user, type Place } from './support.js';

let place: Place;
let files: FaultyFiles;
beforeEach(async () => {
  place = await makePlace();
  files = new FaultyFiles(createNodeFiles());
});
afterEach(() => place.dispose());

describe('blobs', () => {
  let log: SessionLog;
  beforeEach(async () => {
    log = await place.store({ files }).create({ id: 's' });
  });
  const fileOf = (hash: string): string => path.join(place.folder, 'sessions', 's', hash);

  it('stand under their hash, complete, and are not written twice', async () => {
    const hash = await log.blobs.put('hello');
    expect(hash).toBe(createHash('sha256').update('hello').digest('hex'));
    expect(await readFile(fileOf(hash), 'utf8')).toBe('hello');
    files.calls.length = 0;
    await log.blobs.put('hello');
    expect(files.calls.filter((call) => call.startsWith('replace'))).toEqual([]);
    expect(await readdir(path.dirname(fileOf(hash)))).toEqual([hash]);
  });

  it('that a crash has damaged are reported, and written again when they are put again', async () => {
    const hash = await log.blobs.put('hello');
    await writeFile(fileOf(hash), 'hel');
    await expect(log.blobs.get(hash)).rejects.toMatchObject({
      code: 'LogDamaged',
      data: { path: fileOf(hash) },
    });
    await log.blobs.put('hello');
    expect(Buffer.from(await log.blobs.get(hash)).toString()).toBe('hello');
  });

  it('fail clearly when they cannot be written or read', async () => {
    files.faults = [{ call: 'replace', errno: 'ENOSPC' }];
    await expect(log.blobs.put('hello')).rejects.toMatchObject({
      code: 'StorageFailure',
      data: { errno: 'ENOSPC', volume: '/mnt/test' },
    });
    files.heal();
    const hash = await log.blobs.put('hello');
    files.faults = [
      { call: 'read', errno: 'EIO' },
      { call: 'stat', errno: 'EIO' },
    ];
    await expect(log.blobs.get(hash)).rejects.toMatchObject({ code: 'StorageFailure' });
    await expect(log.blobs.has(hash)).rejects.toMatchObject({ code: 'StorageFailure' });
  });
});

describe('the stream journal', () => {
  const head = { attempt_id: 'x', step: 2, parent_id: 'p', turn_id: 't' };
  let clock: FakeClock;
  let told: BoughError[];
  const file = (): string => path.join(place.folder, 's.stream');
  const journalOf = (isLogged = false): FileStreamJournal =>
    new FileStreamJournal({
      files,
      clock,
      path: file(),
      isLogged: () => isLogged,
      onError: (error) => told.push(error),
    });
  const size = async (): Promise<number> => (await stat(file())).size;
  beforeEach(() => {
    clock = new FakeClock();
    told = [];
  });

  it('is written within a second, or at once after 4 KB, and never synced', async () => {
    const journal = journalOf();
    await journal.begin(head);
    const empty = await size();
    journal.add({ text: 'ab' });
    expect(clock.pending).toBe(1);
    clock.advance(749);
    expect(await size()).toBe(empty);
    clock.advance(1);
    await expect.poll(async () => (await journalOf().read())?.text).toBe('ab');
    expect(clock.pending).toBe(0);
    journal.add({ text: 'y'.repeat(4096) });
    await expect.poll(async () => (await journalOf().read())?.text.length).toBe(4098);
    expect(clock.pending).toBe(0);
    expect(
      files.calls.some((call) => call.startsWith('file.datasync') || call.startsWith('syncFolder')),
    ).toBe(false);
    await journal.close();
  });

  it('keeps what earlier attempts of the step had streamed, at every moment of beginning anew', async () => {
    const journal = journalOf();
    await journal.begin(head);
    journal.add({ text: 'a long one' });
    await journal.flush();
    const earlier = [{ attempt_id: 'x', text: 'a long one', reasoning: '' }];
    const before = files.calls.length;
    await journal.begin({ ...head, attempt_id: 'y', earlier });
    // The file is replaced as a whole: it never is without them.
    expect(files.calls.slice(before).filter((call) => call.startsWith('replace'))).toHaveLength(1);
    journal.add({ text: 'Well' });
    await journal.close();
    expect(await journalOf().read()).toEqual({
      head: { ...head, attempt_id: 'y', earlier },
      text: 'Well',
      reasoning: '',
    });
    const first = (await readFile(file(), 'utf8')).split('\n')[0] ?? '';
    expect(JSON.parse(first)).toMatchObject({ attempt_id: 'y', step: 2, parent_id: 'p', turn_id: 't' });
  });

  it('D5: gives back what a dead process wrote, wherever it was cut', async () => {
    const journal = journalOf();
    await journal.begin(head);
    journal.add({ reasoning: 'hm ü' });
    await journal.flush();
    journal.add({ text: 'a"\\\n😀' });
    await journal.flush();
    journal.add({ text: 'ü\u2028z' });
    await journal.close();
    const whole = await readFile(file());
    const full = { text: 'a"\\\n😀ü\u2028z', reasoning: 'hm ü' };
    expect(await journalOf().read()).toEqual({ head, ...full });
    for (let cut = 0; cut < whole.length; cut++) {
      await writeFile(file(), whole.subarray(0, cut));
      const left = await journalOf().read();
      if (left === null) {
        expect(cut).toBeLessThan(whole.indexOf('\n'));
        continue;
      }
      expect(full.text.startsWith(left.text) && full.reasoning.startsWith(left.reasoning)).toBe(true);
      expect(left.text.isWellFormed() && left.reasoning.isWellFormed()).toBe(true);
      // No more than the character that was cut (and its line's frame) is missing.
      const parsed = Buffer.from(whole.subarray(0, cut)).toString().split('\n').slice(1).join('');
      expect(parsed.length - JSON.stringify(left.text + left.reasoning).length).toBeLessThan(40);
    }
  });

  it('puts a character together that came in two pieces', async () => {
    const journal = journalOf();
    await journal.begin(head);
    journal.add({ text: '\ud83d' });
    await journal.flush();
    expect((await journalOf().read())?.text).toBe('');
    journal.add({ text: '\ude00!' });
    await journal.close();
    expect((await journalOf().read())?.text).toBe('😀!');
  });

  it('reads any bytes without failing', async () => {
    const line = Buffer.from(`${JSON.stringify(head)}\n`);
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 60 }), async (noise) => {
        await writeFile(file(), Buffer.concat([line, noise]));
        expect((await journalOf().read())?.head).toEqual(head);
        await writeFile(file(), noise);
        expect(await journalOf().read()).toBe(null);
      }),
      { numRuns: 50 },
    );
  });

  it('starts anew with every attempt, and is gone after an orderly end', async () => {
    const journal = journalOf();
    await journal.begin(head);
    journal.add({ text: 'first' });
    await journal.begin({ ...head, attempt_id: 'y' });
    journal.add({ text: 'second' });
    await journal.flush();
    expect(await journalOf().read()).toMatchObject({ head: { attempt_id: 'y' }, text: 'second' });
    expect(await journalOf(true).read()).toBe(null);
    journal.add({ text: 'late' });
    await journal.end();
    await journal.end();
    expect([await journalOf().read(), clock.pending]).toEqual([null, 0]);
  });

  it('keeps what could not be written for the next time, says so once, and does not hammer a full disk', async () => {
    const journal = journalOf();
    await journal.begin(head);
    files.faults = [{ call: 'file.write', errno: 'ENOSPC', bytes: 5 }];
    journal.add({ text: 'a'.repeat(5000) });
    await expect.poll(() => told.length).toBe(1);
    const writes = (): number => files.calls.splice(0).filter((call) => call.startsWith('file.write')).length;
    writes();
    for (let at = 0; at < 10; at++) journal.add({ text: 'b' });
    expect([writes(), clock.pending]).toEqual([0, 1]);
    clock.advance(1000);
    await expect.poll(writes).toBe(1);
    files.heal();
    journal.add({ text: 'c' });
    await journal.close();
    expect(told).toMatchObject([{ code: 'StorageFailure', data: { errno: 'ENOSPC' } }]);
    expect((await journalOf().read())?.text).toBe(`${'a'.repeat(5000)}${'b'.repeat(10)}c`);
  });

  it('tells who waits for it what failed', async () => {
    files.faults = [{ call: 'open', errno: 'EACCES', times: 1 }];
    await expect(journalOf().begin(head)).rejects.toMatchObject({ code: 'StorageFailure' });
    const journal = journalOf();
    await journal.begin(head);
    files.faults = [{ call: 'file.write', errno: 'EIO' }];
    journal.add({ text: 'x' });
    await expect(journal.flush()).rejects.toMatchObject({ code: 'StorageFailure' });
    files.faults = [
      { call: 'read', errno: 'EIO' },
      { call: 'remove', errno: 'EACCES' },
    ];
    await expect(journal.read()).rejects.toMatchObject({ code: 'StorageFailure' });
    await expect(journal.end()).rejects.toMatchObject({ code: 'StorageFailure' });
  });
});

describe('active.json', () => {
  let windows = 0;
  const surfaces = (): ActiveSessions =>
    new ActiveSessions(place.folder, {
      files,
      clock: realClock,
      locks: new LockTable(),
      who: { window: `w${windows++}`, pid: process.pid, host: 'h' },
    });
  const file = (): string => path.join(place.folder, 'active.json');

  it('says which session a surface shows', async () => {
    const one = surfaces();
    expect(await one.get('vscode:k')).toBe(undefined);
    await one.set('vscode:k', 's1');
    await one.set('vscode:k:t:1', 's2');
    await one.set('__proto__', 's3');
    expect([
      await surfaces().get('vscode:k'),
      await surfaces().get('vscode:k:t:1'),
      await surfaces().get('__proto__'),
    ]).toEqual(['s1', 's2', 's3']);
    await one.set('vscode:k', undefined);
    expect(await surfaces().get('vscode:k')).toBe(undefined);
  });

  it('loses no change of several windows that write at once', async () => {
    await Promise.all(Array.from({ length: 8 }, (_, at) => surfaces().set(`surface ${at}`, `s${at}`)));
    const found = await Promise.all(Array.from({ length: 8 }, (_, at) => surfaces().get(`surface ${at}`)));
    expect(found).toEqual(Array.from({ length: 8 }, (_, at) => `s${at}`));
  });

  it.each(['garbage', '[]', '{"a":1}', '', '{"a":""}', '{"a":"  "}', '{"a":" padded "}', '{"a":"\\ud800"}'])(
    'begins anew when it makes no sense: %s',
    async (content) => {
      await writeFile(file(), content);
      expect(await surfaces().get('a')).toBe(undefined);
      await surfaces().set('a', 's');
      expect(await surfaces().get('a')).toBe('s');
    },
  );

  it('keeps what it said when it cannot be written', async () => {
    const one = surfaces();
    await one.set('a', 's1');
    files.faults = [{ call: 'replace', path: 'active.json', errno: 'ENOSPC' }];
    await expect(one.set('a', 's2')).rejects.toMatchObject({ code: 'StorageFailure' });
    files.heal();
    expect(await one.get('a')).toBe('s1');
    await one.set('a', 's3');
    expect(await one.get('a')).toBe('s3');
  });
});

describe('draft.json', () => {
  it('G11: keeps a session’s text and what it edits, also before the session is on disk', async () => {
    const drafts = new DraftFiles(place.folder, files);
    expect(await drafts.read('s')).toBe(undefined);
    await drafts.write('s', { text: 'hello', editing: 'e1' });
    expect(await new DraftFiles(place.folder, files).read('s')).toEqual({ text: 'hello', editing: 'e1' });
    expect((await place.store().list()).sessions).toEqual([]);
    await drafts.write('s', { text: '', editing: null });
    await drafts.write('s', { text: '', editing: null });
    expect(await drafts.read('s')).toBe(undefined);
  });

  it('keeps attachments and what was put aside; an attachment alone is a draft', async () => {
    const drafts = new DraftFiles(place.folder, files);
    const attachments = [{ kind: 'file' as const, label: 'Pasted text', text: 'a log' }];
    const whole = { text: 'x', editing: 'e1', attachments, aside: { text: 'before', attachments } };
    await drafts.write('s', whole);
    expect(await drafts.read('s')).toEqual(whole);
    await drafts.write('s', { text: '', editing: null, attachments });
    expect(await drafts.read('s')).toEqual({ text: '', editing: null, attachments });
    const odd = { text: 'x', attachments: [{ kind: 'who knows' }], aside: 7, more: true };
    await writeFile(path.join(place.folder, 'sessions', 's', 'draft.json'), JSON.stringify(odd));
    expect(await drafts.read('s')).toEqual({ text: 'x', editing: null });
  });

  it('takes one that makes no sense for none, and fails clearly', async () => {
    const drafts = new DraftFiles(place.folder, files);
    await mkdir(path.join(place.folder, 'sessions', 's'), { recursive: true });
    for (const content of ['garbage', '{}', '']) {
      await writeFile(path.join(place.folder, 'sessions', 's', 'draft.json'), content);
      expect(await drafts.read('s')).toBe(undefined);
    }
    files.faults = [{ call: 'replace', errno: 'EROFS' }];
    await expect(drafts.write('s', { text: 'x', editing: null })).rejects.toMatchObject({
      code: 'StorageFailure',
      data: { errno: 'EROFS' },
    });
    await expect(drafts.write('../s ', { text: 'x', editing: null })).rejects.toMatchObject({
      code: 'InvalidArgument',
    });
  });

  it('does not keep a deleted session from coming back', async () => {
    const store = place.store();
    const drafts = new DraftFiles(place.folder, files);
    await (await store.create({ id: 's' })).append([user('a')]);
    await drafts.write('s', { text: 'before', editing: null });
    const { undo } = await store.delete('s');
    await drafts.write('s', { text: 'too late', editing: null });
    await undo();
    expect(await drafts.read('s')).toEqual({ text: 'before', editing: null });
  });
});
