import { describe, expect, it } from 'vitest';
import type { Intent, StatusView, ToWebview } from '../../../../src/shared/protocol.js';
import { later } from '../../agent/bench.js';
import { badKey, begins, calls, fails, hang, text } from '../../agent/fake-model.js';
import { idle, makeView, makeWorld, send, type View, type World } from '../world.js';

async function shown(world: World, id = 'one'): Promise<View> {
  const view = makeView(world);
  view.channel.show(await world.sessions.open(id));
  await view.open();
  return view;
}

/** Positions and nodes as a view counts them; throws where one is missing or doubled. */
function follow(messages: readonly ToWebview[]): { positions: number[]; nodes: string[] } {
  let positions: number[] = [];
  let nodes: string[] = [];
  for (const message of messages) {
    if (message.type === 'snapshot') {
      positions = message.entries.map(({ position }) => position);
      nodes = [...message.outline.ids];
      expect(positions).toHaveLength(message.position);
    }
    if (message.type !== 'appended') continue;
    expect(message.from).toBe(positions.length);
    positions.push(...message.entries.map(({ position }) => position));
    nodes.push(...message.outline.map(([id]) => id));
    expect(message.position).toBe(positions.length);
  }
  return { positions, nodes };
}

function lastStatus(view: View): StatusView | undefined {
  const last = view.sent.findLast((message) => 'status' in message);
  return last && 'status' in last ? last.status : undefined;
}

