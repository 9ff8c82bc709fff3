/** Random logs as files, damaged byte by byte, and read back by the real reader: whatever it yields is what a model is told. */
import fc from 'fast-check';
import { serialiseBatch, serialiseHeader } from '../../../src/log/codec.js';
import { Ledger } from '../../../src/log/ledger.js';
import { MemoryFiles } from '../../../src/log/memory-files.js';
import { scanLines } from '../../../src/log/scan.js';
import type { PlacedEntry } from '../../../src/log/store.js';
import type { Entry, KnownEntry } from '../../../src/shared/notes.js';

const TIME = '2026-01-01T00:00:00.000Z';

export interface ByteDamage {
  kind: 'flip' | 'cut' | 'lose' | 'nul' | 'fuse' | 'double' | 'garbage' | 'tear';
  /** Of a thousand: where in the file, and how much of what is left of it. */
  at: number;
  much: number;
}

export const byteDamages: fc.Arbitrary<ByteDamage[]> = fc.array(
  fc.record({
    kind: fc.constantFrom('flip', 'cut', 'lose', 'nul', 'fuse', 'double', 'garbage', 'tear'),
    at: fc.nat({ max: 999 }),
    much: fc.nat({ max: 999 }),
  }),
  { maxLength: 5, size: 'max' },
);

const isKnown = (entry: Entry): entry is KnownEntry => entry.type !== 'unknown';

/** `group`: how many entries stand in one line, one after the other. */
export function fileOf(entries: readonly Entry[], group: number): Buffer {
  const known = entries.filter(isKnown);
  const lines = [serialiseHeader({ type: 'session', version: 4, id: 's', timestamp: TIME })];
  for (let at = 0; at < known.length; at += group) lines.push(serialiseBatch(known.slice(at, at + group)));
  return Buffer.from(lines.join(''));
}

const GARBAGE = [
  '{"type":"mess',
  '[]',
  '[1,2]',
  'null',
  '{"type":"future_x","id":"f1"}',
  '\ufeff',
  '}{',
  '"',
];

export function inflictBytes(bytes: Buffer, { kind, at, much }: ByteDamage): Buffer {
  const place = Math.floor((bytes.length * at) / 1_000);
  const length = 1 + Math.floor(((bytes.length - place) * much) / 4_000);
  const head = bytes.subarray(0, place);
  const newline = bytes.indexOf(0x0a, place);
  const lineEnd = newline < 0 ? bytes.length : newline + 1;
  switch (kind) {
    case 'flip': {
      const changed = Buffer.from(bytes);
      if (place < changed.length) changed[place] = (changed[place] ?? 0) ^ (1 << (much % 8));
      return changed;
    }
    case 'cut':
      return much % 3 === 0 ? Buffer.from(head) : bytes;
    case 'lose':
      return Buffer.concat([head, bytes.subarray(place + length)]);
    case 'nul':
      return Buffer.concat([
        head,
        Buffer.alloc(length),
        bytes.subarray(much % 2 === 0 ? place : place + length),
      ]);
    case 'fuse':
      return newline < 0 ? bytes : Buffer.concat([bytes.subarray(0, newline), bytes.subarray(newline + 1)]);
    case 'double': {
      const start = bytes.lastIndexOf(0x0a, Math.max(0, place - 1)) + 1;
      return Buffer.concat([bytes.subarray(0, lineEnd), bytes.subarray(start)]);
    }
    case 'garbage':
      return Buffer.concat([
        bytes.subarray(0, lineEnd),
        Buffer.from(`${GARBAGE[much % GARBAGE.length] ?? ''}\n`),
        bytes.subarray(lineEnd),
      ]);
    case 'tear':
      return Buffer.concat([head, Buffer.from('\n'), bytes.subarray(place)]);
  }
}

/** The line to one of the heads that the reader finds. */
export async function readLine(bytes: Uint8Array, pick: number): Promise<PlacedEntry[]> {
  const files = new MemoryFiles(() => 0);
  await files.makeFolder('/s');
  await files.replace('/s/s.jsonl', bytes);
  const file = await files.open('/s/s.jsonl', 'read');
  const ledger = new Ledger('s', TIME);
  const entries: PlacedEntry[] = [];
  for await (const lines of scanLines(file, { ...ledger.next, to: bytes.length })) {
    for (const line of lines) entries.push(...ledger.take(line));
  }
  const { fold } = ledger;
  const heads = [fold.head, ...fold.outline.map(([id]) => id)];
  return fold.linePositions(heads[pick % heads.length]).flatMap((position) => entries[position] ?? []);
}
