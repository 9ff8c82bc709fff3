import { describe, expect, it } from 'vitest';
import { ShownInSideBar } from '../../../../src/host/chat/shown.js';
import { activeSession } from '../../../../src/host/sessions/active.js';
import { BoughError } from '../../../../src/shared/failure.js';
import { idle } from '../world.js';

const full = () => new BoughError('StorageFailure', 'There is no space left on /.');

function make(
  options: {
    stored?: string;
    newest?: string;
    isContinued?: boolean;
    fails?: 'read' | 'write';
    isLost?: boolean;
  } = {},
) {
  const writes: string[] = [];
  const troubles: unknown[] = [];
  let fresh = 0;
  const active = activeSession('side bar', {
    surfaces: {
      get: () => (options.fails === 'read' ? Promise.reject(full()) : Promise.resolve(options.stored)),
      set: (_, session) => {
        if (options.fails === 'write') return Promise.reject(full());
        writes.push(session);
        return Promise.resolve();
      },
    },
    store: {
      summary: (id) =>
        Promise.resolve(options.isLost === true ? { ...summary(id), status: 'missing' } : summary(id)),
      fileOf: () => undefined,
      recall: () => Promise.resolve(),
      isKept: (id) => id !== 'in memory',
      list: () =>
        options.fails === 'read'
          ? Promise.reject(full())
          : Promise.resolve({ sessions: options.newest === undefined ? [] : [summary(options.newest)] }),
    },
    freshId: () => `fresh ${++fresh}`,
    isContinued: () => options.isContinued ?? true,
    onTrouble: (error) => troubles.push(error),
  });
  const shown = new ShownInSideBar(active, (error, doing) => troubles.push(`${doing}: ${String(error)}`));
  return { shown, writes, troubles };
}

const summary = (id: string) => ({
  ...{
    id,
    title: id,
    named: false,
    folder: undefined,
    created: 0,
    updated: 0,
    said: 0,
    size: 0,
    messages: 0,
  },
  ...{ leaves: 0, archived: false, tags: [], owner: undefined, status: 'idle' as const },
});

describe('what the side bar shows', () => {
  it.each([
    [{ stored: 'last', newest: 'newest' }, 'last'],
    [{ newest: 'newest' }, 'newest'],
    [{}, 'fresh 1'],
    [{ stored: 'last', newest: 'newest', isContinued: false }, 'fresh 1'],
    [{ stored: 'last', newest: 'newest', isLost: true }, 'fresh 1'],
  ])('finding it writes nothing: %o', async (options, expected) => {
    const { shown, writes } = make(options);
    expect(shown.id).toBe(undefined);
    expect(await Promise.all([shown.find(), shown.find()])).toEqual([expected, expected]);
    expect(await shown.find()).toBe(expected);
    expect(shown.id).toBe(expected);
    expect(writes).toEqual([]);
  });

  it('where nothing can be read it is a fresh one, and that is told', async () => {
    const { shown, troubles } = make({ fails: 'read' });
    expect(await shown.find()).toBe('fresh 1');
    expect(troubles).toHaveLength(2);
  });

  it('is remembered once something is done in it, and once only', async () => {
    const { shown, writes } = make({ newest: 'newest' });
    await shown.find();
    shown.touch('another');
    expect(writes).toEqual([]);
    shown.touch('newest');
    shown.touch('newest');
    expect(writes).toEqual(['newest']);
    shown.choose('another');
    shown.choose('newest');
    expect(writes).toEqual(['newest', 'another', 'newest']);
  });

  it('a choice that cannot be written is shown all the same, and told', async () => {
    const { shown, troubles } = make({ fails: 'write' });
    shown.choose('one');
    await idle();
    expect(await shown.find()).toBe('one');
    expect(troubles).toEqual([expect.stringMatching(/^Remembering which session is shown: .*no space left/)]);
  });

  it('what is chosen while it is looked for counts', async () => {
    const { shown } = make({ stored: 'last' });
    const finding = shown.find();
    shown.choose('one');
    expect(await finding).toBe('one');
  });
});
