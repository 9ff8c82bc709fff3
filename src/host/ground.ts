/** What chats, list and commands stand on: storage, models, agents, the open sessions. */
import * as vscode from 'vscode';
import type { Skills, Workspace } from '../ports.js';
import { createTools } from '../tools/index.js';
import { createSkillTool } from '../tools/skill.js';
import { createAgents } from './agents.js';
import { createToolBox, type ToolBox } from './api-tools.js';
import { cleanDrafts, Drafts } from './chat/drafts.js';
import { randomIds, systemClock } from './clock.js';
import { readSetting } from './configuration.js';
import { createComposerContext, type ComposerContext } from './context/context-source.js';
import { homeShelf } from './context/home-shelf.js';
import { createLeftOut } from './context/left-out.js';
import { createSkills } from './context/skills.js';
import { createBag, type Bag } from './disposables.js';
import { createShellTerminals } from './editor/shell-terminals.js';
import { createWorkspace } from './editor/workspace.js';
import { createHostFacts, type HostFacts } from './facts.js';
import { createWindowServers, type WindowServers } from './mcp/window-servers.js';
import { createHostModels, type HostModels } from './model/host-models.js';
import { followNoModel } from './model/no-model.js';
import { createLmTools, type LmTools } from './model/lm-tools.js';
import { SessionRetries } from './model/session-retries.js';
import type { Output } from './output.js';
import { OpenSessions } from './sessions/open-sessions.js';
import { HostSession } from './sessions/session.js';
import { createSubagents } from './subagents.js';
import { createToolSources } from './tool-sources.js';
import { openStorage, type Storage } from './storage.js';
import type { Teller } from './tell.js';

export interface GroundParts {
  context: vscode.ExtensionContext;
  output: Output;
  tell: Teller;
}

export interface Ground {
  bag: Bag;
  storage: Storage;
  models: HostModels;
  sessions: OpenSessions;
  drafts: Drafts;
  /** What the model can do: ours, and what other extensions bring. */
  tools: ToolBox;
  /** How requests of a session are sent again, where an extension wants it otherwise. */
  retries: SessionRetries;
  mcp: WindowServers;
  lmTools: LmTools;
  workspace: Workspace;
  skills: Skills;
  /** What messages bring along from the editor and the workspace. */
  composer: ComposerContext;
}

export async function layGround(parts: GroundParts): Promise<Ground> {
  const { context, output, tell } = parts;
  const bag = createBag();
  const storage = await openStorage({
    context,
    readSetting,
    clock: systemClock,
    ids: randomIds,
    onTrouble: (error) => output.log('warn', error.message),
    onError: output.bug,
    clean: (text) => output.redact.tokens(text),
    onSetting: tell.failure,
  });
  const facts = bag.add(createHostFacts(tell, output.bug));
  const models = bag.add(
    createHostModels({
      secrets: context.secrets,
      readSetting,
      clock: systemClock,
      output,
      onMoved: (report) => facts.tellSecrets(report),
    }),
  );
  // Without secret storage there are no keys; everything else goes on.
  await models.start().catch(output.bug);
  const tellNone = (none: boolean) =>
    void vscode.commands.executeCommand('setContext', 'bough.model.none', none);
  bag.add(followNoModel({ models, readSetting, tell: tellNone, onError: output.bug }));
  const supervisor = vscode.Uri.joinPath(context.extensionUri, 'dist', 'supervisor.js').fsPath;
  const { open } = bag.add(createShellTerminals(systemClock));
  const workspace = createWorkspace({ supervisor, clock: systemClock, env: process.env, open });
  const skills = createSkills({ workspace, atHome: homeShelf, log: output.log });
  const mcp = bag.add(createWindowServers({ ...{ context, supervisor, output, tell }, clock: systemClock }));
  const lmTools = createLmTools(context.workspaceState);
  const comeAndGo = createToolSources([() => mcp.servers.tools(), lmTools.tools], output.log);
  const tools = createToolBox([...createTools(), createSkillTool(skills)], comeAndGo);
  const retries = new SessionRetries();
  const sessions = createSessions(parts, { storage, facts, models, tools, workspace, skills, mcp, retries });
  const drafts = new Drafts(cleanDrafts(storage.drafts, output.redact), systemClock, output.bug);
  const composer = bag.add(
    createComposerContext({
      ...{ store: storage.store, sessions, skills, workspace, onError: output.bug },
      leftOut: createLeftOut(output.log),
      // Beside the storage of extensions, in each profile.
      own: vscode.Uri.joinPath(context.globalStorageUri, '..', '..', 'prompts'),
    }),
  );
  return {
    ...{ bag, storage, models, sessions, drafts, tools, retries },
    ...{ mcp, lmTools, workspace, skills, composer },
  };
}

function createSessions(
  { output }: GroundParts,
  {
    storage,
    facts,
    models,
    tools,
    workspace,
    skills,
    mcp,
    retries,
  }: Omit<Ground, 'bag' | 'sessions' | 'drafts' | 'lmTools' | 'composer'> & { facts: HostFacts },
): OpenSessions {
  const createAgent = createAgents({
    models: models.models,
    ...{ workspace, skills },
    tools: () => tools.list(),
    toolsReady: () => mcp.servers.prepare(),
    readSetting,
    retries,
    output,
    subagents: () => subagents,
    isForeign: (id) => storage.store.isForeign(id),
  });
  const sessions: OpenSessions = new OpenSessions({
    store: storage.store,
    folder: storage.store.first.folder,
    create: (log) =>
      new HostSession({
        agent: createAgent(log),
        isEphemeral: storage.store.isEphemeral(log.id),
        facts,
        resolveModel: (wanted) => models.models.resolve(wanted),
        onModels: models.onChange,
        onError: output.bug,
      }),
    onError: output.bug,
  });
  const subagents = createSubagents({ sessions, store: storage.store });
  return sessions;
}
