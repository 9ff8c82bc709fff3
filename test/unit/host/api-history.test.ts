import { describe, expect, it } from 'vitest';
import { readHistory } from '../../../src/host/api-history.js';
import { apiSession } from '../../../src/host/api-session.js';
import { BoughError } from '../../../src/shared/failure.js';
import { begins, calls, hang, text } from '../agent/fake-model.js';
import { idle, makeWorld, type World } from './world.js';

const opened = async (world: World, id = 'one') =>
  apiSession(await world.sessions.open(id), {
    rename: (session, name) => world.store.rename(session, name),
    tag: () => Promise.resolve(),
  });

const textsOf = (messages: readonly { parts: readonly { type: string }[] }[]) =>
  messages.flatMap(({ parts }) => parts.map((part) => ('text' in part ? part.text : part.type)));

const codeOf = async (work: Promise<unknown> | (() => unknown)): Promise<string> => {
  try {
    await (typeof work === 'function' ? work() : work);
  } catch (error) {
    return (error as { code: string }).code;
  }
  return 'none';
};

const write = (call = 'w') => calls([{ name: 'write', input: { path: `${call}.txt`, content: 'new\n' } }]);

describe('the head of a session, for other extensions', () => {
  it('branches, goes back to before the first message, and forth', async () => {
    const world = makeWorld([text('One.'), text('Two.'), text('Other.')]);
    const session = await opened(world);
    const first = await session.prompt('1');
    await session.prompt('2');
    const end = session.head;
    await session.branch(first.messages[1]?.id ?? '');
    await session.prompt('2 again');
    expect(textsOf(await session.history())).toEqual(['1', 'One.', '2 again', 'Other.']);
    await session.navigate(null);
    expect(session.head).toBeNull();
    expect(await session.history()).toEqual([]);
    await session.navigate(end);
    expect(textsOf(await session.history())).toEqual(['1', 'One.', '2', 'Two.']);
    expect(await codeOf(session.branch('no such entry'))).toBe('InvalidArgument');
  });

  it('refuses to move while a turn runs', async () => {
    const world = makeWorld([text('One.'), begins('half ', hang())]);
    const session = await opened(world);
    await session.prompt('1');
    const abort = new AbortController();
    const turn = session.prompt('2', { signal: abort.signal }).catch((error: unknown) => error);
    await world.clock.advance(100);
    expect(await codeOf(session.navigate(null))).toBe('SessionRunning');
    expect(await codeOf(session.setHistory([]))).toBe('SessionRunning');
    abort.abort();
    expect(await turn).toMatchObject({ failure: { kind: 'cancelled' } });
  });

  it('of two prompts at once one is refused and none is left waiting', async () => {
    const world = makeWorld([text('One.'), text('Two.')]);
    const session = await opened(world);
    const both = await Promise.allSettled([session.prompt('1'), session.prompt('2')]);
    expect(both.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    expect(both[1]).toMatchObject({ reason: { code: 'SessionRunning' } });
    expect((await session.prompt('2')).text).toBe('Two.');
  });

  it('gives the text of a summary and writes nothing; a collapse with its text asks no model', async () => {
    const world = makeWorld([text('One.'), text('Two.'), text('A summary.'), text('Three.')]);
    const session = await opened(world);
    const first = await session.prompt('1');
    await session.prompt('2');
    const { log } = (await world.sessions.open('one')).agent;
    const [from, to] = [first.messages[0]?.id ?? '', first.messages[1]?.id ?? ''];
    const position = log.position;
    expect(await session.summarizeBranch(from, to)).toBe('A summary.');
    expect(log.position).toBe(position);
    const id = await session.collapseBranch(from, to, { summary: 'They said hello.' });
    expect(await log.entry(id)).toMatchObject({ type: 'branch_summary', collapse: true });
    await session.prompt('3');
    expect(JSON.stringify(world.model.asked.at(-1))).toContain('They said hello.');
    expect(JSON.stringify(world.model.asked.at(-1))).not.toContain('One.');
    expect(await codeOf(session.collapseBranch(to, from))).toBe('InvalidArgument');
  });

  it('the text of a summary can be had of an archived session', async () => {
    const world = makeWorld([text('One.'), text('A summary.')]);
    const [first] = (await (await opened(world)).prompt('1')).messages;
    await world.sessions.close('one');
    await world.store.archive('one');
    const session = await opened(world);
    expect(await session.summarizeBranch(first?.id ?? '', session.head ?? '')).toBe('A summary.');
    expect(await codeOf(session.collapseBranch(first?.id ?? '', first?.id ?? ''))).toBe('SessionArchived');
    expect(session.runState()).toBe('idle');
  });

  it('clear goes to before the first message and keeps every line', async () => {
    const world = makeWorld([text('One.')]);
    const session = await opened(world);
    const { messages } = await session.prompt('1');
    await session.clear();
    expect(session.head).toBeNull();
    await session.navigate(messages.at(-1)?.id ?? null);
    expect(textsOf(await session.history())).toEqual(['1', 'One.']);
  });

  it('a name is the person’s own', async () => {
    const world = makeWorld([text('One.')]);
    const session = await opened(world);
    await session.prompt('1');
    await session.setName('Alder');
    expect(session.title).toBe('Alder');
  });
});

describe('a history for other extensions', () => {
  it('comes and goes as copies', async () => {
    const world = makeWorld([text('One.')]);
    const session = await opened(world);
    await session.prompt('1');
    const history = await session.history();
    const [first] = history;
    if (first?.parts[0]?.type !== 'text') throw new Error('there is no text');
    first.parts[0].text = 'changed by its reader';
    expect(textsOf(await session.history())).toEqual(['1', 'One.']);
    await session.setHistory(history);
    first.parts[0].text = 'changed once more';
    expect(textsOf(await session.history())).toEqual(['changed by its reader', 'One.']);
  });

  it('becomes a new root; the old line stays, empty messages are dropped, the order is kept', async () => {
    const world = makeWorld([text('One.'), text('Go on.')]);
    const session = await opened(world);
    const old = await session.prompt('1');
    await session.setHistory([
      { role: 'user', parts: [{ type: 'text', text: 'a' }] },
      null as never,
      { role: 'assistant', parts: [] },
      { role: 'assistant', parts: [{ type: 'text', text: ' \n' }] },
      { role: 'assistant', parts: [{ type: 'text', text: 'b' }] },
    ]);
    const { log } = (await world.sessions.open('one')).agent;
    const path = await log.path();
    expect(textsOf(await session.history())).toEqual(['a', 'b']);
    expect(path[0]?.parent_id).toBeNull();
    expect(path.every((entry) => entry.type === 'message' && entry.origin === 'import')).toBe(true);
    await session.prompt('c');
    expect(JSON.stringify(world.model.asked.at(-1))).not.toContain('One.');
    await session.navigate(old.messages.at(-1)?.id ?? null);
    expect(textsOf(await session.history())).toEqual(['1', 'One.']);
  });

  it('its calls and results stay together under new ids', async () => {
    const world = makeWorld([
      calls([{ name: 'read', input: { path: 'a.txt' } }]),
      text('Old.'),
      text('Yes.'),
    ]);
    const session = await opened(world);
    await session.prompt('Read');
    const before = await session.history();
    await session.setHistory(before);
    const idsOf = (messages: typeof before) =>
      messages.flatMap(({ parts }) => parts.flatMap((part) => ('call_id' in part ? [part.call_id] : [])));
    const after = await session.history();
    const [call, result] = idsOf(after);
    expect(call).toBe(result);
    expect(idsOf(before)).not.toContain(call);
    await session.prompt('And?');
  });

  it('a call that was never answered does not take the result of a later one with the same id', async () => {
    const world = makeWorld([]);
    const session = await opened(world);
    const call = (path: string) => ({
      role: 'assistant' as const,
      parts: [{ type: 'tool_call' as const, call_id: 'tool_0', name: 'read', input: { path } }],
    });
    const content = 'content of b';
    await session.setHistory([
      { role: 'user', parts: [{ type: 'text', text: 'Read' }] },
      call('stopped'),
      { role: 'user', parts: [{ type: 'text', text: 'Again' }] },
      call('b'),
      {
        role: 'tool',
        parts: [{ type: 'tool_result', call_id: 'tool_0', name: 'read', content, is_error: false }],
      },
    ]);
    const ids = (await session.history()).flatMap(({ parts }) =>
      parts.flatMap((part) => ('call_id' in part ? [part.call_id] : [])),
    );
    expect(ids[0]).not.toBe(ids[1]);
    expect(ids[2]).toBe(ids[1]);
  });

  it('ends what waits as abandoned', async () => {
    const world = makeWorld([write(), text('Yes.')]);
    const session = await opened(world);
    const turn = session.prompt('Write').catch((error: unknown) => error);
    await idle();
    await world.clock.advance(10);
    expect(session.pendingApprovals()).toHaveLength(1);
    await session.setHistory([{ role: 'user', parts: [{ type: 'text', text: 'a' }] }]);
    const { log } = (await world.sessions.open('one')).agent;
    const entries = [];
    for (const [id] of log.outline) entries.push(...(await log.line(id)).map(({ entry }) => entry));
    expect(entries.find(({ type }) => type === 'approval_decision')).toMatchObject({ decision: 'abandoned' });
    expect(session.pendingApprovals()).toEqual([]);
    expect(session.runState()).toBe('idle');
    expect(await turn).toBeInstanceOf(Error);
  });

  it('that cannot be read changes nothing, and the error names the message', async () => {
    const world = makeWorld([text('One.')]);
    const session = await opened(world);
    await session.prompt('1');
    const bad: unknown[] = [
      'no list',
      [5],
      [{ role: 'user' }],
      [{ role: 'robot', parts: [] }],
      [{ role: 'user', parts: [{ type: 'image', blob: 'b'.repeat(64), mime: 'image/png', name: 'x' }] }],
    ];
    for (const history of bad)
      expect(await codeOf(session.setHistory(history as never))).toBe('InvalidArgument');
    await expect(session.setHistory([{ role: 'robot', parts: [] } as never])).rejects.toThrow(
      /Message 1 .*role/,
    );
    expect(textsOf(await session.history())).toEqual(['1', 'One.']);
  });

  it('a text too long for a line comes back whole', async () => {
    const long = 'x'.repeat(1_200_000);
    const world = makeWorld([text(long)]);
    const session = await opened(world);
    await session.prompt('1');
    expect(textsOf(await session.history())).toEqual(['1', long]);
    await session.setHistory(await session.history());
    expect(textsOf(await session.history())).toEqual(['1', long]);
  });
});

describe('data of other extensions', () => {
  it('belongs to the line it was written on', async () => {
    const world = makeWorld([text('One.'), text('Two.'), text('Other.')]);
    const session = await opened(world);
    const first = await session.prompt('1');
    await session.extensionData.add('acme.notes', { n: 0 });
    await session.prompt('2');
    await session.extensionData.add('acme.notes', { n: 1 });
    await session.branch(first.messages[1]?.id ?? '');
    await session.prompt('2 again');
    await session.extensionData.add('acme.notes', { n: 2 });
    expect(await session.extensionData.get('acme.notes')).toEqual([{ n: 0 }, { n: 2 }]);
    expect(await session.extensionData.get('acme.other')).toEqual([]);
  });

  it('is told of every type but Bough’s own, as copies', async () => {
    const world = makeWorld([text('One.')]);
    const session = await opened(world);
    const { agent } = await world.sessions.open('one');
    await agent.dispatch({ type: 'set_mode', mode: 'accept_edits' });
    await session.extensionData.add('acme.notes', { n: 0 });
    await session.extensionData.add('other.marks', 'x');
    const all = [
      { type: 'acme.notes', data: { n: 0 } },
      { type: 'other.marks', data: 'x' },
    ];
    expect(await session.extensionData.all()).toEqual(all);
    for (const { data } of await session.extensionData.all()) Object.assign(Object(data), { n: 9 });
    expect(await session.extensionData.all()).toEqual(all);
  });

  it('cannot pass for ours: no extension chooses what runs without a card', async () => {
    const world = makeWorld([text('One.')]);
    const session = await opened(world);
    await session.prompt('1');
    for (const type of ['bough.approvals', 'bough', ' '])
      expect(await codeOf(session.extensionData.add(type, { mode: 'accept_edits', rules: [] }))).toBe(
        'InvalidArgument',
      );
  });
});

describe('what other extensions say', () => {
  it.each([undefined, null, 7, {}])('is no text where it is %j, and nothing is written', async (given) => {
    const world = makeWorld([text('One.')]);
    const session = await opened(world);
    const none = given as string;
    for (const call of [
      () => session.prompt(none),
      () => session.setName(none),
      () => session.setTags(none as never),
      () => session.setTags([none]),
      () => session.bindAgent(none),
      () => session.extensionData.add(none, 1),
    ])
      expect(await codeOf(call)).toBe('InvalidArgument');
    expect(session.position).toBe(0);
  });
});

describe('an agent of another extension', () => {
  it('signs the answers of the line that is bound to it, over clear too', async () => {
    const world = makeWorld(['One.', 'Two.', 'Other.'].map((words) => text(words)));
    const session = await opened(world);
    const signed = async () =>
      (await session.history()).map(({ role, agent_id }) => [role[0], agent_id ?? '']);
    const first = await session.prompt('1');
    expect(session.agentId).toBeNull();
    await session.bindAgent('acme.reviewer');
    await session.bindAgent('acme.reviewer');
    await session.prompt('2');
    expect(session.agentId).toBe('acme.reviewer');
    expect(await signed()).toEqual([
      ['u', ''],
      ['a', ''],
      ['u', ''],
      ['a', 'acme.reviewer'],
    ]);
    await session.clear();
    expect(session.agentId).toBe('acme.reviewer');
    await session.branch(first.messages[0]?.id ?? '');
    expect(session.agentId).toBeNull();
    await session.prompt('Before it was bound');
    expect((await signed()).at(-1)).toEqual(['a', '']);
  });

  it('has an id that can be told from others', async () => {
    const world = makeWorld([text('One.')]);
    const session = await opened(world);
    await session.prompt('1');
    for (const id of ['', ' ', 'x ']) expect(await codeOf(session.bindAgent(id))).toBe('InvalidArgument');
    expect(session.agentId).toBeNull();
  });
});

describe('approvals for other extensions', () => {
  it('are told, decided and run once', async () => {
    const world = makeWorld([write(), text('Written.')]);
    const session = await opened(world);
    const turn = session.prompt('Write');
    await idle();
    await world.clock.advance(10);
    const [waiting] = session.pendingApprovals();
    expect(waiting).toMatchObject({ tool: 'write', risk: 'write', targets: ['w.txt'] });
    const answer = { callId: waiting?.callId ?? '', decision: 'allow' as const };
    expect(await codeOf(session.resume([{ ...answer, callId: 'another' }]))).toBe('InvalidArgument');
    expect(await codeOf(session.resume([]))).toBe('InvalidArgument');
    const resumed = await session.resume([answer]);
    expect(resumed.text).toBe('Written.');
    expect((await turn).text).toBe('Written.');
    expect(await codeOf(session.resume([answer]))).toBe('InvalidArgument');
  });

  it('a denial with feedback goes on; dismissing ends the turn', async () => {
    const world = makeWorld([write('a'), text('Then not.'), write('b')]);
    const session = await opened(world);
    void session.prompt('Write').catch(() => undefined);
    await idle();
    await world.clock.advance(10);
    const [first] = session.pendingApprovals();
    const denied = await session.resume([
      { callId: first?.callId ?? '', decision: 'deny', feedback: 'Not there.' },
    ]);
    expect(denied.text).toBe('Then not.');
    expect(JSON.stringify(world.model.asked.at(-1))).toContain('Not there.');
    void session.prompt('Again').catch(() => undefined);
    await idle();
    await world.clock.advance(10);
    await session.dismiss();
    expect(session.pendingApprovals()).toEqual([]);
    expect(session.runState()).toBe('idle');
  });
});

describe('a history with a damaged text', () => {
  it('has its beginning and says so; an input stays as its line has it', async () => {
    const hash = 'a'.repeat(64);
    const offloaded = { blob: hash, preview: 'The beginning' };
    const call = { type: 'tool_call', call_id: 'c', name: 'run', input: {}, ...offloaded } as const;
    const parts = [{ type: 'text', text: '', ...offloaded } as const, call];
    const entry = { type: 'message', role: 'assistant', parts, id: 'm', parent_id: null, timestamp: 't' };
    const damaged = () => Promise.reject(new BoughError('LogDamaged', 'Its bytes are others.'));
    const log = { path: () => Promise.resolve([entry]), blobs: { get: damaged } };
    const [message] = await readHistory(log as never);
    const text = 'The beginning\n[The rest of this text could not be read: Its bytes are others.]';
    expect(message?.parts).toEqual([{ type: 'text', text }, call]);
  });
});
