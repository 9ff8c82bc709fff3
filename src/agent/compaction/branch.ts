/**
 * Summaries of a part of one line: asked for to read, brought along when a branch is left, or put in place of what they
 * tell for the model. The originals stay where they are, can be read and be branched from.
 */
import type { Model } from '../../ports.js';
import type { ConversationEntry } from '../../shared/entry.js';
import { isFailure, type Failure } from '../../shared/failure.js';
import type { Draft } from '../../shared/notes.js';
import { selectPath } from '../context/select.js';
import { wantedModel, type Core, type Run } from '../core.js';
import { refused } from '../failures.js';
import { headTo } from '../mode.js';
import type { Done, ExpectedHead } from '../refusals.js';
import { sideRun } from '../side-run.js';
import { summarise, type Summary } from './summarise.js';
import { fitting } from './transcript.js';

export interface BranchRange {
  from_id: string;
  to_id: string;
}

export interface SummaryOptions {
  /** What the person wants kept above all. */
  focus?: string | undefined;
}

/** The text of a summary. Nothing is written. */
export function summarizeBranch(
  core: Core,
  range: BranchRange,
  options: SummaryOptions,
): Promise<string | Failure> {
  const work = async (run: Run): Promise<string | Failure> => {
    const summary = await summaryOf(core, run, range, { ...options, isUnrecorded: true });
    return isFailure(summary) ? summary : summary.text;
  };
  return sideRun(core, undefined, work, { onlyReads: true });
}

export interface Leaving extends BranchRange, SummaryOptions {
  /** Where one goes: what the summary stands behind. */
  target: string | null;
}

/** Goes to the target and tells there what was said on the line that is left, in one batch. */
export async function bringSummary(
  core: Core,
  leaving: Leaving,
  expected: ExpectedHead,
): Promise<Done | Failure> {
  const { from_id, to_id, target } = leaving;
  if (target !== null && !core.log.outline.some(([id]) => id === target)) return noSuchEntry(target);
  const work = async (run: Run): Promise<Done | Failure> => {
    const summary = await summaryOf(core, run, leaving, leaving);
    if (isFailure(summary)) return summary;
    const batch: Draft[] = [
      ...headTo(core, target),
      { type: 'branch_summary', turn_id: run.turn_id, from_id, to_id, summary: summary.text },
    ];
    return written(await core.append([...batch, ...summary.usage]));
  };
  return sideRun(core, expected, work, { expiresApprovals: true });
}

export interface Collapsing extends BranchRange, SummaryOptions {
  /** The summary itself, when it is there already. */
  summary?: string | undefined;
}

/** From now on the model is told a summary in place of the range, which is widened to whole steps. */
export async function collapseBranch(
  core: Core,
  collapsing: Collapsing,
  expected: ExpectedHead,
): Promise<Done | Failure> {
  // Nothing is closed for what cannot be done.
  const wrong = collapsible(await core.log.path(), collapsing);
  if (isFailure(wrong)) return wrong;
  const work = async (run: Run): Promise<Done | Failure> => {
    const range = collapsible(await core.log.path(), collapsing);
    if (isFailure(range)) return range;
    const text = collapsing.summary?.trim() ?? '';
    const summary = text === '' ? await summaryOf(core, run, range, collapsing) : { text, usage: [] };
    if (isFailure(summary)) return summary;
    return written(
      await core.append([
        { type: 'branch_summary', turn_id: run.turn_id, ...range, summary: summary.text, collapse: true },
        ...summary.usage,
      ]),
    );
  };
  return sideRun(core, expected, work, { expiresApprovals: true });
}

function written(entries: readonly { type: string; id: string }[]): Done {
  const summary = entries.find(({ type }) => type === 'branch_summary');
  return summary === undefined ? {} : { entry_id: summary.id };
}

async function summaryOf(
  core: Core,
  run: Run,
  range: BranchRange,
  { focus, isUnrecorded = false }: SummaryOptions & { isUnrecorded?: boolean },
): Promise<Summary | Failure> {
  const part = await partOf(core, range);
  if (isFailure(part)) return part;
  const model: Model | Failure = await core.parts.models.resolve(wantedModel(core));
  if (isFailure(model)) return model;
  const said = selectPath(part.map((entry) => ({ entry })));
  if (said.length === 0)
    return refused('NothingToSummarise', 'There is nothing in this part that a model was told.');
  const task = { kind: 'branch' as const, transcript: fitting(said, model.info), focus };
  return summarise(core, run, { model, task, isUnrecorded });
}

/** The entries from one to the other, both of one line. */
async function partOf(core: Core, { from_id, to_id }: BranchRange): Promise<ConversationEntry[] | Failure> {
  for (const id of [from_id, to_id])
    if (!core.log.outline.some((node) => node[0] === id)) return noSuchEntry(id);
  const line = await core.log.path(to_id);
  const from = line.findIndex(({ id }) => id === from_id);
  return from === -1 ? notOneLine() : line.slice(from);
}

const noSuchEntry = (id: string): Failure =>
  refused('InvalidArgument', `There is no message "${id}" in this conversation.`);

const notOneLine = (): Failure =>
  refused(
    'InvalidArgument',
    'The two messages do not stand on one line: the first must come before the second on it.',
  );

/** The range as it can be collapsed on this path: whole steps, no compaction in it, earlier collapses whole or not at all. */
export function collapsible(path: readonly ConversationEntry[], range: BranchRange): BranchRange | Failure {
  const places = new Map(path.map(({ id }, index) => [id, index]));
  const begin = places.get(range.from_id);
  const end = places.get(range.to_id);
  if (begin === undefined || end === undefined || begin > end) return notOneLine();
  const from = stepBegin(path, begin);
  const to = stepEnd(path, end);
  const part = path.slice(from, to + 1);
  if (part.some(({ type }) => type === 'compaction')) {
    return refused(
      'InvalidArgument',
      'A range that holds a compaction cannot be replaced by a summary. Choose one before or behind it.',
    );
  }
  for (const entry of path) {
    if (entry.type !== 'branch_summary' || entry.collapse !== true || entry.to_id === undefined) continue;
    const first = places.get(entry.from_id);
    const last = places.get(entry.to_id);
    if (first === undefined || last === undefined || last < from || first > to) continue;
    if (first < from || last > to) {
      return refused(
        'InvalidArgument',
        'The range overlaps one that a summary replaces already. Choose one that holds it whole, or none of it.',
      );
    }
  }
  return { from_id: path[from]?.id ?? range.from_id, to_id: path[to]?.id ?? range.to_id };
}

const isResult = (entry: ConversationEntry | undefined): boolean =>
  entry?.type === 'message' && entry.role === 'tool';

function stepBegin(path: readonly ConversationEntry[], at: number): number {
  let begin = at;
  while (begin > 0 && isResult(path[begin])) begin -= 1;
  return begin;
}

function stepEnd(path: readonly ConversationEntry[], at: number): number {
  let end = at;
  while (isResult(path[end + 1])) end += 1;
  return end;
}
