import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  classesOf,
  piecesOf,
  plainOf,
  readStyled,
  settleLines,
  styledTail,
} from '../../../src/shared/styled-text.js';

const piece = fc.constantFrom(
  'a',
  'bc ',
  '\n',
  '\r',
  '🔥',
  '\x1b[31m',
  '\x1b[1;4m',
  '\x1b[0m',
  '\x1b[m',
  '\x1b[39m',
  '\x1b[22m',
  '\x1b[48;5;196m',
  '\x1b[38;2;0;250;9m',
);
const printed = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(''));

/** Each character with the codes it has. */
const drawn = (text: string): string[] =>
  piecesOf(readStyled(text)).flatMap(({ text: part, codes }) => [...part].map((char) => `${char} ${codes}`));

describe('styled text', () => {
  it.each([
    ['\x1b[31mred\x1b[0m plain', 'red plain', [[0, 3, '31']]],
    [
      '\x1b[1m\x1b[32mok\x1b[39m!\x1b[22m?',
      'ok!?',
      [
        [0, 2, '1;32'],
        [2, 1, '1'],
      ],
    ],
    ['\x1b[1;31;44mx', 'x', [[0, 1, '1;31;44']]],
    ['\x1b[38;5;9mx\x1b[38;5;196my', 'xy', [[0, 2, '91']]],
    ['\x1b[38;2;0;200;0mx', 'x', [[0, 1, '32']]],
    ['\x1b[38:2::0:200:0mx', 'x', [[0, 1, '32']]],
    ['\x1b[48;2;255;255;255mx', 'x', [[0, 1, '107']]],
    ['\x1b[38;2mx', 'x', [[0, 1, '30']]],
    ['\x1b[38;5;999;31mx', 'x', [[0, 1, '31']]],
    ['\x1b[30;40mx', 'x', [[0, 1, '40']]],
    ['\x1b[38;7;31mx', 'x', []],
    ['\x1b[999999mx', 'x', []],
    ['a\x1b]8;;command:x\x07b', 'a]8;;command:x\x07b', []],
  ])('%j', (text, plain, styles) => {
    expect(readStyled(text)).toEqual({ text: plain, styles });
    expect(plainOf(text)).toBe(plain);
  });

  it('names classes for its own codes only', () => {
    expect(classesOf('1;31;44')).toBe('sgr-1 sgr-31 sgr-44');
    expect(classesOf('x" onclick=1')).toBe('');
    expect(classesOf('')).toBe('');
  });

  it('leaves out runs that do not fit the text, and keeps the text whole', () => {
    const styles: [number, number, string][] = [
      [2, 2, '31'],
      [3, 1, '32'],
      [9, 5, '33'],
      [4, -1, '1'],
    ];
    expect(piecesOf({ text: 'abcdef', styles })).toEqual([
      { text: 'ab', codes: '' },
      { text: 'cd', codes: '31' },
      { text: 'ef', codes: '' },
    ]);
  });

  it('draws no more runs than a view can bear', () => {
    const { text, styles } = readStyled('\x1b[31mx\x1b[32my'.repeat(5_000));
    expect(text).toHaveLength(10_000);
    expect(styles).toHaveLength(2_000);
  });

  it.each([
    ['10%\r20%\r30%\n', '30%\n', 2],
    ['10%\r20%\r', '20%\r', 1],
    ['one\r\ntwo\r\n', 'one\ntwo\n', 0],
    ['\x1b[32m1\r2\x1b[0m\nnext', '\x1b[32m2\x1b[0m\nnext', 1],
    ['\r\r\n', '\n', 0],
    ['plain\n', 'plain\n', 0],
  ])('of lines written over keeps what they were last: %j', (text, settled, overwritten) => {
    expect(settleLines(text)).toEqual({ text: settled, overwritten });
  });

  it('comes to the same however the text arrives', () => {
    fc.assert(
      fc.property(printed, fc.nat(60), (text, at) => {
        const parted = settleLines(settleLines(text.slice(0, at)).text + text.slice(at)).text;
        // A sequence that is parted is none: pieces never part one.
        fc.pre(plainOf(text.slice(0, at)) + plainOf(text.slice(at)) === plainOf(text));
        const whole = settleLines(text).text;
        expect(drawn(parted.replaceAll('\r', ''))).toEqual(drawn(whole.replaceAll('\r', '')));
      }),
      { numRuns: 2_000 },
    );
  });

  it('draws the end of a text as it is drawn in the whole of it', () => {
    fc.assert(
      fc.property(printed, fc.nat(40), (text, chars) => {
        const end = drawn(styledTail(text, chars));
        expect(end).toEqual(end.length === 0 ? [] : drawn(text).slice(-end.length));
        expect(plainOf(styledTail(text, chars)).isWellFormed()).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });
});
