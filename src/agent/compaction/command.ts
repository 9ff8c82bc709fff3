/** A compaction that the person asked for: it ends with a shorter conversation or says why not. */
import { isFailure, type Failure } from '../../shared/failure.js';
import { wantedModel, type Core } from '../core.js';
import { refused } from '../failures.js';
import type { Done, ExpectedHead } from '../refusals.js';
import { sideRun } from '../side-run.js';
import { compactVisibly } from './room.js';

/** Resolves when the summary is in the log, or with why there is none. */
export function compactNow(
  core: Core,
  focus: string | undefined,
  expected: ExpectedHead,
): Promise<Done | Failure> {
  return sideRun(core, expected, async (run) => {
    const model = await core.parts.models.resolve(wantedModel(core));
    if (isFailure(model)) return model;
    const done = await compactVisibly(core, run, { model, focus });
    if (!isFailure(done)) return { entry_id: done.id };
    return run.signal.aborted ? refused('Cancelled', 'The summary was stopped; nothing has changed.') : done;
  });
}
