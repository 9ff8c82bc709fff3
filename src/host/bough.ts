/**
 * Everything that is loaded after activation, put together once: storage, models, open sessions, the chats, the list and
 * the commands. No logic of its own beyond who gets what.
 */
import * as vscode from 'vscode';
import type { Failure } from '../shared/failure.js';
import type { RunState, UiCommand } from '../shared/protocol.js';
import { createAgents } from './agents.js';
import { apiSession } from './api-session.js';
import { Chats } from './chat/chats.js';
import { Drafts } from './chat/drafts.js';
import { randomIds, systemClock } from './clock.js';
import type { Commands } from './commands/commands.js';
import { modelCommands } from './commands/model.js';
import { sessionCommands } from './commands/session.js';
import { sessionOf } from './commands/target.js';
import { turnCommands } from './commands/turn.js';
import { runUiCommand, type UiParts } from './commands/ui.js';
import { readSetting } from './configuration.js';
import { createBag, type Bag } from './disposables.js';
import type { ProposedFile } from './editor/diffs.js';
import { createWorkspace } from './editor/workspace.js';
import { unwrap } from './errors.js';
import { createHostFacts, type HostFacts } from './facts.js';
import { findFiles, openFile } from './files.js';
import { createHostModels, type HostModels } from './model/host-models.js';
import { notifyWhenNeeded } from './notifications.js';
import type { Output } from './output.js';
import { readProposal } from './proposal.js';
import type { ApiEvents, ApiSource } from './public-api.js';
import { followOthers } from './sessions/follow.js';
import { OpenSessions } from './sessions/open-sessions.js';
import { HostSession } from './sessions/session.js';
import { SessionsTree, type TreeNode } from './sessions/tree.js';
import { openStorage, tellMovedLocation, type Storage } from './storage.js';
import type { Teller } from './tell.js';
import { tellWorld } from './tell-world.js';

export interface BoughParts {
  context: vscode.ExtensionContext;
  output: Output;
  tell: Teller;
  events: ApiEvents;
  showRun: (run: RunState) => void;
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

/** What the rest is built from. */
interface Ground {
  parts: BoughParts;
  bag: Bag;
  storage: Storage;
  facts: HostFacts;
  models: HostModels;
  sessions: OpenSessions;
  drafts: Drafts;
}

export async function createBough(parts: BoughParts): Promise<Bough> {
  const ground = await layGround(parts);
  const { bag, storage, sessions, drafts } = ground;
  const tree = bag.add(
    new SessionsTree({
      store: storage.store,
      sessions,
      now: () => systemClock.now(),
      onError: parts.output.bug,
    }),
  );
  const ui: UiParts = uiParts(
    ground,
    () => commands,
    () => chats,
  );
  const runUi = async (command: UiCommand, session?: string): Promise<unknown> =>
    runUiCommand(command, session ?? (await chats.current()), ui);
  const chats: Chats = bag.add(createChats(ground, runUi));
  const commands = createCommands(ground, chats, tree);
  bag.add(followOthers({ sessions, chats, clock: systemClock, onError: parts.output.bug }));
  bag.add(sessions.on(({ id, type }) => (type === 'closed' ? drafts.forget(id) : undefined)));
  bag.add(notifyWhenNeeded(sessions, chats, parts.tell));
  bag.add(
    tellWorld({ sessions, chats, events: parts.events, showRun: parts.showRun, onError: parts.output.bug }),
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

async function layGround(parts: BoughParts): Promise<Ground> {
  const { context, output, tell } = parts;
  const bag = createBag();
  const storage = await openStorage({
    context,
    readSetting,
    clock: systemClock,
    ids: randomIds,
    onTrouble: (error) => output.log('warn', error.message),
    onSetting: tell.failure,
  });
  bag.add(tellMovedLocation(tell));
  const facts = bag.add(createHostFacts(output.bug));
  const models = bag.add(
    createHostModels({
      secrets: context.secrets,
      readSetting,
      clock: systemClock,
      output,
      onMoved: (report) => {
        facts.tellSecrets(report);
        if (report.moved.length > 0)
          tell.info(
            vscode.l10n.t(
              "The key of {0} was moved from the settings to VS Code's secret storage.",
              report.moved.join(', '),
            ),
          );
      },
    }),
  );
  await models.start();
  const supervisor = vscode.Uri.joinPath(context.extensionUri, 'dist', 'supervisor.js').fsPath;
  const workspace = createWorkspace({ supervisor, clock: systemClock, env: process.env });
  const createAgent = createAgents({ models: models.models, workspace, readSetting, output });
  const sessions = new OpenSessions({
    store: storage.store,
    folder: storage.folder,
    create: (log) =>
      new HostSession({
        agent: createAgent(log),
        facts,
        resolveModel: (wanted) => models.models.resolve(wanted),
        onModels: models.onChange,
        onError: output.bug,
      }),
    onError: output.bug,
  });
  return {
    parts,
    bag,
    storage,
    facts,
    models,
    sessions,
    drafts: new Drafts(storage.drafts, systemClock, output.bug),
  };
}

function createChats(
  { parts, storage, sessions, drafts }: Ground,
  runUi: (command: UiCommand, session: string) => Promise<unknown>,
): Chats {
  const { context, output, tell } = parts;
  return new Chats({
    extensionUri: context.extensionUri,
    sessions,
    active: storage.active,
    clock: systemClock,
    command: runUi,
    files: findFiles,
    drafts,
    onIntent: (session, intent, failure) => sessions.peek(session)?.takeIntent(intent, failure),
    log: output.log,
    onError: tell.error,
  });
}

function createCommands(ground: Ground, chats: Chats, tree: SessionsTree): Commands {
  const { parts, storage, sessions, models } = ground;
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

function uiParts({ parts, sessions }: Ground, commands: () => Commands, chats: () => Chats): UiParts {
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
