/** What outlives the store. */
import type { Draft } from '../../shared/notes.js';
import { answer, text, texts, type Check, type Runner } from './runner.js';

export function describeReopening({ expect }: Runner, check: Check): void {
  check('gives a second store what the first one wrote', async (store, { reopen }) => {
    if (reopen === undefined) return;
    const log = await store.create({ id: 'one', folder: 'file:///w', title: 'T' });
    const [a] = await log.append([text('a \u2028 \ud800 z')]);
    await log.append([answer('b')]);
    await log.append([{ type: 'head', entry_id: a?.id ?? '' }, answer('c')]);
    const before = {
      path: await log.path(),
      since: await log.since(0),
      outline: log.outline,
      state: log.state(),
    };
    await store.close();
    const second = await reopen();
    const again = await second.open('one');
    expect({
      path: await again.path(),
      since: await again.since(0),
      outline: again.outline,
      state: again.state(),
    }).toEqual(before);
    expect(again.damage).toEqual([]);
    expect(again.header.folder).toBe('file:///w');
    await second.close();
  });
  check(
    'can be read again after a turn that did not end well, whether or not its text is kept',
    async (store, { reopen }) => {
      const log = await store.create({ id: 'one' });
      const [asked] = await log.append([text('a'), { type: 'turn_start', turn_id: 't' }]);
      const partial: Draft = {
        type: 'incomplete_output',
        turn_id: 't',
        attempt_id: 'x',
        text: 'half',
        incomplete: true,
        reason: 'stopped',
      };
      const written = await log.append([
        partial,
        { type: 'turn_end', turn_id: 't', steps: 1, status: 'stopped' },
      ]);
      const isKept = written[0]?.type === 'incomplete_output';
      expect(written.map(({ parent_id }) => parent_id)).toEqual(
        isKept ? [asked?.id, written[0]?.id] : [asked?.id],
      );
      await log.append([partial]);
      await log.append([text('b')]);
      const seen = await texts(log);
      expect(seen).toEqual(isKept ? ['a', 'incomplete_output', 'incomplete_output', 'b'] : ['a', 'b']);
      if (reopen === undefined) return;
      await store.close();
      const second = await reopen();
      const again = await second.open('one');
      expect([again.damage, again.state().turn, await texts(again)]).toEqual([[], null, seen]);
      await second.close();
    },
  );
}
