import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LockTable } from '../../../src/log/lock-table.js';
import { FileStore } from '../../../src/log/file-store.js';
import { MemoryFiles } from '../../../src/log/memory-files.js';
import { randomIds, realClock } from '../log/support.js';
import { runs } from '../runs.js';
import { readLog, type Read } from './stranger.js';

const golden = path.join(import.meta.dirname, '../../logs');

/** The same log, read by the log itself. */
async function readByUs(bytes: Uint8Array): Promise<Read> {
  const files = new MemoryFiles(() => 0);
  await files.makeFolder('/w/sessions');
  await files.replace('/w/sessions/s.jsonl', bytes);
  const store = new FileStore({
    folder: '/w',
    files,
    clock: realClock,
    ids: randomIds,
    locks: new LockTable(),
    who: { window: 'w', pid: 1, host: 'h' },
    producer: 'bough/test',
    onTrouble: (error) => {
      throw error;
    },
  });
  const log = await store.open('s');
  const entries = await log.since(0);
  return {
    head: log.head,
    path: (await log.path()).map(({ id }) => id),
    ids: entries.map(({ entry }) => entry.id),
  };
}

const header = '{"type":"session","version":4,"id":"s","timestamp":"2026-01-01T00:00:00Z"}';

/** Few ids, so that they repeat, name each other before they are there, and name themselves. */
const id = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'lost');
const parent = fc.option(id, { nil: null, freq: 4 });
const node = fc.record({
  type: fc.constant('message'),
  id,
  parent_id: parent,
  timestamp: fc.constant('2026-01-01T00:00:00Z'),
  role: fc.constantFrom('user', 'assistant'),
  parts: fc.array(
    fc.record({ type: fc.constant('text'), text: fc.string({ unit: 'binary', maxLength: 8 }) }),
    {
      maxLength: 2,
    },
  ),
});
const note = fc.oneof(
  fc.record({ type: fc.constant('head'), id, parent_id: parent, entry_id: parent }),
  fc.record({ type: fc.constant('label'), id, parent_id: parent, target_id: id, label: fc.constant('x') }),
  fc.record({ type: fc.constant('of_tomorrow'), id, parent_id: parent, more: fc.anything({ maxDepth: 1 }) }),
);
const entry = fc.oneof({ weight: 3, arbitrary: node }, { weight: 1, arbitrary: note });
const line = fc.oneof(
  { weight: 5, arbitrary: entry.map((one) => JSON.stringify(one)) },
  {
    weight: 2,
    arbitrary: fc.array(entry, { minLength: 1, maxLength: 3 }).map((batch) => JSON.stringify(batch)),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      'garbage',
      '{',
      '[]',
      'null',
      '7',
      '\0\0\0',
      '',
      '  ',
      '{"type":"message"',
      header,
    ),
  },
);
const surrounded = fc.tuple(line, fc.constantFrom('', '', '', '\r')).map(([text, behind]) => text + behind);

describe('the comment at the head of entry.ts', () => {
  it.each(readdirSync(golden).filter((name) => name.endsWith('.jsonl')))(
    'lets a stranger read the golden log %s',
    async (name) => {
      const bytes = readFileSync(path.join(golden, name));
      const read = readLog(bytes);
      expect(read.path.length).toBeGreaterThan(0);
      expect(read).toEqual(await readByUs(bytes));
    },
  );

  it('lets a stranger read any log, however damaged, as we do', { timeout: 600_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(surrounded, { maxLength: 14 }),
        fc.constantFrom('', '\ufeff'),
        fc.double({ min: 0.3, max: 1, noNaN: true }),
        async (lines, mark, part) => {
          const whole = Buffer.from([mark + header, ...lines, ''].join('\n'));
          for (const bytes of [whole, whole.subarray(0, Math.round(part * whole.length))]) {
            expect(readLog(bytes)).toEqual(await readByUs(bytes));
          }
        },
      ),
      { numRuns: runs({ usual: 300, soak: 20_000 }) },
    );
  });
});
