import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lastPage } from '../../../src/host/chat/snapshot.js';
import { FileStore } from '../../../src/log/file-store.js';
import { LockTable } from '../../../src/log/lock-table.js';
import { MemoryFiles } from '../../../src/log/memory-files.js';
import type { SessionLog } from '../../../src/log/store.js';
import { isBoughError } from '../../../src/shared/failure.js';
import type { Draft, Entry } from '../../../src/shared/notes.js';
import { runs } from '../runs.js';
import { FaultyFiles } from './faulty-files.js';
import { indexFrom, IndexSpoiler, type IndexState } from './index-states.js';
import { randomIds, realClock } from './support.js';

const FILE = '/w/sessions/s.jsonl';
const INDEX = '/w/cache/s.index';
const isSoak = process.env['BOUGH_SOAK'] === '1';

const tried: { index: IndexState; numRuns: number }[] = [
  { index: 'on', numRuns: runs({ usual: 60, soak: 3_000 }) },
  { index: 'off', numRuns: runs({ usual: 12, soak: 600 }) },
  { index: 'stale', numRuns: runs({ usual: 18, soak: 1_200 }) },
  { index: 'garbled', numRuns: runs({ usual: 18, soak: 1_200 }) },
  { index: 'foreign', numRuns: runs({ usual: 12, soak: 600 }) },
];
/** Many small runs: a busy machine takes its time over them. */
const options = { timeout: isSoak ? 1_800_000 : 60_000 };

/** A disk in memory, and stores on it as of one process after the other. */
class Disk {
  readonly inner = new MemoryFiles(() => Date.parse('2026-01-01'));
  readonly files = new FaultyFiles(this.inner);
  readonly #index: IndexState;
  readonly #spoiler: IndexSpoiler;

  constructor(index: IndexState) {
    this.#index = index;
    this.#spoiler = new IndexSpoiler(index, this.inner);
  }

  store(from = indexFrom(this.#index)): FileStore {
    return new FileStore({
      indexFrom: from,
      folder: '/w',
      files: this.files,
      clock: realClock,
      ids: randomIds,
      locks: new LockTable(),
      who: { window: 'w', pid: 1, host: 'h' },
      producer: 'bough/test',
      onTrouble: () => undefined,
      osLock: () => ({
        namesHolder: true,
        tryTake: () => Promise.resolve(true),
        isOurs: () => Promise.resolve(true),
        release: () => Promise.resolve(),
      }),
    });
  }

  /** Between two processes. */
  spoilIndex(): Promise<void> {
    return this.#spoiler.spoil(INDEX);
  }

  bytes(): Promise<Uint8Array> {
    return this.inner.read(FILE);
  }

  async put(bytes: Uint8Array): Promise<void> {
    await this.inner.makeFolder('/w/sessions');
    await this.inner.replace(FILE, bytes);
  }
}

type Op =
  | { op: 'append'; batch: { kind: 'user' | 'assistant' | 'note' | 'half'; text: string }[] }
  | { op: 'branch'; at: number }
  | { op: 'clear' | 'reopen' | 'archive' | 'unarchive' | 'catchUp' }
  | { op: 'rename'; name: string }
  | { op: 'burst'; texts: string[] }
  | { op: 'fail'; call: 'file.write' | 'file.datasync' | 'open' | 'stat'; errno: string; bytes: number };

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.constantFrom('\u2028', '\ud800', '{"type":"message"}', '\n', ''),
);
const opArbitrary: fc.Arbitrary<Op> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      op: fc.constant('append' as const),
      batch: fc.array(fc.record({ kind: fc.constantFrom('user', 'assistant', 'note', 'half'), text }), {
        minLength: 1,
        maxLength: 4,
      }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ op: fc.constant('branch' as const), at: fc.nat(50) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      op: fc.constantFrom(
        'clear' as const,
        'reopen' as const,
        'catchUp' as const,
        'archive' as const,
        'unarchive' as const,
      ),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ op: fc.constant('rename' as const), name: text.map((name) => `n${name}`) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      op: fc.constant('burst' as const),
      texts: fc.array(text, { minLength: 2, maxLength: 6 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      op: fc.constant('fail' as const),
      call: fc.constantFrom(
        'file.write' as const,
        'file.datasync' as const,
        'open' as const,
        'stat' as const,
      ),
      errno: fc.constantFrom('ENOSPC', 'EIO', 'EFBIG', 'EACCES', 'EROFS'),
      bytes: fc.nat(200),
    }),
  },
);

