// What is left when something makes no sense or fails where nothing can be done about it here.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readHolder } from '../../../src/log/holder.js';
import { importRecords } from '../../../src/log/import-records.js';
import { carryBlob } from '../../../src/log/session-copy.js';
import type { Blobs } from '../../../src/log/store.js';
import { setAsideFragment } from '../../../src/log/tail.js';
import type { OpenFile } from '../../../src/ports.js';
import { BoughError } from '../../../src/shared/failure.js';
import type { Entry } from '../../../src/shared/notes.js';
import type { FaultyFiles } from './faulty-files.js';
import { useFaultyPlace } from './faulty-place.js';
import { headerLine } from './lines.js';
import { randomIds } from './support.js';

let files: FaultyFiles;
let inSessions: (...names: string[]) => string;
useFaultyPlace((made) => ({ files, inSessions } = made));

const blobs = (over: Partial<Blobs>): Blobs => ({
  put: () => Promise.resolve('hash'),
  get: () => Promise.resolve(new Uint8Array()),
  has: () => Promise.resolve(true),
  ...over,
});
const fails = (code: 'LogDamaged' | 'StorageFailure') => () =>
  Promise.reject(new BoughError(code, `It is ${code}.`));

describe('the file that names a holder', () => {
  it.each(['{}', '[]', '"one"', '{"pid":"many"}', '{"window":'])(
    'says %s: it is somebody unknown',
    async (text) => {
      const file = path.join(inSessions(), 's.lease.json');
      await mkdir(inSessions(), { recursive: true });
      await writeFile(file, text);
      expect(await readHolder(files, file)).toMatchObject({ window: 'unknown', pid: 0, host: 'unknown' });
    },
  );
});

describe('an attachment that is carried to a copy', () => {
  it('is left behind when it is damaged, and is no reason to leave others behind', async () => {
    await expect(carryBlob(blobs({ get: fails('LogDamaged') }), 'a', blobs({}))).resolves.toBe(false);
  });

  it('fails the copy when it cannot be written', async () => {
    const full = blobs({ put: fails('StorageFailure') });
    await expect(carryBlob(blobs({}), 'a', full)).rejects.toMatchObject({ code: 'StorageFailure' });
  });
});

describe('a record of another format that is taken over', () => {
  it('fails the copy when its text cannot be kept: only what no line could hold is left out', async () => {
    const convert = importRecords(
      { id: 's', access: { mode: 'read-only', reason: 'version-3', message: '' } },
      { ids: randomIds, blobs: blobs({ put: fails('StorageFailure') }), onTrouble: () => undefined },
    );
    const entry: Entry = {
      type: 'message',
      role: 'user',
      id: 'a',
      parent_id: null,
      timestamp: '2026-01-01T00:00:00.000Z',
      parts: [{ type: 'text', text: 'x'.repeat(2 * 1024 * 1024) }],
    };
    const record = { position: 0, line: 1, text: JSON.stringify(entry), entry };
    await expect(convert?.(record)).rejects.toMatchObject({ code: 'StorageFailure' });
  });
});

describe('a fragment that is compared with what was set aside before', () => {
  it('is set aside once more when its file is read short just then', async () => {
    const whole = `${headerLine('s')}\n`;
    const torn = '{"type":"mess';
    const file = inSessions('s.jsonl');
    const damagedPath = inSessions('s.damaged');
    await mkdir(inSessions(), { recursive: true });
    await writeFile(file, whole + torn);
    const label = JSON.stringify({ offset: whole.length, bytes: torn.length, timestamp: 'then' });
    await writeFile(damagedPath, `${label}\n${torn}\n`);
    const log = await files.open(file, 'append');
    let reads = 0;
    const short: OpenFile = {
      read: (into, position) => ((reads += 1) === 2 ? Promise.resolve(0) : log.read(into, position)),
      write: (bytes) => log.write(bytes),
      datasync: () => log.datasync(),
      truncate: (length) => log.truncate(length),
      stat: () => log.stat(),
      close: () => log.close(),
    };
    const fragment = { offset: whole.length, end: whole.length + torn.length };
    await setAsideFragment(short, fragment, { files, logPath: file, damagedPath, now: 'now' });
    await log.close();
    expect(reads).toBeGreaterThan(2);
    expect(await readFile(file, 'utf8')).toBe(whole);
    const kept = await readFile(damagedPath, 'utf8');
    expect(kept.split(torn)).toHaveLength(3);
  });
});
