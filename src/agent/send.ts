/** A prompt: a turn of its own, a place in the queue, or an answer to what waits for a decision. */
import type { Message, Part } from '../shared/entry.js';
import { isFailure, type Failure } from '../shared/failure.js';
import type { Draft } from '../shared/notes.js';
import { answeredBy } from '../shared/only-question.js';
import type { Intent } from '../shared/protocol.js';
import { REPLIED_TEXT, closeCalls } from './approvals.js';
import { beginTurn } from './begin.js';
import { closingOf } from './branches.js';
import { openCallsOf, underLease, wantedModel, type Core } from './core.js';
import { decideHeld } from './decisions.js';
import { refused } from './failures.js';
import { headTo } from './mode.js';
import { enqueue, promptParts } from './queue.js';
import { headMoved, parked, pendingFailure, running, type Done, type ExpectedHead } from './refusals.js';
import { namedSkills } from './skills.js';
import { closeSuspended, suspensionOf } from './suspended.js';
import { termsOf, type TurnTerms } from './turn-terms.js';

type Send = Extract<Intent, { type: 'send' }>;

/** What goes along with a prompt that was not typed in the chat. */
export interface Given {
  origin?: 'person' | 'subagent';
  terms?: TurnTerms;
}

/** In the gate. */
export function send(
  core: Core,
  intent: Send,
  expected: ExpectedHead,
  given: Given = {},
): Promise<Done | Failure> {
  if (intent.text.trim() === '' && intent.mentions.length === 0) {
    return Promise.resolve(refused('EmptyPrompt', 'There is nothing to send: the message is empty.'));
  }
  return underLease(core, () => {
    const isBusy = core.run !== null || suspensionOf(core) !== null;
    const isEdit = intent.editing !== undefined;
    if (isBusy && intent.mode !== 'send' && !isEdit) return queueUp(core, intent, intent.mode);
    // An edit goes elsewhere: like any move of the head it needs no more than that nothing runs.
    if (hasPending(core) && !isEdit) {
      if (intent.reply_instead !== true) return Promise.resolve(pendingFailure(core, intent));
      // What waited when it was written may be decided by now, and something else wait in its place.
      const wrong = headMoved(core, expected);
      if (wrong !== null) return Promise.resolve(wrong);
      const question = answeredBy(intent, core.log.state().approvals);
      if (question !== undefined) return answer(core, question, intent.text);
      return core.run === null ? startTurn(core, intent, expected, given) : replyWhileRunning(core, intent);
    }
    if (suspensionOf(core) === 'parked') {
      return Promise.resolve(parked(core.log.state().wait?.due_at ?? ''));
    }
    if (core.run === null) return startTurn(core, intent, expected, given);
    return !isEdit && intent.only_now !== true ? queueUp(core, intent, 'queue') : Promise.resolve(running());
  });
}

function hasPending(core: Core): boolean {
  const state = core.log.state();
  if (state.turn === null) return false;
  return openCallsOf(state, state.turn.turn_id).some((call) => call.status === 'pending');
}

/** What was written is the answer, as if it had been written into the card. */
const answer = (core: Core, call_id: string, text: string): Promise<Done | Failure> =>
  decideHeld(core, { type: 'decide', call_id, decision: 'allow', scope: 'once', feedback: text });

async function queueUp(core: Core, intent: Send, mode: 'queue' | 'steer'): Promise<Done> {
  await core.append(await enqueue(core, mode, intent));
  return {};
}

/** Another call of the step runs now: the pending ones are answered, and the reply goes in behind the batch. */
async function replyWhileRunning(core: Core, intent: Send): Promise<Done> {
  const state = core.log.state();
  const turn_id = state.turn?.turn_id ?? '';
  const pending = openCallsOf(state, turn_id).filter((call) => call.status === 'pending');
  await core.append([
    ...closeCalls(
      pending,
      { turn_id, step: state.turn?.open_step?.step },
      { decision: 'replied', pendingText: REPLIED_TEXT, startedText: () => '' },
    ),
    ...(await enqueue(core, 'steer', intent)),
  ]);
  return {};
}