describe('a view and its session', () => {
  it('gets a snapshot when it opens, and nothing before', async () => {
    const world = makeWorld();
    const view = makeView(world);
    view.channel.show(await world.sessions.open('one'));
    await idle();
    expect(view.sent).toEqual([]);
    await view.open();
    expect(view.of('snapshot')).toMatchObject([
      { session: { id: 'one', title: 'New session', read_only: false }, position: 0, entries: [] },
    ]);
    expect(view.of('snapshot')[0]?.status).toMatchObject({
      run: 'idle',
      model: { id: 'fake/one', label: 'Fake One', demo: false },
    });
  });

  it('positions are without gap and each node comes once', async () => {
    const world = makeWorld([calls([{ name: 'read', input: { path: 'a.txt' } }]), text('Done.')]);
    const view = await shown(world);
    expect((await view.intend(send('Read a.txt'), null)).ok).toBe(true);
    await world.sessions.peek('one')?.agent.settled();
    await idle();
    const { positions, nodes } = follow(view.sent);
    const log = world.sessions.peek('one')?.agent.log;
    expect(positions).toEqual(positions.map((_, index) => index));
    expect(positions).toHaveLength(log?.position ?? -1);
    expect(nodes).toEqual(log?.outline.map(([id]) => id));
    expect(lastStatus(view)?.run).toBe('idle');
  });

  it('C17: an image is kept beside the log, and the log holds a reference', async () => {
    const world = makeWorld([text('A picture.')]);
    const view = await shown(world);
    const bytes = Buffer.from([0x89, 0x50, 0x4e, 0x47, 1, 2, 3]);
    const reply = await view.request({
      type: 'ask',
      ask: { what: 'attach', mime: 'image/png', data: bytes.toString('base64') },
    });
    if (!reply.ok) throw new Error(reply.failure.message);
    const blob = String(reply.result);
    const mentions = [{ kind: 'image' as const, label: 'a.png', blob, mime: 'image/png' }];
    await view.intend({ type: 'send', text: 'See', mentions, mode: 'send' }, null);
    const log = world.sessions.peek('one')?.agent.log;
    expect(Buffer.from((await log?.blobs.get(blob)) ?? []).equals(bytes)).toBe(true);
    const [prompt] = (await log?.path()) ?? [];
    expect(prompt).toMatchObject({
      parts: [
        { type: 'text', text: 'See' },
        { type: 'image', blob, mime: 'image/png', name: 'a.png' },
      ],
    });
  });

  it('the reply to a prompt comes after the prompt is there', async () => {
    const world = makeWorld([text('Yes.')]);
    const view = await shown(world);
    await view.intend(send('Hello?'), null);
    const order = view.sent.map(({ type }) => type);
    const told = order.findIndex(
      (type) =>
        type === 'appended' ||
        (type === 'snapshot' && order.indexOf('snapshot') !== order.lastIndexOf('snapshot')),
    );
    expect(told).toBeGreaterThan(-1);
    expect(order.indexOf('reply')).toBeGreaterThan(told);
  });

  it('what streams comes in batches and by offset', async () => {
    const world = makeWorld([begins('one two three ', hang())]);
    const view = await shown(world);
    await view.intend(send('Count'), null);
    expect(view.of('growing')).toEqual([]);
    await world.clock.advance(30);
    expect(view.of('growing')).toMatchObject([{ offset: 0, delta: 'one two three ' }]);
  });

  it('D7: another session is shown while one streams; what it said is there when it is shown again', async () => {
    const world = makeWorld([begins('half of it ', hang())]);
    const view = await shown(world);
    await view.intend(send('Go'), null);
    await world.clock.advance(30);
    view.channel.show(await world.sessions.open('two'));
    await idle();
    expect(view.of('snapshot').at(-1)).toMatchObject({ session: { id: 'two' }, growing: null });
    expect(world.sessions.peek('one')?.agent.run()).toBe('running');
    view.channel.show(await world.sessions.open('one'));
    await idle();
    expect(view.of('snapshot').at(-1)).toMatchObject({
      session: { id: 'one' },
      growing: { text: 'half of it ' },
    });
  });

  it('does in no session what was meant for the one that is still on show', async () => {
    const world = makeWorld([text('Answer.'), text('Another.')]);
    const view = await shown(world, 'two');
    await view.intend(send('Hello'), null);
    await world.sessions.peek('two')?.agent.settled();
    view.channel.show(await world.sessions.open('one'));
    await idle();
    const two = await world.sessions.open('two');
    view.channel.show(two);
    const before = two.agent.log.position;
    // The view shows the one before until the snapshot of the other is there.
    const meant = { type: 'intent', session: 'one', intent: { type: 'undo' } } as const;
    expect(await view.request(meant)).toMatchObject({ ok: false, failure: { code: 'OtherSession' } });
    expect(two.agent.log.position).toBe(before);
    const looked = await view.request({ type: 'ask', session: 'one', ask: { what: 'bodies', ids: [] } });
    expect(looked).toMatchObject({ ok: false, failure: { code: 'OtherSession' } });
    // What it is to show, it may ask for.
    expect(await view.request({ type: 'ask', session: 'one', ask: { what: 'snapshot' } })).toMatchObject({
      ok: true,
    });
    expect(await view.request({ ...meant, session: 'two' })).toMatchObject({ ok: true });
    expect(two.agent.log.position).toBeGreaterThan(before);
  });

  it('a command is carried out for the session that the person looks at', async () => {
    const world = makeWorld();
    const view = await shown(world, 'one');
    view.channel.show(await world.sessions.open('two'));
    await view.request({ type: 'ui', session: 'one', command: { type: 'delete_session' } });
    await view.request({ type: 'ui', command: { type: 'rename_session' } });
    expect(view.commands).toEqual([
      { command: { type: 'delete_session' }, session: 'one' },
      { command: { type: 'rename_session' }, session: 'two' },
    ]);
  });

  it('a hidden view is sent nothing; when it is there again it gets everything', async () => {
    const world = makeWorld([text('Answer.')]);
    const view = await shown(world);
    view.channel.detach();
    const before = view.sent.length;
    await world.sessions.peek('one')?.agent.dispatch(send('Hello'));
    await world.sessions.peek('one')?.agent.settled();
    await world.clock.advance(100);
    expect(view.sent).toHaveLength(before);
    await view.open();
    expect(view.of('snapshot').at(-1)?.outline.previews).toBe('Hello\nAnswer.');
  });

  it('two views of one session see the same', async () => {
    const world = makeWorld([text('Yes.')]);
    const [first, second] = [await shown(world), await shown(world)];
    await first.intend(send('Hello'), null);
    await world.sessions.peek('one')?.agent.settled();
    await idle();
    expect(follow(second.sent)).toEqual(follow(first.sent));
  });

  it('moving the head sends the other line as a whole', async () => {
    const world = makeWorld([text('First.'), text('Second.')]);
    const view = await shown(world);
    await view.intend(send('One'), null);
    await world.sessions.peek('one')?.agent.settled();
    const first = world.sessions.peek('one')?.agent.log.head ?? '';
    const prompt = world.sessions.peek('one')?.agent.log.outline[0]?.[0] ?? '';
    await view.intend({ type: 'send', text: 'Other', mentions: [], mode: 'send', editing: prompt }, first);
    await world.sessions.peek('one')?.agent.settled();
    await view.intend({ type: 'navigate', entry_id: first });
    const last = view.of('snapshot').at(-1);
    expect(last?.state.head).toBe(first);
    expect(last?.entries.flatMap(({ entry }) => (entry.type === 'message' ? [entry.role] : []))).toEqual([
      'user',
      'assistant',
    ]);
    expect(last?.outline.ids).toHaveLength(4);
  });

  describe('the answer to what moves the head', () => {
    /** The last of two turns is being undone, and the snapshot of what is left is not there yet. */
    async function undoing(read = () => Promise.resolve()) {
      const world = makeWorld([text('First.'), text('Second.')]);
      const view = await shown(world);
      const { agent } = await world.sessions.open('one');
      await view.intend(send('One'), null);
      await agent.settled();
      const [before, kept] = [agent.log.position, agent.log.head];
      await view.intend(send('Two'), kept);
      await agent.settled();
      await idle();
      const left = agent.log.head ?? '';
      const { opened, open } = later();
      view.reading = () => opened.then(read);
      const from = view.sent.length;
      view.channel.receive({ type: 'intent', id: 70, intent: { type: 'undo' } });
      await idle();
      expect([agent.log.head, agent.log.position > before]).toEqual([kept, true]);
      const since = () =>
        view.sent.slice(from).flatMap((message) => {
          if (message.type === 'snapshot')
            return [`snapshot at ${message.state.head === kept ? 'One' : '?'}`];
          if (message.type === 'reply') return [`reply ${message.id} ${message.ok ? 'yes' : 'no'}`];
          return message.type === 'undone' || message.type === 'not_shown' ? [message.type] : [];
        });
      return { world, view, left, open, since };
    }

    it('comes behind the line it shows, and holds nothing else back', async () => {
      const { view, left, open, since } = await undoing();
      view.channel.tellUndone('one', left);
      await idle();
      expect(since()).toEqual([]);
      expect((await view.intend({ type: 'stop' })).ok).toBe(true);
      expect(since()).toHaveLength(1);
      open();
      await idle();
      const [, first, ...others] = since();
      expect([first, others.sort()]).toEqual(['snapshot at One', ['reply 70 yes', 'undone']]);
      view.channel.tellUndone('one', left);
      view.channel.tellUndone('two', left);
      await idle();
      expect(since().slice(4)).toEqual(['undone']);
    });

    it('comes where the line cannot be shown', async () => {
      const { open, since } = await undoing(() => Promise.reject(new Error('EIO')));
      open();
      await idle();
      expect(since()).toEqual(['not_shown', 'reply 70 yes']);
    });

    it.each(['detach', 'dispose'] as const)('is not waited for after %s', async (end) => {
      const { view, since } = await undoing();
      view.channel[end]();
      await idle();
      expect(since()).toEqual(['reply 70 yes']);
    });

    it('does not wait for the session that is shown in its place', async () => {
      const { world, view, since } = await undoing();
      const two = await world.sessions.open('two');
      view.channel.receive({ type: 'intent', id: 71, intent: { type: 'undo' } });
      view.channel.show(two);
      await idle();
      expect(since()).toEqual(['reply 70 yes', 'reply 71 yes']);
    });
  });

  it('a failed turn is in the status until something newer happens', async () => {
    const world = makeWorld([[fails(badKey())], text('Fine.')]);
    const view = await shown(world);
    await view.intend(send('One'), null);
    await world.sessions.peek('one')?.agent.settled();
    await idle();
    expect(lastStatus(view)?.failure).toMatchObject({ kind: 'auth', action: 'set-key' });
  });

  it('the model of a session follows keys and settings', async () => {
    const world = makeWorld();
    world.model.resolveFailure = badKey();
    const view = await shown(world);
    expect(view.of('snapshot')[0]?.status).toMatchObject({
      model: null,
      notices: [{ kind: 'config', actions: [{ command: { type: 'set_key' } }] }],
    });
    world.model.resolveFailure = null;
    world.models.fire();
    await idle();
    expect(view.of('status').at(-1)?.status).toMatchObject({ model: { id: 'fake/one' }, notices: [] });
  });

  it('a status that says the same is not sent again', async () => {
    const world = makeWorld();
    const view = await shown(world);
    world.facts.fire();
    await idle();
    expect(view.of('status')).toEqual([]);
  });
});

