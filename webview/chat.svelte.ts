/**
 * One chat: the session that is shown, the draft, and what the person can do. Every action is an intent or a command to
 * the host; what it answers when it cannot is kept here to be shown, and nothing typed is lost.
 */
import { createContext } from 'svelte';
import type { Unsent } from '../src/shared/composer-draft.js';
import type { Failure } from '../src/shared/failure.js';
import type { ComposerDraft, Intent, MentionOffer, OpeningView, UiCommand } from '../src/shared/protocol.js';
import { Acting, type Problem } from './acting.js';
import { Blobs } from './blobs.js';
import { Attaching } from './composer/attaching.svelte.js';
import { Draft } from './composer/draft.svelte.js';
import { Sending, type SendMode } from './composer/sending.js';
import { Queued } from './composer/queued.js';
import { Slash } from './composer/slash.js';
import type { Connection, HostMessage } from './connection.js';
import { Leaving } from './leaving.svelte.js';
import { Lookups } from './lookups.js';
import { MessageTexts } from './message-texts.js';
import { Session } from './session.svelte.js';
import { Find } from './transcript/find/find.svelte.js';
import { describe } from './trouble.js';
import { UnsentTexts } from './unsent.svelte.js';

export class Chat {
  readonly session: Session;
  readonly draft = new Draft();
  readonly unsent = new UnsentTexts();
  readonly find = new Find();
  readonly attaching: Attaching;
  readonly leaving: Leaving;
  readonly lookups: Lookups;
  readonly queued: Queued;
  readonly sending: Sending;
  readonly slash: Slash;
  readonly connection: Connection;
  problem = $state.raw<Problem | null>(null);
  /** The session that is waited for, in place of the one that was shown. */
  opening = $state.raw<OpeningView | null>(null);
  /** What had the focus last; a document forgets it when another one, such as VS Code's own, takes the focus. */
  lastFocused: HTMLElement | null = null;
  /** Grows when the composer is to take the focus. */
  focusRequests = $state.raw(0);
  /** The person asked to be brought to what waits for a decision. */
  isApprovalWanted = $state.raw(false);
  /** Grows when the person asked for something that is answered at the end of the conversation. */
  followRequests = $state.raw(0);
  /** Ends of the two lines that are shown beside each other. */
  compared = $state.raw<{ readonly left_id: string; readonly right_id: string } | null>(null);
  /** The entry that is to come into sight in the conversation; null for its beginning. Another object for each request. */
  revealed = $state.raw<{ readonly id: string | null } | undefined>(undefined);
  /** The picker that takes over the focus of the one it replaces. */
  focusedFork = $state.raw<{ readonly entry: string; readonly isNext: boolean } | null>(null);
  /** The fork whose other line was asked for, and how far from the top of the page its picker stays. */
  heldFork = $state.raw<{ readonly entry: string; readonly top: number } | null>(null);
  /** The call whose card was decided by keyboard: its line takes over the focus that the card had. */
  focusedCall = $state.raw<string | null>(null);
  readonly texts: MessageTexts;
  readonly #acting: Acting;
  readonly #blobs: Blobs;
  /** What was said when the session could not be shown; gone once it is. */
  #notShown: Problem | null = null;

