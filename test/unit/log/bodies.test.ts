// What an open handle holds in memory of what its session says, and what it can still give when the file is gone.
import { rm } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createNodeFiles } from '../../../src/log/node-files.js';
import type { FileStore } from '../../../src/log/file-store.js';
import type { SessionLog } from '../../../src/log/store.js';
import type { Files } from '../../../src/ports.js';
import { headerLine, lines, messageLine, pathTexts, putLog } from './lines.js';
import { assistant, makePlace, user, type Place } from './support.js';

const LONG = 'x'.repeat(900_000);
const all = (log: SessionLog): number[] => Array.from({ length: log.position }, (_, position) => position);

let place: Place;
let store: FileStore;
/** Of the log: how often it was opened, and how many are open now. */
let opened: number;
let open: number;
beforeEach(async () => {
  place = await makePlace();
  [opened, open] = [0, 0];
  const inner = createNodeFiles();
  const files: Files = {
    ...inner,
    open: async (file, mode) => {
      const found = await inner.open(file, mode);
      if (!file.endsWith('.jsonl')) return found;
      opened++;
      open++;
      return { ...found, close: () => found.close().finally(() => open--) };
    },
  };
  store = place.store({ files });
});
afterEach(() => place.dispose());

const readsOf = async (work: () => Promise<unknown>): Promise<number> => {
  const before = opened;
  await work();
  return opened - before;
};

describe('bodies in memory', () => {
  it('are held while somebody looks at the session, and let go of with the last who did', async () => {
    await putLog(place, 's', lines(headerLine('s'), messageLine('a', null), messageLine('b', 'a')));
    const log = await store.open('s');
    const read = () => readsOf(() => log.path());
    expect([await read(), await read()]).toEqual([1, 1]);
    const shown = [log.show(), log.show()];
    expect([await read(), await read()]).toEqual([1, 0]);
    await log.append([user('c')]);
    expect(await read()).toBe(0);
    shown[0]?.dispose();
    shown[0]?.dispose();
    expect(await read()).toBe(0);
    shown[1]?.dispose();
    expect([await read(), await read()]).toEqual([1, 1]);
    expect(await pathTexts(log)).toEqual(['a', 'b', 'c']);
  });

  it('are held while it runs, and let go of when that is over', async () => {
    await putLog(place, 's', lines(headerLine('s'), messageLine('a', null)));
    const log = await store.open('s');
    const lease = await log.acquire();
    await log.path();
    await log.append([assistant('b')]);
    expect(await readsOf(() => log.path())).toBe(0);
    lease.dispose();
    await log.catchUp();
    expect(await readsOf(() => log.path())).toBe(1);
  });

  it('of what was appended without a view or a run none is held', async () => {
    const log = await store.create({ id: 's' });
    await log.append([user('a')]);
    expect(await readsOf(() => log.path())).toBe(1);
  });
});

describe('a log whose file is taken away', () => {
  const put = (): Promise<string> => {
    const records = Array.from({ length: 8 }, (_, at) =>
      messageLine(`m${at}`, at === 0 ? null : `m${at - 1}`, `${at} ${LONG}`),
    );
    return putLog(place, 's', lines(headerLine('s'), ...records));
  };

  it.skipIf(process.platform === 'win32')(
    'while it runs is read whole from what is open still, however long it is',
    async () => {
      const file = await put();
      const log = await store.open('s');
      const lease = await log.acquire();
      await log.append([assistant('the last answer')]);
      await rm(file);
      await expect(log.append([user('c')])).rejects.toMatchObject({
        code: 'SessionConflict',
        data: { errno: 'ENOENT' },
      });
      expect(log.access).toMatchObject({ mode: 'stale', isGone: true });
      const { records, lost } = await log.held(all(log));
      expect(lost).toEqual([]);
      expect(records.map(({ text }) => text)).toEqual([
        ...Array.from({ length: 8 }, (_, at) =>
          messageLine(`m${at}`, at === 0 ? null : `m${at - 1}`, `${at} ${LONG}`),
        ),
        expect.stringContaining('the last answer'),
      ]);
      expect((await pathTexts(log)).at(-1)).toBe('the last answer');
      lease.dispose();
      expect((await log.held(all(log))).lost).toEqual([]);
      expect(open).toBe(1);
      await log.close();
      expect(open).toBe(0);
    },
  );

  it('while it is looked at gives what is in memory, and says which entries are lost', async () => {
    const file = await put();
    const log = await store.open('s');
    const shown = log.show();
    await log.path();
    await log.append([{ type: 'session_info', name: 'Mine' }]);
    await log.page(3);
    await rm(file);
    await expect(log.catchUp()).rejects.toMatchObject({ code: 'SessionConflict' });
    shown.dispose();
    const { records, lost } = await log.held(all(log));
    expect(records.map(({ position }) => position)).toEqual([4, 5, 6, 7, 8]);
    expect(records.at(-1)?.entry).toMatchObject({ type: 'session_info', name: 'Mine' });
    expect(lost.map(({ position, id }) => [position, id])).toEqual([0, 1, 2, 3].map((at) => [at, `m${at}`]));
    expect(lost[0]?.preview).toMatch(/^0 xxx/);
  });

  it('gives nothing of notes that nobody read but that they are lost', async () => {
    await putLog(
      place,
      's',
      lines(
        headerLine('s'),
        JSON.stringify({ type: 'session_info', id: 'n', parent_id: null, timestamp: 't', name: 'Mine' }),
      ),
    );
    const log = await store.open('s');
    await rm(place.log('s'));
    await expect(log.catchUp()).rejects.toMatchObject({ code: 'SessionConflict' });
    const { records, lost } = await log.held(all(log));
    expect(records).toEqual([]);
    expect(lost).toEqual([{ position: 0 }]);
  });
});
