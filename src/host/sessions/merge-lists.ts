/** Several session lists as one: newest first over all, page by page, with one opaque cursor. */
import type { ListQuery, SessionStore, SessionSummary } from '../../log/store.js';
import { BoughError } from '../../shared/failure.js';

type Lister = Pick<SessionStore, 'list'>;
type Page = { sessions: SessionSummary[]; cursor?: string };

/** How far one of the lists was read: its own cursor, and rows behind that which were given already. */
interface Place {
  cursor: string | null;
  skip: number;
  isOver: boolean;
}

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 200;

export async function mergeLists(stores: readonly Lister[], query: ListQuery): Promise<Page> {
  const { cursor, ...filters } = query;
  const limit = Math.min(query.limit ?? DEFAULT_LIMIT, MAX_LIMIT);
  const places = cursor === undefined ? stores.map(begin) : parse(cursor);
  const pages = await Promise.all(
    stores.map((store, index) => readOn(store, places[index] ?? begin(), { ...filters, limit })),
  );
  const sessions: SessionSummary[] = [];
  const taken = pages.map(() => 0);
  while (sessions.length < limit) {
    const heads = pages.map(({ rows }, index) => rows[taken[index] ?? 0]);
    // Behind the end of a page there may be something newer than what the others have next.
    if (heads.some((row, index) => row === undefined && pages[index]?.cursor !== undefined)) break;
    const next = newest(heads);
    const row = next === -1 ? undefined : heads[next];
    if (row === undefined) break;
    sessions.push(row);
    taken[next] = (taken[next] ?? 0) + 1;
  }
  const after = pages.map((page, index) => advance(page, places[index] ?? begin(), taken[index] ?? 0));
  return after.every(({ isOver }) => isOver) ? { sessions } : { sessions, cursor: format(after) };
}

interface ReadPage {
  rows: SessionSummary[];
  cursor: string | undefined;
}

async function readOn(
  store: Lister,
  { cursor, skip, isOver }: Place,
  query: ListQuery & { limit: number },
): Promise<ReadPage> {
  if (isOver) return { rows: [], cursor: undefined };
  const limit = Math.min(query.limit + skip, MAX_LIMIT);
  const page = await store.list({ ...query, limit, ...(cursor === null ? {} : { cursor }) });
  return { rows: page.sessions.slice(skip), cursor: page.cursor };
}

function advance({ rows, cursor }: ReadPage, before: Place, taken: number): Place {
  if (before.isOver) return before;
  if (taken < rows.length) return { ...before, skip: before.skip + taken };
  return cursor === undefined ? { ...before, isOver: true } : { cursor, skip: 0, isOver: false };
}

function newest(rows: readonly (SessionSummary | undefined)[]): number {
  let found = -1;
  rows.forEach((row, index) => {
    const best = rows[found];
    if (row !== undefined && (best === undefined || byUpdate(row, best) < 0)) found = index;
  });
  return found;
}

const byUpdate = (a: SessionSummary, b: SessionSummary): number =>
  b.updated - a.updated || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);

const begin = (): Place => ({ cursor: null, skip: 0, isOver: false });

const format = (places: readonly Place[]): string =>
  Buffer.from(JSON.stringify(places.map(({ cursor, skip, isOver }) => [cursor, skip, isOver]))).toString(
    'base64url',
  );

/** A store that came meanwhile is read from its beginning. */
function parse(cursor: string): Place[] {
  const refuse = (cause?: unknown) =>
    new BoughError('InvalidArgument', `This is no cursor of this list: ${cursor}.`, {}, { cause });
  let parts: unknown;
  try {
    parts = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch (error) {
    throw refuse(error);
  }
  if (!Array.isArray(parts)) throw refuse();
  return parts.map((part: unknown) => {
    const [own, skip, isOver] = Array.isArray(part) ? (part as unknown[]) : [];
    if (!(typeof own === 'string' || own === null)) throw refuse();
    if (typeof skip !== 'number' || typeof isOver !== 'boolean') throw refuse();
    return { cursor: own, skip, isOver };
  });
}
