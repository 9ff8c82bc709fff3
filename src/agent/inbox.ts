/** Intents: each appends to the log, or fails with a sentence and changes nothing. */
import type { Failure } from '../shared/failure.js';
import type { Intent } from '../shared/protocol.js';
import { beginTurn } from './begin.js';
import { continueTurn, leaveTurn, navigate, tryAgain } from './branches.js';
import { underLease, type Core } from './core.js';
import { decide } from './decisions.js';
import { orFailure, refused } from './failures.js';
import { setMode } from './mode.js';
import { queuedTurn } from './queue.js';
import { repairBatch } from './recover.js';
import type { Done, ExpectedHead } from './refusals.js';
import { send } from './send.js';
import { dismiss, retryCancel, retryNow, stop } from './stop.js';
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
    case 'dismiss':
      return inGate(() => dismiss(core));
    case 'set_mode':
      return inGate(() => setMode(core, intent.mode));
    case 'continue':
      return inGate(() => continueTurn(core, expected));
    case 'try_again':
      return inGate(() => tryAgain(core, intent.entry_id, expected));
    case 'leave':
      return inGate(() => leaveTurn(core, expected));
    case 'navigate':
      return inGate(() => navigate(core, intent.entry_id, expected));
    case 'drop_queued':
      return inGate(() => dropQueued(core, intent.item_id));
    case 'release_queue':
      return inGate(() => releaseQueue(core));
  }
}

function dropQueued(core: Core, item_id: string): Promise<Done | Failure> {
  return underLease(core, async () => {
    const { queue, queue_held } = core.log.state();
    const items = queue.filter(({ id }) => id !== item_id);
    if (items.length === queue.length) {
      return refused('InvalidArgument', 'That message is not in the queue any more: it was sent or dropped.');
    }
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
      const batch = queuedTurn(core, turn_id, 'released') ?? [];
      await beginTurn(core, { turn_id, closing: await repairBatch(core), batch });
      return {};
    }
    await core.append([{ type: 'queue_update', items: queue, held: false }]);
    return {};
  });
}
