/**
 * Asks a model for a summary, with the retries that any request has. Gives the whole summary or none: a cut, empty or
 * refused one is a failure. Each retry is a pair of notes in the log.
 */
import type { Model, Usage } from '../../ports.js';
import type { Failure } from '../../shared/failure.js';
import type { Draft } from '../../shared/notes.js';
import type { AttemptResult } from '../attempt.js';
import type { Core, Run } from '../core.js';
import { refused } from '../failures.js';
import { askAside, retryAside } from '../side-request.js';
import { waitFor } from '../wait.js';
import { summaryRequest, type SummaryTask } from './summary-prompt.js';

export interface Summary {
  text: string;
  /** One for each request that reported it, failed ones too. */
  usage: Draft[];
}

export interface SummaryCall {
  model: Model;
  task: SummaryTask;
  /** Nothing of it goes into the log: neither retries nor what a failed one cost. */
  isUnrecorded?: boolean;
}

export async function summarise(core: Core, run: Run, call: SummaryCall): Promise<Summary | Failure> {
  const { clock } = core.parts;
  const record = async (batch: Draft[]): Promise<void> => {
    if (call.isUnrecorded !== true && batch.length > 0) await core.append(batch);
  };
  const began = clock.elapsed();
  const usage: Draft[] = [];
  for (let attempt = 1; ; attempt++) {
    const { model, task } = call;
    const attempt_id = core.parts.ids.entry();
    const result = await askAside(core, run, { model, request: summaryRequest(task), attempt_id });
    if (result.usage !== null) usage.push(usageOf(run, result.usage));
    const failure = failureIn(result, run);
    if (attempt > 1) await record([retryEnd(run, attempt - 1, failure)]);
    if (failure === null) return { text: result.text.trim(), usage };
    const wait = waitAfter(core, run, failure, { attempt, elapsed: clock.elapsed() - began });
    if (wait === null) {
      await record(usage);
      return failure;
    }
    await record([wait.note]);
    const due_at = new Date(clock.now() + wait.ms).toISOString();
    await waitFor(clock, run, { ms: wait.ms, hint_ms: wait.hint_ms, due_at });
  }
}

/** null: it is not asked again. */
function waitAfter(
  core: Core,
  run: Run,
  failure: Failure,
  { attempt, elapsed }: { attempt: number; elapsed: number },
): { ms: number; hint_ms: number; note: Draft } | null {
  const plan = retryAside(core, run, failure, { attempt, elapsed });
  if (plan === null) return null;
  const { delay_ms, hint_ms, max_attempts } = plan;
  const note: Draft = {
    type: 'summarization_retry_start',
    turn_id: run.turn_id,
    attempt,
    max_attempts,
    delay_ms,
    error: failure.message,
  };
  return { ms: delay_ms, hint_ms, note };
}

const usageOf = ({ turn_id }: Run, usage: Usage): Draft => ({
  type: 'usage',
  turn_id,
  purpose: 'summary',
  ...usage,
});

const retryEnd = ({ turn_id }: Run, attempt: number, failure: Failure | null): Draft => ({
  type: 'summarization_retry_end',
  turn_id,
  success: failure === null,
  attempt,
  ...(failure === null ? {} : { final_error: failure.message }),
});

/** Why there is no summary; null when there is one. */
function failureIn(result: AttemptResult, run: Run): Failure | null {
  if (run.signal.aborted || result.kind === 'aborted') {
    return { kind: 'cancelled', code: 'Cancelled', message: 'The summary was stopped.', transient: false };
  }
  if (result.kind === 'failed') return result.failure;
  if (result.reason === 'length') {
    return refused('SummaryCut', "The summary was cut at the model's output limit, so it was not used.");
  }
  if (result.reason === 'content_filter') {
    return refused('ContentFilter', 'The provider withheld the summary (content filter).');
  }
  return result.text.trim() === '' ? refused('SummaryEmpty', 'The model gave an empty summary.') : null;
}
