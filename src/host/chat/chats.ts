/**
 * The chats of this window: the panel in the side bar, which shows the session of its surface, and editor tabs (`tabs.ts`),
 * one for each session that was opened in one. Each is a surface of its own: a new session takes the place of the one on
 * show there and nowhere else. Views come and go; which session a surface shows is in `active.json`.
 */
import * as vscode from 'vscode';
import type { ToWebview, UiCommand } from '../../shared/protocol.js';
import { watchAsks } from '../asks.js';
import type { ActiveSession } from '../sessions/active.js';
import type { HostSession } from '../sessions/session.js';
import type { Brought, Composed } from './bringing.js';
import { Channel, type ChannelParts, type Compared } from './channel.js';
import { bringToDraft } from './drafts.js';
import { FocusBack, type Keeper } from './focus-back.js';
import { frontTab, followPerson } from './front.js';
import type { Surface } from './html.js';
import type { Coming } from './opening.js';
import type { Page } from './page.js';
import { ShownInSideBar } from './shown.js';
import { Tabs, type Place, type TabsParts } from './tabs.js';

export interface ChatsParts
  extends TabsParts, Omit<ChannelParts, 'post' | 'onFocus' | 'command' | 'bringBack' | keyof TabsParts> {
  command: (command: UiCommand, session: string, surface: Surface) => Promise<unknown>;
  active: ActiveSession;
  /** Of a session that is outside of all folders, and so in no list. */
  fileOf: (session: string) => string | undefined;
}

interface Chosen {
  session: string;
  entry: string;
  surface: Surface;
}

export class Chats implements vscode.Disposable {
  private view: { view: vscode.WebviewView; channel: Channel } | undefined;
  /** Whether it is on the screen or not. */
  private readonly shown: ShownInSideBar;
  private readonly tabs: Tabs;
  /** Where the person was last. */
  private last: Surface | undefined;
  /** The page whose document has the keyboard. */
  private focus: { page: Page; keeper: Keeper } | undefined;
  private readonly focusBack: FocusBack;
  /** How often one of our chats was brought to the front. */
  private brought = 0;
  private readonly currentChanged = new vscode.EventEmitter<void>();
  private readonly following: { dispose(): void };

  /** The chat that commands are about may be another one now, or can be seen now. */
  readonly onChange = this.currentChanged.event;

  constructor(private readonly parts: ChatsParts) {
    this.shown = new ShownInSideBar(parts.active, parts.onError);
    this.tabs = new Tabs(parts, {
      connect: (page, place) => this.connect(page, 'tab', place),
      coming: (session, open) => this.coming(session, open),
      onActive: () => (this.last = 'tab'),
      onChange: () => this.currentChanged.fire(),
    });
    this.focusBack = new FocusBack({
      clock: parts.clock,
      focused: () => this.focus?.keeper,
      // A tab that was opened, or a chat that was shown, has the keyboard by right.
      front: () => `${String(this.brought)} ${frontTab()}`,
      toQuestion: () =>
        this.guard(
          vscode.commands.executeCommand('workbench.action.focusQuickOpen'),
          'Giving the keyboard to the list',
        ),
    });
    const replaced = parts.sessions.on(({ id, type }) => {
      if (type === 'replaced') this.guard(this.reconnect(id), 'Showing the session');
    });
    this.following = vscode.Disposable.from(
      replaced,
      watchAsks((isModal) => this.focusBack.opened(isModal)),
      followPerson(this.focusBack),
      this.focusBack,
    );
    this.onChange(() => this.nameFile());
  }

  /** The session of the focused tab, else the one of the side bar. */
  async current(): Promise<string> {
    return this.tabs.active() ?? this.ofSideBar();
  }

  /** The session of the tab that the person is in; undefined when they are in the side bar, or in no chat. */
  frontTab(): string | undefined {
    if (this.last === 'view' && this.view?.view.visible === true) return undefined;
    return this.tabs.active();
  }

  /** The session of the focused tab, else of the side bar once it is known. */
  peekCurrent(): string | undefined {
    return this.tabs.active() ?? this.shown.id;
  }

  ofSideBar(): Promise<string> {
    return this.shown.find();
  }

  /** One of our chats has the keyboard. */
  hasFocus(): boolean {
    return this.focus !== undefined;
  }

  isVisible(session: string): boolean {
    return (
      (this.shown.id === session && this.view?.view.visible === true) ||
      this.tabs.of(session)?.panel.visible === true
    );
  }

