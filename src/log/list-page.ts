/** Filters, order and pages of a session list, the same for every store. */
import * as z from 'zod';
import { BoughError } from '../shared/failure.js';
import { foldedText } from './folded-text.js';
import type { ListQuery, SessionSummary } from './store.js';

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 200;

/** What a row is sorted by. */
export interface RowKey {
  updated: number;
  id: string;
}

export const byUpdate = (a: RowKey, b: RowKey): number =>
  b.updated - a.updated || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);

/** All but the text. */
export function isOfKind({
  archived = false,
  owner,
  tags = [],
}: ListQuery): (row: SessionSummary) => boolean {
  return (row) =>
    (archived === 'all' || row.archived === archived) &&
    (owner === undefined || row.owner === owner) &&
    tags.every((tag) => row.tags.includes(tag));
}

export function hasTitle({ text }: ListQuery): (row: SessionSummary) => boolean {
  const wanted = foldedText(text?.trim() ?? '');
  return (row) => foldedText(row.title).includes(wanted);
}

export function matches(query: ListQuery): (row: SessionSummary) => boolean {
  const [isOne, isCalled] = [isOfKind(query), hasTitle(query)];
  return (row) => isOne(row) && isCalled(row);
}

/** @throws BoughError InvalidArgument */
export function pageLimit({ limit = DEFAULT_LIMIT }: ListQuery): number {
  if (Number.isInteger(limit) && limit >= 1) return Math.min(limit, MAX_LIMIT);
  throw new BoughError('InvalidArgument', `A page holds 1 to ${MAX_LIMIT} sessions, not ${limit}.`);
}

const cursorSchema = z.tuple([z.number(), z.string()]);

export const cursorAt = ({ updated, id }: RowKey): string =>
  Buffer.from(JSON.stringify([updated, id])).toString('base64url');

/** The last row of the page before. @throws BoughError InvalidArgument */
export function rowAt(cursor: string): RowKey {
  try {
    const [updated, id] = cursorSchema.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')));
    return { updated, id };
  } catch (error) {
    const message = `This is no cursor of a session list: ${cursor}.`;
    throw new BoughError('InvalidArgument', message, {}, { cause: error });
  }
}

/** `rows` are in order. What does not match is passed over. */
export function page(
  rows: readonly SessionSummary[],
  query: ListQuery,
): { sessions: SessionSummary[]; cursor?: string } {
  const limit = pageLimit(query);
  const isWanted = isOfKind(query);
  const sessions: SessionSummary[] = [];
  for (
    let at = query.cursor === undefined ? 0 : placeBehind(rows, rowAt(query.cursor));
    at < rows.length;
    at++
  ) {
    const row = rows[at] as SessionSummary;
    if (!isWanted(row)) continue;
    if (sessions.length === limit) return { sessions, cursor: cursorAt(sessions.at(-1) as SessionSummary) };
    sessions.push(row);
  }
  return { sessions };
}

/** Of the first row that comes behind `after`, which may be there or not. */
function placeBehind(rows: readonly SessionSummary[], after: RowKey): number {
  let from = 0;
  for (let to = rows.length; from < to;) {
    const middle = (from + to) >>> 1;
    if (byUpdate(rows[middle] as SessionSummary, after) > 0) to = middle;
    else from = middle + 1;
  }
  return from;
}
