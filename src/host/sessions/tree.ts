/**
 * The native list of sessions: newest first, by days when there are several, each with its branches below. Rows are what
 * the store's list says, with the state of runs that live in this window.
 */
import * as vscode from 'vscode';
import type { SessionSummary } from '../../log/store.js';
import { isBoughError } from '../../shared/failure.js';
import { Outline } from '../../shared/fold/outline.js';
import type { OutlineNode } from '../../shared/fold/types.js';
import { branchItem } from './branch-items.js';
import { branchesOf } from './branches.js';
import type { OpenSessions, SessionEvent } from './open-sessions.js';
import { failingItem, groupItem, moreItem, noneItem, unreadItem } from './plain-items.js';
import { bySaid, groupByTime, relativeTime, rowIcons, rowWord, troubleWord } from './rows.js';
import { nestRows } from './nested.js';
import { MoreRows } from './more-rows.js';
import { ON_SHOW } from './on-show.js';
import { ReadAhead } from './read-ahead.js';
import { sessionTooltip } from './session-tooltip.js';
import { filterWords, noFilter, queryOf, type TreeFilter } from './tree-filter.js';
import type { TreeNode } from './tree-node.js';
import type { WindowStore } from './window-store.js';

export interface SessionsTreeParts {
  store: WindowStore;
  sessions: OpenSessions;
  /** The session of the chat in front. */
  shown: () => string | undefined;
  isVisible: () => boolean;
  now: () => number;
  onError: (error: unknown) => void;
}

/** What the store says of the rows. */
interface Listed {
  sessions: SessionSummary[];
  isMore: boolean;
  failing: readonly string[];
}

const PAGE = 50;
/** Branches below a session, the newest first. */
const BRANCHES = 20;
/** Changes that come within this time are shown together. */
const REFRESH_MS = 100;

