/** What the scripted server promises to the tests that lean on it. */
import { afterEach, beforeEach, describe, it, expect } from 'vitest';
import { gate, part, reply, startModelServer, type ModelServer } from '../../model-server/index.js';

let server: ModelServer;
beforeEach(async () => {
  server = await startModelServer();
});
afterEach(() => server.close());

const post = (body: object = {}) =>
  fetch(`${server.url}/chat/completions`, {
    method: 'POST',
    body: JSON.stringify({ model: 'm', messages: [], ...body }),
  });

describe('the scripted server', () => {
  it('answers in the order of the script, then says that there is nothing left', async () => {
    server.enqueue(reply.text('one'), reply.status(429, { 'retry-after': '2' }));
    const answers = [await post(), await post(), await post()];
    expect(answers.map(({ status }) => status)).toEqual([200, 429, 400]);
    expect(answers[1]?.headers.get('retry-after')).toBe('2');
    expect(await answers[0]?.text()).toMatch(/"content":"one".*"finish_reason":"stop".*\[DONE\]/s);
    expect(await answers[2]?.text()).toContain('no reply for request 3');
  });

  it('asks a function about whatever finds no enqueued reply', async () => {
    server.script(({ body }, index) => reply.status(200, {}, { model: body.model, index }));
    server.enqueue(reply.status(204));
    await post();
    expect(await (await post({ model: 'x' })).json()).toEqual({ model: 'x', index: 1 });
  });

  it('keeps requests, and says when one arrives and when it is over', async () => {
    const held = reply.hold(['slow ', 'text'], [' and more']);
    server.enqueue(held);
    const arriving = server.request(1);
    const answered = post({ messages: [{ role: 'user', content: 'hi' }] });
    const seen = await arriving;
    expect(seen.body.messages).toEqual([{ role: 'user', content: 'hi' }]);
    await held.reached;
    held.release();
    const text = await (await answered).text();
    expect(text.indexOf('text')).toBeLessThan(text.indexOf(' and more'));
    expect(await seen.closed).toBe(false);
    expect(await server.request(1)).toBe(seen);
  });

  it('waits at a gate in the middle of any stream', async () => {
    const here = gate();
    server.enqueue(reply.stream(part.text('a'), part.gate(here), part.text('b')));
    const answered = post();
    await here.reached;
    here.release();
    expect(await (await answered).text()).toMatch(/"content":"a".*"content":"b"/s);
  });

  it('sees a client that leaves', async () => {
    server.enqueue(reply.stall(['a']));
    const stop = new AbortController();
    const answer = await fetch(`${server.url}/chat/completions`, {
      method: 'POST',
      body: '{}',
      signal: stop.signal,
    });
    await answer.body?.getReader().read();
    stop.abort();
    expect(await server.requests[0]?.closed).toBe(true);
  });

  it('lets everything written arrive before a connection breaks', async () => {
    server.enqueue(reply.cut(['a', 'b', 'c']));
    const reader = (await post()).body?.getReader();
    let text = '';
    await expect(
      (async () => {
        for (;;) text += new TextDecoder().decode((await reader?.read())?.value);
      })(),
    ).rejects.toThrow();
    expect(text).toContain('"content":"c"');
  });

  it('cuts a reply into chunks of any size', async () => {
    server.enqueue(reply.chopped(reply.stream(part.raw('data: 修\n\n')), 1));
    const sizes: number[] = [];
    const chunks: Uint8Array[] = [];
    for await (const chunk of (await post()).body ?? []) {
      sizes.push(chunk.length);
      chunks.push(chunk);
    }
    expect(sizes.length).toBeGreaterThan(1);
    expect(Buffer.concat(chunks).toString('utf8')).toBe('data: 修\n\n');
  });

  it('names its models, and knows no other path', async () => {
    server.models(['a', 'b']);
    expect(await (await fetch(`${server.url}/models`)).json()).toMatchObject({
      data: [{ id: 'a' }, { id: 'b' }],
    });
    expect((await fetch(`${server.url}/other`)).status).toBe(404);
    expect(server.others).toEqual(['GET /v1/models', 'GET /v1/other']);
  });
});