function draftOf({ kind, text: value }: { kind: string; text: string }): Draft {
  switch (kind) {
    case 'note':
      return { type: 'extension_data', ext_type: 'x', data: value };
    case 'half':
      return {
        type: 'incomplete_output',
        attempt_id: value,
        text: value,
        incomplete: true,
        reason: 'stopped',
      };
    default:
      return {
        type: 'message',
        role: kind === 'user' ? 'user' : 'assistant',
        parts: [{ type: 'text', text: value }],
      };
  }
}

/** Carries the operations out; returns every entry that was acknowledged, in order. */
async function run(disk: Disk, ops: readonly Op[]): Promise<Entry[]> {
  const acknowledged: Entry[] = [];
  let store = disk.store();
  let log: SessionLog = await store.create({ id: 's' });
  log.onAppend((placed) => acknowledged.push(...placed.map(({ entry }) => entry)));
  const reopen = async (): Promise<void> => {
    await store.close();
    await disk.spoilIndex();
    store = disk.store();
    log = await store.openOrCreate('s');
    log.onAppend((placed) => acknowledged.push(...placed.map(({ entry }) => entry)));
  };
  for (const op of ops) {
    try {
      await carryOut(op);
    } catch (error) {
      if (!isBoughError(error)) throw error;
    } finally {
      if (op.op !== 'fail') disk.files.heal();
    }
  }
  disk.files.heal();
  await store.close();
  return acknowledged;

  async function carryOut(op: Op): Promise<void> {
    switch (op.op) {
      case 'append':
        await log.append(op.batch.map(draftOf));
        return;
      case 'branch': {
        const node = log.outline[op.at % Math.max(1, log.outline.length)];
        if (node !== undefined)
          await log.append([{ type: 'head', entry_id: node[0] }, draftOf({ kind: 'user', text: 'sibling' })]);
        return;
      }
      case 'clear':
        await log.append([{ type: 'head', entry_id: null }]);
        return;
      case 'burst':
        await Promise.allSettled(
          op.texts.map((value) => log.append([draftOf({ kind: 'user', text: value })])),
        );
        return;
      case 'rename':
        await log.append([{ type: 'session_info', name: op.name }]);
        return;
      case 'archive':
      case 'unarchive':
        await log.append([{ type: 'session_info', archived: op.op === 'archive' }]);
        return;
      case 'catchUp':
        await log.catchUp();
        return;
      case 'reopen':
        await reopen();
        return;
      case 'fail': {
        const { call, errno, bytes } = op;
        disk.files.faults = [
          { call, path: '.jsonl', errno, bytes, times: 1, after: call === 'stat' ? bytes % 3 : 0 },
        ];
      }
    }
  }
}

interface Found {
  entries: Entry[];
  outline: SessionLog['outline'];
  path: Entry[];
  head: string | null;
  damage: SessionLog['damage'];
  /** At some heads: what holds there, and what its line is. */
  states: unknown[];
}

/** What a fresh process finds; looking changes no byte, and a second look finds the same. */
async function look(disk: Disk): Promise<Found> {
  const before = Buffer.from(await disk.bytes());
  const finds: Found[] = [];
  // With the index as it was left, as it is now, and from the bytes of the log alone.
  for (const from of [undefined, undefined, Infinity]) {
    await disk.spoilIndex();
    const store = disk.store(from);
    const log = await store.open('s');
    const entries = (await log.since(0)).map(({ entry }) => entry);
    const { outline, head, damage } = log;
    const heads = [undefined, null, ...outline.filter((_, at) => at % 3 === 0).map(([id]) => id)];
    const states: unknown[] = [];
    for (const at of heads)
      states.push([log.state(at), log.files(at), (await log.line(at)).map(({ position }) => position)]);
    finds.push({ entries, outline, path: await log.path(), head, damage, states });
    const state = log.state();
    const [row] = (await store.list({ archived: 'all' })).sessions;
    // List and transcript are read by the same reader.
    expect(row).toMatchObject({
      id: 's',
      messages: entries.filter(({ type }) => type === 'message').length,
      archived: state.archived,
      named: state.name !== null,
    });
    expect(row?.status === 'damaged').toBe(log.damage.length > 0);
    expect(log.position).toBe(entries.length);
    await checkParts(log);
    await store.close();
  }
  expect(finds[1]).toEqual(finds[0]);
  expect(finds[2]).toEqual(finds[0]);
  expect(before.equals(await disk.bytes())).toBe(true);
  return finds[0] as Found;
}

