import { rm } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import type { Chats } from '../../../src/host/chat/chats.js';
import { createSignal } from '../../../src/host/disposables.js';
import type { ApiEvents } from '../../../src/host/public-api.js';
import type { OpenSessions } from '../../../src/host/sessions/open-sessions.js';
import { ReadingLists } from '../../../src/host/sessions/reading-lists.js';
import { tellWorld } from '../../../src/host/tell-world.js';
import type { Draft } from '../../../src/shared/notes.js';
import { makePlace, user, type Place } from '../log/support.js';

vi.mock('vscode', () => ({
  commands: { executeCommand: () => Promise.resolve() },
  window: { onDidChangeWindowState: () => ({ dispose: () => undefined }) },
}));

let place: Place | undefined;
afterEach(() => place?.dispose());

const retry: Draft[] = [
  {
    type: 'retry_start',
    kind: 'retry',
    turn_id: 't',
    step: 1,
    attempt_id: 'a',
    attempt: 1,
    max_attempts: 4,
    delay_ms: 1_000,
    due_at: '2026-01-01T00:00:00.000Z',
    error: 'Overloaded',
  },
];
const approval: Draft[] = [
  {
    type: 'message',
    role: 'assistant',
    parts: [{ type: 'tool_call', call_id: 'c', name: 'run', input: {} }],
    turn_id: 't',
  },
  {
    type: 'approval_request',
    call_id: 'c',
    tool: 'run',
    summary: 'Run',
    input_hash: 'x',
    targets: [],
    turn_id: 't',
  },
];

it('takes up and counts what waits in logs that were left, once they are read', async () => {
  place = await makePlace();
  const writer = place.store();
  for (const [prefix, notes] of [
    ['retry', retry],
    ['asks', approval],
  ] as const)
    for (let at = 0; at < 6; at++) {
      const log = await writer.create({ id: `${prefix}${String(at)}` });
      await log.append([
        user('go'),
        { type: 'turn_start', turn_id: 't' },
        { type: 'step_start', turn_id: 't', step: 1, attempt_id: 'a' },
        ...notes,
      ]);
    }
  await writer.close();
  await rm(path.join(place.folder, 'cache'), { recursive: true, force: true });

  const fail = (error: unknown): never => {
    throw error;
  };
  const store = place.store();
  const reading = new ReadingLists(createSignal(fail));
  reading.add(store.reading);
  const stopping = reading.on(() => reading.stop());
  const opened = new Set<string>();
  let needs = 0;
  const off = () => ({ dispose: () => undefined });
  const world = tellWorld({
    store: {
      list: (query) => store.list(query),
      onChange: (listener) => store.onChange(listener),
      summary: (id) => store.summary(id),
      reading,
    },
    sessions: {
      all: () => [],
      on: off,
      peek: () => undefined,
      open: (id: string) => Promise.resolve(void opened.add(id)),
    } as unknown as OpenSessions,
    chats: { onChange: off, peekCurrent: () => undefined, hasFocus: () => false } as unknown as Chats,
    events: {} as ApiEvents,
    showRun: () => undefined,
    showNeeds: (count) => (needs = count),
    onError: fail,
  });
  await vi.waitFor(() => expect(reading.left).toBeGreaterThan(6));
  stopping.dispose();

  reading.again();
  await store.list();
  await vi.waitFor(() => {
    expect(opened.size).toBe(6);
    expect(needs).toBe(6);
  });
  world.dispose();
});
