/**
 * Work that asks a model and belongs to no turn: it is a run as far as everybody else is concerned, can be stopped, holds
 * the lease, and lets what was queued meanwhile go on when it is over.
 */
import type { Disposable } from '../ports.js';
import { isFailure, type Failure } from '../shared/failure.js';
import { closingOf } from './branches.js';
import { underLease, type Core, type Run } from './core.js';
import { bugFailure, orFailure, stackOf } from './failures.js';
import { holdQueue } from './queue.js';
import { closed } from './recover.js';
import { headMoved, parked, pendingFailure, running, type ExpectedHead } from './refusals.js';
import { LiveRun } from './run.js';
import { suspensionOf } from './suspended.js';
import { takeQueued } from './turn.js';

export interface SideRunOptions {
  /** Calls that wait for the person expire, as for whatever moves the head; else nothing is done while they do. */
  expiresApprovals?: boolean;
  /** Only reads: an interrupted turn stays as it is, and so does a log that nobody may write. */
  onlyReads?: boolean;
}

/**
 * Resolves when the work is done, or with why it is not. Nothing may be open; an interrupted turn is closed first, unless
 * the work only reads.
 */
export async function sideRun<T>(
  core: Core,
  expected: ExpectedHead,
  work: (run: Run) => Promise<T | Failure>,
  options: SideRunOptions = {},
): Promise<T | Failure> {
  const begun = await core.gate.pass(() => orFailure(() => begin(core, expected, work, options)));
  return isFailure(begun) ? begun : begun.outcome;
}

async function begin<T>(
  core: Core,
  expected: ExpectedHead,
  work: (run: Run) => Promise<T | Failure>,
  options: SideRunOptions,
): Promise<{ outcome: Promise<T | Failure> } | Failure> {
  if (core.run !== null) return running();
  const { onlyReads = false } = options;
  const lease = onlyReads && core.log.access.mode === 'read-only' ? NO_LEASE : await core.lease.hold();
  const blocked = stillOpen(core, options) ?? headMoved(core, expected);
  if (blocked !== null) {
    lease.dispose();
    return blocked;
  }
  const closing = await (onlyReads ? Promise.resolve([]) : closingOf(core)).catch((error: unknown) => {
    lease.dispose();
    throw error;
  });
  const run = new LiveRun(core, core.parts.ids.entry());
  core.run = run;
  run.enter('running');
  const outcome = execute(core, run, async (one) => {
    if (closing.length > 0) {
      await core.append(closing);
      await closed(core);
    }
    return work(one);
  }).finally(async () => {
    run.dispose();
    // The lease is kept until what is queued is taken: another window must not take it as well.
    await core.gate.pass(() => leave(core, run)).finally(() => lease.dispose());
  });
  run.done = outcome.then(() => undefined);
  return { outcome };
}

const NO_LEASE: Disposable = { dispose: () => undefined };

/** Under the lease, which tells what other windows wrote. */
function stillOpen(core: Core, { expiresApprovals = false }: SideRunOptions): Failure | null {
  const suspension = suspensionOf(core);
  if (suspension === 'approvals' && !expiresApprovals) return pendingFailure(core);
  return suspension === 'parked' ? parked(core.log.state().wait?.due_at ?? '') : null;
}

/** Never rejects. */
async function execute<T>(
  core: Core,
  run: Run,
  work: (run: Run) => Promise<T | Failure>,
): Promise<T | Failure> {
  core.isCompacting = true;
  core.announce();
  try {
    return await orFailure(() => work(run));
  } catch (error) {
    core.parts.log('error', `a summary: ${stackOf(error)}`);
    return bugFailure(error);
  } finally {
    core.isCompacting = false;
  }
}

/** In the gate. */
async function leave(core: Core, run: Run): Promise<void> {
  if (core.run === run) core.run = null;
  core.announce();
  if (core.isClosed || core.log.access.mode !== 'write') return;
  // A turn that is open still was interrupted: what is queued waits for the person, as after every such end.
  const isHeld = run.signal.aborted || core.log.state().turn !== null;
  const failure = await orFailure(() => (isHeld ? holdQueued(core) : takeQueued(core)));
  if (failure !== undefined) core.failure = failure;
}

async function holdQueued(core: Core): Promise<void> {
  const hold = holdQueue(core.log.state());
  if (hold.length > 0) await underLease(core, async () => void (await core.append(hold)));
}
