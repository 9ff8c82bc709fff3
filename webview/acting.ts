/**
 * What the person does, in order: each intent goes to the host with the head that was seen, behind a move of the head
 * that is still on its way. What is refused comes back with what may be done instead; what is not answered is said too.
 */
import type { Failure } from '../src/shared/failure.js';
import { answeredBy } from '../src/shared/only-question.js';
import type { Intent, RunState } from '../src/shared/protocol.js';
import type { Connection, Reply } from './connection.js';
import { leftBranch, type LeftBranch } from './left-branch.js';
import { inTime, PATIENCE_MS, unanswered } from './patience.js';
import type { Session } from './session.svelte.js';

/** An action that was refused; `retry` is what the person may do instead. */
export interface Problem {
  failure: Failure;
  retry?: { label: string; run: () => void };
}

/** Actions that depend on the head the person saw. */
const followsHead = new Set<Intent['type']>([
  'send',
  'continue',
  'try_again',
  'leave',
  'navigate',
  'bring_summary',
]);

/** Goes to another line: the way back is offered. */
const movesHead = new Set<Intent['type']>(['navigate', 'undo', 'clear']);

/** What a turn that is open is stopped for by one button: going elsewhere, or something else that waits for its end. */
const stopFor = (intent: Intent): string =>
  switches.has(intent.type) || (intent.type === 'send' && intent.editing !== undefined)
    ? 'Stop and Switch'
    : 'Stop First';

const switches = new Set<Intent['type']>(['navigate', 'undo', 'clear', 'collapse', 'try_again']);

/** What the person wants to see the answer to. */
const isAnswered = new Set<Intent['type']>(['send', 'continue', 'try_again']);

const mayBeDone = 'What you asked for may be done all the same: look before you ask again.';

const leftMeanwhile: Failure = {
  kind: 'refused',
  code: 'OtherSession',
  message: 'Another session was shown before this could be done; nothing was done.',
  transient: true,
};

export interface ActingParts {
  connection: Connection;
  session: Session;
  run: () => RunState;
  problem: () => Problem | null;
  say: (problem: Problem | null) => void;
  /** What was asked for is answered at the end of the conversation. */
  onAnswered: () => void;
  onLeft: (left: LeftBranch | null) => void;
}

export class Acting {
  readonly #parts: ActingParts;
  /** A move of the head that is on its way. */
  #moving: Promise<void> | null = null;
  /** What the person asked for that waits until the turn has stopped. */
  #afterStop: (() => void) | null = null;

  constructor(parts: ActingParts) {
    this.#parts = parts;
  }

  /** Carries out an intent; what the host answers instead is shown. */
  async act(intent: Intent): Promise<boolean> {
    const { session, problem: current, say } = this.#parts;
    const before = session.state?.head ?? null;
    const coming = this.intend(intent);
    const reply = await inTime(intent, coming);
    if (reply !== undefined) return this.#acted(intent, before, reply);
    const problem = { failure: unanswered(mayBeDone) };
    say(problem);
    const shown = session.info?.id;
    void coming.then((late) => {
      if (shown !== session.info?.id) return;
      // A late yes takes away only what it answers.
      if (!late.ok || current() === problem) this.#acted(intent, before, late);
    });
    return false;
  }

  async intend(intent: Intent): Promise<Reply> {
    const { connection, session, onAnswered } = this.#parts;
    if (isAnswered.has(intent.type)) onAnswered();
    const isLoose = !followsHead.has(intent.type) || (intent.type === 'send' && intent.mode !== 'send');
    // The person asks from where they are going: what the host answers to that comes behind what it appended.
    const shown = session.info?.id;
    if (!isLoose && this.#moving !== null) await this.#moving;
    if (shown !== session.info?.id) return { ok: false, failure: leftMeanwhile };
    const reply = connection.intend(intent, isLoose ? undefined : (session.state?.head ?? null));
    if (movesHead.has(intent.type)) this.#move(reply);
    return reply;
  }

  /** Does it when the turn has stopped. */
  async stopFirst(next: () => void): Promise<void> {
    this.#afterStop = next;
    const intent: Intent = { type: 'stop' };
    const reply = await inTime(intent, this.intend(intent));
    if (this.#afterStop !== next) return;
    if (reply?.ok !== true) {
      // What was asked for then would come as a surprise later.
      this.#afterStop = null;
      this.#parts.say({ failure: reply?.failure ?? unanswered(mayBeDone) });
    } else if (this.#parts.run() === 'idle') this.goOn();
  }

  /** The turn has stopped. */
  goOn(): void {
    const next = this.#afterStop;
    this.#afterStop = null;
    next?.();
  }

  /** Another session is shown: what was asked for in the one before is not done in this one. */
  forget(): void {
    this.#afterStop = null;
    this.#moving = null;
  }

  /** Why it was refused, and what the person may do about it in one step. */
  problemOf(failure: Failure, intent: Intent, again: () => void, replyInstead?: () => void): Problem {
    if (failure.code === 'ResumeRequired' && replyInstead !== undefined) {
      const { approvals } = this.#parts.session.state ?? { approvals: [] };
      const isAnswer = intent.type === 'send' && answeredBy(intent, approvals) !== undefined;
      return { failure, retry: { label: isAnswer ? 'Send as Answer' : 'Deny and Send', run: replyInstead } };
    }
    // Which one, and since when, a notice says.
    if (failure.code === 'Locked' && this.#parts.session.status?.isHeld === true) {
      const message = 'Another window works in this session now. Nothing was sent; your text stays here.';
      return { failure: { ...failure, message } };
    }
    if (failure.code !== 'SessionRunning') return { failure };
    return { failure, retry: { label: stopFor(intent), run: () => void this.stopFirst(again) } };
  }

  #acted(intent: Intent, before: string | null, reply: Reply): boolean {
    const { session, say, onLeft } = this.#parts;
    say(reply.ok ? null : this.problemOf(reply.failure, intent, () => void this.act(intent)));
    if (reply.ok && movesHead.has(intent.type)) {
      const after = intent.type === 'navigate' ? intent.entry_id : (session.state?.head ?? null);
      onLeft(leftBranch(session.outline.index, before, after));
    }
    return reply.ok;
  }

  #move(reply: Promise<Reply>): void {
    const patience = new Promise<void>((resolve) => setTimeout(resolve, PATIENCE_MS));
    const moving = Promise.race([reply, patience]).then(() => {
      if (this.#moving === moving) this.#moving = null;
    });
    this.#moving = moving;
  }
}
