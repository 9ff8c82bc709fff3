import { describe, expect, it } from 'vitest';
import { describeStore, type FullStore } from '../../../src/log/contract.js';
import { connectStore } from '../../../src/log/connected-store.js';
import type { CustomStore } from '../../../src/log/custom-store.js';
import { createMemoryStore } from '../../../src/log/memory-store.js';
import { MapStore, SqlStore } from './custom-stores.js';
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

const connected = (custom: CustomStore): FullStore =>
  connectStore({
    custom,
    clock: realClock,
    ids: randomIds,
    producer: 'bough/0.0.0-test',
    onTrouble: ({ message }) => {
      if (!message.includes('it is shown, not stored')) expect.fail(message);
    },
  });

describeStore('a custom store with the least abilities', { describe, it, expect }, async () => {
  const custom = new MapStore();
  const store = connected(custom);
  return { store, reopen: async () => connected(custom), dispose: () => store.close() };
});

const sqlite = process.getBuiltinModule('node:sqlite');

if (sqlite === undefined) {
  describe.skip('a custom store in SQL (node:sqlite is there from Node 22.13 on)', () => {
    it('does all of this', () => undefined);
  });
} else {
  describeStore('a custom store in SQL', { describe, it, expect }, async () => {
    const database = new sqlite.DatabaseSync(':memory:');
    const store = connected(new SqlStore(database));
    return {
      store,
      reopen: async () => connected(new SqlStore(database)),
      dispose: async () => {
        await store.close();
        database.close();
      },
    };
  });
}

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
