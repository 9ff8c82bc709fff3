import { expect, it, vi } from 'vitest';
import { findSessions } from '../../../../src/host/context/past-sessions.js';
import type { SessionSummary } from '../../../../src/log/store.js';

vi.mock('vscode', () => ({}));

it('offers past sessions, but not the one that they are for', async () => {
  const all = ['one', 'two', 'three'].map((id) => ({ id, title: `About ${id}`, updated: 0 }));
  const store = {
    list: ({ limit }: { limit?: number } = {}) =>
      Promise.resolve({ sessions: all.slice(0, limit) as unknown as SessionSummary[] }),
  };
  const found = async (into: string) =>
    (await findSessions({ store }, { text: 'About', limit: 2, into })).map(({ ref }) => ref);
  expect(await found('two')).toEqual(['one', 'three']);
  expect(await found('three')).toEqual(['one', 'two']);
});
