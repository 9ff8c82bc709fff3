/**
 * Choosing a model for a session. Servers are asked what they have when the list opens; the one that is chosen is tried
 * before the choice is final.
 */
import * as vscode from 'vscode';
import { showList } from '../asks.js';
import type { AgentSession } from '../../agent/types.js';
import type { ModelInfo, Models } from '../../ports.js';
import type { Failing, ModelChecks } from '../../models/registry.js';
import { unwrap } from '../errors.js';
import { plainLabel } from '../labels.js';
import { checkChoice } from './check-choice.js';
import { LM_PROVIDER } from './lm.js';
import { openSettings } from './settings-place.js';

interface ModelItem extends vscode.QuickPickItem {
  info?: ModelInfo;
  run?: () => PromiseLike<unknown>;
  /** Nothing is chosen: the servers are asked once more. */
  isAgain?: true;
}

export interface SelectParts {
  models: Models & ModelChecks;
  agent: AgentSession;
  /** Names in the setting `bough.providers`. */
  configured: readonly string[];
  /** Those of them that a key is stored for. */
  withKey: () => Promise<readonly string[]>;
  /** Finds the models of a server that is not in the settings yet. */
  connect: () => Promise<void>;
  warn: (text: string) => void;
  /** Takes what was picked: for the session, or for a new answer. */
  choose: (provider: string, id: string) => Promise<void>;
}

export async function selectModel(parts: SelectParts, wanted: unknown): Promise<void> {
  if (typeof wanted === 'string') return selectNamed(parts, wanted);
  for (;;) {
    const chosen = await pickModel(parts);
    if (chosen?.isAgain) continue;
    if (chosen?.info === undefined) return void (await chosen?.run?.());
    const choice = await checkChoice(parts, chosen.info);
    if (choice === 'leave') return;
    if (choice === 'again') continue;
    return parts.choose(chosen.info.provider, chosen.info.id);
  }
}

async function selectNamed({ models, agent }: SelectParts, wanted: string): Promise<void> {
  const { info } = unwrap(await models.resolve(wanted));
  unwrap(await agent.selectModel(info.provider, info.id));
}

async function pickModel(parts: SelectParts): Promise<ModelItem | undefined> {
  const pick = vscode.window.createQuickPick<ModelItem>();
  pick.title = vscode.l10n.t('Select Model');
  pick.placeholder = vscode.l10n.t('Looking for models…');
  pick.matchOnDescription = true;
  pick.busy = true;
  const chosen = new Promise<ModelItem | undefined>((resolve) => {
    pick.onDidAccept(() => {
      resolve(pick.selectedItems[0]);
      pick.hide();
    });
    pick.onDidHide(() => resolve(undefined));
  });
  showList(pick);
  try {
    const [{ models, failing }, withKey] = await Promise.all([parts.models.offer(), parts.withKey()]);
    pick.items = [...itemsOf(models, parts), ...failingItems(failing), ...waysToMore(parts.connect, withKey)];
    pick.placeholder = vscode.l10n.t('The model for this session');
    pick.busy = false;
    return await chosen;
  } finally {
    pick.dispose();
  }
}

function itemsOf(
  models: readonly ModelInfo[],
  { agent, configured }: Pick<SelectParts, 'agent' | 'configured'>,
): ModelItem[] {
  const current = agent.model();
  const items: ModelItem[] = [];
  for (const kind of kinds) {
    const members = models.filter((info) => kindOf(info, configured) === kind);
    if (members.length === 0) continue;
    items.push({ label: titles[kind](), kind: vscode.QuickPickItemKind.Separator });
    for (const info of members) {
      const id = `${info.provider}/${info.id}`;
      const note = id === current ? vscode.l10n.t('{0} · this session', id) : id;
      items.push({ label: plainLabel(info.label), description: plainLabel(note), info });
    }
  }
  return items;
}

/** A model that was there yesterday is not missed without a word. */
function failingItems(failing: readonly Failing[]): ModelItem[] {
  if (failing.length === 0) return [];
  const label = vscode.l10n.t('Not available now');
  const rows = failing.map(({ provider, message }): ModelItem => ({
    label: plainLabel(provider),
    description: vscode.l10n.t('Ask again'),
    detail: plainLabel(message),
    iconPath: new vscode.ThemeIcon('warning'),
    alwaysShow: true,
    isAgain: true,
  }));
  return [{ label, kind: vscode.QuickPickItemKind.Separator }, ...rows];
}

const kinds = ['configured', 'vscode', 'local', 'demo'] as const;
type Kind = (typeof kinds)[number];

const titles: Readonly<Record<Kind, () => string>> = {
  configured: () => vscode.l10n.t('From your settings'),
  vscode: () => vscode.l10n.t('From other extensions'),
  local: () => vscode.l10n.t('On this machine'),
  demo: () => vscode.l10n.t('Built in'),
};

function kindOf({ provider }: ModelInfo, configured: readonly string[]): Kind {
  if (configured.includes(provider)) return 'configured';
  if (provider === LM_PROVIDER) return 'vscode';
  return provider === 'demo' ? 'demo' : 'local';
}

function waysToMore(connect: SelectParts['connect'], withKey: readonly string[]): ModelItem[] {
  return [
    { label: '', kind: vscode.QuickPickItemKind.Separator },
    {
      label: vscode.l10n.t('Connect to a server…'),
      detail: vscode.l10n.t(
        'By its address: Ollama, LM Studio, llama.cpp, vLLM and all that speak like OpenAI',
      ),
      iconPath: new vscode.ThemeIcon('plug'),
      run: connect,
    },
    {
      label: vscode.l10n.t('Add a provider in the settings…'),
      iconPath: new vscode.ThemeIcon('gear'),
      run: () => openSettings('bough.providers'),
    },
    {
      label: vscode.l10n.t('Set an API key…'),
      iconPath: new vscode.ThemeIcon('key'),
      run: () => vscode.commands.executeCommand('bough.provider.setKey'),
    },
    ...(withKey.length === 0 ? [] : [removeKeyItem(withKey)]),
  ];
}

function removeKeyItem(withKey: readonly string[]): ModelItem {
  return {
    label: vscode.l10n.t('Remove a stored API key…'),
    description: plainLabel(withKey.join(', ')),
    iconPath: new vscode.ThemeIcon('trash'),
    run: () => vscode.commands.executeCommand('bough.provider.removeKey'),
  };
}
