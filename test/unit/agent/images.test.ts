/** Images that a provider does not accept: the oldest stay behind, it is asked once more, and all can see it. Real HTTP. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { imagesToLeave } from '../../../src/agent/images.js';
import type { Failure } from '../../../src/shared/failure.js';
import { replies, startModelServer, type ModelServer, type Protocol } from '../../model-server/index.js';
import { quickly } from '../runs.js';
import { failureOf } from './bench.js';
import { gaps, open, play, types, violationsOf, type Played } from './wire-bench.js';

let server: ModelServer;
beforeEach(async () => {
  server = await startModelServer();
});
afterEach(() => server.close());

/** Each of its own bytes, so that a request shows which it carries. */
const bytesOf = (name: string, length: number): Uint8Array =>
  new TextEncoder().encode(name.repeat(Math.ceil(length / name.length)).slice(0, length));

type Image = [name: string, length: number];

/** The prompt with its images is there; its answer is asked for. */
async function ask({ bench }: Played, images: readonly Image[]): Promise<void> {
  const parts = [];
  for (const [name, length] of images) {
    const blob = await bench.log.blobs.put(bytesOf(name, length));
    parts.push({ type: 'image' as const, blob, mime: 'image/png', name: `${name}.png` });
  }
  const lease = await bench.log.acquire();
  const [message] = await bench.log.append([
    { type: 'message', role: 'user', parts: [{ type: 'text', text: 'what is this?' }, ...parts] },
  ]);
  lease.dispose();
  await bench.do({ type: 'try_again', entry_id: message?.id });
}

async function prompt(played: Played, images: readonly Image[]): Promise<void> {
  await ask(played, images);
  await play(played);
}

/** Names of the images that a request carries, and of those it tells by a hint. */
function carried(index: number, images: readonly Image[]): { sent: string[]; told: string[] } {
  const text = server.requests[index]?.text ?? '';
  const sent = images.filter(([name, length]) =>
    text.includes(Buffer.from(bytesOf(name, length)).toString('base64').slice(0, 24)),
  );
  const told = images.filter(([name]) =>
    text.includes(`Image \\"${name}.png\\" (image/png) is not attached`),
  );
  return { sent: sent.map(([name]) => name), told: told.map(([name]) => name) };
}

const tooLarge = { message: 'image exceeds 5 MB maximum: 5316052 bytes > 5242880 bytes' };