  /** A view shows it, in sight or not. */
  hasView(session: string): boolean {
    return this.shown.id === session || this.tabs.of(session) !== undefined;
  }

  /** Shows the session in its tab when it has one in sight, else in the side bar, and puts the focus there. */
  async show(session: string, composed?: Partial<Composed>): Promise<void> {
    this.brought++;
    const tab = this.tabs.of(session);
    if (tab?.panel.visible) {
      tab.panel.reveal();
      tab.channel.compose({ ...composed, session });
      return;
    }
    await this.showInSideBar(session);
    this.view?.channel.compose({ ...composed, session });
  }

  /** Shows a session that was just begun, in place of `before` in its tab, or in the side bar, and puts the focus there. */
  async showFresh(session: string, before: string | undefined): Promise<void> {
    this.brought++;
    const tab = before === undefined ? undefined : this.tabs.of(before);
    if (tab === undefined) {
      await this.showInSideBar(session);
      this.view?.channel.compose();
      return;
    }
    tab.panel.reveal();
    if (tab.session !== session) await this.tabs.turn(tab, session);
    tab.channel.compose();
  }

  /** Shows two lines of the session beside each other, where its conversation is shown. */
  async compare(session: string, lines: Compared): Promise<void> {
    this.brought++;
    const tab = this.tabs.of(session);
    if (tab?.panel.visible) {
      tab.panel.reveal();
      tab.channel.compare(lines);
      return;
    }
    await this.showInSideBar(session);
    this.view?.channel.compare(lines);
  }

  /** A proposal was changed in the editor's own diff: its card is that of what stands there now. */
  tellEdited(session: string, call_id: string, after: string | null): void {
    const views = [this.view, this.tabs.of(session)];
    for (const shown of views) shown?.channel.tellEdited(session, call_id, after);
  }

  /** A message was chosen from the menu of the chat that shows it. */
  tellChosen({ session, entry, surface }: Chosen, what: 'edit' | 'copy'): void {
    const shown = surface === 'tab' ? this.tabs.of(session) : this.view;
    shown?.channel.tellChosen(session, what, entry);
  }

  /** `entry_id`: where the session stood before a turn of it was undone. */
  tellUndone(session: string, entry_id: string): void {
    for (const shown of [this.tabs.of(session), this.view]) shown?.channel.tellUndone(session, entry_id);
  }

  /** What the side bar shows from now on. */
  async setSideBar(session: string): Promise<void> {
    const { sessions } = this.parts;
    const isOther = this.shown.id !== session || this.view?.channel.isWithout === true;
    // One that could not be read when it was shown last may be readable by now.
    const isTriedAgain = isOther && sessions.troubleOf(session) !== undefined;
    const open = () => (isTriedAgain ? sessions.reopen(session) : sessions.open(session));
    if (isOther) this.shown.look(session);
    const { view } = this;
    await (isOther && view ? view.channel.present(this.coming(() => session, open)) : open());
    if (isOther && this.shown.id === session) this.shown.choose(session);
    this.currentChanged.fire();
  }

  /** The panel is there while the session is opened. */
  private async showInSideBar(session: string): Promise<void> {
    await Promise.all([this.setSideBar(session), vscode.commands.executeCommand('bough.chat.focus')]);
  }

  private coming(session: () => string | undefined, open: () => Promise<HostSession>): Coming<HostSession> {
    const { sessions, titleOf } = this.parts;
    const ofKnown = <T>(work: (id: string) => T): T | undefined => {
      const id = session();
      return id === undefined ? undefined : work(id);
    };
    return {
      session,
      open,
      title: () => ofKnown(titleOf),
      onRead: (listener) =>
        sessions.onRead(({ id, bytes, of }) => (id === session() ? listener(bytes, of) : undefined)),
      cancel: () => ofKnown((id) => sessions.cancel(id)),
    };
  }

  /** With two lines beside each other, if there are some to compare. */
  async openInEditor(session: string, lines?: Compared): Promise<void> {
    const known = this.tabs.of(session);
    if (known) known.panel.reveal();
    else await this.tabs.open(session);
    const channel = this.tabs.of(session)?.channel;
    if (lines !== undefined) channel?.compare(lines);
    else if (!known) channel?.compose();
  }

