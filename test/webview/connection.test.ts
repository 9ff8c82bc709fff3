import { describe, expect, it, vi } from 'vitest';
import type { ToHost } from '../../src/shared/protocol.js';
import { connect, type HostMessage } from '../../webview/connection.js';
import { Scene } from './bench/scenes.js';

function wired() {
  const posted: ToHost[] = [];
  const received: HostMessage[] = [];
  let deliver: (data: unknown) => void = () => undefined;
  let isListening = true;
  let shown: string | undefined;
  const connection = connect(
    {
      post: (message) => posted.push(message),
      listen: (receive) => {
        deliver = receive;
        return () => (isListening = false);
      },
    },
    (message) => received.push(message),
    () => shown,
  );
  return {
    connection,
    posted,
    received,
    deliver: (data: unknown) => deliver(data),
    show: (session: string | undefined) => (shown = session),
    isListening: () => isListening,
  };
}

describe('connection', () => {
  it('pairs each reply with its request, in any order', async () => {
    const { connection, posted, deliver } = wired();
    const first = connection.intend({ type: 'stop' });
    const second = connection.ask({ what: 'mentions', query: 'a' });
    const ids = posted.map((message) => ('id' in message ? message.id : -1));
    expect(new Set(ids).size).toBe(2);
    deliver({ type: 'reply', id: ids[1], ok: true, result: ['a.ts'] });
    const failure = { kind: 'refused', message: 'Nothing runs.', transient: false } as const;
    deliver({ type: 'reply', id: ids[0], ok: false, failure });
    expect(await second).toEqual({ ok: true, result: ['a.ts'] });
    expect(await first).toEqual({ ok: false, failure });
  });

  it('names the head the person saw only where the intent depends on it', () => {
    const { connection, posted } = wired();
    void connection.intend({ type: 'navigate', entry_id: 'x' }, null);
    void connection.intend({ type: 'stop' });
    expect(posted[0]).toMatchObject({ expected_head: null });
    expect(posted[1]).not.toHaveProperty('expected_head');
  });

  it('passes on what fits the protocol and reports what does not', () => {
    const { deliver, received, posted } = wired();
    const snapshot = new Scene().snapshot();
    deliver(snapshot);
    deliver({ ...snapshot, position: -1 });
    deliver({ type: 'unheard-of' });
    deliver(undefined);
    deliver({ type: 'reply', id: 1, ok: false });
    expect(received).toEqual([snapshot]);
    expect(posted.map(({ type }) => type)).toEqual(['trouble', 'trouble', 'trouble', 'trouble']);
    expect(posted[0]).toMatchObject({ text: expect.stringContaining('position') as unknown });
  });

  it.each([
    ['no list', 'entries'],
    ['nothing', [null]],
    ['no entry', [{ position: 0 }]],
    ['an entry without an id', [{ position: 0, entry: { type: 'message' } }]],
    ['an entry without a type', [{ position: 0, entry: { id: 'a' } }]],
    ['a place that is none', [{ position: -1, entry: { type: 'message', id: 'a' } }]],
  ])('reports entries that are none: %s', (_, entries) => {
    const { deliver, received, posted } = wired();
    deliver({ ...new Scene().snapshot(), entries });
    expect(received).toEqual([]);
    expect(posted).toMatchObject([{ type: 'trouble', text: expect.stringContaining('entries') as unknown }]);
  });

  it('says with all that is asked for which session is on show, where one is', () => {
    const { connection, posted, show } = wired();
    const askAll = () => {
      void connection.intend({ type: 'stop' });
      void connection.command({ type: 'delete_session' });
      void connection.ask({ what: 'slash' });
    };
    askAll();
    show('one');
    askAll();
    const sessions = posted.map((message) => ('session' in message ? message.session : 'none'));
    expect(sessions).toEqual(['none', 'none', 'none', 'one', 'one', 'one']);
  });

  it('keeps a report within what the host takes, and stops listening when told', () => {
    const { connection, posted, isListening } = wired();
    connection.trouble('x'.repeat(10_000));
    expect(posted[0]).toMatchObject({ type: 'trouble', text: 'x'.repeat(4000) });
    connection.dispose();
    expect(isListening()).toBe(false);
  });

  it('F8: what is asked for and not answered is over after a while; a command waits for the person', async () => {
    vi.useFakeTimers();
    try {
      const { connection, posted, deliver } = wired();
      const asked = connection.ask({ what: 'attach', mime: 'image/png', data: '' });
      const answered = connection.ask({ what: 'mentions', query: 'a' });
      const chosen = connection.command({ type: 'select_model' });
      const ids = posted.map((message) => ('id' in message ? message.id : -1));
      deliver({ type: 'reply', id: ids[1], ok: true, result: [] });
      await vi.advanceTimersByTimeAsync(60_000);
      expect(await answered).toEqual({ ok: true, result: [] });
      expect(await asked).toMatchObject({ ok: false, failure: { kind: 'network', transient: true } });
      deliver({ type: 'reply', id: ids[0], ok: true, result: 'late' });
      deliver({ type: 'reply', id: ids[2], ok: true, result: null });
      expect(await chosen).toEqual({ ok: true, result: null });
    } finally {
      vi.useRealTimers();
    }
  });

  it('ignores a reply nobody waits for', () => {
    const { deliver, received } = wired();
    deliver({ type: 'reply', id: 99, ok: true, result: null });
    expect(received).toEqual([]);
  });
});
