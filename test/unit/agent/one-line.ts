/**
 * What is to be seen and told of a line, said a second time and in plain steps: of every message all its numbered words,
 * of what a summary tells for the model that summary's words in place of its own.
 */
import { expect } from 'vitest';
import { buildRequest } from '../../../src/agent/context.js';
import type { ModelMessage } from '../../../src/ports.js';
import type { BranchSummary, ConversationEntry } from '../../../src/shared/entry.js';
import { rowsOf } from '../../../src/shared/fold/path.js';
import type { Row } from '../../../src/shared/fold/types.js';
import { isConversation, type Entry } from '../../../src/shared/notes.js';
import { foldOf, placed } from '../shared/build.js';

const model = { provider: 'p', id: 'm', label: 'M' };

/** Lines that name what they are: `said 3`, `gist 4`, `ran 5`. */
const numbered = (text: string): string[] =>
  text.split('\n').filter((line) => /^(?:said|cut|gist|ran) \d+$/.test(line));

/** The words of one entry, as the person reads them. */
function wordsOf(entry: ConversationEntry): string[] {
  switch (entry.type) {
    case 'message':
      return entry.parts.flatMap((part) =>
        part.type === 'text'
          ? numbered(part.text)
          : part.type === 'tool_result'
            ? numbered(part.content)
            : [],
      );
    case 'incomplete_output':
      return numbered(entry.text);
    case 'compaction':
    case 'branch_summary':
      return numbered(entry.summary);
    case 'skill_load':
      return [];
  }
}

const shownBy = (row: Row): string[] => [
  ...wordsOf(row.entry),
  ...(row.kind === 'assistant' ? row.cards.flatMap(({ result }) => numbered(result ?? '')) : []),
];

/** Which summary stands in place of an entry: a later one that holds an earlier one's part whole takes it over. */
function coversOf(line: readonly ConversationEntry[]): Map<string, BranchSummary> {
  const covers = new Map<string, BranchSummary>();
  for (const entry of line) {
    if (entry.type !== 'branch_summary' || entry.collapse !== true) continue;
    const from = line.findIndex(({ id }) => id === entry.from_id);
    const to = line.findIndex(({ id }) => id === entry.to_id);
    for (const { id } of line.slice(from, to + 1)) covers.set(id, entry);
  }
  return covers;
}

/** What the model is to be told of a line. */
export function toldOf(line: readonly ConversationEntry[]): string[] {
  const covers = coversOf(line);
  const compaction = line.findLast((entry) => entry.type === 'compaction');
  const told = compaction === undefined ? [] : wordsOf(compaction);
  let kept = Math.max(
    0,
    line.findIndex(({ id }) => id === compaction?.first_kept_entry_id),
  );
  // A part that a summary tells is told whole or not at all.
  const around = covers.get(line[kept]?.id ?? '');
  if (around !== undefined) kept = line.findIndex(({ id }) => covers.get(id) === around);
  let before: BranchSummary | undefined;
  for (const entry of line.slice(kept)) {
    const cover = covers.get(entry.id);
    if (cover === undefined) {
      const isOwn = entry.type === 'message' || (entry.type === 'branch_summary' && entry.collapse !== true);
      if (isOwn) told.push(...wordsOf(entry));
    } else if (cover !== before) told.push(...wordsOf(cover));
    before = cover;
  }
  return told;
}

export const wordsToldBy = (messages: readonly ModelMessage[]): string[] =>
  messages.flatMap(({ parts }) =>
    parts.flatMap((part) =>
      'content' in part ? numbered(part.content) : 'text' in part ? numbered(part.text) : [],
    ),
  );

/** The line to `head`, as the log has it. */
export function lineTo(entries: readonly Entry[], head: string | null): ConversationEntry[] {
  const all = placed(entries);
  return foldOf(entries)
    .linePositions(head)
    .flatMap((position) => {
      const entry = all[position]?.entry;
      return entry !== undefined && isConversation(entry) ? [entry] : [];
    });
}

/** View and request of the line to `head` hold what that line holds, and nothing else. */
export function expectOneLine(entries: readonly Entry[], head: string | null): void {
  const all = placed(entries);
  const fold = foldOf(entries);
  const line = fold.linePositions(head).flatMap((position) => all[position] ?? []);
  const path = line.flatMap(({ entry }) => (isConversation(entry) ? [entry] : []));
  const rows = rowsOf(line, fold.outline, fold.state(head), 'idle');
  const hasRow = (entry: ConversationEntry): boolean => entry.type !== 'message' || entry.role !== 'tool';
  // The person sees all of it, whatever the model is told of it.
  expect(rows.map(({ entry }) => entry).filter(hasRow)).toEqual(path.filter(hasRow));
  expect(rows.filter(({ entry }) => hasRow(entry)).flatMap(shownBy)).toEqual(path.flatMap(wordsOf));
  const { messages } = buildRequest(line, model, { system: '', tools: [] });
  expect(wordsToldBy(messages)).toEqual(toldOf(path));
}
