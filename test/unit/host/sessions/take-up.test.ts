import { expect, it } from 'vitest';
import type { HostSession } from '../../../../src/host/sessions/session.js';
import { takeUpWaits } from '../../../../src/host/sessions/take-up.js';
import { createMemoryStore } from '../../../../src/log/memory-store.js';
import { FakeClock } from '../../agent/fake-clock.js';

it('F: opens the sessions whose wait was left, on show or not, and no other', async () => {
  let last = 0;
  const ids = { entry: () => (++last).toString(16).padStart(16, '0'), session: () => `s${++last}` };
  const store = createMemoryStore({ clock: new FakeClock(), ids, producer: 'bough/test' });
  for (const id of ['waits', 'broken', 'rests', 'archived']) {
    const log = await store.openOrCreate(id);
    await log.append([
      { type: 'message', role: 'user', parts: [{ type: 'text', text: 'go' }], turn_id: 't' },
      { type: 'turn_start', turn_id: 't' },
      { type: 'step_start', turn_id: 't', step: 1, attempt_id: 'a' },
      ...(id === 'rests'
        ? []
        : [
            {
              type: 'retry_start' as const,
              kind: 'retry' as const,
              turn_id: 't',
              step: 1,
              attempt_id: 'a',
              attempt: 1,
              max_attempts: 4,
              delay_ms: 1_000,
              due_at: '2026-01-01T00:00:00.000Z',
              error: 'Overloaded',
            },
          ]),
    ]);
    if (id === 'archived') await store.archive(id);
  }
  const opened: string[] = [];
  const errors: unknown[] = [];
  const open = (id: string): Promise<HostSession> => {
    opened.push(id);
    // What opening gives is of no interest here.
    return id === 'broken'
      ? Promise.reject(new Error('away'))
      : new Promise((resolve) => resolve({} as HostSession));
  };
  await takeUpWaits({ store, sessions: { open }, onError: (error) => errors.push(error) });
  expect(opened.sort()).toEqual(['broken', 'waits']);
  expect(errors).toHaveLength(1);
});
