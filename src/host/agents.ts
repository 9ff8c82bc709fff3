/** Puts an agent around a log, with everything of this window that it asks for. */
import * as vscode from 'vscode';
import { createAgentSession } from '../agent/session.js';
import type { AgentParts, AgentSession } from '../agent/types.js';
import type { SessionLog } from '../log/store.js';
import type { Models, Skills, Subagents, Tool, Workspace } from '../ports.js';
import { createApprovalRules, type AddedRule, type RuleStore } from './approval-rules.js';
import { randomIds, systemClock } from './clock.js';
import { shellName } from './editor/shell.js';
import { readAgentSettings, type ReadSetting } from './model/settings.js';
import type { SessionRetries } from './model/session-retries.js';
import type { Output } from './output.js';
import { readSurroundings } from './surroundings.js';

export interface AgentsParts {
  models: Models;
  /** As they are when one is asked for: they run in sessions that this makes. */
  subagents: () => Subagents;
  workspace: Workspace;
  /** As they are when a session needs them. */
  tools: () => readonly Tool[];
  toolsReady: () => Promise<void>;
  skills: Skills;
  readSetting: ReadSetting;
  /** What counts over the settings. */
  retries: SessionRetries;
  output: Output;
  /** The log lies outside our folders. */
  isForeign: (session: string) => boolean;
}

export function createAgents({
  models,
  workspace,
  tools,
  toolsReady,
  skills,
  subagents,
  readSetting,
  retries,
  output,
  isForeign,
}: AgentsParts): (log: SessionLog) => AgentSession {
  const shared: Omit<AgentParts, 'rules' | 'tools' | 'settings'> = {
    models,
    workspace,
    clock: systemClock,
    ids: randomIds,
    surroundings: () => readSurroundings(shellName(process.platform, process.env), workspace),
    ...{ skills, toolsReady },
    subagents: { run: (run, options) => subagents().run(run, options) },
    random: Math.random,
    redact: output.redact,
    log: output.log,
  };
  return (log) => {
    const rules = createApprovalRules(
      ruleSettings(readSetting),
      vscode.workspace.workspaceFolders?.[0]?.uri.toString(),
      (added) => void tellAdded(added).catch(output.bug),
    );
    return createAgentSession(log, {
      ...shared,
      settings: () => retries.over(log.id, readAgentSettings(readSetting)),
      rules,
      isForeign: isForeign(log.id),
      get tools() {
        return tools();
      },
    });
  };
}

/** Machine scope: a repository cannot bring rules of its own. */
function ruleSettings(readSetting: ReadSetting): RuleStore {
  return {
    read: () => readSetting('approval.rules'),
    write: async (rules) => {
      await vscode.workspace
        .getConfiguration('bough')
        .update('approval.rules', rules, vscode.ConfigurationTarget.Global);
    },
  };
}

/** A click allowed something for good: what it is, and the ways back. */
async function tellAdded({ words, undo }: AddedRule): Promise<void> {
  const chosen = await vscode.window.showInformationMessage(
    vscode.l10n.t('From now on Bough does this without asking: {0}.', words),
    vscode.l10n.t('Undo'),
    vscode.l10n.t('Open Rules'),
  );
  if (chosen === vscode.l10n.t('Undo')) await undo();
  if (chosen === vscode.l10n.t('Open Rules'))
    await vscode.commands.executeCommand('workbench.action.openSettings', 'bough.approval.rules');
}
