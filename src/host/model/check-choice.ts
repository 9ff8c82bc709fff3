/** A model is tried before the choice is final; when it cannot be had, what is wrong is said with the way to mend it. */
import * as vscode from 'vscode';
import type { ModelChecks } from '../../models/registry.js';
import type { ModelInfo } from '../../ports.js';
import type { Failure } from '../../shared/failure.js';
import { asks } from '../asks.js';
import { openSettings } from './settings-place.js';

/** `again`: another one is to be chosen. */
type Choice = 'take' | 'again' | 'leave';

export async function checkChoice(
  { models, warn }: { models: ModelChecks; warn: (text: string) => void },
  info: ModelInfo,
): Promise<Choice> {
  for (;;) {
    const { failure, elsewhere, doubt } = await vscode.window.withProgress(
      {
        location: vscode.ProgressLocation.Notification,
        title: vscode.l10n.t('Asking {0} whether it answers…', info.provider),
      },
      () => models.check(info),
    );
    if (failure === null) {
      if (doubt !== undefined) warn(doubt.message);
      return 'take';
    }
    const answer = await ask(failure, info, elsewhere);
    if (answer !== 'retry') return answer;
  }
}

async function ask(
  { message, detail, action }: Failure,
  { provider }: ModelInfo,
  elsewhere: string | undefined,
): Promise<Choice | 'retry'> {
  const take = vscode.l10n.t('Use Anyway');
  const again = vscode.l10n.t('Choose Another');
  const retry = vscode.l10n.t('Try Again');
  const mend = mendOf(action, provider, elsewhere);
  const picked = await asks.showWarningMessage(
    message,
    { modal: true, ...(detail === undefined ? {} : { detail }) },
    ...(mend === undefined ? [] : [mend.label]),
    retry,
    again,
    take,
  );
  switch (picked) {
    case undefined:
      return 'leave';
    case take:
      return 'take';
    case again:
      return 'again';
    case retry:
      return 'retry';
    default:
      await mend?.run();
      return mend?.then ?? 'leave';
  }
}

interface Mend {
  label: string;
  run: () => PromiseLike<unknown>;
  then: Choice | 'retry';
}

function mendOf(
  action: Failure['action'],
  provider: string,
  elsewhere: string | undefined,
): Mend | undefined {
  if (elsewhere !== undefined)
    return {
      label: vscode.l10n.t('Use {0}', elsewhere),
      run: () => changeProvider(provider, { baseUrl: elsewhere }),
      then: 'retry',
    };
  if (action === 'set-key')
    return {
      label: vscode.l10n.t('Set API Key…'),
      run: () => vscode.commands.executeCommand('bough.provider.setKey', provider),
      then: 'retry',
    };
  if (action === 'open-settings')
    return {
      label: vscode.l10n.t('Open Settings'),
      run: () => openSettings('bough.providers'),
      then: 'leave',
    };
  return undefined;
}

/** Writes into the setting `bough.providers`, where settings of the machine stand; the rest of it stays as it is. */
export async function changeProvider(name: string, change: Readonly<Record<string, unknown>>): Promise<void> {
  const settings = vscode.workspace.getConfiguration('bough');
  const providers = settings.get<Record<string, Record<string, unknown>>>('providers') ?? {};
  const changed = { ...providers, [name]: { ...providers[name], ...change } };
  await settings.update('providers', changed, vscode.ConfigurationTarget.Global);
}