  constructor(parts: {
    connect: (receive: (message: HostMessage) => void, shown: () => string | undefined) => Connection;
    nextFrame: (callback: () => void) => void;
  }) {
    this.connection = parts.connect(
      (message) => this.#receive(message),
      () => this.session.info?.id,
    );
    this.lookups = new Lookups(this.connection, (failure) => (this.problem = { failure }));
    this.#blobs = new Blobs((ask) => this.connection.ask(ask));
    this.session = new Session({
      askSnapshot: async () => {
        const reply = await this.connection.ask({ what: 'snapshot' });
        if (!reply.ok) this.#sayNotShown(reply.failure);
      },
      askBodies: async (ids) => (await this.lookups.ask<'bodies'>({ what: 'bodies', ids })) ?? [],
      nextFrame: parts.nextFrame,
    });
    const orExplain = (what: string, work: () => Promise<void>) => this.#orExplain(what, work);
    this.#acting = new Acting({
      connection: this.connection,
      session: this.session,
      run: () => this.run,
      problem: () => this.problem,
      say: (problem) => (this.problem = problem),
      onAnswered: () => this.followRequests++,
      onLeft: (left) => (this.leaving.branch = left),
    });
    this.texts = new MessageTexts({
      session: this.session,
      draft: this.draft,
      blob: (hash) => this.blob(hash),
      command: (command) => this.command(command),
      isSending: () => this.sending.isSending,
      onEdit: () => {
        this.problem = null;
        this.focusRequests++;
      },
      reveal: (id) => this.reveal(id),
      orExplain,
    });
    this.leaving = new Leaving({
      session: this.session,
      act: (intent) => this.act(intent),
      bringBack: (prompt) => this.texts.bringBack(prompt),
      saveDraft: () => this.saveDraft(),
    });
    this.attaching = new Attaching({
      draft: this.draft,
      session: () => this.session.info?.id,
      ask: (ask) => this.lookups.ask(ask),
      orExplain,
    });
    this.slash = new Slash({
      draft: this.draft,
      offers: async () => (await this.lookups.ask<'slash'>({ what: 'slash' })) ?? [],
      expand: (name) => this.lookups.ask<'expand'>({ what: 'expand', name }),
      act: (intent) => this.act(intent),
      command: (command) => this.command(command),
      say: (failure) => (this.problem = { failure }),
      shown: () => this.session.info?.id,
      keepElsewhere: (session, text) => this.connection.bringBack({ session, text, mentions: [] }),
      startGoal: async (objective) => {
        const given = objective === undefined ? {} : { objective };
        const reply = await this.connection.command({ type: 'start_goal', ...given });
        if (!reply.ok && reply.failure.kind !== 'cancelled') this.problem = { failure: reply.failure };
        return reply.ok;
      },
    });
    this.sending = new Sending({
      draft: this.draft,
      session: () => this.session.info,
      isBusy: () => this.isBusy,
      isAttaching: () => this.attaching.count > 0,
      unsent: () => this.unsent.contents,
      takeTyped: () => this.slash.takeTyped(),
      intend: (intent) => this.#acting.intend(intent),
      sent: () => this.#sent(),
      sentElsewhere: (session, rest) => this.connection.draft({ session, ...rest }),
      say: (failure) => (this.problem = failure === null ? null : { failure }),
      refused: (...why) => (this.problem = this.#acting.problemOf(...why)),
    });
    this.queued = new Queued({
      draft: this.draft,
      whole: (hash) => this.blob(hash),
      shown: () => this.session.info?.id,
      intend: (intent) => this.#acting.intend(intent),
      unsay: (failure) => {
        if (this.problem?.failure === failure) this.problem = null;
      },
      bringElsewhere: (session, prompt) => this.connection.bringBack({ session, ...prompt }),
      orExplain,
      say: (failure) => (this.problem = { failure }),
      focus: () => this.focusRequests++,
    });
  }

  #receive(message: HostMessage): void {
    if (message.type === 'compose') {
      if (message.text !== undefined) this.draft.insert(message.text);
      for (const mention of message.mentions ?? []) this.draft.attach(mention);
      this.#focus(message.at ?? 'composer');
      return;
    }
    if (message.type === 'compare') {
      const { left_id, right_id } = message;
      this.compared = { left_id, right_id };
      return;
    }
    if (message.type === 'chosen') {
      if (message.session === this.session.info?.id) void this.texts.chosen(message.what, message.entry_id);
      return;
    }
    if (message.type === 'undone') {
      if (message.session === this.session.info?.id) this.leaving.undoneFrom(message.entry_id);
      return;
    }
    if (message.type === 'edited') {
      if (message.session === this.session.info?.id) this.unsent.takeEdited(message.call_id, message.after);
      return;
    }
    if (message.type === 'opening') {
      if (this.opening === null) this.saveDraft();
      this.opening = message;
      return;
    }
    if (message.type === 'not_shown') {
      const text = `The session cannot be shown as it is now; Bough goes on trying. ${message.message}`;
      this.#sayNotShown({ kind: 'storage', message: text, transient: true, action: 'show-log' });
      return;
    }
    if (message.type === 'snapshot') this.opening = null;
    if (message.type === 'snapshot' && this.problem === this.#notShown) this.problem = null;
    const before = this.session.draft;
    const wasHeld = this.session.status?.isHeld === true;
    const shown = this.session.info?.id;
    if (message.type === 'snapshot' && shown !== undefined && shown !== message.session.id) {
      this.saveDraft();
      this.sending.leave();
    }
    const { size } = this.session.outline.index;
    const head = this.session.state?.head;
    this.session.receive(message);
    const hasMoved = message.type === 'snapshot' && shown === message.session.id && head !== undefined;
    if (hasMoved && size === this.session.outline.index.size) this.#moved(head);
    // Whoever was in the way is gone: it can be sent now.
    const isFree = wasHeld && this.session.status?.isHeld !== true;
    if (isFree && this.problem?.failure.code === 'Locked') this.problem = null;
    if (this.session.draft !== before && this.session.draft !== null) this.#begin(this.session.draft);
    else this.#pruneUnsent();
    if (this.run === 'idle') this.#acting.goOn();
  }

  /** Another line than the one to `from` may be shown now: its end is, unless it was asked for at a fork, which stays. */
  #moved(from: string | null): void {
    this.leaving.lookBack(from);
    if (this.session.state?.head !== from && this.heldFork === null) this.followRequests++;
  }

  #sayNotShown(failure: Failure): void {
    this.#notShown = { failure };
    this.problem = this.#notShown;
  }

  #focus(at: 'composer' | 'approval' | 'same' | 'none'): void {
    if (at === 'none') return;
    if (at === 'same') {
      // A menu that closed is not there any more.
      if (this.lastFocused?.isConnected === true) this.lastFocused.focus();
      else this.focusRequests++;
      return;
    }
    if (at === 'composer' || this.session.state?.approvals.length === 0) this.focusRequests++;
    else this.goToApproval();
  }

  /** Puts the focus on what waits for a decision. */
  goToApproval(): void {
    this.followRequests++;
    this.isApprovalWanted = true;
  }

  /** Another session is shown. */
  #begin(draft: ComposerDraft): void {
    this.draft.load(draft);
    this.sending.back();
    this.unsent.load(draft);
    this.problem = null;
    this.leaving.branch = null;
    this.compared = null;
    this.#acting.forget();
    const gone = this.#pruneUnsent();
    // Its message was sent while nobody looked. Where a row shows it, the row does the same.
    for (const { text } of gone) if (text !== undefined) this.queued.keepUnsaved(text);
    if (gone.length > 0) this.saveDraft();
  }

  #pruneUnsent(): Unsent[] {
    const { state, rows } = this.session;
    return state === null ? [] : this.unsent.prune(state, rows);
  }

  get run() {
    return this.session.status?.run ?? 'idle';
  }

  get isBusy(): boolean {
    return this.run !== 'idle' && this.run !== 'waiting';
  }

  /** Does it when the turn has stopped. */
  stopFirst(next: () => void): Promise<void> {
    return this.#acting.stopFirst(next);
  }

  /** Carries out an intent; what the host answers instead is shown. */
  async act(intent: Intent): Promise<boolean> {
    const isDone = await this.#acting.act(intent);
    if (isDone && intent.type === 'undo') await this.leaving.undone();
    return isDone;
  }

  async command(command: UiCommand): Promise<void> {
    const reply = await this.connection.command(command);
    if (!reply.ok && reply.failure.kind !== 'cancelled') this.problem = { failure: reply.failure };
    // A prompt that was not saved stands here still.
    const isUnsaved = this.problem?.failure.code === 'StorageFailure';
    if (reply.ok && command.type === 'save_again' && isUnsaved) await this.send();
    if (reply.ok && command.type === 'keep_as_branch') {
      // The head is where the text was written for; the view must stand there too before it is sent.
      await this.lookups.ask({ what: 'snapshot' });
      await this.send();
    }
  }

  async send(mode: SendMode = 'send', replyInstead = false): Promise<void> {
    await this.sending.send(mode, replyInstead);
  }

  /** Sends a text that is not in the composer: a suggestion. */
  async sendText(text: string): Promise<void> {
    await this.act({ type: 'send', text, mentions: [], mode: 'send' });
  }

  /** Brings an entry of the shown line into sight. */
  reveal(id: string): void {
    this.revealed = { id };
  }

  revealFirst(): void {
    this.revealed = { id: null };
  }

  saveDraft(): void {
    const session = this.session.info?.id;
    if (session === undefined) return;
    this.connection.draft({ session, ...this.draft.contents, ...this.unsent.contents });
  }

  /** The text of a blob. */
  blob(hash: string): Promise<string> {
    return this.#blobs.text(hash);
  }

  /** Attaches what an @ named, as it is now. */
  async mention(offer: MentionOffer): Promise<void> {
    const session = this.session.info?.id;
    this.attaching.count++;
    const mention = await this.lookups.ask<'mention'>({ what: 'mention', offer });
    this.attaching.count--;
    if (mention === undefined || session !== this.session.info?.id) return;
    this.draft.attach(mention);
    // What was looked up would be lost if the view were hidden right after.
    this.saveDraft();
  }

  #sent(): void {
    this.problem = null;
    this.leaving.branch = null;
    this.saveDraft();
  }

  async #orExplain(what: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      const reason = error instanceof Error ? error.message : describe(error);
      this.problem = { failure: { kind: 'storage', message: `${what}: ${reason}`, transient: true } };
    }
  }
}

export const [useChat, provideChat] = createContext<Chat>();
