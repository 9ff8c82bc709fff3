/** Deleting by age. */
import type { Draft } from '../../shared/notes.js';
import { answer, codeOf, text, texts, type Check, type FullStore, type Runner } from './runner.js';

const AGE = 1;
/** Older than `AGE` when it resolves. */
const agesBy = async (store: FullStore, id: string): Promise<void> => {
  const updated = (await store.summary(id))?.updated ?? 0;
  while (Date.now() - updated <= AGE + 1) await new Promise((resolve) => setTimeout(resolve, 1));
};
const goal = (status: string): Draft => ({
  type: 'goal_update',
  goal_id: 'g',
  objective: 'Ship',
  status,
  iteration: 1,
  max_iterations: 20,
});

export function describePrune({ expect }: Runner, check: Check): void {
  check('prunes idle sessions, says first what would go, and counts what it deletes', async (store) => {
    const log = await store.create({ id: 'one', title: 'T' });
    await log.append([text('a')]);
    await agesBy(store, 'one');
    const dry = await store.prune({ sessionIdle: AGE }, { dryRun: true });
    expect(dry.sessions.map(({ id, title }) => [id, title])).toEqual([['one', 'T']]);
    expect(dry.bytes > 0).toBe(true);
    expect(await texts(await store.open('one'))).toEqual(['a']);
    const done = await store.prune({ sessionIdle: AGE });
    expect({ ...done }).toEqual({ ...dry });
    expect(await codeOf(store.open('one'))).toBe('SessionNotFound');
    expect(await codeOf(log.append([text('late')]))).toBe('SessionConflict');
    expect((await store.prune({ sessionIdle: AGE })).sessions).toEqual([]);
  });

  check('deletes nothing for zero, and refuses a negative age before it deletes', async (store) => {
    await (await store.create({ id: 'one' })).append([text('a')]);
    await agesBy(store, 'one');
    const none = { sessions: [], goals: [], results: [], bytes: 0, kept: [] };
    expect(await store.prune({})).toEqual(none);
    expect(await store.prune({ sessionIdle: 0, completedGoalAge: 0, detachedResultAge: 0 })).toEqual(none);
    for (const bad of [-1, NaN, Infinity])
      expect(await codeOf(store.prune({ sessionIdle: AGE, detachedResultAge: bad }))).toBe('InvalidArgument');
    expect((await store.list()).sessions).toHaveLength(1);
  });

  check('keeps what is young, in use, waits for an answer or carries a goal', async (store) => {
    const used = await store.create({ id: 'used' });
    await used.append([text('a')]);
    const lease = await used.acquire();
    const asking = await store.create({ id: 'asking' });
    await asking.append([
      { ...text('a'), turn_id: 't' },
      { type: 'turn_start', turn_id: 't' },
      {
        type: 'message',
        role: 'assistant',
        turn_id: 't',
        parts: [{ type: 'tool_call', call_id: 'c', name: 'run', input: {} }],
      },
      {
        type: 'approval_request',
        turn_id: 't',
        call_id: 'c',
        tool: 'run',
        summary: 'Run',
        input_hash: 'h',
        targets: [],
      },
    ]);
    const carrying = await store.create({ id: 'carrying' });
    await carrying.append([text('a'), goal('paused')]);
    await agesBy(store, 'carrying');
    const { sessions, kept } = await store.prune({ sessionIdle: AGE });
    expect(sessions).toEqual([]);
    expect(kept.map(({ session }) => session).sort()).toEqual(['asking', 'carrying', 'used']);
    lease.dispose();
    await carrying.append([goal('completed')]);
    expect((await store.prune({ sessionIdle: 1_000_000_000 })).sessions).toEqual([]);
    await agesBy(store, 'carrying');
    expect((await store.prune({ sessionIdle: AGE })).sessions.map(({ id }) => id).sort()).toEqual([
      'carrying',
      'used',
    ]);
  });

  check('keeps what carries a goal on the line on show, or on any other', async (store) => {
    const log = await store.create({ id: 'one' });
    await log.append([text('a'), goal('active')]);
    const [b] = await log.append([answer('b')]);
    const [c] = await log.append([answer('c'), goal('completed')]);
    await log.append([{ type: 'head', entry_id: b?.id ?? null }, text('another way')]);
    for (const leaf of [log.head, c?.id ?? null]) {
      await log.append([{ type: 'head', entry_id: leaf }]);
      await agesBy(store, 'one');
      const { sessions, kept } = await store.prune({ sessionIdle: AGE });
      expect([sessions.length, kept.length]).toEqual([0, 1]);
    }
  });

  check('stops when it is told to', async (store) => {
    await (await store.create({ id: 'one' })).append([text('a')]);
    await agesBy(store, 'one');
    const stop = new AbortController();
    stop.abort(new Error('enough'));
    const given = store.prune({ sessionIdle: AGE }, { signal: stop.signal }).catch(String);
    expect(await given).toBe('Error: enough');
    expect((await store.list()).sessions).toHaveLength(1);
  });
}
