/** Several calls in a row that only looked: they fold into one line, once something stands below them. */
import type { Row, ToolCard } from '../../src/shared/fold/types.js';
import type { Item } from './items.js';
import { messageText } from './prompt-text.js';

export interface QuietGroup {
  /** Key of its first item. */
  key: string;
  words: string;
}

/** Fewer stay as they are: a line each is quickly read. */
const FEWEST = 5;

const times = (count: number): string => (count === 1 ? 'once' : `${count} times`);

const nouns: Readonly<Record<string, (count: number) => string>> = {
  read: (count) => `read ${count} ${count === 1 ? 'file' : 'files'}`,
  list: (count) => `listed ${count} ${count === 1 ? 'folder' : 'folders'}`,
  search: (count) => `searched ${times(count)}`,
  glob: (count) => `looked for files ${times(count)}`,
  symbols: (count) => `looked up symbols ${times(count)}`,
  references: (count) => `looked up uses ${times(count)}`,
  diagnostics: (count) => `checked the problems ${times(count)}`,
};

const isQuietCard = (card: ToolCard): boolean => card.state === 'ok' && Object.hasOwn(nouns, card.call.name);

const isQuiet = (row: Row | undefined): row is Row & { kind: 'assistant' } =>
  row?.kind === 'assistant' &&
  row.fork === undefined &&
  row.cards.length > 0 &&
  row.cards.every(isQuietCard) &&
  messageText(row.entry).trim() === '';

/** By item key: the group an item belongs to. */
export function quietGroups(items: readonly Item[]): Map<string, QuietGroup> {
  const groups = new Map<string, QuietGroup>();
  let run: Item[] = [];
  for (const item of items) {
    if (isQuiet(item.row)) run.push(item);
    else {
      addGroup(groups, run);
      run = [];
    }
  }
  // What stands at the end is being worked on.
  return groups;
}

function addGroup(groups: Map<string, QuietGroup>, run: readonly Item[]): void {
  const cards = run.flatMap(({ row }) => (row?.kind === 'assistant' ? row.cards : []));
  const [first] = run;
  if (first === undefined || cards.length < FEWEST) return;
  const group = { key: first.key, words: wordsOf(cards) };
  for (const { key } of run) groups.set(key, group);
}

function wordsOf(cards: readonly ToolCard[]): string {
  const counts = new Map<string, number>();
  for (const { call } of cards) counts.set(call.name, (counts.get(call.name) ?? 0) + 1);
  const words = [...counts].map(([name, count]) => nouns[name]?.(count) ?? '').join(', ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
