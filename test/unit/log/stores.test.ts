import { describe, expect, it } from 'vitest';
import { describeStore } from '../../../src/log/contract.js';
import { createMemoryStore } from '../../../src/log/memory-store.js';
import { makePlace, randomIds, realClock, user } from './support.js';

describeStore('FileStore', { describe, it, expect }, async () => {
  const place = await makePlace();
  return {
    store: place.store(),
    reopen: () => Promise.resolve(place.store()),
    dispose: () => place.dispose(),
  };
});

describeStore('MemoryStore', { describe, it, expect }, async () => {
  const store = createMemoryStore({ clock: realClock, ids: randomIds, producer: 'bough/0.0.0-test' });
  return { store, dispose: () => store.close() };
});

describe('MemoryStore', () => {
  it('names no file, and forgets everything with its end', async () => {
    const parts = { clock: realClock, ids: randomIds, producer: 'bough/0.0.0-test' };
    const store = createMemoryStore(parts);
    const log = await store.create({ id: 's' });
    await log.append([user('a')]);
    expect(log.file).toBe(undefined);
    await store.close();
    await expect(createMemoryStore(parts).open('s')).rejects.toMatchObject({ code: 'SessionNotFound' });
  });
});