  /** The view of the side bar is there; its page has been set. */
  async attachView(view: vscode.WebviewView, page: Page): Promise<void> {
    const channel = this.connect(page, 'view', {
      watch: (isVisible) => view.onDidChangeVisibility(() => isVisible(view.visible)),
      reveal: () => view.show(false),
      isInSight: () => this.view?.view === view && view.visible,
    });
    this.view = { view, channel };
    view.onDidDispose(() => {
      channel.dispose();
      if (this.view?.view === view) this.view = undefined;
      this.currentChanged.fire();
    });
    const open = async () => this.parts.sessions.open(await this.ofSideBar());
    await channel.present(this.coming(() => this.shown.id, open));
    this.currentChanged.fire();
  }

  /** A tab that a reload left, with what its document kept. */
  restoreTab(panel: vscode.WebviewPanel, kept: { session: string; tab: string | undefined }): Promise<void> {
    return this.tabs.restore(panel, kept);
  }

  /** The session is gone: its tab closes, and the side bar shows `instead`. */
  async drop(session: string, instead: () => string): Promise<void> {
    this.tabs.of(session)?.panel.dispose();
    if (this.shown.id === session) await this.setSideBar(instead());
  }

  dispose(): void {
    this.following.dispose();
    this.view?.channel.dispose();
    this.tabs.dispose();
    this.currentChanged.dispose();
  }

  /** Beside the title of the side bar: nothing else says where such a session is. */
  private nameFile(): void {
    const { id } = this.shown;
    const file = id === undefined ? undefined : this.parts.fileOf(id);
    if (this.view && this.view.view.description !== file) this.view.view.description = file;
  }

  private async reconnect(session: string): Promise<void> {
    const opened = await this.parts.sessions.open(session);
    if (this.shown.id === session) this.view?.channel.show(opened);
    this.tabs.of(session)?.channel.show(opened);
  }

  /** Webviews are not kept alive while hidden: their document says `open` when it is there again. */
  private connect(page: Page, surface: Surface, { watch, reveal, isInSight }: Place): Channel {
    const { drafts, onIntent, context } = this.parts;
    const keeper: Keeper = {
      isInSight,
      takeFocus: () => {
        reveal();
        channel.compose({ at: 'same' });
      },
    };
    const channel = new Channel({
      ...this.parts,
      context: { ...context, expand: (name) => this.askedBy(() => context.expand(name)) },
      drafts: {
        read: (session) => drafts.read(session),
        write: (session, draft) => {
          this.shown.touch(session);
          drafts.write(session, draft);
        },
      },
      onIntent: (outcome) => {
        if (outcome.failure === null) this.shown.touch(outcome.session);
        onIntent(outcome);
      },
      post: (message) => this.post(page.webview, message),
      command: (command, session) => this.askedBy(() => this.parts.command(command, session, surface)),
      bringBack: (session, composed) => this.bringBack(session, composed),
      onFocus: (focused) => {
        if (focused) this.last = surface;
        this.setFocus({ page, keeper }, focused);
      },
    });
    page.listen((data) => channel.receive(data));
    watch((visible) => {
      if (!visible) channel.detach();
      this.currentChanged.fire();
    });
    return channel;
  }

  /** Into the composer where the session is shown, else into its draft. */
  private async bringBack(session: string, { text, mentions }: Brought): Promise<void> {
    const shown = [
      this.tabs.of(session)?.channel,
      this.shown.id === session ? this.view?.channel : undefined,
    ];
    const there = shown.find((channel) => channel?.isThere === true);
    if (there) return there.compose({ text, mentions, at: 'none', session });
    await bringToDraft(this.parts.drafts, session, { text, mentions });
  }

  /** What it asked is over when it is: nobody has to wait for a next question. */
  private async askedBy<T>(work: () => Promise<T>): Promise<T> {
    this.focusBack.begins();
    try {
      return await work();
    } finally {
      this.focusBack.settled();
    }
  }

  private setFocus(chat: { page: Page; keeper: Keeper }, focused: boolean): void {
    if (focused) this.focusBack.arrived();
    if (focused === (this.focus?.page === chat.page)) return;
    this.focus = focused ? chat : undefined;
    this.currentChanged.fire();
  }

  private post(webview: vscode.Webview, message: ToWebview): void {
    this.guard(webview.postMessage(message), 'Talking to the chat view');
  }

  private guard(work: PromiseLike<unknown>, doing: string): void {
    work.then(undefined, (error: unknown) => this.parts.onError(error, doing));
  }
}
