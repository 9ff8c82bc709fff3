/**
 * Everything that is loaded after activation, put together once: storage, models, open sessions, the chats, the list and
 * the commands. No logic of its own beyond who gets what.
 */
import * as vscode from 'vscode';
import type { RunState, UiCommand } from '../shared/protocol.js';
import { ApiHolds } from './api-holds.js';
import { createStoreApi, type StoreApiParts } from './api-store.js';
import { Chats, type ChatsParts } from './chat/chats.js';
import type { Surface } from './chat/html.js';
import { randomIds, systemClock } from './clock.js';
import { allCommands, copyParts, restoreParts, type AllCommandParts } from './commands/all.js';
import type { Commands } from './commands/commands.js';
import { showChangedFiles } from './commands/compare.js';
import { continueCopy } from './commands/copies.js';
import { runUiCommand, type UiParts } from './commands/ui.js';
import { offerProblems } from './context/added.js';
import { createChangedPlaces } from './editor/changed-places.js';
import { createCodeBlocks, type CodeBlocks } from './editor/code-blocks.js';
import type { Diffs, FoundProposal } from './editor/diffs.js';
import type { KeptFiles } from './editor/kept-files.js';
import { createPreviewQuestions } from './editor/preview-question.js';
import { previewFiles } from './editor/restore.js';
import { troubleOf, unwrap } from './errors.js';
import { openFile, pathsOf } from './files.js';
import { layGround, type Ground, type GroundParts } from './ground.js';
import { notifyWhenNeeded } from './notifications.js';
import { answerInChat } from './participant/answer.js';
import type { ChatAsked } from './participant/register.js';
import { isDecision, keepEdited, readProposal } from './proposal.js';
import type { ApiEvents, ApiSource } from './public-api.js';
import { PlatformPolicies } from '../shared/route.js';
import { readSetting } from './configuration.js';
import { readRestLimits, readRetention } from './model/settings.js';
import { createReports } from './reports.js';
import { followOthers } from './sessions/follow.js';
import { followList, type FollowListParts } from './sessions/follow-list.js';
import { offerCopies } from './sessions/moved-location.js';
import { changesFiles } from './sessions/open-changes.js';
import type { OpenSessions } from './sessions/open-sessions.js';
import { OtherFolders } from './sessions/other-folders.js';
import { standWhereWritten } from './sessions/other-window.js';
import { letSessionsRest } from './sessions/rest.js';
import { applyRetention } from './sessions/retention.js';
import { showReading } from './sessions/show-reading.js';
import { SessionsTree } from './sessions/tree.js';
import { filterWords } from './sessions/tree-filter.js';
import type { SessionsView } from './sessions/view.js';
import { watchFolder } from './sessions/watch-folder.js';
import type { WindowStore } from './sessions/window-store.js';
import { tellWorld } from './tell-world.js';

export interface BoughParts extends GroundParts {
  events: ApiEvents;
  showRun: (run: RunState) => void;
  showNeeds: (count: number) => void;
  /** The list of sessions. */
  list: SessionsView;
  diffs: Diffs;
  kept: KeptFiles;
}

export interface Bough extends ApiSource {
  commands: Commands;
  chats: Chats;
  tree: SessionsTree;
  runUi: (command: UiCommand) => Promise<unknown>;
  /** A prompt of VS Code's own Chat view. */
  answer: (asked: ChatAsked) => Promise<vscode.ChatResult>;
  proposal: (session: string, call: string) => Promise<FoundProposal | null>;
  /** What the person made of a proposal; null: nothing. */
  keepEdited: (session: string, call: string, text: string | null) => Promise<void>;
  keptBytes: (session: string, hash: string) => Promise<Uint8Array>;
  /** Opens the session on show, so that a wait that is due goes on and the status bar is right. */
  start(): Promise<void>;
  /** Ends all runs and writes what waits to be written. */
  shutdown(): Promise<void>;
}

