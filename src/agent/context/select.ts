/**
 * Which part of a path the model is told: after the last compaction that can be applied its summary and the path from its
 * first kept entry, with collapsed ranges replaced by their summaries. Incomplete output and notes are never in it; skills
 * outlive a compaction.
 */
import type { BranchSummary, Compaction, Message, SkillLoad } from '../../shared/entry.js';
import { isConversation, type Entry } from '../../shared/notes.js';
import type { ConversationEntry } from '../../shared/entry.js';
import { withoutOutput } from './results.js';

/** A line as the log gives it: entries of one path, notes included, in file order. */
export type Line = readonly { entry: Entry }[];

export type Said =
  | { kind: 'message'; entry: Message }
  | { kind: 'skill'; entry: SkillLoad }
  /** A summary that stands in place of something; told as a user message. */
  | { kind: 'summary'; text: string };

interface Collapse {
  from: number;
  to: number;
  entry: BranchSummary;
}

interface Collapses {
  /** Ranges that do not overlap. */
  ranges: Collapse[];
  /** All that were applied, those inside a later one too: told where their range began or not at all. */
  applied: Set<BranchSummary>;
}

/** What stands in place of all that came before the kept part, if anything does, and the kept part. */
export interface Told {
  compacted: Compaction | null;
  said: Said[];
}

export function selectPath(line: Line): Said[] {
  const { compacted, said } = tellPath(line);
  return compacted === null ? said : [...summaryOf(compacted), ...said];
}

/** Skills that were loaded before the kept part come first: what was activated stays so. */
export function tellPath(line: Line): Told {
  const path = line.flatMap(({ entry }) => (isConversation(entry) ? [entry] : []));
  const places = new Map<string, number>();
  // Should an id repeat, the first has it.
  path.forEach((entry, index) => {
    if (!places.has(entry.id)) places.set(entry.id, index);
  });
  const { ranges, applied } = collapsesOf(path, places);
  const compacted = lastCompaction(path, places);
  const kept = compacted === null ? 0 : keptFrom(compacted.first, ranges);
  const without = path.findLastIndex(
    (entry) => entry.type === 'compaction' && entry.without_outputs === true,
  );
  const said: Said[] = skillsOf(path.slice(0, kept));
  for (let index = kept; index < path.length; index++) {
    const collapse = ranges.find(({ from }) => from === index);
    if (collapse !== undefined) {
      said.push(...told(COLLAPSED, collapse.entry.summary));
      index = collapse.to;
      continue;
    }
    const entry = path[index];
    if (entry !== undefined) said.push(...saidBy(index < without ? outputsLeftOut(entry) : entry, applied));
  }
  return { compacted: compacted?.entry ?? null, said };
}

/** Images that tools gave go with their outputs. */
function outputsLeftOut(entry: ConversationEntry): ConversationEntry {
  if (entry.type !== 'message' || entry.role !== 'tool') return entry;
  return {
    ...entry,
    parts: entry.parts.flatMap((part) => (part.type === 'tool_result' ? [withoutOutput(part)] : [])),
  };
}

/** Each once, as it was loaded last. */
function skillsOf(path: readonly ConversationEntry[]): Said[] {
  const skills = new Map<string, SkillLoad>();
  for (const entry of path) if (entry.type === 'skill_load') skills.set(entry.name, entry);
  return [...skills.values()].map((entry) => ({ kind: 'skill', entry }));
}

const COMPACTED = 'Summary of the conversation so far; earlier messages were compacted.';
const COLLAPSED = 'Summary of this part of the conversation, which it replaces.';
const PART = 'Summary of a part of this conversation.';
const LEFT = 'Summary of another branch of this conversation, which was left.';

const told = (title: string, summary: string): Said[] =>
  summary.trim() === '' ? [] : [{ kind: 'summary', text: `[${title}]\n\n${summary}` }];

function summaryOf(entry: Compaction): Said[] {
  const files = [
    ...filesLine('Files read', entry.read_files),
    ...filesLine('Files changed', entry.modified_files),
  ];
  const summary = entry.summary.trim() === '' ? '' : [entry.summary, ...files].join('\n\n');
  return told(COMPACTED, summary);
}

const filesLine = (title: string, files: readonly string[] = []): string[] =>
  files.length === 0 ? [] : [`${title}: ${files.join(', ')}`];

function saidBy(entry: ConversationEntry, applied: ReadonlySet<BranchSummary>): Said[] {
  switch (entry.type) {
    case 'message':
      return [{ kind: 'message', entry }];
    case 'skill_load':
      return [{ kind: 'skill', entry }];
    case 'branch_summary':
      // The summary of a collapse stands where its range began; one whose range is not there is told as it stands.
      return applied.has(entry) ? [] : told(entry.collapse === true ? PART : LEFT, entry.summary);
    case 'incomplete_output':
    case 'compaction':
      return [];
  }
}

/** The last compaction whose first kept entry stands on the path before it (or is itself: nothing was kept). */
function lastCompaction(
  path: readonly ConversationEntry[],
  places: ReadonlyMap<string, number>,
): { entry: Compaction; first: number } | null {
  for (let index = path.length - 1; index >= 0; index--) {
    const entry = path[index];
    if (entry?.type !== 'compaction') continue;
    const first = places.get(entry.first_kept_entry_id);
    if (first !== undefined && first <= index) return { entry, first };
  }
  return null;
}

/** A kept part never begins inside a collapsed range: then it begins where that begins. */
const keptFrom = (first: number, collapses: readonly Collapse[]): number =>
  collapses.find(({ from, to }) => from < first && first <= to)?.from ?? first;

/** A later range may contain an earlier one whole; one that may not stand is left out. */
function collapsesOf(path: readonly ConversationEntry[], places: ReadonlyMap<string, number>): Collapses {
  let ranges: Collapse[] = [];
  const applied = new Set<BranchSummary>();
  path.forEach((entry, index) => {
    if (entry.type !== 'branch_summary' || entry.collapse !== true) return;
    const from = places.get(entry.from_id);
    const to = entry.to_id === undefined ? undefined : places.get(entry.to_id);
    if (from === undefined || to === undefined || from > to || to >= index) return;
    if (path.slice(from, to + 1).some(({ type }) => type === 'compaction')) return;
    const touching = ranges.filter((other) => other.from <= to && from <= other.to);
    if (touching.some((other) => other.from < from || other.to > to)) return;
    ranges = [...ranges.filter((other) => !touching.includes(other)), { from, to, entry }];
    applied.add(entry);
  });
  return { ranges, applied };
}
