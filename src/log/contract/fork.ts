/** Copies: forks at and before any entry, and imports of everything. */
import type { Draft, Entry } from '../../shared/notes.js';
import type { SessionLog } from '../store.js';
import { answer, codeOf, text, texts, type Check, type FullStore, type Runner } from './runner.js';

const turn = (turn_id: string): Draft[] => [
  { ...text(`ask ${turn_id}`), turn_id },
  { type: 'turn_start', turn_id },
];
const ended = (turn_id: string): Draft => ({ type: 'turn_end', turn_id, steps: 1, status: 'completed' });

const typesOf = async (log: SessionLog): Promise<string[]> =>
  (await log.since(0)).map(({ entry }) => entry.type);

/** Every entry of the log comes to a root by its parents, as they stand in the log itself. */
async function reachAll(log: SessionLog): Promise<boolean> {
  const entries = new Map<string, Entry>();
  for (const { entry } of await log.since(0)) {
    if (entry.parent_id !== null && !entries.has(entry.parent_id)) return false;
    entries.set(entry.id, entry);
  }
  return log.damage.length === 0;
}

async function twoTurns(store: FullStore): Promise<{ log: SessionLog; ids: string[] }> {
  const log = await store.create({ id: 'one', folder: 'file:///w', title: 'T', owner: 'me' });
  const ids: string[] = [];
  for (const id of ['1', '2']) {
    await log.append(turn(id));
    ids.push(log.head ?? '');
    await log.append([{ type: 'step_start', step: 1, attempt_id: `at${id}`, turn_id: id }]);
    await log.append([{ ...answer(`done ${id}`), turn_id: id }]);
    ids.push(log.head ?? '');
    await log.append([{ type: 'step_end', step: 1, turn_id: id }, ended(id)]);
  }
  return { log, ids };
}

