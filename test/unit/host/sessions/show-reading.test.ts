import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { ListProgress } from '../../../../src/log/list-reading.js';
import { createSignal } from '../../../../src/host/disposables.js';
import { showReading } from '../../../../src/host/sessions/show-reading.js';
import { FakeClock } from '../../agent/fake-clock.js';

interface Toast {
  said: { increment: number; message: string }[];
  cancel: () => void;
  isOver: boolean;
}
const toasts = vi.hoisted((): Toast[] => []);

vi.mock('vscode', () => ({
  ProgressLocation: { Notification: 15 },
  l10n: {
    t: (text: string, ...words: unknown[]) => text.replace(/\{(\d)\}/g, (_, at) => String(words[Number(at)])),
  },
  window: {
    withProgress: async (
      { cancellable }: { cancellable: boolean },
      work: (progress: unknown, token: unknown) => Promise<void>,
    ) => {
      const toast: Toast = { said: [], cancel: () => undefined, isOver: false };
      toasts.push(toast);
      const report = (one: Toast['said'][number]) => toast.said.push(one);
      const onCancellationRequested = (cancel: () => void) => (toast.cancel = cancel);
      expect(cancellable).toBe(true);
      await work({ report }, { onCancellationRequested });
      toast.isOver = true;
    },
  },
}));

function make() {
  const clock = new FakeClock();
  const signal = createSignal<ListProgress | null>((error) => {
    throw error;
  });
  const stop = vi.fn();
  const showing = showReading({ reading: { on: (listener) => signal.on(listener), stop }, clock });
  return {
    clock,
    stop,
    showing,
    read: (read: number, of = 10_000) => signal.fire({ read, of }),
    end: () => signal.fire(null),
  };
}

describe('a list that takes long', () => {
  beforeEach(() => void toasts.splice(0));

  it('says nothing when it is read at once', async () => {
    const { clock, read, end } = make();
    read(1);
    end();
    await clock.advance(10_000);
    expect(toasts).toEqual([]);
  });

  it('says how far it is until it is over, and no more often than that can be seen', async () => {
    const { clock, read, end } = make();
    for (let at = 1; at <= 100; at++) read(at);
    await clock.advance(1_000);
    for (let at = 101; at <= 1_000; at++) read(at);
    expect(toasts).toHaveLength(1);
    expect(toasts[0]?.said.map(({ message }) => message)).toEqual(
      Array.from({ length: 10 }, (_, at) => `${String(100 * (at + 1))} of 10000`),
    );
    expect(toasts[0]?.said.reduce((sum, { increment }) => sum + increment, 0)).toBe(10);
    expect(toasts[0]?.isOver).toBe(false);
    end();
    await vi.waitFor(() => expect(toasts[0]?.isOver).toBe(true));
  });

  it('is stopped by its button, and another is another', async () => {
    const { clock, stop, read, end } = make();
    read(1);
    await clock.advance(1_000);
    toasts[0]?.cancel();
    expect(stop).toHaveBeenCalledOnce();
    end();
    read(1);
    await clock.advance(1_000);
    expect(toasts).toHaveLength(2);
  });

  it('goes with the window', async () => {
    const { clock, showing, read } = make();
    read(1);
    await clock.advance(1_000);
    showing.dispose();
    await vi.waitFor(() => expect(toasts[0]?.isOver).toBe(true));
  });
});