describe.each(quickly(Object.keys(replies) as Protocol[], 4))('%s', (protocol) => {
  const of = replies[protocol];

  it('C16: an image that is refused stays behind with those before it; it is asked once more, visibly', async () => {
    const images: Image[] = [
      ['first', 60],
      ['large', 90],
      ['last', 30],
    ];
    const played = await open({ protocol, url: server.url });
    const { bench } = played;
    server.enqueue(of.error(400, tooLarge), of.text('a cat'));
    await prompt(played, images);
    expect(server.requests).toHaveLength(2);
    expect(carried(0, images)).toEqual({ sent: ['first', 'large', 'last'], told: [] });
    expect(carried(1, images)).toEqual({ sent: ['last'], told: ['first', 'large'] });
    for (const { text } of server.requests) expect(violationsOf[protocol](text)).toEqual([]);
    expect(gaps(played.spans)[0]).toBeGreaterThanOrEqual(250);
    expect(played.waits).toMatchObject([{ kind: 'retry', attempt: 1, max: 4 }]);
    expect(played.waits[0]?.error).toMatch(/exceeds 5 MB.*Asked once more without the 2 oldest images\.$/s);
    expect(types(bench).slice(-6)).toEqual([
      'retry_start',
      'step_start',
      'retry_end',
      'assistant',
      'step_end',
      'turn_end completed',
    ]);
    expect(bench.events.filter(({ type }) => type === 'retry')).toHaveLength(1);
  });

  it('C16: refused again, the turn fails and says why; it is never asked a third time', async () => {
    const images: Image[] = [
      ['one', 40],
      ['two', 30],
    ];
    const played = await open({ protocol, url: server.url });
    const { bench } = played;
    server.script(() => of.error(400, tooLarge));
    await prompt(played, images);
    expect(server.requests).toHaveLength(2);
    expect(carried(1, images)).toEqual({ sent: ['two'], told: ['one'] });
    expect(types(bench).slice(-4)).toEqual(['step_start', 'retry_end', 'step_end', 'turn_end failed']);
    expect(failureOf(bench.session.failure())).toMatchObject({
      code: 'image',
      message: expect.stringContaining('Send fewer or smaller images'),
    });
    // The session goes on.
    server.script(() => of.text('fine'));
    await bench.send('never mind');
    await play(played);
    expect(bench.session.failure()).toBeNull();
    expect(carried(2, images)).toEqual({ sent: [], told: ['one', 'two'] });
  });

  it('C16: what was refused stays behind for the rest of the turn, without another refusal', async () => {
    const images: Image[] = [['only', 50]];
    const played = await open({ protocol, url: server.url });
    server.enqueue(
      of.error(413, { message: 'request too large' }),
      of.calls([{ name: 'read', args: { path: 'a.txt' } }]),
      of.text('done'),
    );
    await prompt(played, images);
    expect(server.requests).toHaveLength(3);
    expect(carried(0, images).sent).toEqual(['only']);
    expect(carried(1, images)).toEqual({ sent: [], told: ['only'] });
    expect(carried(2, images)).toEqual({ sent: [], told: ['only'] });
    expect(played.bench.entries('retry_start')).toHaveLength(1);
    expect(types(played.bench).at(-1)).toBe('turn_end completed');
  });

  it('C16: a window that is gone while it waits changes nothing about what stays behind', async () => {
    const images: Image[] = [['only', 50]];
    const played = await open({ protocol, url: server.url });
    server.enqueue(of.error(400, tooLarge), of.text('a cat'));
    const { bench } = played;
    await ask(played, images);
    while (bench.session.run() !== 'retrying') await new Promise((resolve) => setImmediate(resolve));
    const after = await bench.crash();
    await after.session.recover();
    await play({ ...played, bench: after });
    expect(server.requests).toHaveLength(2);
    expect(carried(1, images)).toEqual({ sent: [], told: ['only'] });
    expect(types(after).at(-1)).toBe('turn_end completed');
  });

  it('a request without images is refused once and for all by the same words', async () => {
    const played = await open({ protocol, url: server.url });
    server.script(() => of.error(400, tooLarge));
    await played.bench.send('draw a cat');
    await play(played);
    expect(server.requests).toHaveLength(1);
    expect(types(played.bench).at(-1)).toBe('turn_end failed');
  });
});

describe('C16: which images stay behind', () => {
  const images = (...sizes: number[]) =>
    sizes.map((bytes, index) => ({ blob: String(index), name: `${String(index)}.png`, bytes }));
  const about = (more: Partial<Failure>): Failure => ({
    kind: 'refused',
    message: 'm',
    transient: false,
    ...more,
  });

  it.each([
    [
      'one of unknown place: it and all that are older than the largest',
      about({ code: 'image' }),
      [1, 9, 1],
      2,
    ],
    ['of several as large the newest counts', about({ code: 'image' }), [9, 9, 1], 2],
    ['the only one', about({ code: 'image' }), [1], 1],
    ['their number, unsaid: half of them', about({ code: 'images' }), [1, 1, 1], 2],
    ['their number, said', about({ code: 'images', max_images: 20 }), Array<number>(21).fill(1), 1],
    ['a number that is kept to already: half', about({ code: 'images', max_images: 5 }), [1, 1], 1],
    ['none may be sent', about({ code: 'images', max_images: 0 }), [1, 1], 2],
    ['a body that is too large', about({ kind: 'overflow', status: 413 }), [1, 1, 1, 1], 2],
    ['a long conversation', about({ kind: 'overflow', status: 400 }), [1, 1], 0],
    ['something else', about({ status: 400 }), [1, 1], 0],
  ])('%s', (_, failure, sizes, count) => {
    const sent = images(...sizes);
    expect(imagesToLeave(sent, failure)).toEqual(sent.slice(0, count));
  });
});
