/** Moving the head, and new turns on messages that are there. The old lines stay; nothing is removed. */
import { OutlineFlag } from '../shared/fold/types.js';
import type { Failure } from '../shared/failure.js';
import type { Intent } from '../shared/protocol.js';
import type { Draft } from '../shared/notes.js';
import { LEFT_TEXT } from './approvals.js';
import { beginTurn } from './begin.js';
import { underLease, type Core } from './core.js';
import { refused } from './failures.js';
import { lastFailure, lastTurn } from './last-turn.js';
import { closed, interruptionOf, repair, repairBatch } from './recover.js';
import { headTo } from './mode.js';
import { headMoved, parked, pendingFailure, running, type Done, type ExpectedHead } from './refusals.js';
import { resumeTurn } from './reopen.js';
import { closeSuspended, suspensionOf } from './suspended.js';
import { startOf, termsOf } from './turn-terms.js';

/** Why the head may not move now; null when it may. */
export function mayMove(core: Core, expected: ExpectedHead): Failure | null {
  if (core.run !== null) return running();
  const wrong = headMoved(core, expected);
  if (wrong !== null) return wrong;
  return suspensionOf(core) === 'parked' ? parked(core.log.state().wait?.due_at ?? '') : null;
}

/** Closes what is open before the head moves: a pending approval expires, an interrupted turn is repaired. */
export const closingOf = (core: Core): Promise<Draft[]> =>
  suspensionOf(core) === 'approvals'
    ? closeSuspended(core, { decision: 'expired', pendingText: LEFT_TEXT, holdsQueue: true })
    : repairBatch(core);

/** In the gate, like all below. */
export function navigate(
  core: Core,
  entry_id: string | null,
  expected: ExpectedHead,
): Promise<Done | Failure> {
  return underLease(core, async () => {
    const target = entry_id === null ? null : behindResults(core, entry_id);
    if (target === undefined) return noSuchEntry(entry_id ?? '');
    if (core.run === null && target === core.log.head) return {};
    const blocked = mayMove(core, expected);
    if (blocked !== null) return blocked;
    const closing = await closingOf(core);
    if (closing.length > 0) {
      await core.append(closing);
      await closed(core);
    }
    // Closing the turn may have added results behind the target.
    const head = target === null ? null : (behindResults(core, target) ?? target);
    await core.append(headTo(core, head));
    core.failure = await lastFailure(core);
    core.announce();
    core.live.emit({ type: 'line' });
    return head === null ? {} : { entry_id: head };
  });
}

const noSuchEntry = (id: string): Failure =>
  refused('InvalidArgument', `There is no message "${id}" in this conversation.`);

/** The entry itself, or the last of the results that follow a message with tool calls; undefined when there is none. */
export function behindResults(core: Core, entry_id: string): string | undefined {
  const { outline } = core.log;
  let at = outline.findIndex(([id]) => id === entry_id);
  const node = outline[at];
  if (node === undefined) return undefined;
  if ((node[3] & (OutlineFlag.calls | OutlineFlag.tool)) === 0) return entry_id;
  for (let next = at; next >= 0;) {
    at = next;
    next = outline.findIndex(
      ([, parent, , flags], index) => index > at && parent === at && (flags & OutlineFlag.tool) !== 0,
    );
  }
  return outline[at]?.[0];
}

/** A new answer to a user message, as a sibling of the one that is there. */
export function tryAgain(
  core: Core,
  { entry_id, model }: Pick<Extract<Intent, { type: 'try_again' }>, 'entry_id' | 'model'>,
  expected: ExpectedHead,
): Promise<Done | Failure> {
  return underLease(core, async () => {
    const message_id = messageToAnswer(core, entry_id);
    if (message_id === null) return refused('NothingToRetry', 'There is no message to answer again.');
    const blocked = mayMove(core, expected);
    if (blocked !== null) return blocked;
    const retried = entry_id === undefined ? undefined : (await core.log.entry(entry_id))?.turn_id;
    const retries = retried ?? (await lastTurn(core))?.turn_id;
    const turn_id = core.parts.ids.entry();
    const closing = await closingOf(core);
    const isThere = core.log.head === message_id && closing.length === 0;
    const head = isThere ? [] : headTo(core, message_id).map((draft) => ({ ...draft, turn_id }));
    const before = retries === undefined ? undefined : await startOf(core.log, retries);
    const start: Draft = {
      type: 'turn_start',
      turn_id,
      ...(retries === undefined ? {} : { retries }),
      ...termsOf(before ?? {}),
    };
    const other: Draft[] = model === undefined ? [] : [{ type: 'model_change', turn_id, ...model }];
    await beginTurn(core, { turn_id, closing, batch: [...head, ...other, start] });
    if (head.length > 0) core.live.emit({ type: 'line' });
    return {};
  });
}

/** The user message itself, or the nearest before the entry (default: the head). */
function messageToAnswer(core: Core, entry_id: string | undefined): string | null {
  const { outline, head } = core.log;
  let at = outline.findIndex(([id]) => id === (entry_id ?? head));
  for (let node = outline[at]; node !== undefined; at = node[1], node = outline[at]) {
    if ((node[3] & OutlineFlag.user) !== 0) return node[0];
  }
  return null;
}

/** Goes on with what was interrupted, stopped or failed, from where the path ends. */
export function continueTurn(core: Core, expected: ExpectedHead): Promise<Done | Failure> {
  return underLease(core, async () => {
    if (core.run !== null) return running();
    const wrong = headMoved(core, expected);
    if (wrong !== null) return wrong;
    const { wait, turn } = core.log.state();
    if (suspensionOf(core) === 'approvals') return pendingFailure(core);
    if (turn !== null && wait !== null && core.unsaved?.turn_id !== turn.turn_id) {
      if (wait.kind === 'parked' && Date.parse(wait.due_at) > core.parts.clock.now())
        return parked(wait.due_at);
      await resumeTurn(core, turn.turn_id, await core.lease.hold(), { at: 'log' });
      return {};
    }
    const last = await lastTurn(core);
    if (last === null || last.end?.status === 'completed') {
      return refused('NothingToContinue', 'The last turn was completed: there is nothing to continue.');
    }
    const turn_id = core.parts.ids.entry();
    const start: Draft = { type: 'turn_start', turn_id, continues: last.turn_id, ...last.terms };
    await beginTurn(core, { turn_id, closing: await repairBatch(core), batch: [start] });
    return {};
  });
}

/** Closes the interrupted turn and leaves it at that. */
export function leaveTurn(core: Core, expected: ExpectedHead): Promise<Done | Failure> {
  return underLease(core, async () => {
    if (core.run !== null) return running();
    const wrong = headMoved(core, expected);
    if (wrong !== null) return wrong;
    if (interruptionOf(core) === null) return refused('NothingToLeave', 'No interrupted turn is open here.');
    await repair(core);
    core.failure = null;
    core.announce();
    return {};
  });
}
