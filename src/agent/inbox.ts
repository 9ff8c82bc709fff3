/** Intents: each appends to the log, or fails with a sentence and changes nothing. */
import type { Part } from '../shared/entry.js';
import { isFailure, type Failure } from '../shared/failure.js';
import type { Draft, Entry } from '../shared/notes.js';
import type { Intent } from '../shared/protocol.js';
import { REPLIED_TEXT, closeCalls } from './approvals.js';
import {
  continueTurn,
  headMoved,
  leaveTurn,
  navigate,
  parked,
  pendingFailure,
  running,
  timeOf,
  tryAgain,
  type Done,
} from './branches.js';
import { openCallsOf, underLease, type Core } from './core.js';
import { decide } from './decisions.js';
import { orFailure, refused } from './failures.js';
import { endJournal } from './journal.js';
import { enqueue, promptParts, queuedTurn } from './queue.js';
import { repair } from './recover.js';
import { resumeTurn } from './reopen.js';
import { closeSuspended, suspensionOf } from './suspended.js';
import { startRun } from './turn.js';

type Send = Extract<Intent, { type: 'send' }>;
type ExpectedHead = string | null | undefined;

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

// ------------------------------------------------------------------------------------------------------- send

function send(core: Core, intent: Send, expected: ExpectedHead): Promise<Done | Failure> {
  if (intent.text.trim() === '' && intent.mentions.length === 0) {
    return Promise.resolve(refused('EmptyPrompt', 'There is nothing to send: the message is empty.'));
  }
  return underLease(core, () => {
    const isBusy = core.run !== null || suspensionOf(core) !== null;
    if (isBusy && intent.mode !== 'send' && intent.editing === undefined)
      return queueUp(core, intent, intent.mode);
    if (hasPending(core)) {
      if (intent.reply_instead !== true) return Promise.resolve(pendingFailure());
      return core.run === null ? startTurn(core, intent, expected) : replyWhileRunning(core, intent);
    }
    if (suspensionOf(core) === 'parked') {
      return Promise.resolve(parked(core.log.state().wait?.due_at ?? ''));
    }
    if (core.run === null) return startTurn(core, intent, expected);
    return intent.editing === undefined ? queueUp(core, intent, 'queue') : Promise.resolve(running());
  });
}

function hasPending(core: Core): boolean {
  const state = core.log.state();
  if (state.turn === null) return false;
  return openCallsOf(state, state.turn.turn_id).some((call) => call.status === 'pending');
}

async function queueUp(core: Core, intent: Send, mode: 'queue' | 'steer'): Promise<Done> {
  const parts = promptParts(intent.text, intent.mentions);
  await core.append(enqueue(core, { id: core.parts.ids.entry(), mode, text: intent.text, parts }));
  return {};
}

/** Another call of the step runs now: the pending ones are answered, and the reply goes in behind the batch. */
async function replyWhileRunning(core: Core, intent: Send): Promise<Done> {
  const state = core.log.state();
  const turn_id = state.turn?.turn_id ?? '';
  const pending = openCallsOf(state, turn_id).filter((call) => call.status === 'pending');
  const parts = promptParts(intent.text, intent.mentions);
  await core.append([
    ...closeCalls(
      pending,
      { turn_id, step: state.turn?.open_step?.step },
      { decision: 'replied', pendingText: REPLIED_TEXT, startedText: () => '' },
    ),
    ...enqueue(core, { id: core.parts.ids.entry(), mode: 'steer', text: intent.text, parts }),
  ]);
  return {};
}

/** [user message, turn_start] in one batch, durable before anything else. */
async function startTurn(core: Core, intent: Send, expected: ExpectedHead): Promise<Done | Failure> {
  const wrong = headMoved(core, expected);
  if (wrong !== null) return wrong;
  const place = await placeOf(core, intent.editing);
  if (isFailure(place)) return place;
  const isSuspended = suspensionOf(core) !== null;
  const closing: Draft[] = isSuspended
    ? await closeSuspended(core, { decision: 'replied', pendingText: REPLIED_TEXT, holdsQueue: false })
    : [];
  if (!isSuspended) await repair(core);
  const turn_id = core.parts.ids.entry();
  const lease = await core.lease.hold();
  let written: Entry[];
  try {
    const batch: Draft[] = [
      ...closing,
      ...place.head,
      {
        type: 'message',
        role: 'user',
        turn_id,
        parts: [...promptParts(intent.text, intent.mentions), ...place.files],
        origin: 'person',
      },
      { type: 'turn_start', turn_id },
    ];
    written = await core.append(batch, { expectedHead: core.log.head });
  } catch (error) {
    lease.dispose();
    throw error;
  }
  startRun(core, turn_id, lease);
  const message = written.findLast((entry) => entry.type === 'message');
  return message === undefined ? {} : { entry_id: message.id };
}

interface Place {
  head: Draft[];
  /** Attachments travel with the message that is edited. */
  files: Part[];
}

async function placeOf(core: Core, editing: string | undefined): Promise<Place | Failure> {
  if (editing === undefined) return { head: [], files: [] };
  const edited = await core.log.entry(editing);
  if (edited?.type !== 'message' || edited.role !== 'user') {
    return refused(
      'InvalidArgument',
      'The message that is edited is not in this conversation any more, or is not yours.',
    );
  }
  return {
    head: [{ type: 'head', entry_id: edited.parent_id }],
    files: edited.parts.filter((part) => part.type === 'image' || part.type === 'file'),
  };
}

// ------------------------------------------------------------------------------------------------ stop and retry

/** Ends whatever goes on, and whatever waits. Resolves when the end is in the log. */
async function stop(core: Core): Promise<Done | Failure> {
  // Not through the gate: a stop waits for nothing. What just began is stopped when the gate is free.
  core.run?.stop('stopped');
  const run = core.run;
  if (run !== null) return ranOut(core, run.done);
  const later = await core.gate.pass(() =>
    orFailure(async (): Promise<Done | Failure | { done: Promise<void> }> => {
      if (core.run !== null) {
        core.run.stop('stopped');
        return { done: core.run.done };
      }
      if (suspensionOf(core) === null) return {};
      return underLease(core, async () => {
        await core.append(await closeSuspended(core, { decision: 'cancelled', holdsQueue: true }));
        await endJournal(core);
        core.announce();
        return {};
      });
    }),
  );
  return 'done' in later ? ranOut(core, later.done) : later;
}

async function ranOut(core: Core, done: Promise<void>): Promise<Done | Failure> {
  await done;
  return core.unsaved === null || core.failure === null ? {} : core.failure;
}

/** Gives the wait up, and with it the turn. Approvals are not its business. */
async function retryCancel(core: Core): Promise<Done | Failure> {
  if (core.run === null && suspensionOf(core) !== 'parked') {
    return refused('NothingToRetry', 'No request waits to be sent again.');
  }
  return stop(core);
}

async function retryNow(core: Core): Promise<Done | Failure> {
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

// ------------------------------------------------------------------------------------------------------ queue

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
      await repair(core);
      const turn_id = core.parts.ids.entry();
      const batch = queuedTurn(core, turn_id, 'released');
      const lease = await core.lease.hold();
      try {
        await core.append(batch ?? []);
      } catch (error) {
        lease.dispose();
        throw error;
      }
      startRun(core, turn_id, lease);
      return {};
    }
    await core.append([{ type: 'queue_update', items: core.log.state().queue, held: false }]);
    return {};
  });
}
