/**
 * What one view asks, checked and answered: every request gets a reply, and a handler that fails answers with a failure.
 * The other direction is the feed's.
 */
import type { Clock, Disposable } from '../../ports.js';
import { isFailure, type Failure } from '../../shared/failure.js';
import {
  toHostSchema,
  type Ask,
  type Intent,
  type Snapshot,
  type ToHost,
  type ToWebview,
  type UiCommand,
} from '../../shared/protocol.js';
import { failureOf, troubleOf } from '../errors.js';
import { answerOf, type AnswerParts } from './answers.js';
import { Bringing, type Brought, type Composed } from './bringing.js';
import { Feed, type ShownSession } from './feed.js';
import { Fitted } from './fitted.js';
import { Opening, type Coming } from './opening.js';

export interface IntentOutcome {
  session: string;
  intent: Intent;
  failure: Failure | null;
  /** The head the person saw. */
  seen: string | null | undefined;
}

export interface ChannelParts extends Pick<AnswerParts, 'context' | 'paths'> {
  post: (message: ToWebview) => void;
  clock: Clock;
  command: (command: UiCommand, session: string) => Promise<unknown>;
  drafts: {
    read(session: string): Promise<Snapshot['draft']>;
    write(session: string, draft: Snapshot['draft']): void;
  };
  /** How an intent ended: what could not be saved stays on show until something can. */
  onIntent: (outcome: IntentOutcome) => void;
  onFocus: (focused: boolean) => void;
  /** What was taken back in a session that the view does not show any more. */
  bringBack: (session: string, brought: Brought) => Promise<void>;
  log: (level: 'warn' | 'error', text: string) => void;
}

/** What is asked of the editor without a session. */
const goesElsewhere = new Set<UiCommand['type']>(['new_session', 'switch_session', 'show_log']);

/** Ends of two lines. */
export interface Compared {
  left_id: string;
  right_id: string;
}

export class Channel implements Disposable {
  private isOpen = false;
  private shown: ShownSession | undefined;
  private feed: Feed | undefined;
  /** What is to be shown and is not yet. */
  private opening: Opening | undefined;
  private readonly bringing: Bringing;
  private pendingCompare: Compared | undefined;

  constructor(private readonly parts: ChannelParts) {
    this.bringing = new Bringing({
      drafts: parts.drafts,
      onError: (error) => this.report(error, 'Keeping the message'),
    });
  }

  /** Shows this session from now on. */
  show(session: ShownSession): void {
    this.endOpening();
    this.begin(session);
  }

  /** Shows a session that is not open yet; until it is shown, how far it is. Rejects when it was cancelled. */
  async present<S extends ShownSession>(coming: Coming<S>): Promise<S> {
    this.endOpening();
    const opening = new Opening(coming, {
      post: (message) => (this.isOpen ? this.parts.post(message) : undefined),
      clock: this.parts.clock,
      onTold: () => (this.feed?.isCurrent === true ? this.leave() : undefined),
    });
    this.opening = opening;
    const opened = await opening.run();
    if (this.opening === opening) this.begin(opened);
    return opened;
  }

  /** What it was to show was not opened. */
  get isWithout(): boolean {
    return this.opening?.hasEnded === true;
  }

  private begin(session: ShownSession): void {
    this.feed?.dispose();
    this.shown = session;
    this.feed = new Feed(session, {
      post: this.parts.post,
      clock: this.parts.clock,
      readDraft: (id) => this.parts.drafts.read(id),
      onShown: () => {
        this.endOpening();
        this.flushCompose();
        this.flushCompare();
      },
      onError: (error) => this.report(error, 'Showing the session'),
    });
    this.sendSnapshot();
  }

  /** The view's document is gone (hidden or rebuilt); it says `open` when it is there again. */
  detach(): void {
    this.isOpen = false;
    this.parts.onFocus(false);
    this.feed?.forget();
    this.bringing.leave();
  }

  /** Its document is there, and is told what comes. */
  get isThere(): boolean {
    return this.isOpen;
  }

  /** Puts the focus into the composer, or on what waits for a decision, once the view shows its session. */
  compose(composed: Partial<Composed> = {}): void {
    this.bringing.add(composed);
    this.flushCompose();
  }