/** What is read of a line in part is what the whole line has there. */
async function checkParts(log: SessionLog): Promise<void> {
  const line = await log.line();
  for (const limit of [1, 3, 8, line.length]) expect(await log.page(limit)).toEqual(lastPage(line, limit));
  const nodes = log.nodes();
  const middle = nodes[nodes.length >> 1]?.[0];
  if (middle === undefined) return;
  const from = line.findIndex(({ entry }) => entry.id === middle);
  expect(await log.lineFrom(middle)).toEqual(line.slice(from));
  expect((await log.entries(nodes.map(([id]) => id))).map(({ entry }) => entry)).toEqual(await log.path());
}

/** The tree holds together: parents stand before their children, the path leads from a root to the head. */
function checkTree({ outline, path, head, entries }: Omit<Found, 'states'>): void {
  outline.forEach(([, parent], ordinal) => expect(parent).toBeLessThan(ordinal));
  expect(new Set(outline.map(([id]) => id)).size).toBe(outline.length);
  expect(new Set(entries.map(({ id }) => id)).size).toBe(entries.length);
  path.forEach((entry, index) => expect(entry.parent_id).toBe(path[index - 1]?.id ?? null));
  expect(path.at(-1)?.id ?? null).toBe(head);
}

async function canGoOn(disk: Disk, before: readonly Entry[]): Promise<void> {
  const store = disk.store();
  const log = await store.open('s');
  if (log.access.mode === 'write') {
    const [added] = await log.append([draftOf({ kind: 'user', text: 'and on' })]);
    expect(log.head).toBe(added?.id);
    await store.close();
    const after = await look(disk);
    checkTree(after);
    const ids = after.entries.map(({ id }) => id);
    for (const { id } of before) expect(ids).toContain(id);
    expect(ids).toContain(added?.id);
  }
  await store.close();
}

const ops = fc.array(opArbitrary, { minLength: 1, maxLength: 25 });

describe.each(tried)('whatever is done to a session, its index $index', options, ({ index, numRuns }) => {
  it('every acknowledged entry is in the file, in order, and nothing else', async () => {
    await fc.assert(
      fc.asyncProperty(ops, async (sequence) => {
        const disk = new Disk(index);
        const acknowledged = await run(disk, sequence);
        if (acknowledged.length === 0) return;
        const found = await look(disk);
        expect(found.entries).toEqual(acknowledged);
        expect(found.damage).toEqual([]);
        checkTree(found);
        await canGoOn(disk, acknowledged);
      }),
      { numRuns },
    );
  });
});

describe.each(tried)('whatever a session holds, its index $index', options, ({ index, numRuns }) => {
  it('a fork at any entry has the path to it, and its every entry reaches its root', async () => {
    await fc.assert(
      fc.asyncProperty(ops, fc.nat(50), async (sequence, at) => {
        const disk = new Disk(index);
        await run(disk, sequence);
        const store = disk.store();
        const log = await store.openOrCreate('s');
        const node = log.outline[at % Math.max(1, log.outline.length)];
        if (node === undefined) return;
        const copy = await store.fork('s', { at: node[0], id: 'copy' });
        const path = await copy.path();
        const bare = (entries: readonly Entry[]): object[] =>
          entries.map((entry) => ({ ...entry, parent_id: '' }));
        expect(bare(path)).toEqual(bare(await log.path(node[0])));
        const entries = (await copy.since(0)).map(({ entry }) => entry);
        checkTree({ entries, outline: copy.outline, path, head: copy.head, damage: copy.damage });
        expect(copy.damage).toEqual([]);
        const parents = new Map(entries.map((entry) => [entry.id, entry.parent_id]));
        for (const { id } of entries) {
          let steps = 0;
          for (let up = parents.get(id); up !== null; up = parents.get(up ?? '')) {
            expect(up).toBeDefined();
            expect(++steps).toBeLessThanOrEqual(entries.length);
          }
        }
        await store.close();
      }),
      { numRuns },
    );
  });
});

