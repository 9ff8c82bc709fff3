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
      tag: () => Promise.resolve(),
    });
  const source: Pick<StoreApi, 'openSession' | 'panelSession'> = {
    openSession: ({ session: id = 'of the panel' }) => session(id),
    panelSession: () => (panel === undefined ? Promise.resolve(undefined) : session(panel)),
  };
  const events = createApiEvents((error) => {
    throw error;
  });
  const owners: (string | undefined)[] = [];
  const api = createApi({
    load: () =>
      Promise.resolve({
        storeApi: (owner) => {
          owners.push(owner);
          return source as StoreApi;
        },
      }),
    events,
    readSetting: () => undefined,
    installedId: (id) => (id.toLowerCase() === 'acme.helper' ? 'Acme.helper' : undefined),
  });
  return { api, world, events, owners, show: (id: string) => (panel = id) };
}

const calls: [string, unknown[]][] = [
  ['branch', ['an entry']],
  ['navigate', [null]],
  ['summarizeBranch', ['from', 'to']],
  ['collapseBranch', ['from', 'to']],
  ['setName', ['A name']],
  ['setTags', [['a tag']]],
  ['bindAgent', ['acme.one']],
  ['clear', []],
  ['history', []],
  ['entries', []],
  ['runSummary', []],
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
    await expect(api.extensionData.all()).rejects.toMatchObject({ code: 'NoSession' });
    await expect(api.extensionData.add('acme.x', 1)).rejects.toMatchObject({ code: 'NoSession' });
  });

  it('the retry policy is told as it counts, where the settings say nothing too', () => {
    expect(make([]).api.retryPolicy()).toMatchObject({ maxAttempts: 4, maxDelay: 30_000, maxResumes: 5 });
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

describe('the API of one extension', () => {
  it('asks for what belongs to that extension, by the id it has itself', async () => {
    const { api, owners } = make([]);
    const scoped = api.forExtension('acme.helper');
    await scoped.open({ session: 'one' });
    await api.open({ session: 'two' });
    expect(owners).toEqual(['Acme.helper', undefined]);
    expect(scoped.session?.id).toBe('one');
    expect(api.session?.id).toBe('two');
    await scoped.forExtension('Acme.helper').open({ session: 'three' });
    expect(owners.at(-1)).toBe('Acme.helper');
  });

  it.each(['acme.other', '', undefined])('%o is no extension that is there, which is said', (id) => {
    const { api } = make([]);
    let thrown: unknown;
    try {
      api.forExtension(id as string);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toMatchObject({ name: 'BoughError', code: 'InvalidArgument' });
    expect(String(thrown)).toContain(`"${String(id)}"`);
  });

  it('leads to no other extension', () => {
    const world = make([]);
    const api = createApi({
      load: () => Promise.reject(new Error('not needed here')),
      events: world.events,
      readSetting: () => undefined,
      installedId: (id) => id,
    });
    expect(() => api.forExtension('acme.one').forExtension('acme.two')).toThrowError(
      expect.objectContaining({ code: 'AccessDenied' }),
    );
  });

  it('hears of entries as copies', () => {
    const { api, events } = make([]);
    const [entry, heard] = [{ type: 'head', entry_id: 'e1' }, [] as unknown[]];
    api.onEntry(({ entry: first }) => Object.assign(first, { entry_id: 'changed by a listener' }));
    api.onEntry(({ entry: second }) => heard.push(second));
    events.entry.fire({ owner: undefined, event: { session: 's', position: 0, entry: entry as never } });
    expect([entry, heard]).toEqual([{ type: 'head', entry_id: 'e1' }, [{ type: 'head', entry_id: 'e1' }]]);
  });

  it('hears of its own sessions alone, and tells of their runs', () => {
    const { api, events } = make([]);
    const scoped = api.forExtension('Acme.helper');
    const [heard, own]: [string[], string[]] = [[], []];
    for (const [from, told] of [
      [api, heard],
      [scoped, own],
    ] as const) {
      from.onEntry(({ session }) => told.push(`entry ${session}`));
      from.onRetry(({ session }) => told.push(`retry ${session}`));
      from.onStepResume(({ session }) => told.push(`resume ${session}`));
    }
    const wait = { delayMs: 1, dueAt: '2026-01-01T00:00:00.000Z', reason: 'busy' };
    for (const [session, owner] of [
      ['hers', undefined],
      ['mine', 'Acme.helper'],
    ] as const) {
      events.entry.fire({ owner, event: { session, position: 0, entry: { type: 'message' } as never } });
      events.retry.fire({ owner, event: { ...wait, session, attempt: 1 } });
      events.resume.fire({ owner, event: { ...wait, session, step: 1, resume: 1 } });
    }
    expect(own).toEqual(['entry mine', 'retry mine', 'resume mine']);
    expect(heard).toHaveLength(6);
    events.runs = [
      { owner: undefined, run: 'waiting' },
      { owner: 'Acme.helper', run: 'running' },
    ];
    expect([api.runState(), scoped.runState()]).toEqual(['waiting', 'running']);
    events.runs = [{ owner: undefined, run: 'waiting' }];
    expect(scoped.runState()).toBe('idle');
  });
});
