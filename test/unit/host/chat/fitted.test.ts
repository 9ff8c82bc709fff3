import { describe, expect, it } from 'vitest';
import type { Draft } from '../../../../src/shared/notes.js';
import { idle, makeView, makeWorld } from '../world.js';

const LONG = 3_000_000;
const text = (words: string): Draft => ({
  type: 'message',
  role: 'user',
  parts: [{ type: 'text', text: words }],
  origin: 'person',
});

describe('entries too long for a view', () => {
  it('are sent as their beginnings, and whole when the view asks for that; short ones as they are', async () => {
    const world = makeWorld();
    const log = await world.store.create({ id: 'big' });
    await log.append([text('short')]);
    const long = `begin ${'é'.repeat(LONG)} end`;
    // As a log from elsewhere has it: on its way through our own writer it would become a blob.
    const [entry] = await log.append([text('later')]);
    if (entry?.type !== 'message') throw new Error('no message');
    const whole = { ...entry, parts: [{ type: 'text' as const, text: long }] };
    const session = await world.sessions.open('big');
    const { log: shown } = session.agent;
    const page = shown.page.bind(shown);
    const put = <T extends { entry: { id: string } }>(placed: T): T =>
      placed.entry.id === entry.id ? { ...placed, entry: whole } : placed;
    shown.page = async (limit) => {
      const { entries, more } = await page(limit);
      return { entries: entries.map(put), more };
    };
    shown.entry = (id) => Promise.resolve(id === entry.id ? whole : undefined);
    const view = makeView(world);
    view.channel.show(session);
    await view.open();
    await idle();
    const [snapshot] = view.of('snapshot');
    expect(JSON.stringify(snapshot).length).toBeLessThan(20_000);
    const sent = snapshot?.entries.map(({ entry: one }) => one) ?? [];
    expect(sent[0]).toMatchObject({ parts: [{ type: 'text', text: 'short' }] });
    const part = sent[1]?.type === 'message' ? sent[1].parts[0] : undefined;
    if (part?.type !== 'text') throw new Error('no text');
    expect([part.text, part.preview?.slice(0, 8)]).toEqual(['', 'begin éé']);
    const reply = await view.request({ type: 'ask', ask: { what: 'blob', hash: part.blob } });
    expect(reply.ok && reply.result === long).toBe(true);
    const missing = await view.request({ type: 'ask', ask: { what: 'blob', hash: 'a'.repeat(64) } });
    expect(missing.ok).toBe(false);
  });

  it('are brought so many at a time as a view can draw; it asks for those before', async () => {
    const world = makeWorld();
    const log = await world.store.create({ id: 'long' });
    for (let index = 0; index < 12; index++)
      await log.append([text(`${String(index)} ${'x'.repeat(600_000)}`)]);
    const view = makeView(world);
    view.channel.show(await world.sessions.open('long'));
    await view.open();
    const [snapshot] = view.of('snapshot');
    const brought = snapshot?.entries.map(({ position }) => position) ?? [];
    expect([snapshot?.more, brought.at(-1)]).toEqual([true, 11]);
    expect(brought.length).toBeGreaterThan(5);
    expect(brought.length).toBeLessThan(9);
    const ids = snapshot?.outline.ids.slice(0, 2) ?? [];
    const reply = await view.request({ type: 'ask', ask: { what: 'bodies', ids } });
    expect(reply.ok && Array.isArray(reply.result) && reply.result.length).toBe(2);
  });
});
