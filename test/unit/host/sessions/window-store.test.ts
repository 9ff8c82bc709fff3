import { describe, expect, it } from 'vitest';
import { WindowStore, type Place } from '../../../../src/host/sessions/window-store.js';
import { createMemoryStore } from '../../../../src/log/memory-store.js';
import type { SessionLog } from '../../../../src/log/store.js';
import { FakeClock } from '../../agent/fake-clock.js';

function make() {
  const clock = new FakeClock();
  let last = 0;
  const ids = { entry: () => (++last).toString(16).padStart(16, '0'), session: () => `s${++last}` };
  const store = () => createMemoryStore({ clock, ids, producer: 'bough/test' });
  const place = (key: string): Place => ({ key, folder: `file:///${key}`, store: store() });
  const [first, second] = [place('first'), place('second')];
  const errors: unknown[] = [];
  const window = new WindowStore({
    ...{ first, memory: store(), freshId: () => ids.session() },
    onError: (error) => errors.push(error),
    clean: (text) => text.replaceAll('sk-secret', '[redacted]'),
  });
  return { window, first, second, errors };
}

const say = async (log: SessionLog, text: string) =>
  log.append([{ type: 'message', role: 'user', parts: [{ type: 'text', text }] }]);
const titles = async (window: WindowStore) => (await window.list()).sessions.map(({ title }) => title).sort();

describe('the sessions of a window', () => {
  it('B12: are those of all its folders; each is opened where it is, new ones begin in the first', async () => {
    const { window, first, second } = make();
    await say(await second.store.openOrCreate('two'), 'In the second');
    await say(await window.openOrCreate('one'), 'In the first');
    expect(await titles(window)).toEqual(['In the first']);
    window.setPlaces([second]);
    expect(await titles(window)).toEqual(['In the first', 'In the second']);
    expect((await window.placeOf('two')).key).toBe('second');
    await window.rename('two', 'Renamed');
    expect((await second.store.list()).sessions).toMatchObject([{ title: 'Renamed' }]);
    expect((await first.store.list()).sessions).toMatchObject([{ id: 'one' }]);
    window.setPlaces([]);
    expect(await titles(window)).toEqual(['In the first']);
    expect((await window.open('two')).id).toBe('two');
  });

  it('one in memory only is listed while the window lives, in no folder, and its fork stays there too', async () => {
    const { window, first } = make();
    const id = window.ephemeralId();
    await say(await window.openOrCreate(id), 'Not kept');
    const copy = await window.fork(id);
    expect(await titles(window)).toEqual(['Not kept', 'Not kept']);
    expect((await first.store.list()).sessions).toEqual([]);
    expect([window.isKept(id), window.isKept(copy.id), window.isKept('other')]).toEqual([false, false, true]);
    await window.delete(id);
    expect((await window.list()).sessions).toHaveLength(1);
  });

  it('H11: keeps keys out of names, whoever gives them', async () => {
    const { window } = make();
    await say(await window.openOrCreate('one', { title: 'made with sk-secret' }), 'a');
    await say(await window.create({ id: 'two', title: 'sk-secret too' }), 'b');
    const copy = await window.fork('one', { title: 'copied sk-secret' });
    expect(await titles(window)).toEqual(['[redacted] too', 'copied [redacted]', 'made with [redacted]']);
    await window.rename(copy.id, 'renamed sk-secret');
    expect(await titles(window)).toEqual(['[redacted] too', 'made with [redacted]', 'renamed [redacted]']);
  });

  it('tells of changes in any of them, and looks after all', async () => {
    const { window, second, errors } = make();
    const changed: string[] = [];
    window.onChange((id) => changed.push(id));
    window.visit(second);
    await say(await second.store.openOrCreate('two'), 'Hello');
    expect(changed).toContain('two');
    await expect(window.openFile('/x.jsonl')).rejects.toMatchObject({ code: 'SessionNotFound' });
    expect(await window.prune({ sessionIdle: 0 })).toMatchObject([{ sessions: [] }]);
    expect(await window.verify()).toMatchObject([{ orphans: [] }]);
    await window.close();
    expect(errors).toEqual([]);
  });
});
