/** From an address to a server that answers: what is asked when it wants a key. */
import { beforeEach, expect, it, vi } from 'vitest';
import type { Keys } from '../../../../src/host/model/keys.js';
import { connectServer } from '../../../../src/host/model/connect-server.js';
import type { ModelChecks } from '../../../../src/models/registry.js';

interface Box {
  title: string;
  prompt: string;
  password?: boolean;
}
const window = vi.hoisted(() => ({ asked: [] as Box[], given: [] as (string | undefined)[] }));

vi.mock('vscode', () => ({
  ProgressLocation: { Notification: 15 },
  l10n: { t: (text: string) => text },
  window: {
    withProgress: (_options: unknown, work: () => unknown) => work(),
    showInputBox: (box: Box) => {
      window.asked.push(box);
      return Promise.resolve(window.given.shift());
    },
  },
}));
vi.mock('../../../../src/host/model/check-choice.js', () => ({ changeProvider: () => Promise.resolve() }));

const checkAddress: ModelChecks['checkAddress'] = (_url, key) =>
  Promise.resolve({
    found:
      key === 'good' ? ['m'] : { kind: 'auth', message: `${key ?? 'no key'} is refused`, transient: false },
  });

async function connect(...given: (string | undefined)[]) {
  window.given = given;
  const stored: string[] = [];
  const chosen: string[] = [];
  await connectServer({
    models: { checkAddress } as ModelChecks,
    keys: { set: (_name, { key }) => Promise.resolve(void stored.push(key ?? '')) } as Keys,
    configured: () => [],
    choose: (provider, id) => Promise.resolve(void chosen.push(`${provider}/${id}`)),
    onKeys: () => undefined,
  });
  return { stored, chosen };
}

beforeEach(() => {
  window.asked = [];
});

it('asks for a key that is refused again, hidden, and never for the address in its place', async () => {
  const { stored, chosen } = await connect('http://127.0.0.1:1234/v1', 'bad', 'worse', 'good');
  expect(window.asked.map(({ prompt, password }) => [prompt, password]).slice(1)).toEqual([
    ['no key is refused', true],
    ['bad is refused', true],
    ['worse is refused', true],
  ]);
  expect(stored).toEqual(['good']);
  expect(chosen).toEqual(['local/m']);
});

it('ends where the person gives no key', async () => {
  expect(await connect('http://127.0.0.1:1234/v1', 'bad', undefined)).toEqual({ stored: [], chosen: [] });
  expect(window.asked).toHaveLength(3);
});
