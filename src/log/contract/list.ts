/** The list of sessions. */
import { answer, codeOf, text, type Check, type Runner } from './runner.js';
import type { SessionStore } from '../store.js';

export function describeList({ expect }: Runner, check: Check): void {
  check('lists what was appended to, and not what was only created', async (store) => {
    await store.create({ id: 'empty' });
    await (await store.create({ id: 'one' })).append([text('What is in this folder?'), answer('Files.')]);
    const { sessions } = await store.list();
    expect(
      sessions.map(({ id, title, named, messages, status }) => ({ id, title, named, messages, status })),
    ).toEqual([{ id: 'one', title: 'What is in this folder?', named: false, messages: 2, status: 'idle' }]);
  });

  check('pages by an exclusive cursor, each row once', async (store) => {
    for (let index = 0; index < 7; index++)
      await (await store.create({ id: `s${index}` })).append([text('a')]);
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await store.list({ limit: 3, ...(cursor === undefined ? {} : { cursor }) });
      seen.push(...page.sessions.map(({ id }) => id));
      cursor = page.cursor;
    } while (cursor !== undefined);
    expect(new Set(seen).size).toBe(7);
    expect(seen).toHaveLength(7);
    expect(await codeOf(store.list({ cursor: 'nonsense' }))).toBe('InvalidArgument');
    expect(await codeOf(store.list({ limit: 0 }))).toBe('InvalidArgument');
  });

  check('filters by owner, tags and text', async (store) => {
    const log = await store.create({ id: 'one', owner: 'me' });
    await log.append([text('Find the bug'), { type: 'session_info', tags: ['a', 'b'] }]);
    await (await store.create({ id: 'two', owner: 'you' })).append([text('Write a test')]);
    const ids = async (query: Parameters<SessionStore['list']>[0]): Promise<string[]> =>
      (await store.list(query)).sessions.map(({ id }) => id);
    expect(await ids({ owner: 'me' })).toEqual(['one']);
    expect(await ids({ tags: ['b', 'a'] })).toEqual(['one']);
    expect(await ids({ tags: ['a', 'c'] })).toEqual([]);
    expect(await ids({ text: 'TEST' })).toEqual(['two']);
  });
}