export class SessionsTree implements vscode.TreeDataProvider<TreeNode>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<TreeNode | undefined>();
  readonly onDidChangeTreeData = this.changed.event;
  private readonly filtered = new vscode.EventEmitter<TreeFilter>();
  readonly onDidFilter = this.filtered.event;
  /** The first of the rows that were asked for by "Show More" is there. */
  private readonly came = new vscode.EventEmitter<TreeNode>();
  readonly onDidShowMore = this.came.event;
  private readonly moreRows: MoreRows;
  private readonly ahead: ReadAhead<Listed>;
  private limit = PAGE;
  /** Of sessions of which more branches were asked for. */
  private readonly branchLimits = new Map<string, number>();
  /** As the list was read last. */
  private subagents: ReadonlyMap<string, readonly SessionSummary[]> = new Map();
  private readonly titles = new Map<string, string>();
  /** Another window works in them. */
  private workedIn: ReadonlySet<string> = new Set();
  private shownFilter = noFilter;
  private timer: NodeJS.Timeout | undefined;
  private readonly subscriptions: { dispose(): void }[];

  constructor(private readonly parts: SessionsTreeParts) {
    this.moreRows = new MoreRows(parts.now);
    this.ahead = new ReadAhead({
      read: () => this.read(),
      isVisible: parts.isVisible,
      now: parts.now,
      onRead: () => this.changed.fire(undefined),
    });
    this.subscriptions = [
      parts.store.onChange((id) => {
        if (!parts.sessions.peek(id)) this.refresh();
      }),
      parts.sessions.on((event) => {
        const isBroken = event.type === 'opened' && parts.sessions.troubleOf(event.id) !== undefined;
        if (isBroken || changesRows(event)) this.refresh();
      }),
    ];
  }

  refresh(): void {
    this.ahead.changed();
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      void this.ahead.look();
    }, REFRESH_MS);
  }

  /** Of a session that was in the list when it was read last. */
  titleOf(session: string): string | undefined {
    return this.titles.get(session);
  }

  get filter(): TreeFilter {
    return this.shownFilter;
  }

  show(filter: TreeFilter): void {
    this.shownFilter = filter;
    this.filtered.fire(filter);
    this.refresh();
  }

  /** More sessions, or more branches of this one. */
  showMore(session?: string): void {
    if (session === undefined) this.limit += PAGE;
    else this.branchLimits.set(session, this.branchLimit(session) + BRANCHES);
    this.moreRows.ask(session);
    this.refresh();
  }

  /** Reads what was left when reading was stopped. */
  readOn(): void {
    this.parts.store.reading.again();
    this.refresh();
  }

  getParent(node: TreeNode): TreeNode | undefined {
    return this.moreRows.parentOf(node);
  }

  private subagentsOf({ id }: SessionSummary): TreeNode[] {
    return sessionNodes(this.subagents.get(id) ?? []);
  }

  private branchLimit(session: string): number {
    return this.branchLimits.get(session) ?? BRANCHES;
  }

  async getChildren(node?: TreeNode): Promise<TreeNode[]> {
    const rows = await this.rowsOrForget(node);
    if (node === undefined) return rows;
    this.moreRows.below(node, rows);
    if (node.kind === 'session') this.tell(this.moreRows.read(node.summary.id, rows));
    return rows;
  }

  /** @throws what {@link rowsBelow} does */
  private async rowsOrForget(node?: TreeNode): Promise<TreeNode[]> {
    try {
      return await this.rowsBelow(node);
    } catch (error) {
      if (node === undefined) this.moreRows.forget(undefined);
      else if (node.kind === 'session') this.moreRows.forget(node.summary.id);
      throw error;
    }
  }

  private tell(first: TreeNode | undefined): void {
    if (first !== undefined) this.came.fire(first);
  }

  private async rowsBelow(node?: TreeNode): Promise<TreeNode[]> {
    switch (node?.kind) {
      case undefined:
        return this.roots();
      case 'group':
        return node.rows;
      case 'session':
        return [...this.subagentsOf(node.summary), ...(await this.branches(node.summary))];
      case 'branch':
      case 'more':
      case 'failing':
      case 'unread':
      case 'none':
        return [];
    }
  }

  getTreeItem(node: TreeNode): vscode.TreeItem {
    switch (node.kind) {
      case 'group':
        return groupItem(node);
      case 'session':
        return this.sessionItem(node.summary);
      case 'branch':
        return branchItem(node.session, node.branch, this.parts.sessions.peekReadable(node.session)?.run());
      case 'more':
        return moreItem(node);
      case 'failing':
        return failingItem(node.messages);
      case 'unread':
        return unreadItem(node.count);
      case 'none':
        return noneItem();
    }
  }

  dispose(): void {
    clearTimeout(this.timer);
    for (const subscription of this.subscriptions) subscription.dispose();
    this.changed.dispose();
    this.came.dispose();
    this.filtered.dispose();
  }

  private async roots(): Promise<TreeNode[]> {
    const { sessions: all, isMore, failing } = await this.ahead.take();
    const { left } = this.parts.store.reading;
    this.titles.clear();
    for (const { id, title } of all) this.titles.set(id, title);
    const { sessions, below } = nestRows(all);
    this.subagents = below;
    const groups = groupByTime(bySaid(sessions), this.parts.now());
    const members = groups.map((group): Extract<TreeNode, { kind: 'group' }> => {
      const node = { kind: 'group' as const, name: group.name, rows: sessionNodes(group.rows) };
      if (groups.length > 1) this.moreRows.below(node, node.rows);
      return node;
    });
    const listed = members.flatMap((group) => group.rows);
    const rows = members.length === 1 ? listed : members;
    this.tell(this.moreRows.read(undefined, listed));
    return [
      ...(failing.length === 0 ? [] : [{ kind: 'failing' as const, messages: failing }]),
      ...(left === 0 ? [] : [{ kind: 'unread' as const, count: left }]),
      ...rows,
      ...(rows.length === 0 && filterWords(this.shownFilter) !== undefined
        ? [{ kind: 'none' as const }]
        : []),
      ...(isMore ? [{ kind: 'more' as const, count: this.limit }] : []),
    ];
  }

  private async read(): Promise<Listed> {
    const failing = new Set<string>();
    const sessions: SessionSummary[] = [];
    let cursor: string | undefined;
    do {
      const page = await this.parts.store.list({
        ...queryOf(this.shownFilter),
        limit: PAGE,
        ...(cursor === undefined ? {} : { cursor }),
      });
      sessions.push(...page.sessions);
      for (const message of this.parts.store.failing) failing.add(message);
      ({ cursor } = page);
    } while (cursor !== undefined && sessions.length < this.limit);
    this.workedIn = await this.workedInElsewhere(sessions);
    return { sessions, isMore: cursor !== undefined, failing: [...failing] };
  }

  /** On disk a turn that goes on in another window looks like one that was cut. */
  private async workedInElsewhere(rows: readonly SessionSummary[]): Promise<Set<string>> {
    const found = new Set<string>();
    for (const { id, status } of rows) {
      const isOurs = (this.parts.sessions.peek(id)?.agent.run() ?? 'idle') !== 'idle';
      if (status !== 'incomplete' || isOurs) continue;
      try {
        if ((await this.parts.store.holder(id)) !== null) found.add(id);
      } catch (error) {
        // The row says no more than its file does.
        if (!isBoughError(error)) throw error;
      }
    }
    return found;
  }

  private async branches({ id }: SessionSummary): Promise<TreeNode[]> {
    const log = this.parts.sessions.peek(id)?.agent.log ?? (await this.parts.store.open(id));
    const branches = branchesOf(log.outline, log.head, log.state().labels).reverse();
    const limit = this.branchLimit(id);
    const rows = branches.filter(({ isShown }, index) => index < limit || isShown);
    const nodes: TreeNode[] = rows.map((branch) => ({ kind: 'branch', session: id, branch }));
    const left = branches.length - rows.length;
    return left === 0 ? nodes : [...nodes, { kind: 'more', count: left, session: id }];
  }

  private sessionItem(summary: SessionSummary): vscode.TreeItem {
    const live = this.parts.sessions.peekReadable(summary.id);
    const { sessions } = this.parts;
    // Of one that could not be opened here the list may not know yet.
    const trouble = sessions.troubleOf(summary.id);
    const word = trouble
      ? troubleWord(trouble)
      : this.workedIn.has(summary.id) && (live?.agent.run() ?? 'idle') === 'idle'
        ? 'running'
        : rowWord(summary, live?.run(), live?.interrupted() != null);
    const title = live?.title() ?? summary.title;
    const isShown = this.parts.shown() === summary.id;
    const item = new vscode.TreeItem(
      title,
      this.subagents.has(summary.id)
        ? vscode.TreeItemCollapsibleState.Expanded
        : collapsibility(live?.agent.log.outline, summary),
    );
    if (isShown) item.resourceUri = ON_SHOW;
    const isEphemeral = this.parts.store.isEphemeral(summary.id);
    const { icon, color } = word === '' ? restingIcon(summary, isEphemeral) : rowIcons[word];
    item.id = `session:${summary.id}`;
    const unkept = isEphemeral ? vscode.l10n.t('not kept in a file') : '';
    item.description = word === '' ? unkept : word;
    item.iconPath = new vscode.ThemeIcon(
      icon,
      color === undefined ? undefined : new vscode.ThemeColor(color),
    );
    item.tooltip = sessionTooltip(title, summary, {
      now: this.parts.now(),
      isEphemeral,
      here: this.parts.store.first.folder,
      titleOf: (id) => this.titleOf(id),
    });
    item.contextValue = ['session', word, summary.archived ? 'archived' : isEphemeral ? 'ephemeral' : 'kept']
      .filter((part) => part !== '')
      .join(' ');
    item.command = {
      command: 'bough.session.open',
      title: vscode.l10n.t('Open Session'),
      arguments: [summary.id],
    };
    item.accessibilityInformation = {
      label: [
        title,
        word,
        unkept,
        isShown ? vscode.l10n.t('on show') : '',
        relativeTime(summary.said, this.parts.now(), vscode.env.language),
      ]
        .filter((part) => part !== '')
        .join(', '),
    };
    return item;
  }
}

