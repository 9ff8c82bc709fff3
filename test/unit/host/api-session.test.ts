import { describe, expect, it, vi } from 'vitest';
import type { TurnError } from '../../../src/host/api.js';
import { apiSession as sessionForOthers } from '../../../src/host/api-session.js';
import type { HostSession } from '../../../src/host/sessions/session.js';
import { badKey, begins, calls, dropped, fails, hang, text } from '../agent/fake-model.js';
import { diskFull } from '../agent/test-log.js';
import { idle, makeWorld } from './world.js';

const apiSession = (session: HostSession) =>
  sessionForOthers(session, { rename: () => Promise.resolve(), tag: () => Promise.resolve() });

async function failed(work: Promise<unknown>): Promise<TurnError> {
  try {
    await work;
  } catch (error) {
    return error as TurnError;
  }
  throw new Error('it did not fail');
}

describe('a session for other extensions', () => {
  it('a prompt resolves with the turn it made', async () => {
    const { sessions } = makeWorld([
      calls([{ name: 'read', input: { path: 'a.txt' } }], { text: 'I look.' }),
      text('It says old.'),
    ]);
    const session = apiSession(await sessions.open('one'));
    const result = await session.prompt('What is in a.txt?');
    expect(result).toMatchObject({
      text: 'It says old.',
      incomplete: false,
      partialText: '',
      usage: { input_tokens: 20, output_tokens: 10 },
    });
    expect(result.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
    expect(result.stream.map(({ type }) => type)).toEqual(['text', 'tool_call', 'text']);
    expect(session.runState()).toBe('idle');
    expect(session.title).toBe('What is in a.txt?');
  });

  it('a second prompt gives its own turn only', async () => {
    const { sessions } = makeWorld([text('One.'), text('Two.')]);
    const session = apiSession(await sessions.open('one'));
    await session.prompt('1');
    expect((await session.prompt('2')).messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
  });

  it('what came of a turn can be changed by whoever has it, and the session stays as it is', async () => {
    const { sessions } = makeWorld([text('One.')]);
    const host = await sessions.open('one');
    const looking = host.agent.log.show();
    const session = apiSession(host);
    const { messages, stream } = await session.prompt('1');
    for (const part of [...messages.flatMap(({ parts }) => parts), ...stream])
      Object.assign(part, { text: 'changed by its reader' });
    expect(JSON.stringify(await session.history())).not.toContain('changed');
    looking.dispose();
  });

  it('on failure the error carries what there is, and the partial text is in no message', async () => {
    const { sessions } = makeWorld([begins('half of it ', fails(badKey()))]);
    const error = await failed(apiSession(await sessions.open('one')).prompt('Go'));
    expect(error).toMatchObject({
      name: 'TurnError',
      code: 'auth',
      failure: { kind: 'auth' },
      result: { incomplete: true, partialText: 'half of it ' },
    });
    expect(JSON.stringify(error.result.messages)).not.toContain('half of it');
    expect(JSON.stringify(error.result.stream)).toContain('half of it');
    expect(error.result.attemptId).toMatch(/^[0-9a-f]{16}$/);
  });

  it('both failures are told when the partial text cannot be saved either, and the text is in the result', async () => {
    const { sessions } = makeWorld([begins('half of it ', fails(badKey()))]);
    const host = await sessions.open('one');
    const { log } = host.agent;
    const append = log.append.bind(log);
    vi.spyOn(log, 'append').mockImplementation((batch, options) =>
      batch.some(({ type }) => type === 'turn_end') ? Promise.reject(diskFull()) : append(batch, options),
    );
    const error = await failed(apiSession(host).prompt('Go'));
    expect(error).toMatchObject({
      failure: { kind: 'auth' },
      saveFailure: { kind: 'storage', code: 'StorageFailure' },
      result: {
        incomplete: true,
        partialText: 'half of it ',
        stream: [{ type: 'text', text: 'half of it ' }],
      },
    });
    expect(host.agent.failure()?.message).toMatch(/key is wrong.*could not be saved either: .*no space left/);
  });

  it('the stream has no part of a step that was started again', async () => {
    const { sessions, clock } = makeWorld([
      begins('first try ', fails(dropped())),
      begins('second try ', fails(badKey())),
    ]);
    const work = failed(apiSession(await sessions.open('one')).prompt('Go'));
    await clock.advance(20_000);
    const { result } = await work;
    expect(result.stream).toEqual([{ type: 'text', text: 'second try ' }]);
    expect(result.messages.map(({ role }) => role)).toEqual(['user']);
  });

  it('what an earlier attempt left is partial text, but no part of a stream whose last attempt brought nothing', async () => {
    const { sessions, clock } = makeWorld([begins('first try ', fails(dropped())), [fails(badKey())]]);
    const work = failed(apiSession(await sessions.open('one')).prompt('Go'));
    await clock.advance(20_000);
    expect((await work).result).toMatchObject({ incomplete: true, partialText: 'first try ', stream: [] });
  });

  it('a failure before any text is incomplete too', async () => {
    const { sessions } = makeWorld([[fails(badKey())]]);
    const { result } = await failed(apiSession(await sessions.open('one')).prompt('Go'));
    expect(result).toMatchObject({ incomplete: true, partialText: '', stream: [], text: '' });
    expect(result.attemptId).toMatch(/^[0-9a-f]{16}$/);
  });

  it('text too long for a line comes whole, finished or not', async () => {
    const long = 'x'.repeat(1_200_000);
    const { sessions } = makeWorld([text(long), begins(long, fails(badKey()))]);
    const session = apiSession(await sessions.open('one'));
    expect((await session.prompt('1')).text).toBe(long);
    expect((await failed(session.prompt('2'))).result.partialText).toBe(long);
  });

  it('the signal stops the turn', async () => {
    const { sessions, clock } = makeWorld([begins('half ', hang())]);
    const abort = new AbortController();
    const work = failed(apiSession(await sessions.open('one')).prompt('Go', { signal: abort.signal }));
    await clock.advance(100);
    abort.abort();
    expect(await work).toMatchObject({
      code: 'cancelled',
      failure: { kind: 'cancelled' },
      result: { partialText: 'half ' },
    });
  });

  it('the signal stops a turn that is just being begun', async () => {
    const { sessions } = makeWorld([begins('half ', hang())]);
    const abort = new AbortController();
    const work = failed(apiSession(await sessions.open('one')).prompt('Go', { signal: abort.signal }));
    abort.abort();
    expect(await work).toMatchObject({ code: 'cancelled', result: { incomplete: true, text: '' } });
  });

  it('while a turn runs a prompt is refused', async () => {
    const { sessions } = makeWorld([begins('x ', hang())]);
    const session = apiSession(await sessions.open('one'));
    const first = failed(session.prompt('1'));
    await idle();
    await expect(session.prompt('2')).rejects.toMatchObject({ code: 'SessionRunning' });
    // The window closes: the turn is not over, but nobody will hear its end.
    await sessions.shutdown();
    expect(await first).toMatchObject({
      code: 'SessionStale',
      failure: { code: 'SessionStale' },
      result: { partialText: 'x ' },
    });
  });
});

describe('where the prompt of a turn came from', () => {
  const from = { delivery: 'slack:C001:t:17', sender: 'U9', replyTo: 'message 42' };
  const route = { delivery: 'slack:C001:t:17:u:U9', replyTo: 'message 42' };
  const write = calls([{ name: 'write', input: { path: 'a.txt', content: 'new\n' } }]);

  it('is kept with the turn alone, and told with its result and by its id', async () => {
    const { sessions } = makeWorld([text('One.'), text('Two.')]);
    const host = await sessions.open('one');
    const session = apiSession(host);
    const first = await session.prompt('1', { route: from });
    const second = await session.prompt('2');
    expect([first.route, second.route]).toEqual([route, undefined]);
    const turns = [first, second].map(({ messages }) => messages[0]?.turn_id ?? '');
    expect(await Promise.all(turns.map((turn) => session.turnRoute(turn)))).toEqual([route, undefined]);
    expect(await session.turnRoute('no turn')).toBeUndefined();
    const starts = (await host.agent.log.since(0)).filter(({ entry }) => entry.type === 'turn_start');
    expect(starts[0]?.entry).toMatchObject({ delivery: route.delivery, reply_to: 'message 42' });
    expect(JSON.stringify(starts[1])).not.toContain('slack');
  });

  it('is there when what waited for a decision goes on after a restart', async () => {
    const { sessions } = makeWorld([write, text('Written.')]);
    const before = apiSession(await sessions.open('one'));
    void failed(before.prompt('Write', { route: from }));
    await idle();
    const [waiting] = before.pendingApprovals();
    await sessions.close('one');
    const after = apiSession(await sessions.open('one'));
    const result = await after.resume([{ callId: waiting?.callId ?? '', decision: 'deny' }]);
    expect(result).toMatchObject({ text: 'Written.', route });
  });

  it('goes along to the turn that continues, or answers the same message again', async () => {
    const { sessions } = makeWorld([[fails(badKey())], text('There.'), text('Again.')]);
    const host = await sessions.open('one');
    const session = apiSession(host);
    const error = await failed(session.prompt('1', { route: from }));
    expect(error.result.route).toEqual(route);
    await host.agent.dispatch({ type: 'continue' });
    await idle();
    await host.agent.dispatch({ type: 'try_again' });
    await idle();
    const turns = (await host.agent.log.since(0)).flatMap(({ entry }) =>
      entry.type === 'turn_start' ? [entry.turn_id] : [],
    );
    expect(await Promise.all(turns.map((turn) => session.turnRoute(turn)))).toEqual([route, route, route]);
  });

  it.each([
    { route: { delivery: ' ' }, code: 'InvalidArgument' },
    { route: { delivery: 7 as unknown as string }, code: 'InvalidArgument' },
    { route: { delivery: 'slack:C1', replyTo: {} as unknown as string }, code: 'InvalidArgument' },
  ])('is refused when it is none: $route', async ({ route: wrong, code }) => {
    const { sessions } = makeWorld([text('No.')]);
    const host = await sessions.open('one');
    await expect(apiSession(host).prompt('1', { route: wrong })).rejects.toMatchObject({ code });
    expect(host.agent.log.head).toBeNull();
  });
});

describe('a prompt that requires an outcome', () => {
  it('resolves with what the model declared', async () => {
    const { sessions } = makeWorld([
      text('I looked.'),
      calls([{ name: 'finish', input: { status: 'blocked', summary: 'No access.' } }]),
    ]);
    const result = await apiSession(await sessions.open('one')).prompt('Go', { requireFinish: true });
    expect(result.finish).toEqual({ status: 'blocked', summary: 'No access.' });
    expect(result.messages.filter(({ role }) => role === 'user')).toHaveLength(2);
  });

  it('is refused when the model calls no tools', async () => {
    const { sessions, model } = makeWorld([text('No.')]);
    model.info = { ...model.info, tools: false };
    const asked = apiSession(await sessions.open('one')).prompt('Go', { requireFinish: true });
    await expect(asked).rejects.toMatchObject({
      name: 'BoughError',
      code: 'InvalidArgument',
      message: expect.stringMatching(/calls no tools.*without requireFinish/) as unknown,
    });
    expect(model.asked).toEqual([]);
  });

  it('does not go on where nobody asked for one', async () => {
    const { sessions } = makeWorld([text('I looked.')]);
    const result = await apiSession(await sessions.open('one')).prompt('Go');
    expect(result.finish).toBeUndefined();
  });
});