/** For each line of the file: its bytes as Latin-1, where it ends, and the ids on it. */
function linesOf(bytes: Uint8Array): { text: string; end: number; ids: string[] }[] {
  let end = 0;
  return Buffer.from(bytes)
    .toString('utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => {
      end += Buffer.byteLength(line) + 1;
      const value = JSON.parse(line) as { id: string } | { id: string }[];
      const text = Buffer.from(line).toString('latin1');
      return { text, end, ids: (Array.isArray(value) ? value : [value]).map(({ id }) => id) };
    });
}

describe.each(tried)('whatever happens to the file, its index $index', options, ({ index, numRuns }) => {
  it('cut at any byte, it gives every entry before the cut', async () => {
    await fc.assert(
      fc.asyncProperty(ops, fc.double({ min: 0, max: 1, noNaN: true }), async (sequence, where) => {
        const disk = new Disk(index);
        if ((await run(disk, sequence)).length === 0) return;
        const bytes = await disk.bytes();
        const cut = Math.round(where * bytes.length);
        await disk.put(bytes.slice(0, cut));
        const found = await look(disk);
        checkTree(found);
        const whole = linesOf(bytes)
          .slice(1)
          .filter(({ end }) => end - 1 <= cut)
          .flatMap(({ ids }) => ids);
        expect(found.entries.map(({ id }) => id)).toEqual(whole);
        await canGoOn(disk, found.entries);
      }),
      { numRuns },
    );
  });

  it('with garbage between its lines, it gives every entry all the same', async () => {
    const garbage = fc.oneof(
      fc.uint8Array({ maxLength: 40 }),
      fc
        .constantFrom(
          '{',
          '[]',
          'null',
          '{"type":"message"',
          '\0\0\0',
          '{"type":"session","version":4,"id":"x"}',
        )
        .map((line) => Buffer.from(line)),
    );
    await fc.assert(
      fc.asyncProperty(
        ops,
        fc.array(fc.tuple(fc.nat(30), garbage), { minLength: 1, maxLength: 5 }),
        async (sequence, inserts) => {
          const disk = new Disk(index);
          const acknowledged = await run(disk, sequence);
          if (acknowledged.length === 0) return;
          const pieces: Uint8Array[] = [];
          const bytes = await disk.bytes();
          let from = 0;
          linesOf(bytes).forEach(({ end }, index) => {
            for (const [at, junk] of inserts) if (at === index + 1) pieces.push(junk, Buffer.from('\n'));
            pieces.push(bytes.slice(from, end));
            from = end;
          });
          await disk.put(Buffer.concat(pieces));
          const found = await look(disk);
          checkTree(found);
          expect(found.entries).toEqual(acknowledged);
          await canGoOn(disk, acknowledged);
        },
      ),
      { numRuns },
    );
  });

  it('with bytes overwritten, lost or doubled anywhere, it gives what was not touched', async () => {
    const harm = fc.record({
      at: fc.double({ min: 0, max: 1, noNaN: true }),
      length: fc.nat(60),
      with: fc.constantFrom('nul', 'noise', 'nothing', 'twice'),
    });
    await fc.assert(
      fc.asyncProperty(ops, fc.array(harm, { minLength: 1, maxLength: 3 }), async (sequence, harms) => {
        const disk = new Disk(index);
        if ((await run(disk, sequence)).length === 0) return;
        let bytes = Buffer.from(await disk.bytes());
        const before = linesOf(bytes);
        for (const { at, length, with: kind } of harms) {
          const begin = Math.round(at * bytes.length);
          const piece = bytes.subarray(begin, begin + length);
          const put = {
            nul: Buffer.alloc(length),
            noise: Buffer.from(piece.map((byte) => byte ^ 0x15)),
            nothing: Buffer.alloc(0),
            twice: Buffer.concat([piece, piece]),
          }[kind];
          bytes = Buffer.concat([bytes.subarray(0, begin), put, bytes.subarray(begin + length)]);
        }
        await disk.put(bytes);
        const found = await look(disk);
        checkTree(found);
        // A line that still stands there as it was is read as it was, whatever surrounds it.
        const ids = new Set(found.entries.map(({ id }) => id));
        const left = `\n${bytes.toString('latin1')}`;
        for (const { text, ids: wanted } of before.slice(1)) {
          if (left.includes(`\n${text}\n`)) for (const id of wanted) expect(ids).toContain(id);
        }
        await canGoOn(disk, found.entries);
      }),
      { numRuns },
    );
  });
});
