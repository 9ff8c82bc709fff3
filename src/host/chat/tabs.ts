/**
 * The editor tabs that show a chat, one for each session that was opened in one. A tab can come to show another session
 * than the one it was opened with; which one, it comes back to after a reload.
 */
import * as vscode from 'vscode';
import type { TabSessions } from '../sessions/active.js';
import type { OpenSessions } from '../sessions/open-sessions.js';
import type { HostSession } from '../sessions/session.js';
import type { Channel } from './channel.js';
import { TAB } from './html.js';
import type { Coming } from './opening.js';
import { openPage, type Page } from './page.js';

export interface TabsParts {
  extensionUri: vscode.Uri;
  sessions: OpenSessions;
  tabs: TabSessions;
  freshTab: () => string;
  /** Of a session that need not be open; undefined when it is not known. */
  titleOf: (session: string) => string | undefined;
  /** Before a session is opened that was shown before this window began. */
  recall: (session: string) => Promise<void>;
  onError: (error: unknown, doing: string) => void;
}

/** Where a page is. */
export interface Place {
  watch: (isVisible: (visible: boolean) => void) => vscode.Disposable;
  /** Brings it to the front, with the keyboard. */
  reveal: () => void;
  /** False also when it is gone. */
  isInSight: () => boolean;
}

/** What a tab has in common with the side bar. */
export interface TabsChats {
  connect: (page: Page, place: Place) => Channel;
  coming: (session: () => string | undefined, open: () => Promise<HostSession>) => Coming<HostSession>;
  /** The person went to a tab. */
  onActive: () => void;
  onChange: () => void;
}

export interface Tab {
  panel: vscode.WebviewPanel;
  channel: Channel;
  /** Its own, over reloads. */
  id: string;
  /** On show in it now. */
  session: string;
}

export class Tabs implements vscode.Disposable {
  /** By the session on show. */
  private readonly shown = new Map<string, Tab>();
  /** Tabs of before a reload of which it is looked up what they showed. */
  private readonly lookedUp = new Set<Promise<unknown>>();

  constructor(
    private readonly parts: TabsParts,
    private readonly chats: TabsChats,
  ) {}

  /** The one that shows this session, in sight or not. */
  of(session: string): Tab | undefined {
    return this.shown.get(session);
  }

  /** The session of the focused one. */
  active(): string | undefined {
    for (const [id, { panel }] of this.shown) if (panel.active) return id;
    return undefined;
  }

  /** The tab shows this session from now on; no other surface does. */
  async turn(tab: Tab, session: string): Promise<void> {
    this.shown.delete(tab.session);
    tab.session = session;
    this.shown.set(session, tab);
    await this.present(tab);
    // Meanwhile it may have been closed, or turned again.
    const isShown = tab.session === session && this.shown.get(session) === tab;
    if (isShown) this.remember(this.parts.tabs.write(tab.id, session));
  }

  /** A new one, unless a reload left one that is about to show it. */
  async open(session: string): Promise<void> {
    while (this.lookedUp.size > 0) await Promise.all(this.lookedUp);
    const left = this.shown.get(session);
    if (left) return left.panel.reveal();
    const { sessions, titleOf } = this.parts;
    const title = sessions.peek(session)?.title() ?? titleOf(session) ?? 'Bough';
    const panel = vscode.window.createWebviewPanel(TAB, title, vscode.ViewColumn.Active);
    await this.attach(panel, session);
  }

  /** One that a reload left, with what its document kept. */
  async restore(
    panel: vscode.WebviewPanel,
    kept: { session: string; tab: string | undefined },
  ): Promise<void> {
    let isClosed = false;
    const closing = panel.onDidDispose(() => (isClosed = true));
    const session = (await this.lookUp(kept.tab)) ?? kept.session;
    closing.dispose();
    if (!isClosed && !this.shown.has(session)) return this.attach(panel, session, kept.tab);
    // Each session has one tab.
    if (!isClosed) panel.dispose();
    if (kept.tab !== undefined) this.remember(this.parts.tabs.forget(kept.tab));
  }

  dispose(): void {
    for (const { channel } of this.shown.values()) channel.dispose();
  }

  private async lookUp(tab: string | undefined): Promise<string | undefined> {
    if (tab === undefined) return undefined;
    const looking = this.shownIn(tab);
    this.lookedUp.add(looking);
    try {
      return await looking;
    } finally {
      this.lookedUp.delete(looking);
    }
  }

  /** As good as not kept when it cannot be read: the document kept one too. */
  private async shownIn(tab: string): Promise<string | undefined> {
    try {
      return await this.parts.tabs.read(tab);
    } catch (error) {
      this.parts.onError(error, 'Showing the session');
      return undefined;
    }
  }

  /** A tab for this session, new or restored. */
  private async attach(
    panel: vscode.WebviewPanel,
    session: string,
    id = this.parts.freshTab(),
  ): Promise<void> {
    const page = openPage(panel.webview, this.parts.extensionUri, 'tab', { sessionId: session, tabId: id });
    const icon = (name: string) => vscode.Uri.joinPath(this.parts.extensionUri, 'media', name);
    panel.iconPath = { light: icon('bough-light.svg'), dark: icon('bough-dark.svg') };
    const noteActive = () => {
      if (panel.active) this.chats.onActive();
    };
    let isClosed = false;
    const channel = this.chats.connect(page, {
      watch: (isVisible) =>
        panel.onDidChangeViewState(() => {
          noteActive();
          isVisible(panel.visible);
        }),
      reveal: () => panel.reveal(),
      isInSight: () => !isClosed && panel.visible,
    });
    noteActive();
    const tab: Tab = { panel, channel, id, session };
    this.shown.set(session, tab);
    const titles = this.parts.sessions.on(({ id: changed, type }) => {
      const opened =
        changed === tab.session && (type === 'appended' || type === 'opened')
          ? this.parts.sessions.peek(changed)
          : undefined;
      if (opened) panel.title = opened.title();
    });
    panel.onDidDispose(() => {
      isClosed = true;
      titles.dispose();
      channel.dispose();
      if (this.shown.get(tab.session) === tab) this.shown.delete(tab.session);
      this.remember(this.parts.tabs.forget(id));
      this.chats.onChange();
    });
    await this.present(tab);
  }

  private async present(tab: Tab): Promise<void> {
    const { session } = tab;
    const open = async () => {
      await this.parts.recall(session);
      return this.parts.sessions.open(session);
    };
    const opened = await tab.channel.present(this.chats.coming(() => session, open));
    if (tab.session === session) tab.panel.title = opened.title();
    this.chats.onChange();
  }

  private remember(work: Promise<void>): void {
    work.catch((error: unknown) => this.parts.onError(error, 'Remembering which session is shown'));
  }
}