export async function createBough(parts: BoughParts): Promise<Bough> {
  let hasOtherFolders = false;
  const early = vscode.workspace.onDidChangeWorkspaceFolders(() => (hasOtherFolders = true));
  const ground = await layGround(parts);
  const { bag, storage, sessions, drafts } = ground;
  const { store } = storage;
  const { bug: onError } = parts.output;
  const now = () => systemClock.now();
  const shown = () => chats.peekCurrent();
  const tree = bag.add(
    new SessionsTree({ store, sessions, shown, now, onError, isVisible: parts.list.isVisible }),
  );
  const code = bag.add(createCodeBlocks({ ask: parts.tell.info }));
  const ui: UiParts = uiParts(sessions, {
    code,
    diffs: parts.diffs,
    all: () => all,
    commands: () => commands,
  });
  const runUi = async (command: UiCommand, session?: string, surface?: Surface): Promise<unknown> =>
    runUiCommand(command, { session: session ?? (await chats.current()), surface }, ui);
  const chats: Chats = bag.add(createChats(parts, ground, { runUi, titleOf: (id) => tree.titleOf(id) }));
  const { buckets, roots } = storage;
  const folders = new OtherFolders({ buckets, roots, store, chats, tree, tell: parts.tell, now });
  const reports = bag.add(createReports());
  const all: AllCommandParts = {
    ...{ ground, chats, tree, folders, code, tell: parts.tell, output: parts.output },
    reports,
    kept: parts.kept,
    questions: bag.add(createPreviewQuestions(onError)),
    targets: { selected: parts.list.selected, current: () => chats.current() },
  };
  const commands = allCommands(all);
  bag.add(offerCopies({ roots, reports, tell: parts.tell }));
  const views = {
    isVisible: (id: string) => chats.isVisible(id),
    onChange: (listener: () => void) =>
      vscode.Disposable.from(chats.onChange(listener), vscode.window.onDidChangeWindowState(listener)),
  };
  const watching = { sessions, watch: watchFolder, clock: systemClock, onError };
  bag.add(followOthers({ ...watching, chats: views }));
  bag.add(followList({ ...watching, folders: () => foldersOf(store), list: listOf(parts.list, tree) }));
  bag.add(
    letSessionsRest({
      ...{ sessions, clock: systemClock, onError },
      hasView: (id) => chats.hasView(id),
      onViews: chats.onChange,
      limits: () => readRestLimits(readSetting),
    }),
  );
  const followFolders = (): void => void folders.followFolders().catch(onError);
  bag.add(vscode.workspace.onDidChangeWorkspaceFolders(followFolders));
  early.dispose();
  if (hasOtherFolders) followFolders();
  bag.add(showReading({ reading: store.reading, clock: systemClock }));
  bag.add(tree.onDidFilter((filter) => parts.list.say(filterWords(filter))));
  bag.add(chats.onChange(whenOther(shown, () => tree.refresh())));
  bag.add(sessions.on(({ id, type }) => (type === 'closed' ? drafts.forget(id) : undefined)));
  bag.add(sessions.on((event) => (isDecision(event) ? parts.diffs.closeDecided(event.id) : undefined)));
  const places = bag.add(
    createChangedPlaces({ agent: () => sessions.peek(chats.peekCurrent() ?? '')?.agent, onError }),
  );
  bag.add(chats.onChange(() => places.refresh()));
  bag.add(sessions.on((event) => (changesFiles(event) ? places.refresh() : undefined)));
  bag.add(offerProblems());
  bag.add(notifyWhenNeeded(sessions, chats, parts.tell));
  bag.add(
    tellWorld({
      store,
      sessions,
      chats,
      events: parts.events,
      showRun: parts.showRun,
      showNeeds: parts.showNeeds,
      onError,
    }),
  );
  const api: StoreApiParts = {
    store,
    connect: storage.connect,
    buckets: storage.buckets,
    sessions,
    chats,
    tree,
    routes: {
      policies: new PlatformPolicies(),
      surfaces: storage.surfaces,
      readSetting,
      freshId: () => randomIds.session(),
    },
    tools: ground.tools,
    holds: new ApiHolds(),
    retries: ground.retries,
    onError,
  };
  const answer = { sessions, store, routes: api.routes, freshThread: () => randomIds.entry() };
  return {
    commands,
    chats,
    tree,
    runUi,
    answer: (asked) => answerInChat(answer, asked),
    proposal: (session, call) => readProposal({ sessions, drafts }, session, call),
    keepEdited: (session, call_id, text) => keepEdited({ drafts, chats }, { session, call_id, text }),
    keptBytes: async (session, hash) => (await sessions.open(session)).agent.log.blobs.get(hash),
    storeApi: (owner) => createStoreApi(api, owner),
    start: async () => {
      await unlessCancelled(async () => sessions.open(await chats.ofSideBar()));
      await applyRetention(readRetention(readSetting), { store, sessions, tree, tell: parts.tell });
      await folders.offerRelink();
      await ground.mcp.start();
    },
    shutdown: async () => {
      await Promise.all([sessions.shutdown(), drafts.flush(), ground.mcp.servers.close()]);
      await storage.close();
      bag.dispose();
    },
  };
}

