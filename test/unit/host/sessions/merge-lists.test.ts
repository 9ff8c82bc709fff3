import { describe, expect, it } from 'vitest';
import * as fc from 'fast-check';
import { mergeLists } from '../../../../src/host/sessions/merge-lists.js';
import type { ListQuery, SessionSummary } from '../../../../src/log/store.js';

const row = (id: string, updated: number): SessionSummary => ({
  ...{
    id,
    title: id,
    named: false,
    folder: undefined,
    created: 0,
    updated,
    said: updated,
    size: 0,
    messages: 0,
  },
  ...{ leaves: 0, archived: false, tags: [], owner: undefined, status: 'idle' as const },
});

const sort = (rows: readonly SessionSummary[]) =>
  rows.toSorted((a, b) => b.updated - a.updated || (a.id < b.id ? -1 : 1));

/** Its cursors are its own, and exclusive. The rows may be changed between two pages. */
function store(rows: readonly SessionSummary[]) {
  return {
    list: ({ limit = 50, cursor }: ListQuery = {}) => {
      const after = cursor === undefined ? undefined : row(...(JSON.parse(cursor) as [string, number]));
      const left = sort(rows).filter((one) => after === undefined || sort([one, after])[0] === after);
      const sessions = left.slice(0, limit);
      const last = sessions.at(-1);
      if (last === undefined || left.length === sessions.length) return Promise.resolve({ sessions });
      return Promise.resolve({ sessions, cursor: JSON.stringify([last.id, last.updated]) });
    },
  };
}
const broken = { list: () => Promise.reject(new Error('out of order')) };
const never = (): never => {
  throw new Error('no list fails here');
};

async function readAll(stores: ReturnType<typeof store>[], limit: number): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await mergeLists(stores, { limit, ...(cursor === undefined ? {} : { cursor }) }, never);
    expect(page.sessions.length).toBeLessThanOrEqual(limit);
    ids.push(...page.sessions.map(({ id }) => id));
    ({ cursor } = page);
  } while (cursor !== undefined);
  return ids;
}

describe('several lists as one', () => {
  it('gives every row once, newest first, whatever the pages', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(fc.nat(50), { maxLength: 12 }), { minLength: 1, maxLength: 4 }),
        fc.integer({ min: 1, max: 7 }),
        async (times, limit) => {
          const rows = times.map((own, store) => own.map((time, index) => row(`${store}-${index}`, time)));
          const expected = rows
            .flat()
            .sort((a, b) => b.updated - a.updated || (a.id < b.id ? -1 : 1))
            .map(({ id }) => id);
          expect(await readAll(rows.map(store), limit)).toEqual(expected);
        },
      ),
      { numRuns: 200 },
    ));

  it('takes in a store that came between two pages, and refuses what is no cursor', async () => {
    const [one, two] = [store([row('a', 3), row('b', 1)]), store([row('c', 2)])];
    const first = await mergeLists([one], { limit: 1 }, never);
    expect(first.sessions.map(({ id }) => id)).toEqual(['a']);
    const next = await mergeLists([one, two], { limit: 5, cursor: first.cursor ?? '' }, never);
    expect(next.sessions.map(({ id }) => id)).toEqual(['c', 'b']);
    await expect(mergeLists([one], { cursor: 'nonsense' }, never)).rejects.toMatchObject({
      code: 'InvalidArgument',
    });
  });

  it.each([
    ['is deleted', (rows: SessionSummary[]) => void rows.shift()],
    ['is written to', (rows: SessionSummary[]) => void rows.splice(0, 1, row('a', 100))],
    ['comes', (rows: SessionSummary[]) => void rows.push(row('z', 100))],
  ])('passes over no row when one %s between two pages', async (_, change) => {
    const rows = [row('a', 9), row('b', 7), row('c', 5), row('d', 3)];
    const stores = [store(rows), store([row('o', 8), row('p', 6)])];
    const first = await mergeLists(stores, { limit: 3 }, never);
    expect(first.sessions.map(({ id }) => id)).toEqual(['a', 'o', 'b']);
    change(rows);
    const next = await mergeLists(stores, { limit: 3, cursor: first.cursor ?? '' }, never);
    expect(next.sessions.map(({ id }) => id)).toEqual(['p', 'c', 'd']);
  });

  it('leaves out a list that fails, on all pages, and says which; when all fail it fails', async () => {
    const failed: number[] = [];
    const stores = [broken, store([row('a', 3), row('b', 1)])];
    const first = await mergeLists(stores, { limit: 1 }, (index) => failed.push(index));
    const next = await mergeLists(stores, { limit: 1, cursor: first.cursor ?? '' }, never);
    expect([...first.sessions, ...next.sessions].map(({ id }) => id)).toEqual(['a', 'b']);
    expect(next.cursor).toBeUndefined();
    expect(failed).toEqual([0]);
    await expect(mergeLists([broken, broken], {}, never)).rejects.toThrow('out of order');
    await expect(mergeLists(stores, { limit: 0 }, never)).rejects.toMatchObject({ code: 'InvalidArgument' });
  });
});
