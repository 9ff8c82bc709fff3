import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { randomIds, systemClock } from '../../../../src/host/clock.js';
import { createSignal } from '../../../../src/host/disposables.js';
import { followList } from '../../../../src/host/sessions/follow-list.js';
import type { HostSession } from '../../../../src/host/sessions/session.js';
import {
  watchFolder,
  type FolderListener,
  type WatchFolder,
} from '../../../../src/host/sessions/watch-folder.js';
import { FileStore } from '../../../../src/log/file-store.js';
import { LockTable } from '../../../../src/log/lock-table.js';
import { createNodeFiles } from '../../../../src/log/node-files.js';
import type { Clock } from '../../../../src/ports.js';
import type { RunState } from '../../../../src/shared/protocol.js';
import { FakeClock } from '../../agent/fake-clock.js';

interface Fake {
  id: string;
  run: RunState;
  looks: string[];
}

const session = ({ id, run, looks }: Fake): HostSession =>
  ({
    agent: {
      log: {
        file: path.join('/b', 'sessions', `${id}.jsonl`),
        catchUp: () => {
          looks.push(id);
          return Promise.resolve();
        },
      },
      run: () => run,
    },
  }) as unknown as HostSession;

function follow(
  watch: WatchFolder,
  {
    folder = path.join('/b', 'sessions'),
    clock,
    open = [],
  }: { folder?: string; clock: Clock; open?: readonly Fake[] },
) {
  const errors: unknown[] = [];
  const onError = (error: unknown) => errors.push(error);
  const [views, reads] = [createSignal<void>(onError), createSignal<void>(onError)];
  const seen = { isVisible: true, refreshed: 0 };
  const sessions = open.map(session);
  const following = followList({
    folders: () => [folder],
    sessions: { all: () => sessions },
    list: {
      isVisible: () => seen.isVisible,
      onView: (listener) => views.on(listener),
      onRead: (listener) => reads.on(listener),
      refresh: () => {
        seen.refreshed += 1;
        reads.fire();
      },
    },
    ...{ watch, clock, onError },
  });
  return { errors, views, seen, following };
}

function folders(...there: string[]) {
  const watched = new Map<string, FolderListener>();
  const exist = new Set(there.map((folder) => path.join('/b', folder)));
  const watch: WatchFolder = (folder, listener) => {
    if (!exist.has(folder)) return undefined;
    watched.set(folder, listener);
    return { dispose: () => void watched.delete(folder) };
  };
  return { watch, watched, exist, sessions: path.join('/b', 'sessions') };
}

describe('the list of sessions and other windows', () => {
  it('is read again for logs that others write, soon and together, and never while nothing changes', async () => {
    const clock = new FakeClock();
    const looks: string[] = [];
    const { watch, watched, sessions } = folders('sessions');
    const { seen, following } = follow(watch, {
      clock,
      open: [
        { id: 'mine', run: 'running', looks },
        { id: 'rests', run: 'idle', looks },
        { id: 'other', run: 'idle', looks },
      ],
    });
    await clock.advance(60_000);
    expect([seen.refreshed, clock.pending]).toEqual([0, 0]);
    for (const name of ['mine.jsonl', 'rests.stream', 'rests.lease.json'])
      watched.get(sessions)?.onChange(name);
    expect(clock.pending).toBe(0);
    watched.get(sessions)?.onChange('new.jsonl');
    watched.get(sessions)?.onChange('rests.jsonl');
    await clock.advance(50);
    expect([seen.refreshed, looks, clock.pending]).toEqual([1, ['rests'], 0]);
    // A stream of lines costs one look a second.
    watched.get(sessions)?.onChange('new.jsonl');
    await clock.advance(900);
    expect(seen.refreshed).toBe(1);
    await clock.advance(100);
    expect([seen.refreshed, clock.pending]).toEqual([2, 0]);
    following.dispose();
    expect(watched.size).toBe(0);
  });

  it('is not followed while it is out of sight, and read again when it comes back into it', async () => {
    const clock = new FakeClock();
    const { watch, watched, sessions } = folders('sessions');
    const { seen, views } = follow(watch, { clock });
    seen.isVisible = false;
    views.fire();
    await clock.advance(5_000);
    expect([watched.size, seen.refreshed, clock.pending]).toEqual([0, 0, 0]);
    seen.isVisible = true;
    views.fire();
    await clock.advance(1_000);
    expect([watched.has(sessions), seen.refreshed, clock.pending]).toEqual([true, 1, 0]);
  });

  it('is read when the folder of the logs comes to be, which until then is looked for from above', async () => {
    const clock = new FakeClock();
    const { watch, watched, exist, sessions } = folders('.');
    const { seen } = follow(watch, { clock });
    expect([...watched.keys()]).toEqual([path.join('/b', '.')]);
    watched.get('/b')?.onChange('cache');
    await clock.advance(1_000);
    expect([seen.refreshed, clock.pending]).toEqual([0, 0]);
    exist.add(sessions);
    watched.get('/b')?.onChange('sessions');
    await clock.advance(1_000);
    expect([[...watched.keys()], seen.refreshed]).toEqual([[sessions], 1]);
  });

  it('is read when the person comes back where a folder cannot be watched, and else not', async () => {
    const clock = new FakeClock();
    const { seen, views } = follow(
      (_, listener) => {
        listener.onBlind();
        return undefined;
      },
      { clock },
    );
    await clock.advance(60_000);
    const first = seen.refreshed;
    expect([first <= 1, clock.pending]).toEqual([true, 0]);
    views.fire();
    await clock.advance(60_000);
    expect([seen.refreshed, clock.pending]).toEqual([first + 1, 0]);
  });
});

describe('two stores on one folder', () => {
  const bases: string[] = [];
  afterEach(async () => {
    for (const base of bases.splice(0)) await rm(base, { recursive: true, force: true });
  });

  it('what one writes is read in the list of the other, told by the system alone, and who works there', async () => {
    const base = await mkdtemp(path.join(os.tmpdir(), 'bough-list-'));
    bases.push(base);
    const folder = path.join(base, 'workspaces', 'one');
    const store = (pid: number) =>
      new FileStore({
        ...{ folder, clock: systemClock, files: createNodeFiles(), ids: randomIds, locks: new LockTable() },
        ...{ who: { window: 'w', pid, host: os.hostname() }, producer: 'bough/test' },
        onTrouble: (error) => expect.fail(error.message),
      });
    const [mine, theirs] = [store(process.pid), store(process.ppid)];
    const { seen, following, errors } = follow(watchFolder, {
      clock: systemClock,
      folder: path.join(folder, 'sessions'),
    });
    try {
      const log = await theirs.create({ id: 'a' });
      const say = (text: string) =>
        log.append([{ type: 'message', role: 'user', parts: [{ type: 'text', text }] }]);
      await say('Plant a bough');
      await vi.waitFor(() => expect(seen.refreshed).toBeGreaterThan(0), 10_000);
      expect((await mine.list()).sessions).toMatchObject([{ id: 'a', title: 'Plant a bough' }]);
      expect(await mine.holder('a')).toBeNull();
      const lease = await log.acquire();
      expect(await mine.holder('a')).toMatchObject({ pid: process.ppid });
      lease.dispose();
      const before = seen.refreshed;
      await theirs.delete('a');
      await vi.waitFor(() => expect(seen.refreshed).toBeGreaterThan(before), 10_000);
      expect((await mine.list()).sessions).toEqual([]);
      expect(errors).toEqual([]);
    } finally {
      following.dispose();
      await Promise.all([mine.close(), theirs.close()]);
    }
  });
});
