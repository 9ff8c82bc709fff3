/**
 * Approvals are entries: a request binds a call to its input and to the state of its target files; a decision is the
 * first in the file. Nothing of a pending approval is in memory only.
 */
import type { Prepared } from '../ports.js';
import { NOT_RUN_RESULT } from '../shared/fold/stand-in.js';
import type { CallState } from '../shared/fold/types.js';
import type { Draft, NoteOf } from '../shared/notes.js';
import { QUESTION_TOOL } from '../shared/only-question.js';
import { headOf } from './context/clean.js';
import type { Core } from './core.js';
import { resultMessage } from './entries.js';
import { inputHash } from './sha256.js';
import { entriesOf } from './turn-facts.js';

export type Decision = NoteOf<'approval_decision'>['decision'];
type Scope = NonNullable<NoteOf<'approval_decision'>['scope']>;
type Place = NoteOf<'approval_decision'>['place'];

/** A summary is for people; the input itself is in the call. */
const SUMMARY_CHARS = 1_000;

function summaryOf(sentence: string): string {
  if (sentence.length <= SUMMARY_CHARS) return sentence;
  const head = headOf(sentence, SUMMARY_CHARS);
  return `${head}… and ${String(sentence.length - head.length)} more characters`;
}

/** The request with the change itself as blobs, so that the card shows it after a reload. */
export async function requestDraft(
  core: Core,
  turn_id: string,
  { call, prepared }: { call: CallState; prepared: Prepared },
): Promise<Draft> {
  const put = (text: string | null): Promise<string> | null =>
    text === null ? null : core.blobs.put(core.parts.redact.keys(text));
  const proposal = [];
  for (const { path, before, after } of prepared.proposal ?? []) {
    proposal.push({ path: path.shown, before: await put(before), after: await put(after) });
  }
  return {
    type: 'approval_request',
    turn_id,
    call_id: call.call.call_id,
    tool: prepared.tool,
    summary: summaryOf(prepared.sentence),
    input_hash: inputHash(prepared.input),
    targets: prepared.targets,
    risk: prepared.risk,
    ...(prepared.isAlwaysAsked === true
      ? { always_asked: true }
      : { allows: summaryOf(core.parts.rules.describe(prepared)) }),
    ...(proposal.length === 0 ? {} : { proposal }),
  };
}

/** Path → states of the file that the approved calls of this turn left behind. */
export type OwnStates = ReadonlyMap<string, ReadonlySet<string | null>>;

/**
 * What our own calls changed since this one was proposed: several edits of one file may be approved one after the other.
 * A change by anybody else ends an approval.
 */
export async function ownStatesSince(core: Core, call: CallState): Promise<OwnStates> {
  const own = new Map<string, Set<string | null>>();
  const { request, turn_id } = call;
  if (request === undefined || turn_id === undefined) return own;
  let isAfter = false;
  for (const entry of await entriesOf(core, turn_id)) {
    isAfter ||= entry.id === request.id;
    if (!isAfter || entry.type !== 'files_changed') continue;
    for (const { path, after } of entry.changes) {
      own.set(path, (own.get(path) ?? new Set<string | null>()).add(after));
    }
  }
  return own;
}

export const changedText = (path: string): string =>
  `The call was not run: ${path} has changed since it was proposed. Read it and ask again.`;

/** Why an approval no longer holds; null when it does. The sentence is what the model is told. */
export function expiry(call: CallState, prepared: Prepared, own: OwnStates): string | null {
  const { request } = call;
  if (request === undefined) return null;
  const isEdited = call.decision?.edited_input !== undefined;
  const isSame = isEdited || request.input_hash === inputHash(prepared.input);
  if (!isSame || request.tool !== prepared.tool) {
    return 'The call was not run: it is not the one that was proposed. Ask again.';
  }
  const before = new Map(request.targets.map((target) => [target.path, target.hash]));
  for (const { path, hash } of prepared.targets) {
    const isProposed = before.has(path);
    if (!isProposed || (before.get(path) !== hash && own.get(path)?.has(hash) !== true))
      return changedText(path);
    before.delete(path);
  }
  const [missing] = before.keys();
  return missing === undefined ? null : changedText(missing);
}

export const decisionDraft = (
  turn_id: string,
  request_id: string,
  decision: Decision,
  more: { scope?: Scope; feedback?: string | undefined; edited_input?: unknown; place?: Place } = {},
): Draft => ({
  type: 'approval_decision',
  turn_id,
  request_id,
  decision,
  ...(more.scope === undefined ? {} : { scope: more.scope }),
  ...(more.feedback === undefined || more.feedback.trim() === '' ? {} : { feedback: more.feedback }),
  ...(more.edited_input === undefined ? {} : { edited_input: more.edited_input }),
  ...(more.place === undefined ? {} : { place: more.place }),
});

export function deniedText(feedback: string | undefined): string {
  const said = feedback?.trim() ?? '';
  const denied = 'The person denied this call. It was not run.';
  return said === '' ? denied : `${denied} They said: ${said}`;
}

export const REPLIED_TEXT =
  'The person replied instead of approving this call. It was not run. Their reply follows.';

export const DISMISSED_TEXT =
  'The person dismissed this call without deciding on it. It was not run. Do not repeat it unless they ask for it.';

const CANCELLED_TEXT = 'The turn was stopped before the person decided on this call. It was not run.';

export const LEFT_TEXT =
  'The call was not run: the person went to another place in the conversation before deciding, so its approval has expired.';

/** What answers a call that has no result of its own: `text`, and whatever the person said when they decided on it. */
export function standInResult(call: CallState, text: string): { content: string; is_error: boolean } {
  const said = call.decision?.feedback?.trim() ?? '';
  if (said === '') return { content: text, is_error: true };
  // Its run is nothing but the words that came with the decision.
  return call.status === 'allowed' && call.request?.tool === QUESTION_TOOL
    ? { content: said, is_error: false }
    : { content: `${text} The person said: ${said}`, is_error: true };
}

/** Closes calls that will not run any more: a decision for each that waits for one, and a result for each. */
export function closeCalls(
  calls: readonly CallState[],
  ref: { turn_id: string; step: number | undefined },
  how: { decision: Decision; pendingText?: string | undefined; startedText: (call: CallState) => string },
): Draft[] {
  const decisions: Draft[] = [];
  const results: Draft[] = [];
  for (const call of calls) {
    const isPending = call.status === 'pending';
    if (isPending && call.request !== undefined) {
      decisions.push(decisionDraft(ref.turn_id, call.request.id, how.decision));
    }
    const content =
      call.status === 'started'
        ? how.startedText(call)
        : isPending
          ? (how.pendingText ?? CANCELLED_TEXT)
          : NOT_RUN_RESULT;
    results.push(resultMessage(ref, call.call, standInResult(call, content)));
  }
  return [...decisions, ...results];
}
