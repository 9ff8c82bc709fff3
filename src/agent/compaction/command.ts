/** A compaction that the person asked for: a run without a turn, that ends with a shorter conversation or says why not. */
import { isFailure, type Failure } from '../../shared/failure.js';
import { underLease, wantedModel, type Core } from '../core.js';
import { bugFailure, orFailure, refused, stackOf } from '../failures.js';
import { holdQueue } from '../queue.js';
import { closed, repairBatch } from '../recover.js';
import { headMoved, parked, pendingFailure, running, type Done, type ExpectedHead } from '../refusals.js';
import { LiveRun } from '../run.js';
import { suspensionOf } from '../suspended.js';
import { takeQueued } from '../turn.js';
import { compactVisibly } from './room.js';

/** Resolves when the summary is in the log, or with why there is none. Intents meanwhile find a run. */
export async function compactNow(
  core: Core,
  focus: string | undefined,
  expected: ExpectedHead,
): Promise<Done | Failure> {
  const begun = await core.gate.pass(() => orFailure(() => begin(core, expected)));
  if (isFailure(begun)) return begun;
  const { run, work } = begun;
  const outcome = work(focus);
  run.done = outcome.then(
    () => undefined,
    () => undefined,
  );
  return outcome;
}

interface Begun {
  run: LiveRun;
  work: (focus: string | undefined) => Promise<Done | Failure>;
}

async function begin(core: Core, expected: ExpectedHead): Promise<Begun | Failure> {
  if (core.run !== null) return running();
  const suspension = suspensionOf(core);
  if (suspension === 'approvals') return pendingFailure();
  if (suspension === 'parked') return parked(core.log.state().wait?.due_at ?? '');
  const wrong = await underLease(core, async () => {
    const moved = headMoved(core, expected);
    if (moved !== null) return moved;
    const closing = await repairBatch(core);
    if (closing.length === 0) return null;
    await core.append(closing);
    await closed(core);
    return null;
  });
  if (wrong !== null) return wrong;
  const lease = await core.lease.hold();
  const run = new LiveRun(core, core.parts.ids.entry());
  core.run = run;
  run.enter('running');
  const work = async (focus: string | undefined): Promise<Done | Failure> => {
    try {
      return await orFailure(() => summarise(core, run, focus));
    } catch (error) {
      core.parts.log('error', `compaction: ${stackOf(error)}`);
      return bugFailure(error);
    } finally {
      run.dispose();
      lease.dispose();
      await core.gate.pass(() => leave(core, run));
    }
  };
  return { run, work };
}

async function summarise(core: Core, run: LiveRun, focus: string | undefined): Promise<Done | Failure> {
  const model = await core.parts.models.resolve(wantedModel(core));
  if (isFailure(model)) return model;
  const done = await compactVisibly(core, run, { model, focus });
  if (!isFailure(done)) return { entry_id: done.id };
  return run.signal.aborted ? refused('Cancelled', 'The summary was stopped; nothing has changed.') : done;
}

/** What was queued meanwhile goes on. In the gate. */
async function leave(core: Core, run: LiveRun): Promise<void> {
  if (core.run === run) core.run = null;
  core.announce();
  if (core.isClosed || core.log.access.mode !== 'write') return;
  const failure = await orFailure(() => (run.signal.aborted ? holdQueued(core) : takeQueued(core)));
  if (failure !== undefined) core.failure = failure;
}

async function holdQueued(core: Core): Promise<void> {
  const hold = holdQueue(core.log.state());
  if (hold.length > 0) await underLease(core, async () => void (await core.append(hold)));
}
