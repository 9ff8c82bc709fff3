/** The person's decision on one pending call: once, bound to what was shown, and followed by exactly one execution. */
import { isFailure, type Failure } from '../shared/failure.js';
import type { SessionRule } from '../shared/approval-state.js';
import type { CallState, PendingApproval } from '../shared/fold/types.js';
import type { Draft } from '../shared/notes.js';
import type { Intent } from '../shared/protocol.js';
import {
  changedText,
  decisionDraft,
  deniedText,
  expiry,
  ownStatesSince,
  type Decision,
  type OwnStates,
} from './approvals.js';
import { prepareCall } from './calls.js';
import { openCallsOf, underLease, type Core } from './core.js';
import { resultMessage } from './entries.js';
import { refused } from './failures.js';
import { isForbidden, readOnlyMode, ruleDraft } from './mode.js';
import { repair } from './recover.js';
import type { Done } from './refusals.js';
import { startBatch, stepRef, type ReadyCall } from './tool-run.js';
import { startRun } from './turn.js';

type Decide = Extract<Intent, { type: 'decide' }>;

const notPending = (): Failure =>
  refused(
    'NotPending',
    'This approval is no longer open: it was decided, or its turn has ended. Ask again if the call is still needed.',
  );

/** More than anybody writes into a card; what is longer is a message. */
const FEEDBACK_CHARS = 100_000;

const feedbackTooLong = (chars: number): Failure =>
  refused(
    'FeedbackTooLong',
    `The feedback is too long (${String(chars)} characters; at most ${String(FEEDBACK_CHARS)} go with a decision). Shorten it, or decide without it and send it as a message.`,
  );

interface Pending {
  turn_id: string;
  call: CallState;
  request_id: string;
}

function findPending(core: Core, call_id: string): Pending | null {
  const state = core.log.state();
  if (state.turn === null) return null;
  const { turn_id } = state.turn;
  const call = openCallsOf(state, turn_id).find(
    (open) => open.call.call_id === call_id && open.status === 'pending',
  );
  return call?.request === undefined ? null : { turn_id, call, request_id: call.request.id };
}

/** In the gate. */
export const decide = (core: Core, intent: Decide): Promise<Failure | Done> =>
  underLease(core, () => decideHeld(core, intent));

/** In the gate and under the lease. */
export async function decideHeld(core: Core, intent: Decide): Promise<Failure | Done> {
  if (findPending(core, intent.call_id) === null) return notPending();
  const chars = intent.feedback?.length ?? 0;
  if (chars > FEEDBACK_CHARS) return feedbackTooLong(chars);
  // Calls of the step that a crash left without a result are answered before the turn goes on.
  if (core.run === null) await repair(core);
  const pending = findPending(core, intent.call_id);
  if (pending === null) return notPending();
  if (intent.decision === 'deny') await deny(core, pending, intent);
  else return allow(core, pending, intent);
  return {};
}

async function deny(core: Core, pending: Pending, { feedback, scope }: Decide): Promise<void> {
  await answer(core, pending, { decision: 'deny', content: deniedText(feedback), scope, feedback });
  await goOn(core, pending.turn_id);
}

/** Closes one approval with a result that the model is told. */
async function answer(
  core: Core,
  { turn_id, call, request_id }: Pending,
  how: { decision: Decision; content: string; scope?: Decide['scope']; feedback?: string | undefined },
): Promise<void> {
  const { decision, content, ...more } = how;
  await core.append([
    decisionDraft(turn_id, request_id, decision, more),
    resultMessage(await stepRef(core, call), call.call, { content, is_error: true }),
  ]);
}

async function allow(core: Core, pending: Pending, intent: Decide): Promise<Done | Failure> {
  const { turn_id, call, request_id } = pending;
  const { edited_input, feedback, place } = intent;
  const ready = await prepareAgain(core, edited_input === undefined ? call : edited(call, edited_input));
  if (isFailure(ready)) return edited_input === undefined ? ready : badEdit(ready);
  if (typeof ready === 'string') {
    await answer(core, pending, { decision: 'expired', content: ready });
    await goOn(core, turn_id);
    return {};
  }
  if (isForbidden(core, ready.prepared)) return readOnlyMode();
  const scope = ready.prepared.isAlwaysAsked === true ? 'once' : intent.scope;
  const rule = await remember(core, ready, scope);
  const allowed = [
    decisionDraft(turn_id, request_id, 'allow', { scope, feedback, edited_input, place }),
    ...(rule === null ? [] : ruleDraft(core, rule)),
    ...(scope === 'once' ? [] : await allowedToo(core, pending, { scope, rule })),
  ];
  if (core.run !== null) {
    // Another call of the step runs now, and calls run one at a time. A decision must be durable at once and a
    // tool_start is the promise that the tool starts, so that the two are one batch only when it starts at once.
    await core.append(allowed);
    return {};
  }
  const batch: Draft[] = [...allowed, ...(await startBatch(core, turn_id, ready))];
  const lease = await core.lease.hold();
  try {
    await core.append(batch);
  } catch (error) {
    lease.dispose();
    throw error;
  }
  startRun(core, turn_id, lease, { at: 'call', ready });
  return {};
}

