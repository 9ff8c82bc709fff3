/** Commands on models and keys. */
import * as vscode from 'vscode';
import { readProvider, unknownProvider } from '../../models/providers.js';
import type { ModelChecks } from '../../models/registry.js';
import type { Models } from '../../ports.js';
import { asks } from '../asks.js';
import type { Chats } from '../chat/chats.js';
import { unwrap } from '../errors.js';
import type { Keys } from '../model/keys.js';
import { connectServer } from '../model/connect-server.js';
import { selectModel } from '../model/select.js';
import type { OpenSessions } from '../sessions/open-sessions.js';
import type { Teller } from '../tell.js';
import type { Commands } from './commands.js';
import { switchTo } from './switching.js';

export interface ModelCommandParts {
  models: Models & ModelChecks;
  keys: Keys;
  sessions: OpenSessions;
  chats: Chats;
  tell: Teller;
  /** The setting `bough.providers`. */
  providers: () => Readonly<Record<string, unknown>>;
  /** Keys changed: models may be had now that could not be before. */
  onKeys: () => void;
}

type Name = 'bough.model.select' | `bough.provider.${string}`;

export function modelCommands(parts: ModelCommandParts): Pick<Commands, Name & keyof Commands> {
  const { models, sessions, chats, providers } = parts;
  return {
    'bough.model.select': async (model) => {
      const again = againOf(model);
      const { agent } = await sessions.open(again?.session ?? (await chats.current()));
      const choose = async (provider: string, id: string): Promise<void> => {
        if (again === undefined) return void unwrap(await agent.selectModel(provider, id));
        const entry = again.entry_id === undefined ? {} : { entry_id: again.entry_id };
        const intent = { type: 'try_again', ...entry, model: { provider, model_id: id } } as const;
        await switchTo({ agent, intent, tell: parts.tell });
      };
      const connect = () =>
        connectServer({
          ...{ models, keys: parts.keys, onKeys: parts.onKeys },
          configured: () => Object.keys(providers()),
          choose,
        });
      const configured = Object.keys(providers());
      const withKey = () => parts.keys.storedIfReadable(configured);
      await selectModel(
        { models, agent, configured, withKey, connect, choose, warn: parts.tell.warn },
        model,
      );
    },
    'bough.provider.setKey': (provider, key) => setKey(parts, provider, key),
    'bough.provider.removeKey': (provider) => removeKey(parts, provider),
  };
}

/** The view asks for a new answer by another model. */
function againOf(target: unknown): { session: string; entry_id: string | undefined } | undefined {
  if (typeof target !== 'object' || target === null || !('again' in target) || !('session' in target))
    return undefined;
  const { session, again } = target;
  if (typeof session !== 'string') return undefined;
  return { session, entry_id: typeof again === 'string' ? again : undefined };
}

async function setKey(parts: ModelCommandParts, given: unknown, givenKey: unknown): Promise<void> {
  const { keys, providers, tell, onKeys } = parts;
  const name = typeof given === 'string' ? given : await pickProvider(providers());
  if (name === undefined) return;
  const settings = providers();
  const { origin } = unwrap(
    Object.hasOwn(settings, name)
      ? readProvider(name, settings[name])
      : unknownProvider(name, Object.keys(settings)),
  );
  const isStored = (await keys.stored([name])).length > 0;
  const key = typeof givenKey === 'string' ? givenKey : await askKey(name, origin, isStored);
  if (key === undefined || key.trim() === '') return;
  await keys.set(name, { origin, key: key.trim() });
  onKeys();
  tell.info(vscode.l10n.t('The key of “{0}” is stored. It is sent to {1} only.', name, origin));
}

async function removeKey(
  { keys, providers, tell, onKeys }: ModelCommandParts,
  given: unknown,
): Promise<void> {
  const name =
    typeof given === 'string' ? given : await pickStored(await keys.stored(Object.keys(providers())));
  if (name === undefined) return;
  const had = await keys.remove(name);
  onKeys();
  tell.info(
    had
      ? vscode.l10n.t('The key of “{0}” is removed.', name)
      : vscode.l10n.t('There is no key of “{0}”.', name),
  );
}

/** The only provider is not asked for. */
async function pickProvider(settings: Readonly<Record<string, unknown>>): Promise<string | undefined> {
  const names = Object.keys(settings);
  if (names.length === 0) {
    unwrap({
      kind: 'refused',
      transient: false,
      code: 'configuration',
      action: 'open-settings',
      message: vscode.l10n.t(
        'A key belongs to a provider, and there is none in bough.providers yet. Add one there, with its base URL.',
      ),
    });
  }
  if (names.length === 1) return names[0];
  return asks.showQuickPick(names, {
    title: vscode.l10n.t('Provider'),
    placeHolder: vscode.l10n.t('The provider the key is for'),
  });
}

/** Asked for although there is one: what is removed cannot be had back. */
async function pickStored(names: readonly string[]): Promise<string | undefined> {
  if (names.length === 0)
    unwrap({
      kind: 'refused',
      transient: false,
      message: vscode.l10n.t('No key is stored for a provider of bough.providers.'),
    });
  return asks.showQuickPick([...names], {
    title: vscode.l10n.t('Remove API Key'),
    placeHolder: vscode.l10n.t('The provider whose key is removed from secret storage'),
  });
}

async function askKey(name: string, origin: string, isStored: boolean): Promise<string | undefined> {
  const prompt = isStored
    ? vscode.l10n.t(
        'A key of “{0}” is stored; this one takes its place. It is sent to {1} only. To remove a key, look into Select Model.',
        name,
        origin,
      )
    : vscode.l10n.t(
        "The key of “{0}”. It is kept in VS Code's secret storage and sent to {1} only.",
        name,
        origin,
      );
  return asks.showInputBox({
    title: vscode.l10n.t('Set API Key'),
    prompt,
    password: true,
    ignoreFocusOut: true,
  });
}
