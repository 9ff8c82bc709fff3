import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cappedOutput } from '../../../../src/host/editor/capped-output.js';
import { printableText, stripper } from '../../../../src/host/editor/printable.js';

describe('printable text', () => {
  it.each([
    ['\x1b[1;31mred\x1b[0m', 'red'],
    ['\x1b]633;C\x07out\x1b]633;D;0\x1b\\put', 'output'],
    ['\x1bP1$r\x1b\\a\x1b(Bb\x1b7c', 'abc'],
    ['a\r\nb\rc\r', 'a\nb\nc'],
    ['a\bb\x00\x07c\td', 'abc\td'],
    ['\x1b]never closed\nnext line', '\nnext line'],
    ['\x1b[12\nnext', '\nnext'],
    ['\x1b\x1b[31mx', 'x'],
    ['\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\', 'link'],
    ['x\u2028y\u0085z', 'x\u2028y\u0085z'],
  ])('%j → %j', (raw, plain) => {
    expect(stripper()(raw)).toBe(plain);
  });

  it.each([
    ['\x1b[1;31mred\x1b[0m', '\x1b[1;31mred\x1b[0m'],
    ['\x1b]0;title\x07a\x1b]52;c;aGk=\x07b', 'ab'],
    ['\x1b]8;;command:evil\x1b\\link\x1b]8;;\x1b\\', 'link'],
    ['\x1b[2J\x1b[H\x1b[?25lx', 'x'],
    ['\x1b[>4;2mx\x1b[31 mx', 'xx'],
    ['1\r2\x1b[K\x1b[1G3\r\n', '1\r2\r3\n'],
    [`\x1b[${'1;'.repeat(99)}mx`, 'x'],
  ])('with styles: %j → %j', (raw, kept) => {
    expect(stripper({ styles: true })(raw)).toBe(kept);
  });

  it('is the same however the bytes are cut', () => {
    const piece = fc.constantFrom(
      'a',
      '\r',
      '\n',
      '\x1b',
      '[',
      ']',
      '0m',
      '\x07',
      '\\',
      'ä',
      '🔥',
      '\u2028',
      'P',
      '(',
    );
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 30 }),
        fc.array(fc.nat(40), { maxLength: 8 }),
        (pieces, cuts) => {
          const bytes = new TextEncoder().encode(pieces.join(''));
          const whole = printableText();
          const expected = whole.push(bytes) + whole.end();
          const cut = printableText();
          const places = [0, ...cuts.filter((at) => at < bytes.length).sort((a, b) => a - b), bytes.length];
          let text = '';
          for (const [index, from] of places.slice(0, -1).entries())
            text += cut.push(bytes.subarray(from, places[index + 1]));
          expect(text + cut.end()).toBe(expected);
        },
      ),
    );
  });

  it('D10: keeps a character that is cut between two chunks, and shows a wrong byte as U+FFFD', () => {
    const text = printableText();
    const [first = 0, ...rest] = new TextEncoder().encode('修');
    expect(text.push(Uint8Array.of(first)) + text.push(Uint8Array.from(rest)) + text.end()).toBe('修');
    expect(text.push(Uint8Array.of(0x61, 0xe4)) + text.end()).toBe('a\uFFFD');
  });
});

describe('capped output', () => {
  it('keeps of lines that were written over what they were last, and says how often', () => {
    const output = cappedOutput();
    for (const piece of ['get 1', '0%\r', 'get 20%', '\rget 30%\n', 'done\r']) output.add(piece);
    expect(output.read()).toEqual({ text: 'get 30%\ndone', dropped_bytes: 0, overwritten: 2 });
  });

  it('parts no sequence of styles where it cuts', () => {
    const output = cappedOutput(10, 20);
    output.add(`${'\x1b[31mr\x1b[32mg'.repeat(40)}\n`);
    const { text } = output.read();
    const rest = text.replace(/\x1b\[[\d;]*m/g, '').replace(/\n\[….*…\]\n/, '');
    expect(rest.trim()).toMatch(/^[rg]+$/);
  });

  it('keeps head and tail, and accounts for every byte', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'ä', '🔥', '\n'), maxLength: 40 });
    fc.assert(
      fc.property(fc.array(text, { maxLength: 20 }), (pieces) => {
        const output = cappedOutput(10, 20);
        for (const piece of pieces) output.add(piece);
        const whole = pieces.join('');
        const { text: kept, dropped_bytes } = output.read();
        expect(kept.isWellFormed()).toBe(true);
        if (dropped_bytes === 0) {
          expect(kept).toBe(whole);
          return;
        }
        const [head = '', tail = ''] = kept.split(/\n\[….*…\]\n/);
        expect(whole.startsWith(head) && whole.endsWith(tail)).toBe(true);
        expect(Buffer.byteLength(head) + dropped_bytes + Buffer.byteLength(tail)).toBe(
          Buffer.byteLength(whole),
        );
        expect(kept).toContain(`[… ${dropped_bytes} bytes of output`);
      }),
    );
  });
});
