/**
 * Keys and auth headers that stand in the settings are moved to secret storage: stored first, then removed from every
 * settings file that has them, then told once. What could not be removed is told, too.
 */
import * as vscode from 'vscode';
import { takeSecrets, type Keys } from './keys.js';

export interface MoveReport {
  /** Providers whose secrets are in secret storage now. */
  moved: string[];
  /** Settings files that still hold a secret. */
  left: string[];
}

export async function moveSecrets(keys: Keys): Promise<MoveReport> {
  const { found } = takeSecrets(plain(vscode.workspace.getConfiguration('bough').get('providers')));
  for (const { provider, ...secret } of found) await keys.set(provider, secret);
  const left = await clean();
  return { moved: found.map(({ provider }) => provider), left };
}

async function clean(): Promise<string[]> {
  const left: string[] = [];
  for (const { config, value, target, name } of places()) {
    const { cleaned, found } = takeSecrets(plain(value));
    if (found.length === 0) continue;
    try {
      await config.update('providers', cleaned, target);
    } catch (error) {
      left.push(`${name} (${error instanceof Error ? error.message : String(error)})`);
    }
  }
  return left;
}

interface Place {
  config: vscode.WorkspaceConfiguration;
  value: unknown;
  target: vscode.ConfigurationTarget;
  name: string;
}

/** Every settings file in which `bough.providers` can stand, workspaces' included: VS Code ignores it there, readers don't. */
function places(): Place[] {
  const { Global, Workspace, WorkspaceFolder } = vscode.ConfigurationTarget;
  const config = vscode.workspace.getConfiguration('bough');
  const seen = config.inspect('providers');
  const folders = (vscode.workspace.workspaceFolders ?? []).map((folder): Place => {
    const ofFolder = vscode.workspace.getConfiguration('bough', folder.uri);
    const value: unknown = ofFolder.inspect('providers')?.workspaceFolderValue;
    return {
      config: ofFolder,
      value,
      target: WorkspaceFolder,
      name: vscode.l10n.t('settings of the folder {0}', folder.name),
    };
  });
  return [
    { config, value: seen?.globalValue, target: Global, name: vscode.l10n.t('your settings') },
    {
      config,
      value: seen?.workspaceValue,
      target: Workspace,
      name: vscode.l10n.t('settings of the workspace'),
    },
    ...folders,
  ];
}

/** Settings come as read-only proxies. */
function plain(value: unknown): unknown {
  return value === undefined ? undefined : (JSON.parse(JSON.stringify(value)) as unknown);
}