  /** Shows two lines beside each other, once the view shows its session. */
  compare(lines: Compared): void {
    this.pendingCompare = lines;
    this.flushCompare();
  }

  /** What the person made of a proposal in the editor's own diff. A view that is not there finds it in the draft. */
  tellEdited(session: string, call_id: string, after: string | null): void {
    if (this.isOpen && this.shown?.agent.log.id === session)
      this.parts.post({ type: 'edited', session, call_id, after });
  }

  /** The person chose it from the menu of a message; whoever opened a menu looks at the view. */
  tellChosen(session: string, what: 'edit' | 'copy', entry_id: string): void {
    if (this.isOpen && this.shown?.agent.log.id === session)
      this.parts.post({ type: 'chosen', session, what, entry_id });
  }

  /** A turn was undone by a command: a view that shows it offers the way back. */
  tellUndone(session: string, entry_id: string): void {
    const { shown, feed } = this;
    if (!this.isOpen || shown?.agent.log.id !== session) return;
    // The view compares it with the line it shows, which is to be the one that was gone back to.
    void feed?.reached(shown.agent.log.position).then(() => {
      if (this.isOpen && this.feed === feed) this.parts.post({ type: 'undone', session, entry_id });
    });
  }

  dispose(): void {
    this.detach();
    this.endOpening();
    this.leave();
  }

  private leave(): void {
    this.feed?.dispose();
    this.feed = undefined;
    this.shown = undefined;
  }

  private endOpening(): void {
    this.opening?.dispose();
    this.opening = undefined;
  }

  private changeOpening(what: 'cancel' | 'again'): void {
    const { opening } = this;
    if (opening === undefined) return;
    if (what === 'again') {
      this.present(opening.coming).catch((error: unknown) => this.report(error, 'Opening the session'));
      return;
    }
    opening.cancel();
    // It may have been open already, and not on show yet.
    this.leave();
  }

  /** A message from the view, whatever it is. */
  receive(data: unknown): void {
    const read = toHostSchema.safeParse(data);
    if (read.success) return this.handle(read.data);
    const issue = read.error.issues[0];
    this.parts.log(
      'warn',
      `The chat view sent something that does not fit: ${issue?.message ?? ''} at ${issue?.path.join('.') ?? ''}`,
    );
    const id = requestIdOf(data);
    if (id !== undefined) this.parts.post({ type: 'reply', id, ok: false, failure: misfit });
  }

  private handle(message: ToHost): void {
    switch (message.type) {
      case 'open':
        this.isOpen = true;
        this.opening?.tell();
        return this.sendSnapshot();
      case 'opening':
        return this.changeOpening(message.what);
      case 'intent':
        return this.reply(message, 'This', (session) => this.carryOut(message, session));
      case 'ui':
        return this.command(message);
      case 'ask':
        return this.reply(message, 'Loading', (session) => this.answer(message.ask, session));
      case 'focus':
        return this.parts.onFocus(message.focused);
      case 'draft':
        return this.keepDraft(message);
      case 'bring_back':
        return this.bringBack(message);
      case 'trouble':
        return this.parts.log('warn', `In the chat view: ${message.text}`);
    }
  }

  private keepDraft({
    session,
    text,
    editing,
    attachments,
    aside,
    unsent,
  }: Extract<ToHost, { type: 'draft' }>): void {
    this.parts.drafts.write(session, { text, editing, attachments, aside, unsent });
  }

  private bringBack({ session, text, mentions }: Extract<ToHost, { type: 'bring_back' }>): void {
    this.parts
      .bringBack(session, { text, mentions })
      .catch((error: unknown) => this.report(error, 'Keeping the message'));
  }

  private command({ id, command, session: seen }: Extract<ToHost, { type: 'ui' }>): void {
    // Away from a session that does not open.
    const waited = goesElsewhere.has(command.type) ? (this.opening?.coming.session() ?? '') : undefined;
    // What the person looks at is meant, also while another one is about to be shown.
    const session = this.shown === undefined ? waited : (seen ?? this.shown.agent.log.id);
    this.answerWith(id, 'This', async () =>
      session === undefined ? notYet : this.parts.command(command, session),
    );
  }

