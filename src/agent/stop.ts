/** Ends what goes on or waits, or ends only the waiting. */
import type { Failure } from '../shared/failure.js';
import { DISMISSED_TEXT } from './approvals.js';
import { underLease, type Core } from './core.js';
import { orFailure, refused } from './failures.js';
import { closed } from './recover.js';
import { timeOf, type Done } from './refusals.js';
import { resumeTurn } from './reopen.js';
import { closeSuspended, suspensionOf, type Closing } from './suspended.js';
import { STOP_GRACE_MS } from './tool-run.js';
import { sleep } from './wait.js';

/** Ends whatever goes on, and whatever waits. Resolves when the end is in the log. */
export async function stop(core: Core): Promise<Done | Failure> {
  // Not through the gate: a stop waits for nothing. What just began is stopped when the gate is free.
  core.run?.stop('stopped');
  const run = core.run;
  // What the turn let go on ends with it; without a run this ends whatever still goes on.
  if (run === null) core.background.endAll();
  else core.background.endOf(run.turn_id);
  if (run !== null) return ranOut(core, run.done);
  const later = await core.gate.pass(() =>
    orFailure(async (): Promise<Done | Failure | { done: Promise<void> }> => {
      if (core.run !== null) {
        core.run.stop('stopped');
        return { done: core.run.done };
      }
      if (suspensionOf(core) === null) return {};
      await close(core, { decision: 'cancelled', holdsQueue: true });
      return {};
    }),
  );
  return 'done' in later ? ranOut(core, later.done) : later;
}

/** What a stopped tool may take to end, and then the last writes. They go on beyond it; the person is told. */
const LAST_WRITES_MS = STOP_GRACE_MS + 5_000;

async function ranOut(core: Core, done: Promise<void>): Promise<Done | Failure> {
  const over = new AbortController();
  void done.then(() => over.abort());
  await sleep(core.parts.clock, LAST_WRITES_MS, [over.signal]);
  if (!over.signal.aborted) return notWritten();
  return core.unsaved === null || core.failure === null ? {} : core.failure;
}

/** False when another window was faster: taking the lease tells what it wrote. */
function close(core: Core, how: Closing): Promise<boolean> {
  return underLease(core, async () => {
    if (suspensionOf(core) === null) return false;
    await core.append(await closeSuspended(core, how));
    await closed(core);
    core.announce();
    return true;
  });
}

/** Ends one call that takes too long; its turn goes on with what it gave. */
export function endCall({ run, background }: Core, call_id: string): Done | Failure {
  if (background.end(call_id)) return {};
  if (run?.call?.call_id !== call_id) {
    return refused('NotRunning', 'This call does not run any more.');
  }
  run.call.end();
  return {};
}

/** Lets one call go on beside the turn, which is told so and goes on at once. */
export function putAside({ run }: Core, call_id: string): Done | Failure {
  if (run?.call?.call_id !== call_id || run.signal.aborted) {
    return refused('NotRunning', 'This call does not run any more.');
  }
  if (run.call.putAside === null) {
    return refused('InvalidArgument', 'Only a command can go on in the background.');
  }
  run.call.putAside();
  return {};
}

/** Puts aside what waits for a decision, undecided, and with it the turn. In the gate. */
export async function dismiss(core: Core): Promise<Done | Failure> {
  if (core.run !== null) {
    return refused('SessionRunning', 'Another call of this step runs. Wait for its end, or stop the turn.');
  }
  const isClosed =
    suspensionOf(core) === 'approvals' &&
    (await close(core, { decision: 'abandoned', pendingText: DISMISSED_TEXT, holdsQueue: true }));
  return isClosed ? {} : refused('NotPending', 'Nothing waits for your decision.');
}

const notWritten = (): Failure => ({
  kind: 'storage',
  code: 'StorageFailure',
  message:
    'The turn is stopped, but its end is not on disk yet: the disk has not answered for 5 seconds. Look at the disk; it is still being tried.',
  transient: false,
});

/** Gives the wait up, and with it the turn. Approvals are not its business. */
export async function retryCancel(core: Core): Promise<Done | Failure> {
  if (core.run === null && suspensionOf(core) !== 'parked') {
    return refused('NothingToRetry', 'No request waits to be sent again.');
  }
  return stop(core);
}

export async function retryNow(core: Core): Promise<Done | Failure> {
  const wait = core.run?.wait;
  if (wait !== undefined && wait !== null) {
    if (wait.isServers && wait.forbiddenFor() > 0) return notYet(wait.due_at);
    wait.skip();
    return {};
  }
  return underLease(core, async () => {
    const state = core.log.state();
    if (core.run !== null || state.turn === null || state.wait === null) {
      return refused('NothingToRetry', 'No request waits to be sent again.');
    }
    const isServers = state.wait.kind === 'parked' || state.wait.server_hint;
    if (isServers && Date.parse(state.wait.due_at) > core.parts.clock.now()) return notYet(state.wait.due_at);
    await resumeTurn(core, state.turn.turn_id, await core.lease.hold(), { at: 'log' });
    return {};
  });
}

const notYet = (due_at: string): Failure =>
  refused(
    'RetryNotAllowed',
    `The server permits no request before ${timeOf(due_at)}. Wait, switch the model, or cancel.`,
  );
