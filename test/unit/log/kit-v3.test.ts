// Logs of version 3, written by hand after the description of that format: every type of entry, every field of each.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SessionLog } from '../../../src/log/store.js';
import type { FileStore } from '../../../src/log/file-store.js';
import { lines, putLog } from './lines.js';
import { makePlace, user, type Place } from './support.js';

let place: Place;
let store: FileStore;
beforeEach(async () => {
  place = await makePlace();
  store = place.store();
});
afterEach(() => place.dispose());

const at = (second: number): string => `2026-01-05T10:00:${String(second).padStart(2, '0')}.123456789+01:00`;
let second = 0;
const v3 = (type: string, id: string, parent_id: string | undefined, fields: object): string =>
  JSON.stringify({
    type,
    id,
    ...(parent_id === undefined ? {} : { parent_id }),
    timestamp: at(second++ % 60),
    ...fields,
  });
const header = (fields: object = {}): string =>
  JSON.stringify({
    ...{
      type: 'session',
      version: 3,
      id: '0123456789abcdef0123456789abcdef',
      timestamp: '2026-01-05T09:00:00Z',
    },
    ...{ cwd: '/home/u/my project', ...fields },
  });
const part = (type: string, data: object): object => ({ type, data });
const says = (id: string, parent: string | undefined, role: string, ...parts: object[]): string =>
  v3('message', id, parent, { role, parts });
const text = (words: string): object => part('text', { text: words });

async function opened(...log: string[]): Promise<SessionLog> {
  await putLog(place, 'k', lines(...log));
  return store.open('k');
}

/** Id and parent of each node. */
const tree = (log: SessionLog): string[] =>
  log.outline.map(([id, parent]) => `${id} < ${parent < 0 ? '-' : (log.outline[parent]?.[0] ?? '?')}`);

const everything = [
  header({
    parent_session: '/home/u/.kit/sessions/x/y.jsonl',
    parent_session_id: 'f'.repeat(32),
    subagent_task: 'Look',
  }),
  v3('system_prompt', 'sp', undefined, { content: 'You are', model: 'm', provider: 'p' }),
  says('a1', undefined, 'user', text('go'), part('image', { data: 'AAEC', media_type: 'image/png' })),
  v3('model_change', 'n1', 'a1', { provider: 'openai', model_id: 'gpt-4.1' }),
  v3('message', 'a2', 'n1', {
    ...{ role: 'assistant', model: 'gpt-4.1', provider: 'openai' },
    parts: [
      part('reasoning', { thinking: 'hm', signature: 'sig' }),
      part('reasoning', { thinking: 'no signature' }),
      text('reading'),
      part('tool_call', { id: 'c1', name: 'read', input: '{"path":"x"}', finished: true }),
      part('tool_call', { id: '', name: 'list', input: '', finished: true }),
      part('finish', { reason: 'tool_use' }),
    ],
  }),
  says(
    'a3',
    'a2',
    'tool',
    part('tool_result', { tool_call_id: 'c1', name: '', content: 'X', is_error: false }),
    part('tool_result', { tool_call_id: '', name: '', content: 'denied', is_error: true }),
  ),
  v3('label', 'n2', 'a3', { target_id: 'a2', label: 'here' }),
  v3('session_info', 'n3', 'n2', { name: 'Oaks' }),
  v3('extension_data', 'n4', 'n3', { ext_type: 'todo', data: '{"done":1}' }),
  v3('incomplete_output', 'a4', 'n4', { attempt_id: 'at1', text: 'half a', incomplete: true }),
  says('a5', 'a4', 'system', text('be brief')),
  v3('branch_summary', 'a6', 'a1', { from_id: 'a2', summary: 'they read x' }),
  says('a7', 'a6', 'user', text('on')),
  v3('compaction', 'a8', undefined, {
    ...{ summary: 'so far', first_kept_entry_id: 'a7', tokens_before: 900, tokens_after: 30 },
    ...{ messages_removed: 4, read_files: ['x'], modified_files: ['y'] },
  }),
  says('a9', 'a8', 'user', text('and on')),
];

