/** Whether nothing but the built-in demo answers in a new session: the list of sessions says so while it is empty. */
import { demoInfo } from '../../models/demo/tour.js';
import { readProvider } from '../../models/providers.js';
import type { Disposable } from '../../ports.js';
import { isFailure } from '../../shared/failure.js';
import type { HostModels } from './host-models.js';
import type { ReadSetting } from './settings.js';

export interface NoModelParts {
  models: Pick<HostModels, 'keys' | 'providers' | 'onChange'>;
  readSetting: ReadSetting;
  /** Sets the context key that the manifest asks for. */
  tell: (hasNone: boolean) => void;
  onError: (error: unknown) => void;
}

/** Tells it now and whenever that changes. No server is asked. */
export function followNoModel({ models, readSetting, tell, onError }: NoModelParts): Disposable {
  let told: boolean | undefined;
  let turn = 0;
  const look = async (): Promise<void> => {
    const mine = ++turn;
    const none = await hasNoModel(models, readSetting);
    // One that began later knows better, whichever is done first.
    if (mine === turn && none !== told) tell((told = none));
  };
  look().catch(onError);
  return models.onChange(() => void look().catch(onError));
}

/** As `auto` decides, without asking a server what it has. A provider that is set up wrongly is said in the chat. */
async function hasNoModel(
  { keys, providers }: Pick<HostModels, 'keys' | 'providers'>,
  readSetting: ReadSetting,
): Promise<boolean> {
  const wanted = readSetting('model');
  if (typeof wanted === 'string' && wanted !== '' && wanted !== 'auto')
    return wanted === `${demoInfo.provider}/${demoInfo.id}`;
  for (const [name, settings] of Object.entries(providers())) {
    const provider = readProvider(name, settings);
    if (isFailure(provider) || provider.isLocal) return false;
    if ((await keys.key(name, provider.origin)) !== undefined) return false;
  }
  return true;
}
