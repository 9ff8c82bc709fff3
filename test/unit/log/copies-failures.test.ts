// Forks and copies of what is incomplete, too long for a line, or not called as a log is.
import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { FileStore } from '../../../src/log/file-store.js';
import type { FaultyFiles } from './faulty-files.js';
import { useFaultyPlace } from './faulty-place.js';
import { headerLine, lines, messageLine, pathTexts, putLog } from './lines.js';
import { user, type Place } from './support.js';

let place: Place;
let files: FaultyFiles;
let store: FileStore;
useFaultyPlace((made) => ({ place, files, store } = made));

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

describe('an imported copy of version 3', () => {
  it('has what is too long for a line in blobs, whole, and the rest in the line', async () => {
    const long = (mark: string): string => mark.repeat(400_000);
    const v3 = (id: string, parent: string | undefined, role: string, parts: object[]): string =>
      JSON.stringify({
        type: 'message',
        id,
        ...(parent ? { parent_id: parent } : {}),
        timestamp: 't',
        role,
        parts,
      });
    const part = (type: string, data: object): object => ({ type, data });
    const call = (input: string): object => part('tool_call', { id: 'c', name: 'n', input, finished: true });
    await putLog(
      place,
      'k',
      lines(
        JSON.stringify({ type: 'session', version: 3, id: 'k', cwd: '/w' }),
        v3('a', undefined, 'user', [
          part('text', { text: 'short' }),
          part('image', { data: 'AAEC', media_type: '' }),
        ]),
        v3('b', 'a', 'assistant', [
          part('text', { text: 'short' }),
          part('text', { text: long('t') }),
          part('reasoning', { thinking: 'short' }),
          part('reasoning', { thinking: long('r') }),
          call('{"a":1}'),
          call(JSON.stringify({ a: long('i') })),
          call(`{"cut": "${long('x')}`),
          part('image', { data: 'AAEC', media_type: 'image/png' }),
        ]),
        v3('c', 'b', 'tool', [
          part('tool_result', { tool_call_id: 'c', name: 'n', content: 'short', is_error: false }),
          part('tool_result', {
            tool_call_id: 'c',
            name: 'n',
            content: long('z').repeat(3),
            is_error: false,
          }),
        ]),
      ),
    );
    const copy = await store.importCopy(await store.open('k'), { id: 'copy' });
    const [, b, c] = await copy.path();
    if (b?.type !== 'message' || c?.type !== 'message') return expect.fail('two messages');
    const whole = async (one: { blob?: string | undefined } | undefined): Promise<string> =>
      new TextDecoder().decode(await copy.blobs.get(one?.blob ?? ''));
    expect(b.parts).toMatchObject([
      { text: 'short' },
      { text: long('t') },
      { text: 'short' },
      { text: long('r') },
      { input: { a: 1 } },
      { input: {}, preview: expect.stringContaining('{"a":"iii') as string },
      { input: {}, raw_input: '', preview: expect.stringContaining('{"cut": "xxx') as string },
      { type: 'image', mime: 'image/png' },
    ]);
    expect(JSON.parse(await whole(b.parts[5]))).toEqual({ a: long('i') });
    expect(await whole(b.parts[6])).toBe(`{"cut": "${long('x')}`);
    expect(await whole(c.parts[1])).toBe(long('z').repeat(3));
    await copy.close();
    expect((await store.open('copy')).damage).toEqual([]);
  });
});

describe('a fork', () => {
  it('stays without a blob that the original lacks, where links are not to be had', async () => {
    const log = await store.create({ id: 's' });
    const kept = await log.blobs.put('kept');
    const file = (blob: string) => ({ type: 'file' as const, blob, mime: 'm', name: 'n' });
    await log.append([{ type: 'message', role: 'user', parts: [file(kept), file(hashOf('gone'))] }]);
    files.faults = [kept, hashOf('gone')].map((hash) => ({ call: 'link', path: hash, errno: 'EPERM' }));
    const copy = await store.fork('s', { id: 'copy' });
    expect([await copy.blobs.has(kept), await copy.blobs.has(hashOf('gone'))]).toEqual([true, false]);
    expect(await copy.path()).toHaveLength(1);
  });

  it('carries notes of steps and waits that belong to no turn, and tags without a name', async () => {
    const log = await store.create({ id: 's' });
    const wait = { step: 1, attempt_id: 'a', delay_ms: 1, due_at: '2026-01-01T00:00:00Z', error: 'e' };
    const retry = { type: 'retry_start', kind: 'retry', attempt: 1, max_attempts: 2, ...wait } as const;
    await log.append([user('a')]);
    await log.append([{ type: 'step_start', step: 1, attempt_id: 'a' }]);
    await log.append([retry]);
    await log.append([{ type: 'retry_end', success: true, attempt: 1 }]);
    await log.append([{ type: 'step_end', step: 1, attempt_id: 'a' }]);
    await log.append([user('b'), { type: 'turn_start', turn_id: 't' }]);
    await log.append([{ ...retry, turn_id: 't' }]);
    await log.append([{ type: 'retry_end', success: true, attempt: 1, turn_id: 't' }]);
    await log.append([{ ...retry, turn_id: 't' }]);
    await log.append([{ type: 'turn_end', turn_id: 't', steps: 1, status: 'failed' }]);
    await store.setTags('s', ['kept']);
    const copy = await store.fork('s', { id: 'copy' });
    const types = (await copy.since(0)).map(({ entry }) => entry.type);
    expect(types.filter((type) => type === 'retry_end')).toHaveLength(2);
    expect(types.filter((type) => type === 'retry_start')).toHaveLength(3);
    expect(copy.state()).toMatchObject({ name: null, tags: ['kept'], wait: null, turn: null });
  });
});

describe('a log that is not called as one', () => {
  it('is opened all the same, with its blobs beside it', async () => {
    const folder = path.join(place.folder, 'elsewhere');
    await mkdir(folder);
    const file = path.join(folder, 'chat.txt');
    await writeFile(file, lines(headerLine('s'), messageLine('a', null)));
    const log = await store.openFile(file);
    await log.append([user('b')]);
    const copy = await store.importCopy(log);
    expect(await pathTexts(copy)).toEqual(['a', 'b']);
  });
});