  private reply(
    message: Extract<ToHost, { type: 'intent' | 'ask' }>,
    doing: string,
    work: (session: ShownSession) => Promise<unknown>,
  ): void {
    const { shown } = this;
    // A view that asks for what it is to show has another one on show.
    const isForAny = message.type === 'ask' && message.ask.what === 'snapshot';
    this.answerWith(message.id, doing, async () => {
      if (shown === undefined) return notYet;
      const isOther = message.session !== undefined && message.session !== shown.agent.log.id;
      return isOther && !isForAny ? elsewhere : work(shown);
    });
  }

  private answerWith(id: number, doing: string, work: () => Promise<unknown>): void {
    const answer = async (): Promise<ToWebview> => {
      const result = await work();
      return isFailure(result)
        ? { type: 'reply', id, ok: false, failure: result }
        : { type: 'reply', id, ok: true, result: result ?? null };
    };
    answer().then(
      (message) => this.parts.post(message),
      (error: unknown) => {
        this.report(error, doing);
        this.parts.post({ type: 'reply', id, ok: false, failure: failureOf(error, doing) });
      },
    );
  }

  private async carryOut(
    message: Extract<ToHost, { type: 'intent' }>,
    { agent }: ShownSession,
  ): Promise<unknown> {
    const { feed } = this;
    const { intent, expected_head: expected } = message;
    const moves: number[] = [];
    const following = agent.log.onAppend((placed) => {
      for (const { entry, position } of placed) if (entry.type === 'head') moves.push(position);
    });
    const doing = expected === undefined ? agent.dispatch(intent) : agent.dispatch(intent, expected);
    const outcome = await doing.finally(() => following.dispose());
    const failure = isFailure(outcome) ? outcome : null;
    this.parts.onIntent({ session: agent.log.id, intent, failure, seen: expected });
    const moved = moves.at(-1);
    // The view goes on from the line it shows: the answer comes behind the line that was gone to.
    if (moved !== undefined) await feed?.reached(moved + 1);
    return outcome;
  }

  private async answer(ask: Ask, { agent }: ShownSession): Promise<unknown> {
    const { log } = agent;
    if (ask.what !== 'snapshot')
      return answerOf(ask, {
        ...this.parts,
        log,
        estimateTokens: () => agent.estimateTokens(),
        fitted: this.feed?.fitted ?? new Fitted(log),
      });
    await this.feed?.sendSnapshot();
    return null;
  }

  private sendSnapshot(): void {
    if (!this.isOpen || !this.feed) return;
    this.feed.sendSnapshot().catch((error: unknown) => this.report(error, 'Showing the session'));
  }

  private flushCompose(): void {
    if (!this.isOpen || !this.feed?.isCurrent) return;
    const message = this.bringing.take(this.shown?.agent.log.id);
    if (message !== undefined) this.parts.post(message);
  }

  private flushCompare(): void {
    const { pendingCompare } = this;
    if (pendingCompare === undefined || !this.isOpen || !this.feed?.isCurrent) return;
    this.pendingCompare = undefined;
    this.parts.post({ type: 'compare', ...pendingCompare });
  }

  private report(error: unknown, doing: string): void {
    const trouble = troubleOf(error, doing);
    if (trouble.kind === 'bug') this.parts.log('error', trouble.text);
    if (trouble.kind === 'expected') this.parts.log('warn', trouble.failure.message);
  }
}

const notYet: Failure = {
  kind: 'refused',
  message: 'The session is still being opened. Try again in a moment.',
  transient: true,
};
const elsewhere: Failure = {
  kind: 'refused',
  code: 'OtherSession',
  message: 'Another session is being shown: nothing was done in either. Ask again where you want it.',
  transient: true,
};
const misfit: Failure = {
  kind: 'refused',
  message: 'The chat view asked for something this version of Bough does not know. Reload the window.',
  transient: false,
};

function requestIdOf(data: unknown): number | undefined {
  if (typeof data !== 'object' || data === null || !('id' in data)) return undefined;
  return typeof data.id === 'number' && Number.isInteger(data.id) && data.id >= 0 ? data.id : undefined;
}
