import { describe, expect, it } from 'vitest';
import { createSignal } from '../../../../src/host/disposables.js';
import type { OpenSessions, SessionEvent } from '../../../../src/host/sessions/open-sessions.js';
import { WaitingSessions } from '../../../../src/host/sessions/waiting-sessions.js';
import { createMemoryStore } from '../../../../src/log/memory-store.js';
import type { SessionLog } from '../../../../src/log/store.js';
import { FakeClock } from '../../agent/fake-clock.js';

const call = { type: 'tool_call', call_id: 'c1', name: 'run', input: {} } as const;

function make() {
  const clock = new FakeClock();
  let last = 0;
  const ids = { entry: () => (++last).toString(16).padStart(16, '0'), session: () => `s${++last}` };
  const store = createMemoryStore({ clock, ids, producer: 'bough/test' });
  const fail = (error: unknown): never => {
    throw error;
  };
  const events = createSignal<SessionEvent>(fail);
  const open = new Set<string>();
  const counts: number[] = [];
  const peek = ((id: string) => (open.has(id) ? {} : undefined)) as OpenSessions['peek'];
  const list: { next?: ReturnType<typeof store.list> } = {};
  const waiting = new WaitingSessions({
    store: {
      list: (query) => list.next ?? store.list(query),
      onChange: (listener) => store.onChange(listener),
      summary: (id) => store.summary(id),
    },
    sessions: { on: (listener) => events.on(listener), peek },
    onChange: () => counts.push(waiting.count),
    onError: fail,
  });
  return { store, events, open, counts, waiting, list };
}

async function ask(log: SessionLog): Promise<string> {
  const written = await log.append([
    { type: 'message', role: 'user', parts: [{ type: 'text', text: 'go' }], turn_id: 't' },
    { type: 'turn_start', turn_id: 't' },
    { type: 'message', role: 'assistant', parts: [call], turn_id: 't' },
    {
      type: 'approval_request',
      call_id: 'c1',
      tool: 'run',
      summary: 'Run',
      input_hash: 'x',
      targets: [],
      turn_id: 't',
    },
  ]);
  return written.at(-1)?.id ?? '';
}
const decide = (log: SessionLog, request_id: string) =>
  log.append([
    { type: 'approval_decision', request_id, decision: 'deny', turn_id: 't' },
    { type: 'turn_end', turn_id: 't', steps: 1, status: 'stopped' },
  ]);

describe('F8: sessions that wait and are not open', () => {
  it('are counted from the list, until they are open or decided', async () => {
    const { store, events, open, counts, waiting } = make();
    const one = await store.openOrCreate('one');
    const request = await ask(one);
    await (
      await store.openOrCreate('two')
    ).append([{ type: 'message', role: 'user', parts: [{ type: 'text', text: 'nothing waits here' }] }]);
    await waiting.start();
    expect(waiting.count).toBe(1);
    open.add('one');
    expect(waiting.count).toBe(0);
    // Let go of while it still waits, then decided by somebody else.
    open.delete('one');
    events.fire({ id: 'one', type: 'rested' });
    expect(waiting.count).toBe(1);
    await decide(one, request);
    await expect.poll(() => waiting.count).toBe(0);
    expect(counts.at(-1)).toBe(0);
  });

  it('are noticed when they begin to wait, and looked at again when the person comes back', async () => {
    const { store, waiting } = make();
    await waiting.start();
    const log = await store.openOrCreate('one');
    const request = await ask(log);
    await expect.poll(() => waiting.count).toBe(1);
    await waiting.lookAgain();
    expect(waiting.count).toBe(1);
    await store.archive('one');
    await expect.poll(() => waiting.count).toBe(0);
    expect(request).not.toBe('');
  });

  it('one that begins to wait while the list is read stays counted', async () => {
    const { store, waiting, list } = make();
    const log = await store.openOrCreate('one');
    await log.append([{ type: 'message', role: 'user', parts: [{ type: 'text', text: 'go' }] }]);
    const other = await store.openOrCreate('two');
    const request = await ask(other);
    const page = await store.list();
    let deliver: () => void = () => undefined;
    list.next = new Promise((resolve) => (deliver = () => resolve(page)));
    const started = waiting.start();
    await ask(log);
    await expect.poll(() => waiting.count).toBe(1);
    await decide(other, request);
    deliver();
    await started;
    expect(waiting.count).toBe(1);
    await waiting.lookAgain();
    expect(waiting.count).toBe(1);
  });
});
