import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Session } from '../../webview/session.svelte.js';
import { idle, Scene, type Placed } from './bench/scenes.js';

function watching(scene: Scene, known: readonly Placed[] = []) {
  let snapshots = 0;
  let reply = (): void => undefined;
  const asked: string[][] = [];
  let frame: (() => void) | undefined;
  const session = new Session({
    askSnapshot: () => {
      snapshots += 1;
      return new Promise((resolve) => (reply = () => resolve(null)));
    },
    askBodies: (ids) => {
      asked.push(ids);
      return Promise.resolve(known.filter(({ entry }) => ids.includes(entry.id)));
    },
    nextFrame: (callback) => (frame = callback),
  });
  session.receive(scene.snapshot());
  return {
    session,
    asked,
    snapshots: () => snapshots,
    reply: async () => {
      reply();
      await new Promise((resolve) => setTimeout(resolve));
    },
    paint: () => {
      const callback = frame;
      frame = undefined;
      callback?.();
      return callback !== undefined;
    },
  };
}

const texts = (session: Session): string[] =>
  session.rows.map((row) =>
    row.entry.type === 'message'
      ? row.entry.parts.map((part) => ('text' in part ? part.text : '')).join('')
      : row.kind,
  );

describe('session', () => {
  it('shows a snapshot and what is appended to it', () => {
    const scene = new Scene();
    scene.user('One');
    const { session } = watching(scene);
    expect(texts(session)).toEqual(['One']);
    session.receive(scene.append(() => scene.answer('Two')));
    expect(texts(session)).toEqual(['One', 'Two']);
    expect(session.state?.head).toBe(session.rows[1]?.entry.id);
  });

  it('asks once for a snapshot when something between is missing, and shows nothing half', () => {
    const scene = new Scene();
    scene.user('One');
    const { session, snapshots } = watching(scene);
    scene.answer('Lost');
    session.receive(scene.append(() => scene.user('Three')));
    session.receive(scene.append(() => scene.answer('Four')));
    expect(texts(session)).toEqual(['One']);
    expect(snapshots()).toBe(1);
    session.receive(scene.snapshot());
    expect(texts(session)).toEqual(['One', 'Lost', 'Three', 'Four']);
    session.receive(scene.append(() => scene.user('Five')));
    expect(texts(session).at(-1)).toBe('Five');
    expect(snapshots()).toBe(1);
  });

  it('asks again when the answer brought no snapshot', async () => {
    const scene = new Scene();
    const { session, snapshots, reply } = watching(scene);
    scene.user('Lost');
    session.receive(scene.append(() => scene.answer('Two')));
    session.receive(scene.append(() => scene.user('Three')));
    expect(snapshots()).toBe(1);
    await reply();
    session.receive(scene.append(() => scene.answer('Four')));
    expect(snapshots()).toBe(2);
    session.receive(scene.snapshot());
    expect(texts(session)).toEqual(['Lost', 'Two', 'Three', 'Four']);
  });

  it('ignores what was there already and what belongs to another session', () => {
    const scene = new Scene();
    const { session, snapshots } = watching(scene);
    const message = scene.append(() => scene.user('Once'));
    session.receive(message);
    session.receive(message);
    const other = new Scene('another');
    session.receive(other.append(() => other.user('Elsewhere')));
    session.receive({ ...other.growing('text'), session: 'another' });
    session.receive({ type: 'status', session: 'another', status: { ...idle, run: 'running' } });
    expect(texts(session)).toEqual(['Once']);
    expect(session.growing).toBeNull();
    expect(session.status?.run).toBe('idle');
    expect(snapshots()).toBe(0);
  });

  it('says of a call that another window is at that it runs, and else that it is not known how far it came', () => {
    const scene = new Scene();
    scene.turn('Count', 't1');
    scene.calls('', [{ call_id: 'c1', name: 'run', input: { command: 'count' } }], 't1');
    scene.add({ type: 'tool_start', turn_id: 't1', call_id: 'c1' });
    const { session } = watching(scene);
    const states = () => session.rows.flatMap((row) => ('cards' in row ? row.cards : [])).map((c) => c.state);
    expect(states()).toEqual(['unknown']);
    session.receive({ type: 'status', session: scene.id, status: { ...idle, isHeld: true } });
    expect(states()).toEqual(['running']);
    session.receive({ type: 'status', session: scene.id, status: idle });
    expect(states()).toEqual(['unknown']);
  });

  it('follows a head that moved when the snapshot says so', () => {
    const scene = new Scene();
    const first = scene.user('Old');
    scene.answer('Old answer');
    const { session } = watching(scene);
    scene.add({ type: 'head', entry_id: null });
    scene.user('New');
    session.receive(scene.snapshot());
    expect(texts(session)).toEqual(['New']);
    expect(session.rows[0]?.fork).toMatchObject({ index: 1, siblings: [{ entry_id: first }, {}] });
  });

  it('says of a call on one line nothing that was decided about it on another', () => {
    const scene = new Scene();
    scene.turn('Write both', 't1');
    scene.calls(
      '',
      ['c1', 'c2'].map((call_id) => ({ call_id, name: 'write', input: {} })),
      't1',
    );
    const after = scene.result('c1', 'write', 'Created a.ts');
    const decide = (decision: 'allow' | 'deny') => {
      const about = { turn_id: 't1', call_id: 'c2', tool: 'write', summary: decision };
      const request_id = scene.add({ type: 'approval_request', ...about, input_hash: 'h', targets: [] });
      scene.add({ type: 'approval_decision', request_id, decision, feedback: `Because of ${decision}` });
      return scene.result('c2', 'write', 'The end', decision === 'deny');
    };
    const denied = decide('deny');
    const { session } = watching(scene);
    const card = () => session.rows.flatMap((row) => ('cards' in row ? row.cards : []))[1];
    const told = { state: 'denied', summary: 'deny', feedback: 'Because of deny' };
    expect(card()).toMatchObject(told);
    session.receive(scene.goTo(after));
    session.receive(scene.append(() => decide('allow')));
    expect(card()).toMatchObject({ state: 'ok', summary: 'allow' });
    session.receive(scene.goTo(denied));
    expect(card()).toMatchObject(told);
  });

  it('puts streamed text together once a frame', () => {
    const scene = new Scene();
    scene.turn('Hi', 'turn-1');
    const { session, paint } = watching(scene);
    for (const [text, offset] of [
      ['Hel', 0],
      ['lo ', 3],
      ['you', 6],
    ] as const)
      session.receive(scene.growing(text, offset));
    expect(session.growing).toBeNull();
    paint();
    expect(session.growing?.text).toBe('Hello you');
    expect(paint()).toBe(false);
  });

  it('asks for a snapshot when a delta was lost, and takes one that overlaps', () => {
    const scene = new Scene();
    scene.turn('Hi', 'turn-1');
    const { session, paint, snapshots } = watching(scene);
    session.receive(scene.growing('Hello', 0));
    session.receive(scene.growing('lo you', 3));
    expect(snapshots()).toBe(0);
    session.receive(scene.growing('!', 20));
    expect(snapshots()).toBe(1);
    paint();
    expect(session.growing?.text).toBe('Hello you');
  });

  it('drops the text of an attempt that failed, and nothing of it comes back late', () => {
    const scene = new Scene();
    scene.turn('Hi', 'turn-1');
    const { session, paint } = watching(scene);
    session.receive(scene.growing('Half', 0));
    paint();
    session.receive({ type: 'growing_end', session: scene.id, attempt_id: 'attempt-1' });
    session.receive(scene.growing(' late', 4));
    paint();
    expect(session.growing).toBeNull();
    session.receive(scene.growing('Again', 0, 'attempt-2'));
    paint();
    expect(session.growing?.text).toBe('Again');
  });

  it('replaces streamed text by its entry without a moment of both or neither', () => {
    const scene = new Scene();
    scene.turn('Hi', 'turn-1');
    const { session, paint } = watching(scene);
    session.receive(scene.growing('All of it', 0));
    paint();
    // The end is told before the entry comes; both are there before the next paint.
    session.receive({ type: 'growing_end', session: scene.id, attempt_id: 'attempt-1' });
    expect(session.growing?.text).toBe('All of it');
    session.receive(scene.append(() => scene.answer('All of it', 'attempt-1')));
    expect(session.growing).toBeNull();
    expect(texts(session)).toEqual(['Hi', 'All of it']);
    paint();
    expect(texts(session)).toEqual(['Hi', 'All of it']);
  });

  it('D10: text that comes cut anywhere, also inside an emoji, is whole, and never shows half a character', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 40 }),
        fc.array(fc.nat(12), { maxLength: 12 }),
        (text, cuts) => {
          const scene = new Scene();
          scene.turn('Hi', 'turn-1');
          const { session, paint } = watching(scene);
          let at = 0;
          for (const length of [...cuts, text.length]) {
            const delta = text.slice(at, at + length);
            session.receive(scene.growing(delta, at));
            at += delta.length;
            paint();
            expect(session.growing?.text.isWellFormed()).toBe(true);
          }
          expect(session.growing?.text).toBe(text);
        },
      ),
    );
  });

  it('brings older bodies when they are asked for, those nearest first', async () => {
    const scene = new Scene();
    for (let index = 0; index < 500; index += 1) scene.user(`Message ${index}`);
    const { session, asked } = watching(new Scene(), scene.placed);
    session.receive(
      scene.snapshot({
        entries: scene.placed.slice(-100),
        more: true,
        session: { id: 'long', title: '', folder: undefined, read_only: false },
      }),
    );
    expect(session.rows).toHaveLength(100);
    expect(session.hasOlder).toBe(true);
    await session.loadOlder();
    expect(session.rows).toHaveLength(300);
    expect(asked[0]?.at(-1)).toBe(scene.placed[399]?.entry.id);
    await session.loadOlder();
    expect(session.rows).toHaveLength(500);
    expect(texts(session)[0]).toBe('Message 0');
    expect(session.hasOlder).toBe(false);
    await session.loadOlder();
    expect(asked).toHaveLength(2);
  });

  it('shows what stands above a body that the host does not have', async () => {
    const scene = new Scene();
    for (let index = 0; index < 500; index += 1) scene.user(`Message ${index}`);
    const known = scene.placed.toSpliced(350, 1);
    const { session, asked } = watching(new Scene(), known);
    session.receive(
      scene.snapshot({
        entries: scene.placed.slice(-100),
        more: true,
        session: { id: 'hole', title: '', folder: undefined, read_only: false },
      }),
    );
    await session.loadOlder();
    await session.loadOlder();
    expect([session.rows.length, session.hasOlder, asked.length]).toEqual([499, false, 2]);
    expect(texts(session)[0]).toBe('Message 0');
  });

  it('stops asking for bodies that the host does not have', async () => {
    const scene = new Scene();
    for (let index = 0; index < 3; index += 1) scene.user(`Message ${index}`);
    const { session, asked } = watching(new Scene());
    session.receive(
      scene.snapshot({
        entries: scene.placed.slice(-1),
        session: { id: 'gone', title: '', folder: undefined, read_only: false },
      }),
    );
    await session.loadOlder();
    await session.loadOlder();
    expect(asked).toHaveLength(1);
    expect(session.rows).toHaveLength(1);
  });

  it('hands over a draft once for each session that is opened, not with every snapshot', () => {
    const scene = new Scene();
    const { session } = watching(scene);
    const first = session.draft;
    session.receive(scene.snapshot({ draft: { text: 'older', editing: null } }));
    expect(session.draft).toBe(first);
    session.receive(new Scene('next').snapshot({ draft: { text: 'other', editing: null } }));
    expect(session.draft).toMatchObject({ session: 'next', text: 'other' });
  });

  it('finds the prompt that an answer answers', () => {
    const scene = new Scene();
    const prompt = scene.user('Question');
    scene.answer('First part');
    const answer = scene.answer('Second part');
    const { session } = watching(scene);
    expect(session.promptOf(answer)).toBe(prompt);
    expect(session.promptOf(prompt)).toBeUndefined();
  });
});
