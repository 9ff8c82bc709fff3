/** Rows and the text that grows as one list with stable keys: a row that was growing keeps its place and its elements. */
import type { Row } from '../../src/shared/fold/types.js';
import type { GrowingView } from '../../src/shared/protocol.js';
import { messageText } from './prompt-text.js';

export interface Item {
  readonly key: string;
  readonly row?: Row;
  readonly growing?: GrowingView | undefined;
}

export function itemsOf(rows: readonly Row[]): Item[] {
  const keys = new Set<string>();
  return rows.map((row) => {
    const wanted = keyOf(row);
    const key = keys.has(wanted) ? row.entry.id : wanted;
    keys.add(key);
    return { key, row };
  });
}

/**
 * With what grows behind the rows. It is asked for when it is drawn: the list stays the same while text comes, so that
 * nothing but that text is drawn again.
 */
export function withGrowing(
  items: readonly Item[],
  attempt: string | undefined,
  growing: () => GrowingView | null,
): readonly Item[] {
  if (attempt === undefined) return items;
  const key = `attempt ${attempt}`;
  const item: Item = {
    key: items.some((other) => other.key === key) ? `growing ${attempt}` : key,
    get growing() {
      return growing() ?? undefined;
    },
  };
  return [...items, item];
}

/** What an item says, as plain text: for when it cannot be drawn. */
export function textOfItem({ row, growing }: Item): string {
  switch (row?.kind) {
    case undefined:
      return growing?.text ?? '';
    case 'user':
    case 'assistant':
      return messageText(row.entry);
    case 'incomplete':
      return row.entry.text || (row.entry.preview ?? '');
    case 'compaction':
    case 'branch_summary':
      return row.entry.summary;
    case 'skill_load':
      return row.entry.name;
  }
}

function keyOf(row: Row): string {
  const attempt = row.kind === 'assistant' ? row.entry.attempt_id : undefined;
  return attempt === undefined ? row.entry.id : `attempt ${attempt}`;
}

/** A row of nothing but calls, right behind another answer. */
export function goesOn(before: Item | undefined, item: Item): boolean {
  if (before === undefined || (before.row !== undefined && before.row.kind !== 'assistant')) return false;
  const { row, growing } = item;
  if (row === undefined) return growing?.text === '' && growing.reasoning === '';
  if (row.kind !== 'assistant' || row.fork !== undefined) return false;
  return messageText(row.entry) === '' && !row.entry.parts.some((part) => part.type === 'reasoning');
}

const LINE = 20;
const CARD = 28;
const CHARACTER = 6.6;

/** About how high a row is, before it is drawn in a column of this width. */
export function guessHeight(item: Item, width: number): number {
  const { row } = item;
  if (
    row === undefined ||
    row.kind === 'compaction' ||
    row.kind === 'branch_summary' ||
    row.kind === 'skill_load'
  )
    return 2 * LINE;
  const characters = Math.max(20, Math.floor((width - 2 * LINE) / CHARACTER));
  const lines = textOfItem(item)
    .split('\n')
    .reduce((sum, line) => sum + Math.ceil(line.length / characters), 0);
  const cards = row.kind === 'assistant' ? row.cards.length : 0;
  return LINE + lines * LINE + cards * CARD;
}
