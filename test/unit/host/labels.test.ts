import { describe, expect, it } from 'vitest';
import { plainLabel } from '../../../src/host/labels.js';

describe('labels of VS Code', () => {
  it.each([
    ['$(trash) all', String.raw`\$(trash) all`],
    ['$(sync~spin)$(Trash)', String.raw`\$(sync~spin)\$(Trash)`],
    ['echo $(cat a.txt) $5 ()', 'echo $(cat a.txt) $5 ()'],
    ['plain', 'plain'],
  ])('text that names an icon stays text: %s', (text, label) => {
    expect(plainLabel(text)).toBe(label);
  });
});