/** The person may have had enough of waiting for it. */
async function unlessCancelled(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (troubleOf(error, 'Opening the session').kind !== 'cancelled') throw error;
  }
}

const foldersOf = ({ places }: WindowStore): string[] => places.flatMap(({ logs }) => logs ?? []);

const listOf = (view: SessionsView, tree: SessionsTree): FollowListParts['list'] => ({
  isVisible: view.isVisible,
  onView: (listener) =>
    vscode.Disposable.from(
      view.onView(listener),
      vscode.window.onDidChangeWindowState(({ focused }) => (focused ? listener() : undefined)),
    ),
  onRead: (listener) => tree.onDidChangeTreeData(listener),
  refresh: () => tree.refresh(),
});

/** Calls `work` when what `read` gives is another than before. */
function whenOther(read: () => string | undefined, work: () => void): () => void {
  let before = read();
  return () => {
    const now = read();
    if (now === before) return;
    before = now;
    work();
  };
}

function createChats(
  { context, output, tell, diffs }: BoughParts,
  { storage, sessions, drafts, composer }: Ground,
  { runUi, titleOf }: { runUi: ChatsParts['command']; titleOf: ChatsParts['titleOf'] },
): Chats {
  return new Chats({
    extensionUri: context.extensionUri,
    sessions,
    active: storage.active,
    tabs: storage.tabs,
    freshTab: () => randomIds.entry(),
    titleOf,
    fileOf: (id) => storage.store.fileOf(id),
    recall: (id) => storage.store.recall(id),
    clock: systemClock,
    command: runUi,
    context: composer.source,
    paths: pathsOf,
    drafts: {
      read: (session) => drafts.read(session),
      write: (session, draft) => {
        drafts.writeShown(session, draft);
        diffs.refresh(session);
      },
    },
    onIntent: ({ session, intent, failure, seen }) => {
      sessions.peek(session)?.takeIntent(intent, failure, seen);
      if (intent.type === 'send' && failure === null) drafts.sent(session, intent.text);
    },
    log: output.log,
    onError: tell.error,
  });
}

function uiParts(
  sessions: OpenSessions,
  parts: {
    code: CodeBlocks;
    diffs: Diffs;
    all: () => AllCommandParts;
    commands: () => Commands;
  },
): UiParts {
  return {
    commands: parts.commands,
    reopen: async (session) => void (await sessions.reopen(session)),
    keepAsBranch: (session) => standWhereWritten(sessions, session),
    continueCopy: (session) => continueCopy(copyParts(parts.all()), session),
    saveAgain: async (session) => {
      const opened = await sessions.open(session);
      if (opened.hasUnsavedPrompt) await parts.all().chats.show(session);
      else await opened.saveAgain();
    },
    openFile,
    openMention: (mention) => parts.all().ground.composer.open(mention),
    code: parts.code,
    openDiff: async (session, call) => void unwrap(await parts.diffs.show(session, call)),
    previewFiles: async (session) =>
      previewFiles((await sessions.open(session)).agent, restoreParts(parts.all())),
    keepFiles: async (session) => (await sessions.open(session)).files.drop(),
    compareInEditor: (session, lines) => parts.all().chats.openInEditor(session, lines),
    compareFiles: async (session, lines, path) =>
      showChangedFiles((await sessions.open(session)).agent.log, lines, { kept: parts.all().kept, path }),
  };
}
