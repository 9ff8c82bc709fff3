import { describe, expect, it } from 'vitest';
import { piecesOf } from '../../webview/ui/paths.js';

const shown = (text: string): string[] =>
  piecesOf(text).map(({ text: words, isPath }) => (isPath ? `<${words}>` : words));

describe('paths in a sentence', () => {
  it.each([
    ['The file /home/me/a b is gone.', ['The file ', '</home/me/a>', ' b is gone.']],
    [
      "What is in /home/me/s.jsonl: it isn't there.",
      ['What is in ', '</home/me/s.jsonl>', ": it isn't there."],
    ],
    ['(C:\\Users\\me\\s.jsonl).', ['(', '<C:\\Users\\me\\s.jsonl>', ').']],
    ['"/a/b" and /c/d', ['"', '</a/b>', '" and ', '</c/d>']],
    ['and/or, 1/2, /compact, https://host/a/b and nothing', undefined],
    ['', []],
  ])('%s', (text, pieces) => {
    expect(shown(text)).toEqual(pieces ?? [text]);
    expect(
      piecesOf(text)
        .map((piece) => piece.text)
        .join(''),
    ).toBe(text);
  });
});
