import { describe, expect, it } from 'vitest';
import { ReadAhead } from '../../../../src/host/sessions/read-ahead.js';

/** Reads wait until they are answered, oldest first. */
function make() {
  const seen = { isVisible: true, now: 0, reads: 0, told: 0 };
  const waiting: { resolve: (value: string) => void; reject: (error: Error) => void }[] = [];
  const ahead = new ReadAhead<string>({
    read: () => {
      seen.reads++;
      return new Promise((resolve, reject) => waiting.push({ resolve, reject }));
    },
    isVisible: () => seen.isVisible,
    now: () => seen.now,
    onRead: () => void seen.told++,
  });
  return { ahead, seen, answer: (value: string) => waiting.shift()?.resolve(value), waiting };
}

describe('a list that is read before VS Code forgets its rows', () => {
  it('tells of a change when it is read, and gives what was read once', async () => {
    const { ahead, seen, answer } = make();
    ahead.changed();
    const looked = ahead.look();
    expect(seen).toMatchObject({ reads: 1, told: 0 });
    answer('first');
    await looked;
    expect(seen.told).toBe(1);
    expect(await ahead.take()).toBe('first');
    const later = ahead.take();
    answer('second');
    expect(await later).toBe('second');
  });

  it('gives nothing that is older than a change: neither what is held nor what is being read', async () => {
    const { ahead, seen, answer } = make();
    ahead.changed();
    const looked = ahead.look();
    answer('held');
    await looked;
    ahead.changed();
    const first = ahead.take();
    answer('read now');
    expect(await first).toBe('read now');

    const again = ahead.look();
    ahead.changed();
    void ahead.look();
    answer('outdated');
    await expect.poll(() => seen.reads).toBe(4);
    expect(seen.told).toBe(2);
    answer('newest');
    await again;
    expect(seen.told).toBe(3);
    expect(await ahead.take()).toBe('newest');
  });

  it('is read once for each time it is asked to, whatever changes while it is read', async () => {
    const { ahead, seen, answer } = make();
    const looked = ahead.look();
    ahead.changed();
    answer('outdated');
    await looked;
    expect(seen).toMatchObject({ reads: 1, told: 1 });
  });

  it('is not read out of sight, and what was not asked for is not kept', async () => {
    const { ahead, seen, answer } = make();
    seen.isVisible = false;
    ahead.changed();
    await ahead.look();
    expect(seen).toMatchObject({ reads: 0, told: 1 });
    seen.isVisible = true;
    const looked = ahead.look();
    answer('old');
    await looked;
    seen.now = 1_000;
    const taken = ahead.take();
    answer('new');
    expect(await taken).toBe('new');
  });

  it('tells of a change where it cannot be read, and who takes is told why', async () => {
    const { ahead, seen, waiting } = make();
    const looked = ahead.look();
    waiting.shift()?.reject(new Error('The disk is gone.'));
    await looked;
    expect(seen.told).toBe(1);
    const taken = ahead.take();
    waiting.shift()?.reject(new Error('It is still gone.'));
    await expect(taken).rejects.toThrow('It is still gone.');
  });
});