export function describeFork({ expect }: Runner, check: Check): void {
  check('H4: forks at the first, a middle and the last entry, and records where from', async (store) => {
    const { log, ids } = await twoTurns(store);
    const wanted = [['ask 1'], ['ask 1', 'done 1'], ['ask 1', 'done 1', 'ask 2'], undefined];
    for (const [index, at] of ids.entries()) {
      const copy = await store.fork('one', { at });
      expect(await texts(copy)).toEqual(wanted[index] ?? ['ask 1', 'done 1', 'ask 2', 'done 2']);
      expect(await reachAll(copy)).toBe(true);
      const { parent_session_id, parent_entry_id, folder, title, owner } = copy.header;
      expect({ parent_session_id, parent_entry_id, folder, title, owner }).toEqual({
        parent_session_id: 'one',
        parent_entry_id: at,
        folder: 'file:///w',
        title: 'T',
        owner: 'me',
      });
      expect(copy.state().turn).toBe(null);
    }
    const { sessions } = await store.list();
    expect(sessions.map(({ id, origin }) => (id === 'one' ? origin : (origin ?? 'none'))).sort()).toEqual([
      ...ids.map(() => 'one'),
      undefined,
    ]);
    expect(await texts(await store.fork('one'))).toEqual(await texts(log));
  });

  check('forks before an entry, and before the first', async (store) => {
    const { ids } = await twoTurns(store);
    expect(await texts(await store.fork('one', { before: ids[2] ?? '' }))).toEqual(['ask 1', 'done 1']);
    const empty = await store.fork('one', { before: ids[0] ?? '', id: 'empty' });
    expect(await texts(empty)).toEqual([]);
    expect(empty.header.parent_session_id).toBe('one');
    await empty.append([text('begin')]);
    expect(await texts(empty)).toEqual(['begin']);
  });

  check('A17, H4: writes to the copy from then on, and not to the original', async (store) => {
    const { log } = await twoTurns(store);
    const before = log.position;
    const copy = await store.fork('one', { id: 'two' });
    expect((await store.open('two')) === copy).toBe(true);
    await copy.append([text('on')]);
    expect([log.position, (await texts(copy)).at(-1)]).toEqual([before, 'on']);
    await log.append([text('here')]);
    expect((await texts(copy)).at(-1)).toBe('on');
    expect((await texts(log)).at(-1)).toBe('here');
  });

  check('A16: re-links what stood on an entry that is left out; all reach the root', async (store) => {
    const log = await store.create({ id: 'one' });
    const [a] = await log.append([text('a')]);
    const [b] = await log.append([answer('b')]);
    await log.append([
      { type: 'label', target_id: a?.id ?? '', label: 'kept' },
      { type: 'label', target_id: b?.id ?? '', label: 'left out' },
    ]);
    await log.append([{ type: 'model_change', provider: 'p', model_id: 'm' }]);
    await log.append([text('c')]);
    await log.append([{ type: 'head', entry_id: a?.id ?? '' }, answer('other')]);
    const copy = await store.fork('one', { at: a?.id ?? '' });
    expect(await reachAll(copy)).toBe(true);
    expect(Object.values(copy.state().labels)).toEqual(['kept']);
    expect(copy.outline).toHaveLength(1);
  });

  check('ends the turn that the fork point cuts, and copies no open wait and no queue', async (store) => {
    const log = await store.create({ id: 'one' });
    await log.append(turn('1'));
    const head = log.head ?? '';
    await log.append([
      { type: 'queue_update', items: [{ id: 'q', mode: 'queue', text: 'later' }] },
      {
        type: 'retry_start',
        kind: 'parked',
        turn_id: '1',
        step: 1,
        attempt_id: 'x',
        attempt: 1,
        max_attempts: 4,
        delay_ms: 5,
        due_at: '2030-01-01T00:00:00.000Z',
        error: 'busy',
      },
    ]);
    const waiting = await store.fork('one');
    expect([waiting.state().wait, waiting.state().turn, waiting.state().queue]).toEqual([null, null, []]);
    expect((await typesOf(waiting)).join()).toBe('message,turn_start,turn_end');
    await log.append([answer('late'), ended('1')]);
    const cut = await store.fork('one', { at: head });
    const end = (await cut.since(0)).map(({ entry }) => entry).find(({ type }) => type === 'turn_end');
    expect(end?.type === 'turn_end' ? [end.status, end.turn_id, end.parent_id] : []).toEqual([
      'stopped',
      '1',
      head,
    ]);
    expect(log.state().queue).toHaveLength(1);
  });

  check('refuses while an approval is pending', async (store) => {
    const log = await store.create({ id: 'one' });
    await log.append([
      ...turn('1'),
      {
        type: 'message',
        role: 'assistant',
        turn_id: '1',
        parts: [{ type: 'tool_call', call_id: 'c', name: 'edit', input: {} }],
      },
    ]);
    const request = {
      type: 'approval_request' as const,
      turn_id: '1',
      call_id: 'c',
      tool: 'edit',
      summary: 'Edit a.txt',
      input_hash: 'h',
      targets: [],
    };
    const [asked] = await log.append([request]);
    expect(await codeOf(store.fork('one'))).toBe('ResumeRequired');
    await log.append([
      { type: 'approval_decision', request_id: asked?.id ?? '', decision: 'deny', turn_id: '1' },
    ]);
    expect(await reachAll(await store.fork('one'))).toBe(true);
  });

  check('waits for a running turn to settle, as long as the caller does', async (store) => {
    const log = await store.create({ id: 'one' });
    const lease = await log.acquire();
    await log.append(turn('1'));
    const patience = new AbortController();
    const given = store.fork('one', { signal: patience.signal }).then(
      () => 'forked',
      (error: unknown) => error,
    );
    patience.abort(new Error('enough'));
    expect(String(await given)).toBe('Error: enough');
    const forked = store.fork('one');
    await log.append([{ ...answer('done'), turn_id: '1' }, ended('1')]);
    lease.dispose();
    expect(await texts(await forked)).toEqual(['ask 1', 'done']);
    expect((await store.list()).sessions).toHaveLength(2);
  });

  check('carries the blobs that its entries name', async (store) => {
    const log = await store.create({ id: 'one' });
    const hash = await log.blobs.put('picture');
    const other = await log.blobs.put('not on this line');
    const image = (blob: string): Draft => ({
      type: 'message',
      role: 'user',
      parts: [{ type: 'image', blob, mime: 'image/png', name: 'a.png' }],
    });
    const [a] = await log.append([image(hash)]);
    await log.append([image(other)]);
    const copy = await store.fork('one', { at: a?.id ?? '' });
    expect(new TextDecoder().decode(await copy.blobs.get(hash))).toBe('picture');
    expect(await copy.blobs.has(other)).toBe(false);
    await (await store.delete('one')).purge();
    expect(new TextDecoder().decode(await copy.blobs.get(hash))).toBe('picture');
  });

  check('keeps name and tags, and is not archived because the original is', async (store) => {
    const log = await store.create({ id: 'one' });
    await log.append([text('a')]);
    await store.rename('one', 'Named');
    await store.setTags('one', ['x', ' y ', 'x']);
    await store.archive('one');
    const copy = await store.fork('one', { id: 'two' });
    const { name, tags, archived } = copy.state();
    expect({ name, tags, archived }).toEqual({ name: 'Named', tags: ['x', 'y'], archived: false });
    await copy.append([text('b')]);
  });

  check('refuses an id that is there, an entry that is not, and a session that is not', async (store) => {
    const { log } = await twoTurns(store);
    expect(await codeOf(store.fork('one', { id: 'one' }))).toBe('SessionExists');
    expect(await codeOf(store.fork('one', { at: 'ghost' }))).toBe('InvalidArgument');
    expect(await codeOf(store.fork('one', { at: log.head ?? '', before: log.head ?? '' }))).toBe(
      'InvalidArgument',
    );
    expect(await codeOf(store.fork('nobody'))).toBe('SessionNotFound');
    expect((await store.list()).sessions).toHaveLength(1);
  });

  check('imports all lines of a session, head included, as a session of its own', async (store) => {
    const { log, ids } = await twoTurns(store);
    await log.append([{ type: 'head', entry_id: ids[0] ?? null }]);
    const copy = await store.importCopy(log, { id: 'two' });
    expect(copy.outline).toEqual(log.outline);
    expect(copy.head).toBe(ids[0]);
    expect(copy.header.parent_session_id).toBe('one');
    expect(await reachAll(copy)).toBe(true);
  });
}
