import { chmod, readFile, readdir, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { FileStore } from '../../../src/log/file-store.js';
import type { SessionSummary } from '../../../src/log/store.js';
import type { FaultyFiles } from './faulty-files.js';
import { useFaultyPlace } from './faulty-place.js';
import { bytesOf, headerLine, lines, messageLine, noteLine, putLog } from './lines.js';
import { user, type Place } from './support.js';

let place: Place;
let files: FaultyFiles;
let store: FileStore;
useFaultyPlace((made) => ({ place, files, store } = made));

const index = (): string => path.join(place.folder, 'cache', 'index.json');
const rows = async (from = store): Promise<SessionSummary[]> =>
  (await from.list({ archived: 'all' })).sessions;
const ids = async (from = store): Promise<string[]> => (await rows(from)).map(({ id }) => id).sort();
const reads = (): number =>
  files.calls.splice(0).filter((call) => call.startsWith('open:read') && call.endsWith('.jsonl')).length;

async function fill(count: number): Promise<void> {
  for (let at = 0; at < count; at++)
    await putLog(place, `s${at}`, lines(headerLine(`s${at}`), messageLine('a', null, `prompt ${at}`)));
}

describe('the list of sessions', () => {
  it('goes by when a session was worked in: what it is called and that it is put away move it nowhere', async () => {
    await fill(3);
    for (const [at, id] of ['s0', 's1', 's2'].entries())
      await utimes(place.log(id), 1_700_000_000 + at, 1_700_000_000 + at);
    await store.rename('s0', 'Renamed');
    await store.setTags('s0', ['t']);
    await store.archive('s0');
    expect((await rows()).map(({ id, title }) => [id, title])).toEqual([
      ['s2', 'prompt 2'],
      ['s1', 'prompt 1'],
      ['s0', 'Renamed'],
    ]);
    files.faults = [{ call: 'setTime', path: 's1.jsonl', errno: 'EPERM' }];
    await store.rename('s1', 'Renamed all the same');
    expect((await rows()).map(({ id }) => id)).toEqual(['s1', 's2', 's0']);
    expect(place.troubles.map(({ message }) => message)).toEqual([expect.stringContaining('s1.jsonl')]);
    files.heal();
    await (await store.open('s2')).append([user('more')]);
    expect((await rows())[0]?.id).toBe('s2');
  });

  it('knows how many lines a session has, and when something was said in it last', async () => {
    const later = { timestamp: '2026-01-02T00:00:00.000Z' };
    const branched = [
      headerLine('s'),
      messageLine('a', null),
      messageLine('b', 'a'),
      messageLine('c', 'a', 'c', later),
    ];
    await putLog(place, 's', lines(...branched));
    expect(await rows()).toMatchObject([{ leaves: 2, said: Date.parse(later.timestamp) }]);
    const { updated } = (await rows())[0] as SessionSummary;
    // Another line is shown: the file is written to, and nothing is said.
    const log = await store.open('s');
    await log.append([{ type: 'head', entry_id: 'b' }]);
    const [row] = await rows();
    expect(row).toMatchObject({ leaves: 2, said: Date.parse(later.timestamp) });
    expect(row?.size).toBeGreaterThan(lines(...branched).length);
    expect(row?.updated).toBeGreaterThanOrEqual(updated);
    await log.append([user('more')]);
    expect((await rows())[0]?.said).toBeGreaterThan(Date.parse(later.timestamp));
  });

  it('reads a log anew whose row is of before rows said how many lines there are', async () => {
    await fill(2);
    await rows();
    const known = JSON.parse(await readFile(index(), 'utf8')) as {
      rows: Record<string, { summary: Partial<SessionSummary> }>;
    };
    for (const { summary } of Object.values(known.rows)) {
      delete summary.leaves;
      delete summary.said;
    }
    await writeFile(index(), JSON.stringify(known));
    await rm(place.log('s1'));
    expect((await rows(place.store())).map(({ id, status, leaves }) => [id, status, leaves]).sort()).toEqual([
      ['s0', 'idle', 1],
      ['s1', 'missing', 0],
    ]);
  });

  it('calls a file that is no session log by its name', async () => {
    await putLog(place, 'garbage', lines('what is this', 'and this'));
    expect(await rows()).toMatchObject([{ id: 'garbage', title: 'garbage', status: 'damaged' }]);
  });

  it('reads a log once, and again only when it changed', async () => {
    await fill(5);
    expect(await ids()).toHaveLength(5);
    expect(reads()).toBe(5);
    await rows();
    expect(reads()).toBe(0);
    await (await store.open('s1')).append([user('more')]);
    reads();
    expect((await rows()).find(({ id }) => id === 's1')?.messages).toBe(2);
    expect(reads()).toBe(1);
    const second = place.store({ files });
    await rows(second);
    expect(reads()).toBe(0);
  });

  it.each([
    ['deleted', () => rm(index())],
    ['cut short', async () => writeFile(index(), (await readFile(index())).subarray(0, 40))],
    ['garbled', () => writeFile(index(), 'garbage')],
    ['empty', () => writeFile(index(), '{"version":1,"rows":{}}')],
    ['of another version', () => writeFile(index(), '{"version":99,"rows":{"ghost":{}}}')],
    [
      'filled with rows that make no sense',
      () => writeFile(index(), '{"version":1,"rows":{"s0":{"size":1},"ghost":5}}'),
    ],
    ['back-dated', () => utimes(index(), 0, 0)],
  ])('B13: is right when its index was %s', async (_, harm) => {
    await fill(3);
    const before = await rows();
    await harm();
    expect(await rows(place.store())).toEqual(before);
    expect(JSON.parse(await readFile(index(), 'utf8'))).toMatchObject({
      version: 1,
      rows: { s0: {}, s1: {}, s2: {} },
    });
  });

  it('B13: reads anew what another build made of the logs, and keeps its row of one that is not found', async () => {
    await fill(3);
    const before = await rows();
    const known = JSON.parse(await readFile(index(), 'utf8')) as {
      producer: string;
      rows: Record<string, { summary: SessionSummary }>;
    };
    for (const { summary } of Object.values(known.rows)) summary.title = 'As that build called it';
    await writeFile(index(), JSON.stringify({ ...known, producer: 'bough/0.0.0-before' }));
    await rm(place.log('s2'));
    const later = place.store({ files });
    reads();
    const found = await rows(later);
    expect(reads()).toBe(2);
    expect(found.filter(({ id }) => id !== 's2')).toEqual(before.filter(({ id }) => id !== 's2'));
    expect(found.find(({ id }) => id === 's2')).toMatchObject({
      status: 'missing',
      title: 'As that build called it',
    });
    await rows(place.store({ files }));
    expect(reads()).toBe(0);
  });

  it('B13: believes the folder, not an index that says what is not there or leaves out what is', async () => {
    await fill(2);
    await rows();
    const known = JSON.parse(await readFile(index(), 'utf8')) as { rows: Record<string, unknown> };
    await writeFile(index(), JSON.stringify({ version: 1, rows: { ghost: known.rows['s0'] } }));
    await putLog(place, 'dropped-in', lines(headerLine('elsewhere'), messageLine('a', null, 'by hand')));
    const found = await rows(place.store());
    expect(found.map(({ id }) => id).sort()).toEqual(['dropped-in', 's0', 's1']);
    const opened = await place.store().open('dropped-in');
    expect([opened.id, opened.position]).toEqual(['dropped-in', 1]);
  });

  it('B10: keeps a row for a session whose log is not found here, until somebody deletes it', async () => {
    await fill(3);
    await rows();
    await rm(path.join(place.folder, 'sessions'), { recursive: true });
    for (const fresh of [store, place.store(), place.store()]) {
      const found = await rows(fresh);
      expect(found.map(({ id, title, status }) => `${id} ${title} ${status}`).sort()).toEqual(
        ['s0', 's1', 's2'].map((id, at) => `${id} prompt ${at} missing`),
      );
      expect(found[0]?.detail).toMatch(/^not found here: /);
      expect(await fresh.summary('s1')).toMatchObject({ status: 'missing', title: 'prompt 1' });
      await fresh.prune({ sessionIdle: 1 });
      await fresh.verify({ repair: true });
    }
    await expect(store.open('s0')).rejects.toMatchObject({ code: 'SessionNotFound' });
    await store.delete('s0');
    expect(await ids()).toEqual(['s1', 's2']);
    expect(await ids(place.store())).toEqual(['s1', 's2']);
    await putLog(place, 's1', lines(headerLine('s1'), messageLine('a', null, 'prompt 1')));
    expect((await rows()).find(({ id }) => id === 's1')).toMatchObject({ status: 'idle', title: 'prompt 1' });
  });

  it('B10: leaves no row of a session that was deleted here, in this window or another', async () => {
    await fill(2);
    const other = place.store();
    expect([await ids(), await ids(other)]).toEqual([
      ['s0', 's1'],
      ['s0', 's1'],
    ]);
    const { undo } = await store.delete('s0');
    expect([await ids(other), await ids(), await ids(place.store())]).toEqual([['s1'], ['s1'], ['s1']]);
    await undo();
    expect([await ids(other), await ids()]).toEqual([
      ['s0', 's1'],
      ['s0', 's1'],
    ]);
    await (await other.delete('s0')).purge();
    expect([await ids(), await ids(other), await ids(place.store())]).toEqual([['s1'], ['s1'], ['s1']]);
  });

  it.each(['rename', 'removeTree', 'replace', 'syncFolder'] as const)(
    'B10: leaves no row of it when deleting ended in the middle, at %s',
    async (call) => {
      await fill(1);
      await rows();
      files.faults = [{ call, errno: 'EIO' }];
      const deleted = await store
        .delete('s0')
        .then(
          ({ purge }) => purge(),
          () => undefined,
        )
        .catch(() => undefined);
      expect(deleted).toBe(undefined);
      const left = await rows(place.store());
      expect(left.filter(({ status }) => status === 'missing')).toEqual([]);
    },
  );

  it('forgets after a week what was deleted', async () => {
    await fill(2);
    await rows();
    const mark = path.join(place.folder, 'cache', 'deleted', 's0');
    await store.delete('s0');
    await rows(place.store());
    expect(JSON.parse(await readFile(mark, 'utf8'))).toMatchObject({ pid: process.pid });
    await utimes(mark, 0, 0);
    expect(await ids(place.store())).toEqual(['s1']);
    await expect(stat(mark)).rejects.toMatchObject({ code: 'ENOENT' });
    expect(await ids(place.store())).toEqual(['s1']);
  });

  it.skipIf(process.platform === 'win32')(
    'B13: keeps all rows when one log cannot even be looked at',
    async () => {
      await fill(2);
      await symlink(place.log('loop'), place.log('loop'));
      expect((await rows()).map(({ id, status }) => `${id} ${status}`).sort()).toEqual([
        'loop unreadable',
        's0 idle',
        's1 idle',
      ]);
    },
  );

  it('B17: 2 000 sessions are listed page by page from one file, which nothing but the list reads', async () => {
    const text = 'x'.repeat(5_000);
    for (let at = 0; at < 2_000; at++)
      await putLog(place, `s${at}`, lines(headerLine(`s${at}`), messageLine('a', null, text)));
    const found = new Set<string>();
    let cursor: string | undefined;
    do {
      const page = await store.list({ limit: 200, ...(cursor === undefined ? {} : { cursor }) });
      expect(page.sessions.length).toBeLessThanOrEqual(200);
      for (const { id } of page.sessions) found.add(id);
      ({ cursor } = page);
    } while (cursor !== undefined);
    expect(found.size).toBe(2_000);
    expect((await stat(index())).size).toBeLessThan(2_000 * 1_000);
    expect(reads()).toBe(2_000);
    expect(await ids(place.store({ files }))).toHaveLength(50);
    expect(reads()).toBe(0);
  }, 60_000);

  it('B17: no part of Bough keeps more than flags in a memento, which VS Code sends to every window', async () => {
    // Which servers of a folder may start, and which tools of extensions the person chose: a short text each.
    const flags = new Set([path.join('host', 'ground.ts'), path.join('host', 'mcp', 'window-servers.ts')]);
    const source = path.resolve(import.meta.dirname, '../../../src');
    const names = (await readdir(source, { recursive: true })).filter((name) => name.endsWith('.ts'));
    expect(names.length).toBeGreaterThan(100);
    for (const name of names) {
      const text = await readFile(path.join(source, name), 'utf8');
      expect([name, /\b(?:globalState|workspaceState)\b/.test(text)]).toEqual([name, flags.has(name)]);
    }
  }, 60_000);

  it('B13: shows a file that was not named by us, and says what to do with it', async () => {
    await putLog(place, 'My Session', lines(headerLine('x'), messageLine('a', null)));
    expect(await rows()).toMatchObject([
      { id: 'My Session.jsonl', status: 'unreadable', detail: expect.stringContaining('rename it') },
    ]);
  });

  it.each(['EACCES', 'EIO'])(
    'B11: keeps a row for a log that cannot be read (%s), and deletes nothing',
    async (errno) => {
      await fill(2);
      files.faults = [{ call: 'open', path: 's0.jsonl', errno }];
      const found = await rows();
      expect(found.find(({ id }) => id === 's0')).toMatchObject({
        status: 'unreadable',
        detail: expect.stringContaining(errno),
      });
      await expect(store.open('s0')).rejects.toMatchObject({ code: 'StorageFailure', data: { errno } });
      expect((await bytesOf(place.log('s0'))).length).toBeGreaterThan(0);
      files.heal();
      expect((await rows()).find(({ id }) => id === 's0')).toMatchObject({
        status: 'idle',
        title: 'prompt 0',
      });
    },
  );

  it('B11: keeps title and count of a log that could be read before', async () => {
    await fill(1);
    await rows();
    await putLog(place, 's0', lines(headerLine('s0'), messageLine('a', null, 'changed')));
    files.faults = [{ call: 'file.read', path: 's0.jsonl', errno: 'EIO' }];
    for (let look = 0; look < 3; look++) {
      expect(await rows()).toMatchObject([{ title: 'prompt 0', status: 'unreadable', messages: 1 }]);
    }
    files.faults = [];
    expect(await rows()).toMatchObject([{ title: 'changed', status: 'idle' }]);
  });

  it.skipIf(process.getuid?.() === 0 || process.platform === 'win32')(
    'B11: keeps a row for a log without permissions',
    async () => {
      await fill(1);
      await chmod(place.log('s0'), 0o000);
      expect(await rows()).toMatchObject([{ status: 'unreadable' }]);
      await chmod(place.log('s0'), 0o600);
    },
  );

  it('leaves out what is deleted while it looks', async () => {
    await fill(2);
    files.faults = [{ call: 'stat', path: 's0.jsonl', errno: 'ENOENT' }];
    expect(await ids()).toEqual(['s1']);
    files.faults = [{ call: 'open', path: 's0.jsonl', errno: 'ENOENT' }];
    expect(await ids()).toEqual(['s1']);
  });

  it('fails when the folder cannot be listed, rather than show none', async () => {
    await fill(1);
    files.faults = [{ call: 'list', path: 'sessions', errno: 'EACCES' }];
    await expect(store.list()).rejects.toMatchObject({ code: 'StorageFailure' });
  });

  it('is right when its index cannot be written, and says so', async () => {
    await fill(2);
    files.faults = [{ call: 'replace', path: 'index.json', errno: 'ENOSPC' }];
    expect(await ids()).toEqual(['s0', 's1']);
    expect(place.troubles).toMatchObject([{ code: 'StorageFailure', data: { errno: 'ENOSPC' } }]);
  });

  it('does not keep what a log was before it grew during the look', async () => {
    await fill(1);
    const original = files.open.bind(files);
    let grown = false;
    files.open = async (file, mode) => {
      const opened = await original(file, mode);
      if (grown || !file.endsWith('s0.jsonl')) return opened;
      grown = true;
      return {
        ...opened,
        close: async () => {
          await opened.close();
          await writeFile(file, `${messageLine('b', 'a')}\n`, { flag: 'a' });
        },
      };
    };
    expect((await rows())[0]?.messages).toBe(1);
    expect((await rows())[0]?.messages).toBe(2);
  });

  it('orders by update, then by id, whatever the ids', async () => {
    await fill(4);
    for (const [id, time] of [
      ['s0', 50],
      ['s1', 70],
      ['s2', 50],
      ['s3', 60],
    ] as const)
      await utimes(place.log(id), time, time);
    expect((await rows()).map(({ id }) => id)).toEqual(['s1', 's3', 's0', 's2']);
  });

  it('says where each session stands', async () => {
    const call = { type: 'tool_call', call_id: 'c', name: 'edit', input: {} };
    const turn = [messageLine('u', null), noteLine('turn_start', 't', 'u', { turn_id: 'T' })];
    const asked = messageLine('m', 'u', '', { role: 'assistant', parts: [call], turn_id: 'T' });
    const request = noteLine('approval_request', 'r', 'm', {
      turn_id: 'T',
      call_id: 'c',
      tool: 'edit',
      summary: 'Edit',
      input_hash: 'h',
      targets: [],
    });
    const retry = noteLine('retry_start', 'w', 'u', {
      turn_id: 'T',
      kind: 'retry',
      step: 1,
      attempt_id: 'x',
      attempt: 1,
      max_attempts: 4,
      delay_ms: 5,
      due_at: '2026-01-01T00:00:00Z',
      error: '429',
    });
    const half = JSON.stringify({
      type: 'incomplete_output',
      id: 'i',
      parent_id: 'u',
      timestamp: '',
      attempt_id: 'x',
      text: 'ha',
      incomplete: true,
    });
    const logs: Record<string, string[]> = {
      idle: [...turn, noteLine('turn_end', 'e', 'u', { turn_id: 'T', steps: 1, status: 'completed' })],
      waiting: [...turn, asked, request],
      retrying: [...turn, retry],
      parked: [...turn, retry.replace('"kind":"retry"', '"kind":"parked"')],
      incomplete: [...turn, half],
      interrupted: turn,
      damaged: [...turn, 'bad'],
    };
    for (const [id, records] of Object.entries(logs))
      await putLog(place, id, lines(headerLine(id), ...records));
    const statuses = Object.fromEntries((await rows()).map(({ id, status }) => [id, status]));
    expect(statuses).toEqual({
      idle: 'idle',
      waiting: 'waiting',
      retrying: 'retrying',
      parked: 'waiting',
      incomplete: 'incomplete',
      interrupted: 'incomplete',
      damaged: 'damaged',
    });
  });

  it('titles a session by its name, else what it was created with, else its first prompt', async () => {
    await putLog(
      place,
      'named',
      lines(
        headerLine('named', { title: 'T' }),
        messageLine('a', null),
        noteLine('session_info', 'n', 'a', { name: 'N' }),
      ),
    );
    await putLog(place, 'titled', lines(headerLine('titled', { title: 'T' }), messageLine('a', null)));
    await putLog(place, 'prompted', lines(headerLine('prompted'), messageLine('a', null, 'P')));
    await putLog(place, 'silent', lines(headerLine('silent')));
    const titles = Object.fromEntries((await rows()).map(({ id, title, named }) => [id, [title, named]]));
    expect(titles).toEqual({
      named: ['N', true],
      titled: ['T', false],
      prompted: ['P', false],
      silent: ['New session', false],
    });
  });

  it('reads two logs at a time at most, lets go of each, and remembers no text', async () => {
    const text = 'x'.repeat(900_000);
    for (let at = 0; at < 6; at++) {
      const records = Array.from({ length: 2 }, (_, index) =>
        messageLine(`m${index}`, index === 0 ? null : `m${index - 1}`, `${index}${text}`),
      );
      await putLog(place, `big${at}`, lines(headerLine(`big${at}`), ...records));
    }
    let open = 0;
    let most = 0;
    const original = files.open.bind(files);
    files.open = async (file, mode) => {
      const opened = await original(file, mode);
      if (!file.endsWith('.jsonl')) return opened;
      most = Math.max(most, ++open);
      return { ...opened, close: () => opened.close().finally(() => open--) };
    };
    expect(await rows()).toHaveLength(6);
    expect([open, most]).toEqual([0, 2]);
    expect((await stat(index())).size).toBeLessThan(10_000);
  });
});
