import { describe, expect, it } from 'vitest';
import { apiSession } from '../../../src/host/api-session.js';
import type { Draft } from '../../../src/shared/notes.js';
import { calls, text } from '../agent/fake-model.js';
import { makeWorld } from './world.js';

async function opened(replies: Parameters<typeof makeWorld>[0]) {
  const world = makeWorld(replies);
  const host = await world.sessions.open('one');
  const session = apiSession(host, { rename: () => Promise.resolve(), tag: () => Promise.resolve() });
  return { world, session, agent: host.agent };
}

const todos = (...status: string[]) =>
  calls([
    {
      name: 'todo',
      input: { items: status.map((one, at) => ({ id: `t${at}`, title: `T${at}`, status: one })) },
    },
  ]);
const read = calls([{ name: 'read', input: { path: 'a.txt' } }]);

describe('what stands in the log of a session', () => {
  it('is read from any place on, of every line, with what is told as it comes', async () => {
    const { session, agent } = await opened([text('One.'), text('Two.')]);
    expect([session.position, await session.entries()]).toEqual([0, []]);
    const told: number[] = [];
    agent.log.onAppend((placed) => told.push(...placed.map(({ position }) => position)));
    await session.prompt('1');
    const between = session.position;
    await session.navigate(null);
    await session.prompt('2');
    const all = await session.entries();
    expect(all.map(({ position }) => position)).toEqual(told);
    expect(session.position).toBe(told.length);
    const said = all.filter(({ entry }) => entry.type === 'message');
    expect(said.map(({ entry }) => entry.parent_id)).toEqual([
      null,
      said[0]?.entry.id,
      null,
      said[2]?.entry.id,
    ]);
    expect(await session.entries({ from: between })).toEqual(all.slice(between));
    expect(await session.entries({ from: 1, limit: 2 })).toEqual(all.slice(1, 3));
    expect(await session.entries({ from: all.length + 5 })).toEqual([]);
    expect(await session.entries({ limit: 0 })).toEqual([]);
  });

  it('is read as copies', async () => {
    const { session, agent } = await opened([text('One.')]);
    const looking = agent.log.show();
    await session.prompt('1');
    for (const { entry } of await session.entries()) Object.assign(entry, { parts: [] });
    expect(await session.history()).toMatchObject([
      { parts: [{ text: '1' }] },
      { parts: [{ text: 'One.' }] },
    ]);
    looking.dispose();
  });

  it.each([{ from: -1 }, { from: 1.5 }, { from: '1' }, { limit: -1 }, { limit: Number.NaN }])(
    '%o is no part of it',
    async (wrong) => {
      const { session } = await opened([]);
      await expect(session.entries(wrong as { from?: number })).rejects.toMatchObject({
        code: 'InvalidArgument',
      });
    },
  );
});

describe('what the log says of the work on a prompt', () => {
  it('is nothing before the first', async () => {
    const { session } = await opened([]);
    expect(await session.runSummary()).toEqual({
      promptId: null,
      steps: 0,
      todos: [],
      pending: [],
      finish: undefined,
      continuations: 0,
      repeats: 0,
      usage: { input_tokens: 0, output_tokens: 0, total_tokens: 0, cost: 0 },
      contextTokens: undefined,
      text: '',
    });
  });

  it('is what was left, repeated, declared and spent since it, however often the turn went on by itself', async () => {
    const { session } = await opened([
      text('Before.'),
      todos('done', 'pending', 'in_progress'),
      text('I stop here.'),
      read,
      read,
      calls([{ name: 'finish', input: { status: 'blocked', summary: 'No access.' } }]),
      text('Blocked.'),
    ]);
    const before = await session.prompt('1');
    const { messages } = await session.prompt('2');
    const found = await session.runSummary();
    expect(found).toMatchObject({
      promptId: messages[0]?.id,
      todos: [{ status: 'done' }, { id: 't1' }, { id: 't2' }],
      pending: [{ id: 't1' }, { id: 't2' }],
      finish: { status: 'blocked', summary: 'No access.' },
      continuations: 1,
      contextTokens: 15,
    });
    expect(found.promptId).not.toBe(before.messages[0]?.id);
    const answers = messages.filter(({ role }) => role === 'assistant');
    expect(found.steps).toBe(answers.length);
    expect(found.usage.total_tokens).toBe(15 * answers.length);
    await session.navigate(before.messages.at(-1)?.id ?? null);
    expect(await session.runSummary()).toMatchObject({
      text: 'Before.',
      steps: 1,
      todos: [],
      finish: undefined,
    });
  });

  it('begins with the prompt, not with the report of a subagent in the background', async () => {
    const { session, agent } = await opened([todos('done'), text('First.')]);
    const { messages } = await session.prompt('1');
    const [prompt] = messages;
    const report = {
      origin: 'subagent',
      queue_item_id: 'q1',
      parts: [{ type: 'text', text: 'It says old.' }],
    };
    const turn_id = prompt?.turn_id ?? '';
    await agent.log.append([{ type: 'message', role: 'user', turn_id, ...report } as Draft]);
    expect(await session.runSummary()).toMatchObject({ promptId: prompt?.id, steps: 2, text: 'First.' });
    const task = { origin: 'subagent', parts: [{ type: 'text', text: 'Look.' }] };
    const written = await agent.log.append([{ type: 'message', role: 'user', turn_id, ...task } as Draft]);
    expect(await session.runSummary()).toMatchObject({ promptId: written[0]?.id, steps: 0 });
  });

  it('counts calls of one kind in a row at its end', async () => {
    const other = calls([{ name: 'read', input: { path: 'b.txt' } }]);
    const { session } = await opened([read, other, other, text('That is it.')]);
    await session.prompt('1');
    expect(await session.runSummary()).toMatchObject({ repeats: 2, text: 'That is it.' });
  });
});