/** Remembers a decision that counts for longer than once; a rule that only the log may keep is given back. */
async function remember(
  core: Core,
  { prepared }: ReadyCall,
  scope: Decide['scope'],
): Promise<SessionRule | null> {
  if (scope === 'once') return null;
  const { tool, subject } = prepared;
  return core.parts.rules.remember({ tool, subject }, scope);
}

/** The other calls that wait and that the new rule allows, and only those: the person has decided on them with it. */
async function allowedToo(
  core: Core,
  { turn_id, call }: Pending,
  { scope, rule }: { scope: Decide['scope']; rule: SessionRule | null },
): Promise<Draft[]> {
  const state = core.log.state();
  // Only what this decision brings, beside the person's settings: a log from elsewhere may hold rules of its own.
  const rules = rule === null ? [] : [rule];
  const drafts: Draft[] = [];
  for (const other of openCallsOf(state, turn_id)) {
    if (other.status !== 'pending' || other.request === undefined) continue;
    if (other.call.call_id === call.call.call_id) continue;
    const ready = await prepareAgain(core, other);
    // What has expired says so when its own turn comes.
    if (typeof ready === 'string' || isFailure(ready)) continue;
    if (ready.prepared.isAlwaysAsked === true || !core.parts.rules.allows(ready.prepared, rules)) continue;
    drafts.push(decisionDraft(turn_id, other.request.id, 'allow', { scope }));
  }
  return drafts;
}

/** The call as if it had been decided with this input. */
function edited(call: CallState, edited_input: Record<string, unknown>): CallState {
  const { request } = call;
  if (request === undefined) return call;
  const { id, parent_id, timestamp } = request;
  const note = { type: 'approval_decision', id, parent_id, timestamp, request_id: id } as const;
  return { ...call, decision: { ...note, decision: 'allow', edited_input } };
}

const badEdit = ({ message }: Failure): Failure =>
  refused(
    'InvalidEdit',
    `The call cannot run as you changed it: ${message} It still waits for your decision.`,
  );

const otherTarget = (path: string): Failure =>
  refused(
    'InvalidEdit',
    `it would touch ${path}, which the proposal did not. Deny the call and say what you want.`,
  );

/** The call as it is prepared now, or why its approval no longer holds; a failure when it cannot run as it was edited. */
async function prepareAgain(core: Core, call: CallState): Promise<ReadyCall | string | Failure> {
  const own = await ownStatesSince(core, call);
  const targets = call.request?.targets ?? [];
  const changed = await changedTarget(core, targets, own);
  if (changed !== null) return changed;
  const isEdited = call.decision?.edited_input !== undefined;
  const ready = await prepareCall(core, call, core.run?.signal ?? new AbortController().signal);
  if (isFailure(ready)) return isEdited ? ready : `The call was not run: ${ready.message}`;
  const other = ready.prepared.targets.find(({ path }) => !targets.some((target) => target.path === path));
  if (isEdited && other !== undefined) return otherTarget(other.path);
  return expiry(call, ready.prepared, own) ?? ready;
}

/** Said before the tool is asked: its own words for a file that changed would be of a text that does not match. */
async function changedTarget(
  core: Core,
  targets: PendingApproval['targets'],
  own: OwnStates,
): Promise<string | null> {
  for (const { path, hash } of targets) {
    const resolved = await core.parts.workspace.resolve(path);
    if (isFailure(resolved)) return `The call was not run: ${resolved.message}`;
    const now = await core.parts.workspace.hash(resolved);
    if (now !== hash && own.get(path)?.has(now) !== true) return changedText(path);
  }
  return null;
}

/** Takes the turn up when something of it can go on without a person. */
async function goOn(core: Core, turn_id: string): Promise<void> {
  if (core.run !== null) return;
  const calls = openCallsOf(core.log.state(), turn_id);
  if (calls.length > 0 && calls.every((call) => call.status === 'pending')) return;
  startRun(core, turn_id, await core.lease.hold());
}
