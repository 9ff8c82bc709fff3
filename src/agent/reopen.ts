/** What happens by itself when a session is opened: text a crash left is kept, a due wait goes on, nothing else is sent. */
import type { PlacedEntry } from '../log/store.js';
import { isBoughError } from '../shared/failure.js';
import type { Draft } from '../shared/notes.js';
import type { Wait } from '../shared/fold/types.js';
import { wantedModel, type Core } from './core.js';
import { stackOf } from './failures.js';
import { isStalled, leftGoal } from './goal-left.js';
import { journalPartial } from './journal.js';
import { droppedOf } from './partial.js';
import { holdQueue } from './queue.js';
import { keepJournal } from './recover.js';
import { lastFailure } from './last-turn.js';
import { LONGEST_WAIT_MS } from './retry.js';
import { suspensionOf } from './suspended.js';
import { entriesOf, spentMs } from './turn-facts.js';
import { startRun, type Begin } from './turn.js';

/** A wait that ended longer ago than this asks before the step starts. */
const STALE_WAIT_MS = 10 * 60_000;

/** How often a session that another window runs is looked at. */
const LOOK_AGAIN_MS = 5_000;

/** Models of VS Code are asked for consent and quota by the person's action, never by a restart. */
const ASKING_PROVIDER = 'vscode/';

export async function reopen(core: Core): Promise<void> {
  await core.gate.pass(() => lookThrough(core));
}

async function lookThrough(core: Core): Promise<void> {
  if (core.run !== null || core.isClosed) return;
  if (core.unsaved === null) core.failure = await lastFailure(core);
  await recallSpent(core);
  core.isElsewhere = (await core.log.holder()) !== null;
  if (!core.isElsewhere && core.log.access.mode === 'write' && (await hasWork(core))) await takeUp(core);
  core.isRecovered = true;
  core.announce();
  if (core.isElsewhere) lookAgain(core, LOOK_AGAIN_MS);
}

/** A turn that was left open has used a part of its time already. */
async function recallSpent(core: Core): Promise<void> {
  const { turn } = core.log.state();
  if (turn === null || core.spent?.turn_id === turn.turn_id || !(core.parts.settings().maxDuration > 0))
    return;
  core.spent = { turn_id: turn.turn_id, ms: spentMs(await entriesOf(core, turn.turn_id)) };
}

/**
 * Somebody else appended: whether another window runs this session is looked up in a moment. Until then who went on with
 * the open turn is taken to be at it still: nobody is told that it was interrupted before that is known.
 */
export function noticeOthers(core: Core, placed: readonly PlacedEntry[]): void {
  const { turn } = core.log.state();
  if (turn !== null && core.run === null && placed.some(({ entry }) => entry.turn_id === turn.turn_id))
    core.isElsewhere = true;
  if (core.watch === null) lookAgain(core, 0);
}

/** The window that runs this session may die: then its turn is ours to take up or to show as interrupted. */
function lookAgain(core: Core, ms: number): void {
  if (core.isClosed) return;
  core.watch?.dispose();
  core.watch = core.parts.clock.after(ms, () => {
    core.watch = null;
    core.gate
      .pass(async () => {
        await core.log.catchUp();
        await lookThrough(core);
      })
      .catch((error: unknown) => {
        core.parts.log('error', `looking at the session again: ${stackOf(error)}`);
      });
  });
}

/** Whether opening has anything to do, so that looking at a session takes no lease. */
async function hasWork(core: Core): Promise<boolean> {
  const state = core.log.state();
  if (state.wait !== null || orphanQueue(core).length > 0 || isStalled(core)) return true;
  return (await core.log.journal.read()) !== null;
}

/** Queued prompts that no turn will take: whoever would have is gone. One that waits for the person still will. */
const orphanQueue = (core: Core): Draft[] => (suspensionOf(core) === null ? holdQueue(core.log.state()) : []);

async function takeUp(core: Core): Promise<void> {
  try {
    const lease = await core.lease.hold();
    try {
      await keepJournal(core);
      const held = orphanQueue(core);
      if (held.length > 0) await core.append(held);
      if (await takeUpWait(core, lease)) return;
      const left = await leftGoal(core);
      if (left.length > 0) await core.append(left);
    } catch (error) {
      lease.dispose();
      throw error;
    }
    lease.dispose();
  } catch (error) {
    if (!isBoughError(error)) throw error;
    if (error.code === 'Locked') core.isElsewhere = true;
    core.parts.log('warn', `opening the session: ${stackOf(error)}`);
  }
}

async function takeUpWait(core: Core, lease: { dispose(): void }): Promise<boolean> {
  const { wait, turn } = core.log.state();
  if (wait === null || turn === null) return false;
  const begin = beginOf(core, wait);
  if (begin === null) {
    const left = await journalPartial(core);
    core.live.showDropped(left?.turn_id === turn.turn_id ? droppedOf(left.partial) : null);
    return false;
  }
  await resumeTurn(core, turn.turn_id, lease, begin);
  return true;
}

/** null: the wait asks. */
function beginOf(core: Core, wait: Wait): Begin | null {
  if (wait.kind === 'parked' || wantedModel(core).startsWith(ASKING_PROVIDER)) return null;
  const due = Date.parse(wait.due_at);
  const left = Number.isNaN(due) ? 0 : due - core.parts.clock.now();
  if (left < -STALE_WAIT_MS) return null;
  if (left <= 0) return { at: 'log' };
  // A clock that was set back must not make the wait longer than it was.
  const ms = Math.min(left, wait.delay_ms, LONGEST_WAIT_MS);
  // What the server asked for is the first part of it.
  const hint_ms = Math.max(0, ms - (wait.delay_ms - wait.hint_ms));
  return { at: 'wait', wait: { ms, hint_ms, due_at: wait.due_at } };
}

/** Goes on with a turn that was left in a wait; the text its last attempt left comes along. */
export async function resumeTurn(
  core: Core,
  turn_id: string,
  lease: { dispose(): void },
  begin: Begin,
): Promise<void> {
  const left = await journalPartial(core);
  const { wait } = core.log.state();
  const run = startRun(core, turn_id, lease, begin);
  if (left?.turn_id === turn_id) {
    run.partial = wait === null ? left.partial : { ...left.partial, error: wait.error };
    core.live.showDropped(droppedOf(left.partial));
  }
}
