/** Several session lists as one: newest first over all, page by page, with one opaque cursor. */
import * as z from 'zod';
import { byUpdate, pageLimit, type RowKey } from '../../log/list-page.js';
import type { ListQuery, SessionStore, SessionSummary } from '../../log/store.js';
import { BoughError } from '../../shared/failure.js';

type Lister = Pick<SessionStore, 'list'>;
type Page = { sessions: SessionSummary[]; cursor?: string };

/**
 * How far one of the lists was read: the cursor of the page that comes next, and the last row that was given. Rows are
 * known by their keys and not by their number: one that is deleted or written to between two pages moves no other.
 */
interface Place {
  cursor: string | null;
  last: RowKey | null;
  isOver: boolean;
}

/** @param onFail a list that cannot be had is left out, unless none can be had: then the first one's error is thrown */
export async function mergeLists(
  stores: readonly Lister[],
  query: ListQuery,
  onFail: (index: number, error: unknown) => void,
): Promise<Page> {
  const { cursor, ...filters } = query;
  const limit = pageLimit(query);
  const places = cursor === undefined ? stores.map(begin) : parse(cursor);
  const placeAt = (index: number): Place => places[index] ?? begin();
  const settled = await Promise.allSettled(
    stores.map((store, index) => readOn(store, placeAt(index), { ...filters, limit })),
  );
  const failures = settled.flatMap((one, index) =>
    one.status === 'rejected' ? [{ index, error: one.reason as unknown }] : [],
  );
  const [failure] = failures;
  if (failure !== undefined && failures.length === stores.length) throw failure.error;
  for (const { index, error } of failures) onFail(index, error);
  const pages = settled.map((one) => (one.status === 'fulfilled' ? one.value : nothingMore));
  const { sessions, taken } = merge(pages, limit);
  const after = pages.map((page, index) => advance(page, placeAt(index), taken[index] ?? 0));
  return after.every(({ isOver }) => isOver) ? { sessions } : { sessions, cursor: format(after) };
}

interface ReadPage {
  /** Each with the cursor of the page it was on. */
  rows: { row: SessionSummary; from: string | null }[];
  cursor: string | undefined;
}

const nothingMore: ReadPage = { rows: [], cursor: undefined };

async function readOn(
  store: Lister,
  { cursor, last, isOver }: Place,
  query: ListQuery & { limit: number },
): Promise<ReadPage> {
  if (isOver) return nothingMore;
  const rows: ReadPage['rows'] = [];
  let from = cursor;
  for (;;) {
    const page = await store.list({ ...query, ...(from === null ? {} : { cursor: from }) });
    for (const row of page.sessions) if (last === null || byUpdate(row, last) > 0) rows.push({ row, from });
    if (page.cursor === undefined || rows.length >= query.limit) return { rows, cursor: page.cursor };
    from = page.cursor;
  }
}

/** The newest rows of all pages, and how many of each they are. */
function merge(pages: readonly ReadPage[], limit: number): { sessions: SessionSummary[]; taken: number[] } {
  const sessions: SessionSummary[] = [];
  const taken = pages.map(() => 0);
  while (sessions.length < limit) {
    const next = newest(pages.map(({ rows }, index) => rows[taken[index] ?? 0]?.row));
    const row = pages[next]?.rows[taken[next] ?? 0]?.row;
    if (row === undefined) break;
    sessions.push(row);
    taken[next] = (taken[next] ?? 0) + 1;
  }
  return { sessions, taken };
}

function advance({ rows, cursor }: ReadPage, before: Place, taken: number): Place {
  const last = rows[taken - 1]?.row ?? before.last;
  const key = last === null ? null : { updated: last.updated, id: last.id };
  const next = rows[taken];
  if (next !== undefined) return { cursor: next.from, last: key, isOver: false };
  return cursor === undefined ? { ...before, isOver: true } : { cursor, last: key, isOver: false };
}

function newest(rows: readonly (SessionSummary | undefined)[]): number {
  let found = -1;
  rows.forEach((row, index) => {
    const best = rows[found];
    if (row !== undefined && (best === undefined || byUpdate(row, best) < 0)) found = index;
  });
  return found;
}

const begin = (): Place => ({ cursor: null, last: null, isOver: false });

const format = (places: readonly Place[]): string =>
  Buffer.from(
    JSON.stringify(
      places.map(({ cursor, last, isOver }) => [cursor, last && [last.updated, last.id], isOver]),
    ),
  ).toString('base64url');

const placesSchema = z.array(
  z.tuple([z.string().nullable(), z.tuple([z.number(), z.string()]).nullable(), z.boolean()]),
);

/** A store that came meanwhile is read from its beginning. */
function parse(cursor: string): Place[] {
  try {
    const places = placesSchema.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')));
    return places.map(([own, last, isOver]) => ({
      cursor: own,
      last: last && { updated: last[0], id: last[1] },
      isOver,
    }));
  } catch (error) {
    throw new BoughError(
      'InvalidArgument',
      `This is no cursor of this list: ${cursor}.`,
      {},
      { cause: error },
    );
  }
}
