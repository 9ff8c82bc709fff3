/** What outlives the store. */
import { answer, text, type Check, type Runner } from './runner.js';

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
}
