/** Deleting, and taking it back. */
import { codeOf, text, texts, type Check, type Runner } from './runner.js';

export function describeDelete({ expect }: Runner, check: Check): void {
  check('deletes what there is, again and again, and brings it back', async (store) => {
    const log = await store.create({ id: 'one' });
    const hash = await log.blobs.put('bytes');
    await log.append([
      text('a'),
      { type: 'message', role: 'user', parts: [{ type: 'file', blob: hash, mime: 'text/plain', name: 'x' }] },
    ]);
    const { undo } = await store.delete('one');
    expect((await store.list()).sessions).toHaveLength(0);
    expect(await codeOf(store.open('one'))).toBe('SessionNotFound');
    await undo();
    const back = await store.open('one');
    expect(await texts(back)).toEqual(['a', 'message']);
    expect(new TextDecoder().decode(await back.blobs.get(hash))).toBe('bytes');
    await (await store.delete('one')).purge();
    await store.delete('one');
    expect(await codeOf(store.open('one'))).toBe('SessionNotFound');
  });

  check('fences late saves of a handle whose session was deleted', async (store) => {
    const log = await store.create({ id: 'one' });
    await log.append([text('a')]);
    await store.delete('one');
    expect(await codeOf(log.append([text('late')]))).toBe('SessionConflict');
    expect((await store.list()).sessions).toHaveLength(0);
    const fresh = await store.create({ id: 'one' });
    await fresh.append([text('new')]);
    expect(await codeOf(log.append([text('late')]))).toBe('SessionConflict');
    expect(await texts(fresh)).toEqual(['new']);
  });

  check('does not bring back over a new session, nor after it was purged', async (store) => {
    await (await store.create({ id: 'one' })).append([text('old')]);
    const { undo, purge } = await store.delete('one');
    await (await store.create({ id: 'one' })).append([text('new')]);
    expect(await codeOf(undo())).toBe('SessionExists');
    await purge();
    expect(await codeOf(undo())).toBe('SessionNotFound');
    expect(await texts(await store.open('one'))).toEqual(['new']);
  });

  check('tells listeners which session changed', async (store) => {
    const told: string[] = [];
    store.onChange((id) => told.push(id));
    await (await store.create({ id: 'one' })).append([text('a')]);
    await store.delete('one');
    expect(told).toEqual(['one', 'one']);
  });
}
