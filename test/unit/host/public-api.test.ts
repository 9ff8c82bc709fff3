import { describe, expect, it } from 'vitest';
import { apiSession } from '../../../src/host/api-session.js';
import type { StoreApi } from '../../../src/host/api-store.js';
import { createApi, createApiEvents } from '../../../src/host/public-api.js';
import { text } from '../agent/fake-model.js';
import { makeWorld } from './world.js';

function make(replies: Parameters<typeof makeWorld>[0]) {
  const world = makeWorld(replies);
  let panel: string | undefined;
  const session = async (id: string) =>
    apiSession(await world.sessions.open(id), {
      rename: (renamed, name) => world.store.rename(renamed, name),
    });
  const source: Pick<StoreApi, 'openSession' | 'panelSession'> = {
    openSession: ({ session: id = 'of the panel' }) => session(id),
    panelSession: () => (panel === undefined ? Promise.resolve(undefined) : session(panel)),
  };
  const api = createApi(
    () => Promise.resolve(source as StoreApi),
    createApiEvents((error) => {
      throw error;
    }),
    () => undefined,
  );
  return { api, world, show: (id: string) => (panel = id) };
}

const calls: [string, unknown[]][] = [
  ['branch', ['an entry']],
  ['navigate', [null]],
  ['summarizeBranch', ['from', 'to']],
  ['collapseBranch', ['from', 'to']],
  ['setName', ['A name']],
  ['clear', []],
  ['history', []],
  ['setHistory', [[]]],
  ['pendingApprovals', []],
  ['resume', [[]]],
  ['dismiss', []],
];

describe('the calls of the current session', () => {
  it.each(calls)('%s fails with NoSession when there is none', async (name, given) => {
    const { api } = make([]);
    const call = api[name as 'clear'] as (...given: unknown[]) => Promise<unknown>;
    await expect(call(...given)).rejects.toMatchObject({ name: 'BoughError', code: 'NoSession' });
    expect(api.session).toBeUndefined();
  });

  it('data of extensions needs one too', async () => {
    const { api } = make([]);
    await expect(api.extensionData.get('acme.x')).rejects.toMatchObject({ code: 'NoSession' });
    await expect(api.extensionData.add('acme.x', 1)).rejects.toMatchObject({ code: 'NoSession' });
  });

  it('a prompt begins the session of the panel, and the others go on with it', async () => {
    const { api } = make([text('One.')]);
    expect((await api.prompt('1')).text).toBe('One.');
    expect(api.session?.id).toBe('of the panel');
    expect(await api.history()).toHaveLength(2);
    await api.extensionData.add('acme.x', { n: 1 });
    expect(await api.extensionData.get('acme.x')).toEqual([{ n: 1 }]);
    await api.navigate(null);
    expect(await api.history()).toEqual([]);
  });

  it('what was opened last counts before what the panel shows', async () => {
    const { api, show } = make([text('One.'), text('Two.')]);
    show('shown');
    expect((await api.prompt('1')).text).toBe('One.');
    expect(api.session).toBeUndefined();
    expect(await api.history()).toHaveLength(2);
    await api.open({ session: 'another' });
    expect(api.session?.id).toBe('another');
    expect(await api.history()).toEqual([]);
    expect((await api.prompt('2')).text).toBe('Two.');
  });
});
