/** Intents: each appends to the log, or fails with a sentence and changes nothing. */
import type { Failure } from '../shared/failure.js';
import type { Intent } from '../shared/protocol.js';
import { beginTurn } from './begin.js';
import { clear, undoTurn } from './clear.js';
import { bringSummary, collapseBranch } from './compaction/branch.js';
import { compactNow } from './compaction/command.js';
import { leaveOutOutputs } from './compaction/outputs.js';
import { continueTurn, leaveTurn, navigate, tryAgain } from './branches.js';
import { underLease, type Core } from './core.js';
import { decide } from './decisions.js';
import { orFailure, refused } from './failures.js';
import { carryOutGoal } from './goal-intents.js';
import { setLabel } from './label.js';
import { setMode } from './mode.js';
import { changeQueued, queuedTurn } from './queue.js';
import { repairBatch } from './recover.js';
import type { Done, ExpectedHead } from './refusals.js';
import { send } from './send.js';
import { withSkills } from './skills.js';
import { dismiss, endCall, putAside, retryCancel, retryNow, stop } from './stop.js';
import { suspensionOf } from './suspended.js';

export function carryOut(core: Core, intent: Intent, expected: ExpectedHead): Promise<Done | Failure> {
  const inGate = (work: () => Promise<Done | Failure>): Promise<Done | Failure> =>
    core.gate.pass(() => orFailure(work));
  switch (intent.type) {
    case 'send':
      return inGate(() => send(core, intent, expected));
    case 'stop':
      return stop(core);
    case 'retry_cancel':
      return retryCancel(core);
    case 'retry_now':
      return inGate(() => retryNow(core));
    case 'decide':
      return inGate(() => decide(core, intent));
    case 'end_call':
      // Not through the gate: like a stop it waits for nothing.
      return Promise.resolve(endCall(core, intent.call_id));
    case 'background_call':
      return Promise.resolve(putAside(core, intent.call_id));
    case 'dismiss':
      return inGate(() => dismiss(core));
    case 'set_mode':
      return inGate(() => setMode(core, intent.mode));
    case 'continue':
      return inGate(() => continueTurn(core, expected));
    case 'try_again':
      return inGate(() => tryAgain(core, intent, expected));
    case 'leave':
      return inGate(() => leaveTurn(core, expected));
    case 'navigate':
      return inGate(() => navigate(core, intent.entry_id, expected));
    case 'clear':
      return clear(core, expected);
    case 'undo':
      return inGate(() => undoTurn(core, expected));
    case 'compact':
      return compactNow(core, intent.focus, expected);
    case 'leave_out_outputs':
      return inGate(() => leaveOutOutputs(core, expected));
    case 'bring_summary':
      return bringSummary(core, { ...intent, target: core.log.head }, expected);
    case 'collapse':
      return collapseBranch(core, intent, expected);
    case 'label':
      return inGate(() => setLabel(core, intent.entry_id, intent.label));
    case 'drop_queued':
      return inGate(() => dropQueued(core, intent.item_id));
    case 'edit_queued':
      return inGate(() => editQueued(core, intent));
    case 'release_queue':
      return inGate(() => releaseQueue(core));
    case 'goal_start':
    case 'goal_pause':
    case 'goal_resume':
    case 'goal_retry':
    case 'goal_clear':
      return carryOutGoal(core, intent, expected);
  }
}

const notQueued = (): Failure =>
  refused('InvalidArgument', 'That message is not in the queue any more: it was sent or dropped.');

/** Changes a prompt that waits in the queue, in its place. */
function editQueued(core: Core, intent: Extract<Intent, { type: 'edit_queued' }>): Promise<Done | Failure> {
  if (intent.text.trim() === '' && (intent.mentions ?? []).length === 0) {
    return Promise.resolve(refused('EmptyPrompt', 'The message would be empty. Drop it instead.'));
  }
  return underLease(core, async () => {
    const isThere = core.log.state().queue.some(({ id }) => id === intent.item_id);
    if (!isThere) return notQueued();
    await core.append(await changeQueued(core, intent));
    return {};
  });
}

function dropQueued(core: Core, item_id: string): Promise<Done | Failure> {
  return underLease(core, async () => {
    const { queue, queue_held } = core.log.state();
    const items = queue.filter(({ id }) => id !== item_id);
    if (items.length === queue.length) return notQueued();
    await core.append([{ type: 'queue_update', items, held: queue_held && items.length > 0 }]);
    return {};
  });
}

/** Lets the queue go on: at once when nothing is open, else when the turn that is open has ended well. */
function releaseQueue(core: Core): Promise<Done | Failure> {
  return underLease(core, async () => {
    const { queue } = core.log.state();
    if (queue.length === 0) return refused('InvalidArgument', 'The queue is empty.');
    if (core.run === null && suspensionOf(core) === null) {
      const turn_id = core.parts.ids.entry();
      const batch = await withSkills(core, queuedTurn(core, turn_id, 'released') ?? []);
      await beginTurn(core, { turn_id, closing: await repairBatch(core), batch });
      return {};
    }
    await core.append([{ type: 'queue_update', items: queue, held: false }]);
    return {};
  });
}
