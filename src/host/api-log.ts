/** What stands in a session's log, for other extensions to read: its entries, and what they say of the work that goes on. */
import { lineEnd } from '../agent/line-end.js';
import { repeatsAtEnd } from '../agent/repeats.js';
import { finishOf, leftOf } from '../agent/segments.js';
import type { PlacedEntry, SessionLog } from '../log/store.js';
import { BoughError } from '../shared/failure.js';
import type { RunSummary } from './api.js';
import { textOf } from './api-history.js';
import { usageOf } from './api-turn.js';

/** In file order, as copies. @throws BoughError InvalidArgument for what is no place or no number of entries */
export async function readEntries(
  log: Pick<SessionLog, 'position' | 'records'>,
  { from = 0, limit }: { from?: number; limit?: number } = {},
): Promise<PlacedEntry[]> {
  checkCount('from', from);
  if (limit !== undefined) checkCount('limit', limit);
  const count = Math.max(0, Math.min(limit ?? log.position, log.position - from));
  const records = await log.records(Array.from({ length: count }, (_, index) => from + index));
  return records.map(({ position, entry }) => ({ position, entry: structuredClone(entry) }));
}

function checkCount(name: string, given: unknown): void {
  if (Number.isSafeInteger(given) && Number(given) >= 0) return;
  throw new BoughError(
    'InvalidArgument',
    `${name} is ${String(given)}; it must be a whole number from 0 on.`,
  );
}

/** On the line that the head is on, Bough's own included, as copies. */
export async function readExtensionData(
  log: Pick<SessionLog, 'line'>,
): Promise<{ type: string; data: unknown }[]> {
  return (await log.line()).flatMap(({ entry }) =>
    entry.type === 'extension_data' ? [{ type: entry.ext_type, data: structuredClone(entry.data) }] : [],
  );
}

/** Read only as far back as the prompt. */
export async function runSummary(log: SessionLog): Promise<RunSummary> {
  const end = (await lineEnd(log, isPrompt)).map(({ entry }) => entry);
  const at = end.findLastIndex((entry) => isPrompt({ entry }));
  const entries = end.slice(Math.max(0, at));
  const { todos, last_usage } = log.state();
  const answer = entries.findLast((entry) => entry.type === 'message' && entry.role === 'assistant');
  const finish = finishOf(entries);
  return structuredClone({
    promptId: end[at]?.id ?? null,
    steps: entries.filter(({ type }) => type === 'step_end').length,
    todos,
    pending: leftOf(todos),
    finish: finish === null ? undefined : { status: finish.status, summary: finish.summary },
    continuations: entries.filter(({ type }) => type === 'turn_continue').length,
    repeats: repeatsAtEnd(entries),
    usage: usageOf(entries),
    contextTokens: last_usage?.total_tokens,
    text: await textOf(log.blobs, answer?.type === 'message' ? answer : undefined),
  });
}

/**
 * What begins a piece of work: what Bough said to go on with it, and what was said into it, does not. Nor does the report of
 * a subagent in the background, which comes by the queue; a subagent's own task does not.
 */
const isPrompt = ({ entry }: Pick<PlacedEntry, 'entry'>): boolean =>
  entry.type === 'message' &&
  entry.role === 'user' &&
  entry.origin !== 'continuation' &&
  entry.origin !== 'steer' &&
  !(entry.origin === 'subagent' && entry.queue_item_id !== undefined);
