import { describe, expect, it } from 'vitest';
import * as fc from 'fast-check';
import { mergeLists } from '../../../../src/host/sessions/merge-lists.js';
import type { ListQuery, SessionSummary } from '../../../../src/log/store.js';

const row = (id: string, updated: number): SessionSummary => ({
  ...{ id, title: id, named: false, folder: undefined, created: 0, updated, size: 0, messages: 0 },
  ...{ archived: false, tags: [], owner: undefined, status: 'idle' as const },
});

/** Pages by number of rows; its cursors are its own. */
function store(rows: readonly SessionSummary[]) {
  const sorted = rows.toSorted((a, b) => b.updated - a.updated || (a.id < b.id ? -1 : 1));
  return {
    list: ({ limit = 50, cursor }: ListQuery = {}) => {
      const begin = cursor === undefined ? 0 : Number(cursor.slice(1));
      const sessions = sorted.slice(begin, begin + limit);
      const end = begin + sessions.length;
      return Promise.resolve({ sessions, ...(end < sorted.length ? { cursor: `#${end}` } : {}) });
    },
  };
}

async function readAll(stores: ReturnType<typeof store>[], limit: number): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await mergeLists(stores, { limit, ...(cursor === undefined ? {} : { cursor }) });
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
    const first = await mergeLists([one], { limit: 1 });
    expect(first.sessions.map(({ id }) => id)).toEqual(['a']);
    const next = await mergeLists([one, two], { limit: 5, cursor: first.cursor ?? '' });
    expect(next.sessions.map(({ id }) => id)).toEqual(['c', 'b']);
    await expect(mergeLists([one], { cursor: 'nonsense' })).rejects.toMatchObject({
      code: 'InvalidArgument',
    });
  });
});
