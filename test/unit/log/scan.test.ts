import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MemoryFiles } from '../../../src/log/memory-files.js';
import { scanLines, type RawLine } from '../../../src/log/scan.js';
import type { OpenFile } from '../../../src/ports.js';

async function fileOf(bytes: Uint8Array): Promise<OpenFile> {
  const files = new MemoryFiles(() => 0);
  await files.makeFolder('/f');
  await files.replace('/f/x', bytes);
  return files.open('/f/x', 'read');
}

type Kept = Omit<RawLine, 'bytes'> & { text: string };

async function scan(
  bytes: Uint8Array,
  options: { chunkBytes?: number; maxLineBytes?: number; from?: number; line?: number } = {},
): Promise<Kept[]> {
  const kept: Kept[] = [];
  for await (const lines of scanLines(await fileOf(bytes), { to: bytes.length, ...options })) {
    for (const { bytes: content, ...line } of lines)
      kept.push({ ...line, text: Buffer.from(content).toString('latin1') });
  }
  return kept;
}

describe('scanning lines', () => {
  it('A5: splits on byte 0x0A only', async () => {
    const text = 'a\u2028b\u2029c\u0085d\re\r\nf';
    expect(
      (await scan(Buffer.from(text))).map(({ text: line }) => Buffer.from(line, 'latin1').toString()),
    ).toEqual(['a\u2028b\u2029c\u0085d\re\r', 'f']);
  });

  it('numbers lines from 1 and says where each begins and ends', async () => {
    expect(await scan(Buffer.from('ab\n\nc'))).toEqual([
      { line: 1, offset: 0, end: 3, isTerminated: true, isTooLong: false, text: 'ab' },
      { line: 2, offset: 3, end: 4, isTerminated: true, isTooLong: false, text: '' },
      { line: 3, offset: 4, end: 5, isTerminated: false, isTooLong: false, text: 'c' },
    ]);
    expect(await scan(Buffer.from('ab\ncd\n'), { from: 3, line: 7 })).toMatchObject([
      { line: 7, offset: 3, end: 6 },
    ]);
    expect(await scan(new Uint8Array(0))).toEqual([]);
  });

  it('gives the same lines whatever the chunks', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 80 }),
        fc.integer({ min: 1, max: 90 }),
        async (noise, chunkBytes) => {
          // More newlines than chance would bring.
          const bytes = noise.map((byte) => (byte % 5 === 0 ? 0x0a : byte));
          const lines = await scan(bytes, { chunkBytes });
          expect(lines).toEqual(await scan(bytes));
          const joined = lines.map(({ text, isTerminated }) => text + (isTerminated ? '\n' : '')).join('');
          expect(joined).toBe(Buffer.from(bytes).toString('latin1'));
        },
      ),
    );
  });

  it('passes over a line that is too long in bounded memory and goes on behind it', async () => {
    const bytes = Buffer.from(`ok\n${'x'.repeat(1000)}\nfine\n`);
    expect(await scan(bytes, { maxLineBytes: 100, chunkBytes: 16 })).toMatchObject([
      { line: 1, text: 'ok' },
      { line: 2, text: '', isTooLong: true, offset: 3, end: 1004 },
      { line: 3, text: 'fine', isTooLong: false },
    ]);
    expect(await scan(Buffer.from('x'.repeat(1000)), { maxLineBytes: 100 })).toMatchObject([
      { isTooLong: true, isTerminated: false },
    ]);
  });

  it('reads files that give less than they are asked for, and stops where a file turns out shorter', async () => {
    const file = await fileOf(Buffer.from('abc\ndef\n'));
    const slow: OpenFile = { ...file, read: (into, position) => file.read(into.subarray(0, 2), position) };
    const lines: string[] = [];
    for await (const found of scanLines(slow, { to: 100 }))
      lines.push(...found.map(({ bytes }) => Buffer.from(bytes).toString()));
    expect(lines).toEqual(['abc', 'def']);
  });

  it('reads one piece ahead: who stops early leaves no reading behind, a failure comes after what was read before', async () => {
    const file = await fileOf(Buffer.from('ab\ncd\nef\n'));
    let open = 0;
    const counted: OpenFile = {
      ...file,
      read: async (into, position) => {
        open++;
        const count = await file.read(into, position);
        await new Promise(setImmediate);
        open--;
        return count;
      },
    };
    for await (const lines of scanLines(counted, { to: 9, chunkBytes: 3 })) {
      expect(lines).toHaveLength(1);
      expect(open).toBe(1);
      break;
    }
    expect(open).toBe(0);
    const failing: OpenFile = {
      ...file,
      read: (into, position) =>
        position === 3 ? Promise.reject(new Error('it broke')) : file.read(into, position),
    };
    const lines: string[] = [];
    const all = async (): Promise<void> => {
      for await (const found of scanLines(failing, { to: 9, chunkBytes: 3 })) {
        await new Promise(setImmediate);
        lines.push(...found.map(({ bytes }) => Buffer.from(bytes).toString()));
      }
    };
    await expect(all()).rejects.toThrow('it broke');
    expect(lines).toEqual(['ab']);
  });
});
