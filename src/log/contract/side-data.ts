/** Blobs, the stream journal and the lease. */
import { codeOf, text, texts, type Check, type Runner } from './runner.js';

export function describeSideData({ expect }: Runner, check: Check): void {
  check('keeps blobs by hash and refuses names that are none', async (store) => {
    const { blobs } = await store.create();
    const hash = await blobs.put(new Uint8Array([1, 2, 3]));
    expect(hash).toBe('039058c6f2c0cb492c533b0a4d14ef77cc0f78abccced5287d84a1a2011cfb81');
    expect(await blobs.put(new Uint8Array([1, 2, 3]))).toBe(hash);
    expect([...(await blobs.get(hash))]).toEqual([1, 2, 3]);
    expect([await blobs.has(hash), await blobs.has('0'.repeat(64))]).toEqual([true, false]);
    expect(await codeOf(blobs.get('0'.repeat(64)))).toBe('LogDamaged');
    expect(await codeOf(blobs.get('../../etc/passwd'))).toBe('InvalidArgument');
  });

  check('keeps the stream journal of an attempt until it ends or the log has it', async (store) => {
    const log = await store.create();
    await log.append([text('a')]);
    const head = { attempt_id: 'at1', step: 1, parent_id: log.head, turn_id: 't' };
    expect(await log.journal.read()).toBe(null);
    await log.journal.begin(head);
    log.journal.add({ reasoning: 'hm' });
    log.journal.add({ text: 'Hel' });
    log.journal.add({ text: 'lo "\n😀' });
    await log.journal.flush();
    expect(await log.journal.read()).toEqual({ head, text: 'Hello "\n😀', reasoning: 'hm' });
    const parts = [{ type: 'text' as const, text: 'Hello' }];
    await log.append([{ type: 'message', role: 'assistant', attempt_id: 'at1', parts }]);
    expect(await log.journal.read()).toBe(null);
    await log.journal.begin({ ...head, attempt_id: 'at2' });
    log.journal.add({ text: 'next' });
    await log.journal.flush();
    expect((await log.journal.read())?.text).toBe('next');
    await log.journal.end();
    expect(await log.journal.read()).toBe(null);
  });

  check('grants one lease that nests, and appends under it', async (store) => {
    const log = await store.create();
    const outer = await log.acquire();
    const inner = await log.acquire();
    await log.append([text('a')]);
    inner.dispose();
    inner.dispose();
    await log.append([text('b')]);
    expect(await log.holder()).toBe(null);
    outer.dispose();
    await log.append([text('c')]);
    expect(await texts(log)).toEqual(['a', 'b', 'c']);
  });
}
