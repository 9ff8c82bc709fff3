/**
 * One step: attempts of its model request, with retries, resumes and waits in the log, until there is an assistant
 * message or the turn cannot go on. Writes nothing of a turn's end itself: it hands over what belongs to it.
 */
import type { Model } from '../ports.js';
import { isFailure } from '../shared/failure.js';
import type { Draft } from '../shared/notes.js';
import { runAttempt } from './attempt.js';
import { makeRoom } from './compaction/room.js';
import type { Core, Run } from './core.js';
import { overCost } from './cost.js';
import { afterDrop, triesOf } from './partial.js';
import { intend, type Ready } from './ready.js';
import { MIN_GAP_MS } from './retry.js';
import { cannotGoOn, finish, reported, stopped, tooManySteps } from './step-end.js';
import type { Attempted, StepResult } from './step-result.js';
import { recoverFrom } from './step-wait.js';
import { entriesOf, factsOf, type TurnFacts } from './turn-facts.js';
import { sleep, unlessStopped } from './wait.js';

export async function runStep(core: Core, run: Run): Promise<StepResult> {
  for (;;) {
    const attempted = await attemptStep(core, run);
    if ('kind' in attempted) return attempted;
    const done = await settleAttempt(core, run, attempted);
    if (done !== null) return done;
  }
}

/** Begins the step, or begins it again, and asks the model once. */
async function attemptStep(core: Core, run: Run): Promise<Attempted | StepResult> {
  const before = await factsOf(core, run.turn_id);
  const step = before.isStepOpen ? before.step : before.step + 1;
  const maxSteps = stepLimit(core.parts.settings().maxSteps);
  if (step > maxSteps) return cannotGoOn(run, before, tooManySteps(maxSteps));
  const costly = overCost(await entriesOf(core, run.turn_id), core.parts.settings().maxCost);
  if (costly !== null) return cannotGoOn(run, before, costly);
  const intended = await unlessStopped(run.signal, intend(core, before.withoutImages));
  if (intended !== null && isFailure(intended)) return cannotGoOn(run, before, intended);
  const ready = intended === null ? null : await makeRoom(core, run, intended, before);
  if (ready !== null && isFailure(ready)) {
    return run.signal.aborted
      ? stopped(core, run, [])
      : cannotGoOn(run, await factsOf(core, run.turn_id), ready);
  }
  await keepGap(core, run, before);
  if (ready === null || run.signal.aborted) return stopped(core, run, []);
  const attempt_id = core.parts.ids.entry();
  await begin(core, run, { step, attempt_id, ready });
  run.lastAttempt = core.parts.clock.elapsed();
  if (!before.isStepOpen || before.attempts === 0) run.requestBegan = run.lastAttempt;
  const { clock, ids, log } = core.parts;
  const result = await runAttempt(
    { clock, ids, log, live: core.live, journal: core.journal },
    {
      model: ready.model,
      request: ready.prepared.request,
      attempt_id,
      turn_id: run.turn_id,
      step,
      idleTimeout: idleTimeout(core.parts.settings().idleTimeout),
      signal: run.signal,
    },
  );
  // The gap counts from here: a server may have seen the request later than we began it.
  run.lastAttempt = core.parts.clock.elapsed();
  if (result.text !== '' || result.reasoning !== '') {
    const { redact } = core.parts;
    run.partial = afterDrop(run.partial, {
      attempt_id,
      text: redact.keys(result.text),
      reasoning: redact.keys(result.reasoning),
    });
  }
  return {
    attempt_id,
    step,
    model: ready.model.info,
    images: ready.prepared.images,
    facts: await factsOf(core, run.turn_id),
    result,
  };
}

async function begin(
  core: Core,
  run: Run,
  { step, attempt_id, ready }: { step: number; attempt_id: string; ready: Ready },
): Promise<void> {
  const { turn_id } = run;
  await core.append([
    ...fixModel(core, run, ready.model),
    { type: 'step_start', turn_id, step, attempt_id, prompt_hash: ready.prepared.promptHash },
  ]);
  const earlier = run.partial === null ? [] : triesOf(run.partial);
  await core.journal.begin({
    attempt_id,
    step,
    parent_id: core.log.head,
    turn_id,
    ...(earlier.length === 0 ? {} : { earlier }),
  });
  run.enter('running');
}

const stepLimit = (steps: number): number => (Number.isFinite(steps) && steps > 0 ? steps : 200);

const idleTimeout = (ms: number): number => (Number.isFinite(ms) && ms > 0 ? ms : 60_000);

/** A session keeps the model that its first request went to. */
function fixModel(core: Core, { turn_id }: Run, { info }: Model): Draft[] {
  if (core.log.state().model !== null) return [];
  return [{ type: 'model_change', turn_id, provider: info.provider, model_id: info.id }];
}

/** Never two attempts of one step within {@link MIN_GAP_MS}, whoever asked for the second. */
async function keepGap(core: Core, run: Run, facts: TurnFacts): Promise<void> {
  if (facts.lastAttemptAt === null || !facts.isStepOpen) return;
  const { clock } = core.parts;
  const since =
    run.lastAttempt === null ? clock.now() - facts.lastAttemptAt : clock.elapsed() - run.lastAttempt;
  const left = MIN_GAP_MS - Math.max(0, since);
  if (left > 0) await sleep(clock, left, [run.signal]);
}

/** What an attempt's result means for the step; null when the step is tried again. */
async function settleAttempt(core: Core, run: Run, attempted: Attempted): Promise<StepResult | null> {
  const { result } = attempted;
  switch (result.kind) {
    case 'finished':
      return finish(core, run, attempted, result);
    case 'aborted':
      return stopped(core, run, reported(run, attempted));
    case 'failed':
      return recoverFrom(core, run, attempted, result.failure);
  }
}