describe('A10: a log of version 3', () => {
  it('is read with every type of entry, in the tree they make, with nothing to complain of', async () => {
    const log = await opened(...everything);
    expect(log.damage).toEqual([]);
    expect(log.access).toMatchObject({ mode: 'read-only', reason: 'version-3' });
    expect(log.position).toBe(everything.length - 1);
    expect(tree(log)).toEqual(
      // Whatever hangs on a note hangs on what the note hangs on; a compaction goes on with the line that it compacts.
      ['a1 < -', 'a2 < a1', 'a3 < a2', 'a4 < a3', 'a5 < a4', 'a6 < a1', 'a7 < a6', 'a8 < a7', 'a9 < a8'],
    );
    expect(log.head).toBe('a9');
    expect(log.header).toMatchObject({
      ...{ version: 3, folder: 'file:///home/u/my%20project', cwd: '/home/u/my project' },
      ...{ parent_session_id: 'f'.repeat(32), subagent_task: 'Look' },
    });
    expect(log.state()).toMatchObject({ name: 'Oaks', labels: { a2: 'here' } });
    expect(log.state('a3')).toMatchObject({ model: { provider: 'openai', model_id: 'gpt-4.1' } });
  });

  it('has every field of every entry', async () => {
    const log = await opened(...everything);
    const entry = async (id: string): Promise<unknown> => log.entry(id);
    expect(await entry('a2')).toMatchObject({
      ...{ role: 'assistant', model: 'gpt-4.1', provider: 'openai', finish_reason: 'tool_use' },
      timestamp: expect.stringContaining('+01:00') as string,
      parts: [
        { type: 'reasoning', text: 'hm', signature: 'sig' },
        { type: 'reasoning', text: 'no signature' },
        { type: 'text', text: 'reading' },
        { type: 'tool_call', call_id: 'c1', provider_call_id: 'c1', name: 'read', input: { path: 'x' } },
        { type: 'tool_call', call_id: 'tool_0', provider_call_id: '', name: 'list', input: {} },
      ],
    });
    expect(await entry('a3')).toMatchObject({
      role: 'tool',
      parts: [
        { type: 'tool_result', call_id: 'c1', content: 'X', is_error: false },
        { type: 'tool_result', call_id: 'tool_0', content: 'denied', is_error: true },
      ],
    });
    expect(await entry('n1')).toMatchObject({
      type: 'model_change',
      provider: 'openai',
      model_id: 'gpt-4.1',
    });
    expect(await entry('n2')).toMatchObject({ type: 'label', target_id: 'a2', label: 'here' });
    expect(await entry('n4')).toMatchObject({ type: 'extension_data', ext_type: 'todo', data: '{"done":1}' });
    expect(await entry('a4')).toMatchObject({
      ...{ type: 'incomplete_output', attempt_id: 'at1', text: 'half a', incomplete: true },
    });
    expect(await entry('a6')).toMatchObject({
      type: 'branch_summary',
      from_id: 'a2',
      summary: 'they read x',
    });
    expect(await entry('a8')).toMatchObject({
      ...{ type: 'compaction', summary: 'so far', first_kept_entry_id: 'a7', tokens_before: 900 },
      ...{ tokens_after: 30, messages_removed: 4, read_files: ['x'], modified_files: ['y'] },
    });
  });

  it.each([
    ['C:\\Users\\me\\my project#1', 'file:///C%3A/Users/me/my%20project%231'],
    ['d:/p', 'file:///d%3A/p'],
    ['not a path', undefined],
  ])('is of the folder %s, wherever it is read', async (cwd, folder) => {
    const log = await opened(header({ cwd }), says('a1', undefined, 'user', text('go')));
    expect(log.header.folder).toBe(folder);
  });

  it('is as long after it was opened three times as before', async () => {
    await putLog(place, 'k', lines(...everything));
    const before = await readFile(place.log('k'));
    for (let time = 0; time < 3; time++) {
      const log = await store.open('k');
      await expect(log.append([user('no')])).rejects.toMatchObject({ code: 'AccessDenied' });
      await log.close();
    }
    expect(await readFile(place.log('k'))).toEqual(before);
  });

  it('goes on as a copy in which calls are unique and results say which tool they are of', async () => {
    const copy = await store.importCopy(await opened(...everything), { id: 'copy' });
    expect(copy.damage).toEqual([]);
    expect(tree(copy)).toEqual(tree(await store.open('k')));
    expect(copy.header).toMatchObject({
      folder: 'file:///home/u/my%20project',
      subagent_task: 'Look',
      parent_session_id: 'k',
    });
    expect(copy.state()).toMatchObject({ name: 'Oaks', open_calls: [] });
    const [asked, answered] = [await copy.entry('a2'), await copy.entry('a3')];
    if (asked?.type !== 'message' || answered?.type !== 'message') return expect.fail('two messages');
    const calls = asked.parts.flatMap((one) => (one.type === 'tool_call' ? [one.call_id] : []));
    expect(new Set(calls).size).toBe(2);
    expect(answered.parts).toMatchObject([
      { call_id: calls[0], name: 'read' },
      { call_id: calls[1], name: 'list' },
    ]);
    await copy.append([user('more')]);
    await copy.close();
    expect((await store.open('copy')).damage).toEqual([]);
  });

  it('C12: pairs results with calls whose ids are repeated, turn by turn', async () => {
    const call = (id: string, parent: string): string =>
      says(id, parent, 'assistant', part('tool_call', { id: 'c', name: id, input: '{}', finished: true }));
    const result = (id: string, parent: string, content: string): string =>
      says(
        id,
        parent,
        'tool',
        part('tool_result', { tool_call_id: 'c', name: '', content, is_error: false }),
      );
    const log = await opened(
      ...[
        header(),
        says('a1', undefined, 'user', text('go')),
        call('one', 'a1'),
        result('r1', 'one', 'first'),
      ],
      ...[call('two', 'r1'), result('r2', 'two', 'second')],
    );
    const copy = await store.importCopy(log, { id: 'copy' });
    const parts = (await copy.path()).flatMap((entry) => (entry.type === 'message' ? entry.parts : []));
    const of = (type: string) => parts.filter((one) => one.type === type);
    expect(of('tool_result')).toMatchObject(
      of('tool_call').map((one, index) => ({
        ...{ call_id: one.type === 'tool_call' ? one.call_id : '', name: ['one', 'two'][index] },
        content: ['first', 'second'][index],
      })),
    );
  });

  it.each([
    [
      'a compaction that keeps nothing',
      { summary: 's', first_kept_entry_id: '', tokens_before: 1, tokens_after: 1 },
    ],
    ['a compaction without counts', { summary: 's', first_kept_entry_id: '' }],
    [
      'a compaction with null lists',
      { summary: '', first_kept_entry_id: 'x', read_files: null, modified_files: null },
    ],
  ])('keeps %s', async (_, fields) => {
    const log = await opened(
      ...[header(), says('a1', undefined, 'user', text('go')), v3('compaction', 'c', undefined, fields)],
      says('a2', 'c', 'user', text('on')),
    );
    expect(log.damage).toEqual([]);
    expect(tree(log)).toEqual(['a1 < -', 'c < a1', 'a2 < c']);
    const first = fields.first_kept_entry_id || 'c';
    expect(await log.entry('c')).toMatchObject({
      first_kept_entry_id: first,
      tokens_before: 'tokens_before' in fields ? 1 : 0,
    });
  });

  it.each([
    ['a message without parts', v3('message', 'b', 'a1', { role: 'assistant', parts: null })],
    ['a part without data', v3('message', 'b', 'a1', { role: 'assistant', parts: [{ type: 'text' }, null] })],
    ['a part of an unknown kind', says('b', 'a1', 'assistant', part('video', { url: 'x' }))],
    [
      'a call whose input is an object',
      says('b', 'a1', 'assistant', part('tool_call', { id: 'c', name: 'n', input: { a: 1 } })),
    ],
    [
      'a call cut short',
      says(
        'b',
        'a1',
        'assistant',
        part('tool_call', { id: 'c', name: 'n', input: '{"a":', finished: false }),
      ),
    ],
    ['a summary of nothing from nowhere', v3('branch_summary', 'b', 'a1', { from_id: '', summary: '' })],
    ['a broken output without text', v3('incomplete_output', 'b', 'a1', {})],
    ['a cleared label', v3('label', 'b', 'a1', { target_id: 'a1', label: '' })],
    ['a session without a name', v3('session_info', 'b', 'a1', {})],
    ['an extension without data', v3('extension_data', 'b', 'a1', { ext_type: 'x' })],
    ['a type of later', v3('voice_note', 'b', 'a1', { whatever: 1 })],
    ['a type without a parent', v3('later_still', 'b', undefined, { whatever: 1 })],
  ])('keeps %s', async (_, line) => {
    const log = await opened(header(), says('a1', undefined, 'user', text('go')), line);
    expect(log.damage).toEqual([]);
    expect(await log.entry('b')).toBeDefined();
    const copy = await store.importCopy(log, { id: 'copy' });
    expect([copy.damage, copy.position]).toEqual([[], 2]);
  });

  it.each([
    ['a call whose input is an object', { input: { a: 1 } }, { input: { a: 1 } }],
    ['one that never ended', { input: '{"a":1}', finished: false }, { input: {}, raw_input: '{"a":1}' }],
    ['one that does not parse', { input: '{"a":', finished: true }, { input: {}, raw_input: '{"a":' }],
  ])('shows what was asked of a tool: %s', async (_, given, seen) => {
    const log = await opened(
      header(),
      says('a1', undefined, 'assistant', part('tool_call', { id: 'c', name: 'n', ...given })),
    );
    expect(await log.entry('a1')).toMatchObject({ parts: [seen] });
  });

  it('stands where its last entry hangs, as its own program opens it; a stored system prompt moves nothing', async () => {
    const log = await opened(
      header(),
      says('a1', undefined, 'user', text('go')),
      says('a2', 'a1', 'assistant', text('one')),
      says('a3', 'a2', 'user', text('two')),
      v3('extension_data', 'n1', 'a1', { ext_type: 'x', data: '' }),
      v3('label', 'n2', 'n1', { target_id: 'a3', label: 'kept' }),
      v3('system_prompt', 'sp', undefined, { content: 'You are' }),
    );
    expect(log.head).toBe('a1');
    const copy = await store.importCopy(log, { id: 'copy' });
    expect(copy.head).toBe('a1');
    await copy.close();
    expect((await store.open('copy')).head).toBe('a1');
  });

  it.each([
    ['cut short', '{"type":"session","vers'],
    ['missing', ''],
    ['garbage', '\u0000\u0000\u0000'],
  ])('is told by its messages where the header is %s: read, and never written to', async (_, first) => {
    const body = [says('a1', undefined, 'user', text('go')), says('a2', 'a1', 'assistant', text('went'))];
    const log = await opened(...(first === '' ? body : [first, ...body]));
    expect(tree(log)).toEqual(['a1 < -', 'a2 < a1']);
    expect(log.access).toMatchObject({ mode: 'read-only', reason: 'version-3' });
    expect(log.damage.map(({ kind }) => kind)).toContain('header');
    expect((await store.list()).sessions).toMatchObject([{ id: 'k', title: 'go', messages: 2 }]);
    const copy = await store.importCopy(log, { id: 'copy' });
    await copy.append([user('more')]);
    expect(tree(copy).slice(0, 2)).toEqual(['a1 < -', 'a2 < a1']);
  });

  it('is no reason to take a log of ours without a header for one of version 3', async () => {
    const ours = JSON.stringify({
      ...{ type: 'message', id: 'a1', parent_id: null, timestamp: 't', role: 'user' },
      parts: [{ type: 'text', text: 'go' }],
    });
    const log = await opened(ours);
    expect(log.access).toEqual({ mode: 'write' });
  });

  it('keeps its neighbours of a damaged line, and its tail as it is', async () => {
    const file = path.join(place.folder, 'sessions', 'k.jsonl');
    const [head, first, second] = [
      header(),
      says('a1', undefined, 'user', text('go')),
      says('a2', 'a1', 'user', text('on')),
    ];
    await putLog(
      place,
      'k',
      Buffer.concat([
        lines(head, first),
        Buffer.alloc(300),
        Buffer.from('\n'),
        lines(second),
        Buffer.from('{"type":"mess'),
      ]),
    );
    const before = await readFile(file);
    const log = await store.open('k');
    expect(tree(log)).toEqual(['a1 < -', 'a2 < a1']);
    expect(log.damage.map(({ kind, line }) => `${kind} ${line}`)).toEqual([
      'unreadable-line 3',
      'torn-tail 5',
    ]);
    expect(await readFile(file)).toEqual(before);
  });
});