describe('requests of a view', () => {
  it('a message that does not fit is answered and logged, not acted on', async () => {
    const world = makeWorld();
    const view = await shown(world);
    view.channel.receive({ type: 'intent', id: 7, intent: { type: 'format_disk' } });
    view.channel.receive('nonsense');
    view.channel.receive(null);
    expect(view.of('reply')).toMatchObject([{ id: 7, ok: false, failure: { kind: 'refused' } }]);
    expect(view.log).toHaveLength(3);
  });

  it('a handler that throws answers with a failure, and the stack goes to the log', async () => {
    const world = makeWorld();
    const view = makeView(world, () => Promise.reject(new Error('boom')));
    view.channel.show(await world.sessions.open('one'));
    await view.open();
    const reply = await view.request({ type: 'ui', command: { type: 'show_log' } });
    expect(reply).toMatchObject({ ok: false, failure: { kind: 'refused', action: 'show-log' } });
    expect(view.log.join()).toContain('Error: boom');
  });

  it('before a session is there, a request is told to come again', async () => {
    const view = makeView(makeWorld());
    await view.open();
    expect(await view.intend(send('x'))).toMatchObject({ ok: false, failure: { transient: true } });
  });

  it('an intent on a head that has moved is refused and changes nothing', async () => {
    const world = makeWorld([text('Yes.')]);
    const view = await shown(world);
    await view.intend(send('One'), null);
    await world.sessions.peek('one')?.agent.settled();
    const before = world.sessions.peek('one')?.agent.log.position;
    expect(await view.intend(send('Two'), null)).toMatchObject({
      ok: false,
      failure: { code: 'SessionConflict' },
    });
    expect(world.sessions.peek('one')?.agent.log.position).toBe(before);
  });

  it('asks are answered: bodies with their notes, blobs, files', async () => {
    const world = makeWorld([text('Yes.')]);
    const view = await shown(world);
    await view.intend(send('One'), null);
    await world.sessions.peek('one')?.agent.settled();
    const { log } = world.sessions.peek('one')?.agent ?? {};
    const [first] = log?.outline[0] ?? [];
    const bodies = await view.request({ type: 'ask', ask: { what: 'bodies', ids: [first, 'nobody'] } });
    if (!bodies.ok) throw new Error('refused');
    const found = (bodies.result as { entry: { id: string; type: string } }[]).map(({ entry }) => entry);
    expect(found[0]).toMatchObject({ id: first, type: 'message' });
    expect(found.map(({ type }) => type)).toContain('turn_start');
    expect(found.map(({ id }) => id)).not.toContain(log?.outline[1]?.[0]);
    const hash = await log?.blobs.put('long text');
    expect(await view.request({ type: 'ask', ask: { what: 'blob', hash } })).toMatchObject({
      ok: true,
      result: 'long text',
    });
    expect(await view.request({ type: 'ask', ask: { what: 'blob', hash: 'f'.repeat(64) } })).toMatchObject({
      ok: false,
      failure: { kind: 'storage' },
    });
    expect(await view.request({ type: 'ask', ask: { what: 'mentions', query: 'app' } })).toMatchObject({
      ok: true,
      result: [{ kind: 'file', label: 'app.ts' }],
    });
  });

  it('a draft is kept, and comes back with the session', async () => {
    const world = makeWorld();
    const view = await shown(world);
    const draft = {
      ...{ text: 'half a thought', editing: 'm1' },
      attachments: [{ kind: 'file', label: 'Pasted text', text: 'a log' }],
      aside: { text: 'another', attachments: [{ kind: 'file', label: 'a.ts', path: 'a.ts' }] },
      unsent: { r1: { texts: ['echo'], feedback: 'no' }, q1: { text: 'later' } },
    };
    view.channel.receive({ type: 'draft', session: 'one', ...draft });
    view.channel.show(await world.sessions.open('two'));
    await idle();
    view.channel.show(await world.sessions.open('one'));
    await idle();
    expect(view.of('snapshot').at(-1)?.draft).toEqual(draft);
  });

  it('the composer gets the focus once the session is on show', async () => {
    const world = makeWorld();
    const view = makeView(world);
    view.channel.compose({ text: 'look at this' });
    view.channel.show(await world.sessions.open('one'));
    await view.open();
    expect(view.sent.map(({ type }) => type)).toEqual(['snapshot', 'compose']);
    expect(view.of('compose')).toEqual([{ type: 'compose', text: 'look at this' }]);
  });

  it('what is brought to the composer in turn is all there, while the session is not on show yet', async () => {
    const world = makeWorld();
    const view = makeView(world);
    view.channel.compose({ text: 'one' });
    view.channel.compose({ text: 'two', at: 'none', session: 'one' });
    view.channel.show(await world.sessions.open('one'));
    await view.open();
    expect(view.of('compose')).toEqual([{ type: 'compose', text: 'one\ntwo' }]);
  });

  it('what belongs to a session that the view comes not to show stands in its draft', async () => {
    const world = makeWorld();
    const view = await shown(world);
    view.drafts.set('two', { text: 'begun', editing: null });
    view.channel.compose({ text: 'taken back', at: 'none', session: 'two' });
    await idle();
    expect(view.of('compose')).toEqual([]);
    expect(view.drafts.get('two')).toEqual({ text: 'begun\ntaken back', editing: null });
  });

  it('what belongs to a session is kept when the view is hidden before it is on show', async () => {
    const world = makeWorld();
    const view = makeView(world);
    view.channel.compose({ text: 'taken back', at: 'none', session: 'one' });
    view.channel.detach();
    await idle();
    view.channel.show(await world.sessions.open('one'));
    await view.open();
    expect(view.of('snapshot').at(-1)?.draft).toMatchObject({ text: 'taken back' });
    expect(view.of('compose')).toEqual([]);
  });

  const stops: Intent[] = [{ type: 'stop' }, { type: 'retry_cancel' }];
  it.each(stops)('$type ends what streams and keeps its text', async (intent) => {
    const world = makeWorld([begins('half ', hang())]);
    const view = await shown(world);
    await view.intend(send('Go'), null);
    await world.clock.advance(30);
    expect((await view.intend(intent)).ok).toBe(true);
    expect(view.of('appended').flatMap(({ entries }) => entries.map(({ entry }) => entry.type))).toContain(
      'incomplete_output',
    );
    expect(lastStatus(view)?.run).toBe('idle');
  });
});
