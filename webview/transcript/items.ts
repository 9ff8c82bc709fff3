/** Rows and the text that grows as one list with stable keys: a row that was growing keeps its place and its elements. */
import type { Row } from '../../src/shared/fold/types.js';
import type { GrowingView } from '../../src/shared/protocol.js';
import { messageText } from './prompt-text.js';

export interface Item {
  key: string;
  row?: Row;
  growing?: GrowingView;
}

export function itemsOf(rows: readonly Row[], growing: GrowingView | null): Item[] {
  const keys = new Set<string>();
  const unique = (wanted: string, other: string): string => {
    const key = keys.has(wanted) ? other : wanted;
    keys.add(key);
    return key;
  };
  const items: Item[] = rows.map((row) => ({ key: unique(keyOf(row), row.entry.id), row }));
  if (growing !== null) {
    items.push({ key: unique(`attempt ${growing.attempt_id}`, `growing ${growing.attempt_id}`), growing });
  }
  return items;
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