/** [user message, turn_start] in one batch, durable before anything else. */
async function startTurn(
  core: Core,
  intent: Send,
  expected: ExpectedHead,
  { origin = 'person', terms = {} }: Given,
): Promise<Done | Failure> {
  const wrong = headMoved(core, expected);
  if (wrong !== null) return wrong;
  const place = await placeOf(core, intent);
  if (isFailure(place)) return place;
  const unable = terms.requires_finish === true ? await callsNoTools(core) : null;
  if (unable !== null) return unable;
  const turn_id = core.parts.ids.entry();
  const isReply = suspensionOf(core) === 'approvals' && intent.editing === undefined;
  const answered = isReply ? answeredGoal(core) : null;
  const parts = promptParts(intent.text, intent.mentions);
  const skills = await namedSkills(core, { parts, head: place.parent, turn_id });
  if (isFailure(skills)) return skills;
  const closing = isReply
    ? await closeSuspended(core, { decision: 'replied', pendingText: REPLIED_TEXT, holdsQueue: false })
    : await closingOf(core);
  const prompt: Draft = {
    type: 'message',
    role: 'user',
    turn_id,
    parts: [...parts, ...place.files],
    origin,
  };
  const batch: Draft[] = [
    ...place.head,
    ...skills,
    prompt,
    { type: 'turn_start', turn_id, ...termsOf(terms) },
  ];
  const written = await beginTurn(core, { turn_id, closing, batch });
  if (answered !== null) core.goal.driven = answered;
  if (place.head.length > 0) core.live.emit({ type: 'line' });
  const message = written.findLast((entry) => entry.type === 'message');
  return message === undefined ? {} : { entry_id: message.id };
}

/** Why no outcome can be declared; a model that cannot be had says so in the turn. */
async function callsNoTools(core: Core): Promise<Failure | null> {
  const model = await core.parts.models.resolve(wantedModel(core));
  if (isFailure(model) || model.info.tools !== false) return null;
  return refused(
    'InvalidArgument',
    `The outcome cannot be required: ${model.info.label} calls no tools, so it cannot declare one with finish. Choose a model that does, or send the prompt without requireFinish.`,
  );
}

/** A reply decides, as an approval does: the goal whose turn waited for it goes on in the window that gave it. */
function answeredGoal(core: Core): string | null {
  const { goal, turn } = core.log.state();
  const isAnswer = goal?.status === 'active' && goal.turn_id === turn?.turn_id;
  return isAnswer ? goal.goal_id : null;
}

interface Place {
  head: Draft[];
  /** What it follows. */
  parent: string | null;
  /** Attachments travel with the message that is edited. */
  files: Part[];
}

async function placeOf(
  core: Core,
  { editing, images_named: areNamed }: Pick<Send, 'editing' | 'images_named'>,
): Promise<Place | Failure> {
  if (editing === undefined) return { head: [], parent: core.log.head, files: [] };
  const edited = await core.log.entry(editing);
  if (edited?.type !== 'message' || edited.role !== 'user') {
    return refused(
      'InvalidArgument',
      'The message that is edited is not in this conversation any more, or is not yours.',
    );
  }
  const parent = await beforeSkills(core, edited);
  return {
    head: headTo(core, parent),
    parent,
    files: edited.parts.filter(
      (part) => part.type === 'file' || (part.type === 'image' && areNamed !== true),
    ),
  };
}

/** Skills that came with a message are part of it: one that is sent in its place brings its own. */
export async function beforeSkills(core: Core, { parent_id, turn_id }: Message): Promise<string | null> {
  let parent = parent_id;
  while (parent !== null) {
    const entry = await core.log.entry(parent);
    if (entry?.type !== 'skill_load' || entry.turn_id !== turn_id) break;
    parent = entry.parent_id;
  }
  return parent;
}