const sessionNodes = (sessions: readonly SessionSummary[]): TreeNode[] =>
  sessions.map((summary) => ({ kind: 'session', summary }));

/** What nothing has to be said of, but where it is kept and that it is a copy: that is called as the other is. */
function restingIcon({ origin }: SessionSummary, isEphemeral: boolean): { icon: string; color?: string } {
  if (isEphemeral) return { icon: 'eye-closed' };
  return origin === undefined ? rowIcons[''] : { icon: 'repo-forked' };
}

/** What a row, or how many there are, may follow from. */
const rowTypes = new Set(['session_info', 'head', 'label', 'incomplete_output']);

/** A list costs a look at every file, so it is made anew only for what a row shows. */
function changesRows(event: SessionEvent): boolean {
  switch (event.type) {
    case 'opened':
      return false;
    // Its file may be gone.
    case 'access':
    case 'closed':
    case 'rested':
    case 'holder':
    case 'replaced':
      return true;
    case 'appended':
      return event.placed.some(({ position, entry }) => position === 0 || rowTypes.has(entry.type));
    case 'agent':
      return event.event.type === 'run' || event.event.type === 'turn_end';
  }
}

/** What is open here knows more than the list. */
function collapsibility(
  outline: readonly OutlineNode[] | undefined,
  { leaves }: SessionSummary,
): vscode.TreeItemCollapsibleState {
  const lines = outline === undefined ? leaves : new Outline(outline).leaves().length;
  return lines > 1 ? vscode.TreeItemCollapsibleState.Collapsed : vscode.TreeItemCollapsibleState.None;
}
