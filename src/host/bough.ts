/**
 * Everything that is loaded after activation, put together once: storage, models, open sessions, the chats, the list and
 * the commands. No logic of its own beyond who gets what.
 */
import type { Failure } from '../shared/failure.js';
import type { RunState, UiCommand } from '../shared/protocol.js';
import { apiSession } from './api-session.js';
import { Chats } from './chat/chats.js';
import { randomIds, systemClock } from './clock.js';
import type { Commands } from './commands/commands.js';
import { modelCommands } from './commands/model.js';
import { sessionCommands } from './commands/session.js';
import { sessionOf } from './commands/target.js';
import { turnCommands } from './commands/turn.js';
import { runUiCommand, type UiParts } from './commands/ui.js';
import type { ProposedFile } from './editor/diffs.js';
import { unwrap } from './errors.js';
import { findFiles, openFile } from './files.js';
import { layGround, type Ground, type GroundParts } from './ground.js';
import { notifyWhenNeeded } from './notifications.js';
import { readProposal } from './proposal.js';
import type { ApiEvents, ApiSource } from './public-api.js';
import { followOthers } from './sessions/follow.js';
import type { OpenSessions } from './sessions/open-sessions.js';
import { SessionsTree, type TreeNode } from './sessions/tree.js';
import { tellWorld } from './tell-world.js';

export interface BoughParts extends GroundParts {
  events: ApiEvents;
  showRun: (run: RunState) => void;
  showNeeds: (count: number) => void;
  /** The focused row of the list. */
  selected: () => TreeNode | undefined;
  showDiff: (session: string, call: string) => Promise<Failure | null>;
}

export interface Bough extends ApiSource {
  commands: Commands;
  chats: Chats;
  tree: SessionsTree;
  runUi: (command: UiCommand) => Promise<unknown>;
  proposal: (session: string, call: string) => Promise<readonly ProposedFile[] | null>;
  /** Opens the session on show, so that a wait that is due goes on and the status bar is right. */
  start(): Promise<void>;
  /** Ends all runs and writes what waits to be written. */
  shutdown(): Promise<void>;
}

export async function createBough(parts: BoughParts): Promise<Bough> {
  const ground = await layGround(parts);
  const { bag, storage, sessions, drafts } = ground;
  const onError = parts.output.bug;
  const tree = bag.add(
    new SessionsTree({ store: storage.store, sessions, now: () => systemClock.now(), onError }),
  );
  const ui: UiParts = uiParts(parts, sessions, { commands: () => commands, chats: () => chats });
  const runUi = async (command: UiCommand, session?: string): Promise<unknown> =>
    runUiCommand(command, session ?? (await chats.current()), ui);
  const chats: Chats = bag.add(createChats(parts, ground, runUi));
  const commands = createCommands(parts, ground, { chats, tree });
  bag.add(followOthers({ sessions, chats, clock: systemClock, onError }));
  bag.add(sessions.on(({ id, type }) => (type === 'closed' ? drafts.forget(id) : undefined)));
  bag.add(notifyWhenNeeded(sessions, chats, parts.tell));
  bag.add(
    tellWorld({
      sessions,
      chats,
      events: parts.events,
      showRun: parts.showRun,
      showNeeds: parts.showNeeds,
      onError,
    }),
  );
  return {
    commands,
    chats,
    tree,
    runUi,
    proposal: (session, call) => readProposal(sessions, session, call),
    openSession: async ({ session, continueLast, show }) => {
      const id = session ?? (continueLast ? await chats.ofSideBar() : randomIds.session());
      const opened = await sessions.open(id);
      const trouble = sessions.troubleOf(id);
      if (trouble) throw trouble;
      if (show) await chats.show(id);
      return apiSession(opened);
    },
    listSessions: async () => (await storage.store.list({ limit: 200 })).sessions,
    start: async () => void (await sessions.open(await chats.ofSideBar())),
    shutdown: async () => {
      await Promise.all([sessions.shutdown(), drafts.flush()]);
      await storage.close();
      bag.dispose();
    },
  };
}

function createChats(
  { context, output, tell }: BoughParts,
  { storage, sessions, drafts }: Ground,
  runUi: (command: UiCommand, session: string) => Promise<unknown>,
): Chats {
  return new Chats({
    extensionUri: context.extensionUri,
    sessions,
    active: storage.active,
    clock: systemClock,
    command: runUi,
    files: findFiles,
    drafts,
    onIntent: (session, intent, failure) => {
      sessions.peek(session)?.takeIntent(intent, failure);
      if (intent.type === 'send' && failure === null) drafts.sent(session, intent.text);
    },
    log: output.log,
    onError: tell.error,
  });
}

function createCommands(
  parts: BoughParts,
  { storage, sessions, models }: Ground,
  { chats, tree }: { chats: Chats; tree: SessionsTree },
): Commands {
  const { tell } = parts;
  const shared = { store: storage.store, sessions, chats, tell };
  const targets = { selected: parts.selected, current: () => chats.current() };
  return {
    ...sessionCommands({ ...shared, tree, ids: randomIds, targets, now: () => systemClock.now() }),
    ...turnCommands(shared),
    ...modelCommands({
      ...shared,
      models: models.models,
      keys: models.keys,
      providers: models.providers,
      onKeys: models.changed,
    }),
    'bough.chat.show': async () => chats.show(await chats.ofSideBar()),
    'bough.chat.openInEditor': async (target) => chats.openInEditor(await sessionOf(target, targets)),
    'bough.log.show': () => {
      parts.output.show();
      return Promise.resolve();
    },
  };
}

function uiParts(
  parts: BoughParts,
  sessions: OpenSessions,
  { commands, chats }: { commands: () => Commands; chats: () => Chats },
): UiParts {
  return {
    commands,
    reopen: async (session) => void (await sessions.reopen(session)),
    saveAgain: async (session) => {
      const opened = await sessions.open(session);
      if (opened.hasUnsavedPrompt) await chats().show(session);
      else await opened.saveAgain();
    },
    openFile,
    openDiff: async (session, call) => void unwrap(await parts.showDiff(session, call)),
  };
}
