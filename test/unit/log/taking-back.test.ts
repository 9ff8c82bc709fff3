// A write that fails in the middle: what it left is taken back where it is ours, and what a crash tore is set aside first.
import { readFile, rm, writeFile } from 'node:fs/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import type { FileStore } from '../../../src/log/file-store.js';
import { createNodeFiles } from '../../../src/log/node-files.js';
import type { Files } from '../../../src/ports.js';
import type { FaultyFiles } from './faulty-files.js';
import { useFaultyPlace } from './faulty-place.js';
import { bytesOf, headerLine, joined, lines, messageLine, pathTexts, putLog } from './lines.js';
import { user, type Place } from './support.js';

let place: Place;
let files: FaultyFiles;
let store: FileStore;
let inSessions: (...names: string[]) => string;
useFaultyPlace((made) => ({ place, files, store, inSessions } = made));

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

describe('the stream journal', () => {
  it('is none when its first line is of something else', async () => {
    await putLog(place, 's', lines(headerLine('s'), messageLine('a', null)));
    await writeFile(inSessions('s.stream'), '{"attempt_id":1}\n{"text":"half"}\n');
    expect(await (await store.open('s')).journal.read()).toBe(null);
  });
});
