import { describe, expect, it } from 'vitest';
import { apiSession } from '../../../src/host/api-session.js';
import { calls, text } from '../agent/fake-model.js';
import { makeWorld } from './world.js';

const setTodos = (...titles: string[]) =>
  calls([{ name: 'todo', input: { items: titles.map((title) => ({ title, status: 'done' })) } }]);

describe('the to-do list', () => {
  it('H9: two branches never share one: each has its own, and beginning anew has none', async () => {
    const world = makeWorld([
      text('Hello.'),
      ...[setTodos('a', 'b'), text('Planned.')],
      ...[setTodos('c'), text('Planned otherwise.')],
    ]);
    const host = await world.sessions.open('one');
    const session = apiSession(host, { rename: () => Promise.resolve(), tag: () => Promise.resolve() });
    const titles = () => host.agent.log.state().todos.map(({ title }) => title);
    await session.prompt('Hello');
    const fork = session.head;
    await session.prompt('Plan');
    const first = session.head;
    expect(titles()).toEqual(['a', 'b']);
    await session.navigate(fork);
    expect(titles()).toEqual([]);
    await session.prompt('Plan otherwise');
    expect(titles()).toEqual(['c']);
    await session.navigate(first);
    expect(titles()).toEqual(['a', 'b']);
    await session.clear();
    expect(titles()).toEqual([]);
  });

  it('stands in one batch with the result that set it', async () => {
    const world = makeWorld([setTodos('a'), text('Planned.')]);
    const host = await world.sessions.open('one');
    const batches: string[][] = [];
    host.agent.log.onAppend((placed) => batches.push(placed.map(({ entry }) => entry.type)));
    await apiSession(host, { rename: () => Promise.resolve(), tag: () => Promise.resolve() }).prompt('Plan');
    expect(batches).toContainEqual(['message', 'todo_update']);
  });
});
