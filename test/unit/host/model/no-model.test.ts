import { describe, expect, it } from 'vitest';
import { Keys } from '../../../../src/host/model/keys.js';
import { followNoModel } from '../../../../src/host/model/no-model.js';

const remote = { kind: 'openai-compatible', baseUrl: 'https://api.example.com/v1' };
const local = { kind: 'openai-compatible', baseUrl: 'http://localhost:11434/v1' };

/** What is told in turn, while settings and keys change. */
function follow(settings: { model?: string; providers?: Record<string, unknown> }) {
  const secrets = new Map<string, string>();
  const store = {
    get: (name: string) => Promise.resolve(secrets.get(name)),
    store: (name: string, value: string) => Promise.resolve(void secrets.set(name, value)),
    delete: (name: string) => Promise.resolve(void secrets.delete(name)),
  };
  const keys = new Keys(store, () => undefined);
  const told: boolean[] = [];
  let change = (): void => undefined;
  followNoModel({
    models: {
      keys,
      providers: () => settings.providers ?? {},
      onChange: (listener) => {
        change = listener;
        return { dispose: () => undefined };
      },
    },
    readSetting: (name) => (name === 'model' ? settings.model : undefined),
    tell: (none) => told.push(none),
    onError: (error) => {
      throw error;
    },
  });
  return { told, keys, change: () => change() };
}

describe('whether there is a model', () => {
  it('what was looked up first and is known last does not count', async () => {
    const waiting: ((key: string | undefined) => void)[] = [];
    const told: boolean[] = [];
    let change = (): void => undefined;
    followNoModel({
      models: {
        keys: { key: () => new Promise((resolve) => waiting.push(resolve)) } as unknown as Keys,
        providers: () => ({ remote }),
        onChange: (listener) => {
          change = listener;
          return { dispose: () => undefined };
        },
      },
      readSetting: () => 'auto',
      tell: (none) => told.push(none),
      onError: (error) => {
        throw error;
      },
    });
    change();
    waiting[1]?.('sk-1');
    await expect.poll(() => told).toEqual([false]);
    waiting[0]?.(undefined);
    await new Promise(setImmediate);
    expect(told).toEqual([false]);
  });

  it('there is none while no provider could answer, and there is one as soon as its key is there', async () => {
    const { told, keys, change } = follow({ model: 'auto', providers: { remote } });
    await expect.poll(() => told).toEqual([true]);
    await keys.set('remote', { origin: 'https://api.example.com', key: 'sk-1' });
    change();
    await expect.poll(() => told).toEqual([true, false]);
    change();
    await keys.remove('remote');
    change();
    await expect.poll(() => told).toEqual([true, false, true]);
  });

  it.each([
    ['no settings', {}, true],
    ['the demo by name', { model: 'demo/tour', providers: { local } }, true],
    ['a model by name', { model: 'copilot/gpt' }, false],
    ['a server on this machine', { model: 'auto', providers: { local } }, false],
    ['a provider that is set up wrongly, which the chat says', { providers: { broken: {} } }, false],
  ] as const)('%s', async (_, settings, none) => {
    const { told } = follow(settings);
    await expect.poll(() => told).toEqual([none]);
  });
});
