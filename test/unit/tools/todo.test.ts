import { describe, expect, it } from 'vitest';
import { call, prepare, refusal } from './call.js';
import { fakeWorkspace } from './fake-workspace.js';

const workspace = fakeWorkspace({});
const item = (title: string, status = 'pending', id?: string) => ({
  title,
  status,
  ...(id === undefined ? {} : { id }),
});

describe('todo', () => {
  it('keeps the whole list, and says how far it is', async () => {
    const items = [
      item('Read', 'done', 'a'),
      item('Write', 'in_progress', 'b'),
      item('Test', 'pending', 'c'),
    ];
    const outcome = await call(workspace, 'todo', { items });
    expect(outcome).toMatchObject({ is_error: false, outcome: '1 of 3 done', todos: items });
    expect(await prepare(workspace, 'todo', { items })).toMatchObject({
      risk: 'read',
      sentence: 'Set 3 to-dos',
    });
  });

  it('gives an id to what has none, and takes none that is there', async () => {
    const { todos } = await call(workspace, 'todo', {
      items: [item('a', 'pending', '2'), item('b'), item('c')],
    });
    expect(todos?.map(({ id }) => id)).toEqual(['2', '1', '3']);
  });

  it('an empty list clears it', async () => {
    expect(await call(workspace, 'todo', { items: [] })).toMatchObject({ todos: [], outcome: 'cleared' });
  });

  it.each([
    [{}, /items/],
    [{ items: [item(' ')] }, /blank/],
    [{ items: [item('a', 'later')] }, /status/],
    [{ items: [item('a', 'done', 'x'), item('b', 'done', 'x')] }, /Two items have the id "x"/],
    [{ items: Array.from({ length: 101 }, () => item('a')) }, /items/],
  ])('refuses %j', async (input, reason) => {
    expect(await refusal(workspace, 'todo', input)).toMatch(reason);
  });
});
