/**
 * Sends what stands in the composer. It stands there until the host says that the message is in the log: nothing typed is
 * lost, and nothing is sent twice.
 */
import type { Failure } from '../../src/shared/failure.js';
import type { ComposerDraft, Intent, SessionView } from '../../src/shared/protocol.js';
import type { Reply } from '../connection.js';
import { PATIENCE_MS, unanswered } from '../patience.js';
import type { Draft } from './draft.svelte.js';

export type SendMode = 'send' | 'steer';

export interface SendingParts {
  draft: Draft;
  session: () => SessionView | null;
  /** A turn runs: what is sent now waits for its end, or steers it. */
  isBusy: () => boolean;
  /** Something that was attached is still on its way. */
  isAttaching: () => boolean;
  /** What is kept with the draft beside its own text. */
  unsent: () => Partial<ComposerDraft>;
  /** Carries out a slash command that was typed; false when what is left is no message. */
  takeTyped: () => Promise<boolean>;
  intend: (intent: Intent) => Promise<Reply>;
  /** The message is in the log of the session that is shown. */
  sent: () => void;
  /** The same for one that is not shown any more: what is kept as its draft then. */
  sentElsewhere: (session: string, rest: ComposerDraft) => void;
  say: (failure: Failure | null) => void;
  /** The host refused; the person may send it again, or as an answer in place of a decision. */
  refused: (failure: Failure, intent: Intent, again: () => void, replyInstead: () => void) => void;
}

/** A message on its way. */
interface Underway {
  readonly session: string;
  /** False while it is looked up what a slash calls. */
  readonly isMessage: boolean;
  readonly text: string;
  /** Of what is attached. */
  readonly labels: readonly string[];
  /** So long that the person may send again; it may be answered all the same. */
  isLate: boolean;
  /** What was typed behind it by the time another session came to be shown. */
  typedBehind: string;
}

export class Sending {
  readonly #parts: SendingParts;
  readonly #under = new Set<Underway>();

  constructor(parts: SendingParts) {
    this.#parts = parts;
  }

  get isSending(): boolean {
    const shown = this.#parts.session()?.id;
    return [...this.#under].some(({ session, isLate }) => session === shown && !isLate);
  }

  async send(mode: SendMode, replyInstead: boolean): Promise<void> {
    const { draft, session, isAttaching, takeTyped, unsent, intend, sent, sentElsewhere } = this.#parts;
    const shown = session();
    if (this.isSending || isAttaching() || draft.isEmpty || shown === null || shown.read_only) return;
    const taking = this.#begin(shown.id, false);
    const isMessage = await takeTyped();
    this.#under.delete(taking);
    if (!isMessage || draft.isEmpty || shown.id !== session()?.id) return;
    const rest = { ...draft.rest, ...unsent() };
    const intent = this.#intent(mode, replyInstead);
    draft.beginSending();
    const way = this.#begin(shown.id, true);
    const patience = setTimeout(() => this.#losePatience(way), PATIENCE_MS);
    const reply = await intend(intent);
    clearTimeout(patience);
    this.#under.delete(way);
    if (shown.id !== session()?.id) {
      // Another session is shown by now; what was kept as this one's draft is sent.
      if (reply.ok) sentElsewhere(shown.id, behind(rest, way.typedBehind));
    } else if (reply.ok) {
      draft.sent();
      sent();
    } else this.#refused(reply.failure, intent, mode);
  }

  /** Another session is about to be shown in place of this one. */
  leave(): void {
    const shown = this.#parts.session()?.id;
    for (const way of this.#under)
      if (way.session === shown) way.typedBehind = this.#parts.draft.typedMeanwhile;
  }

  /** This session is on show again: what is on its way from it is known as that, or it would be sent twice. */
  back(): void {
    const { draft, session } = this.#parts;
    for (const way of this.#under)
      if (way.session === session()?.id && way.isMessage) draft.resumeSending(way.text, way.labels);
  }

  #begin(session: string, isMessage: boolean): Underway {
    const { text, chips } = this.#parts.draft;
    const labels = chips.map(({ label }) => label);
    const way = { session, isMessage, text, labels, isLate: false, typedBehind: '' };
    this.#under.add(way);
    return way;
  }

  #intent(wanted: SendMode, replyInstead: boolean): Intent {
    const { draft, isBusy } = this.#parts;
    const { text, editing } = draft;
    const mode = !isBusy() || editing !== null ? 'send' : wanted === 'steer' ? 'steer' : 'queue';
    return {
      type: 'send',
      text,
      mentions: draft.mentions(),
      mode,
      ...(editing === null ? {} : { editing, images_named: true }),
      ...(replyInstead ? { reply_instead: true } : {}),
    };
  }

  #refused(failure: Failure, intent: Intent, mode: SendMode): void {
    const { draft, say, refused } = this.#parts;
    draft.notSent();
    // A notice says it, and what can be done.
    if (isOvertaken(failure)) return say(null);
    refused(
      failure,
      intent,
      () => void this.send(mode, false),
      () => void this.send(mode, true),
    );
  }

  #losePatience(way: Underway): void {
    way.isLate = true;
    if (way.session === this.#parts.session()?.id)
      this.#parts.say(unanswered('The message may have been sent; it stays here until that is known.'));
  }
}

const behind = (rest: ComposerDraft, typed: string): ComposerDraft =>
  typed === '' ? rest : { ...rest, text: rest.text === '' ? typed : `${rest.text}\n\n${typed}` };

/** Another window went on with the session first. */
const isOvertaken = ({ code }: Failure): boolean => code === 'SessionConflict' || code === 'SessionStale';
