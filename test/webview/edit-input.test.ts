// What of a proposed call can be changed on its card, and what comes of it.
import { describe, expect, it } from 'vitest';
import { editableTexts, withTexts } from '../../webview/transcript/edit-input.js';

const edits = [
  { old_text: 'a', new_text: 'b' },
  { old_text: 'c', new_text: 'd\r\ne' },
];

describe('editing a proposal', () => {
  it.each([
    ['run', { command: 'npm test', cwd: 'x' }, ['npm test'], ['npm t'], { command: 'npm t', cwd: 'x' }],
    ['write', { path: 'a', content: 'x\r\ny' }, ['x\ny'], ['x\nz'], { path: 'a', content: 'x\r\nz' }],
    ['write', { path: 'a', content: '' }, [''], ['new\n'], { path: 'a', content: 'new\n' }],
    [
      'edit',
      { path: 'a', edits },
      ['b', 'd\ne'],
      ['B', 'D\nE'],
      {
        path: 'a',
        edits: [
          { old_text: 'a', new_text: 'B' },
          { old_text: 'c', new_text: 'D\r\nE' },
        ],
      },
    ],
  ])('%s: its own texts, and nothing of where it acts', (tool, input, before, after, changed) => {
    expect(editableTexts(tool, input).map(({ text }) => text)).toEqual(before);
    expect(withTexts(tool, input, before)).toBeUndefined();
    expect(withTexts(tool, input, after)).toEqual(changed);
  });

  it.each([
    ['run', { command: 1 }],
    ['edit', { edits: [{ old_text: 'a', new_text: 'b' }, { old_text: 'c' }] }],
    ['edit', { edits: 'all' }],
    ['edit', {}],
    ['constructor', { command: 'x' }],
    ['other', { text: 'x' }],
  ])('%s %j: nothing that could be changed', (tool, input) => {
    expect(editableTexts(tool, input)).toEqual([]);
  });
});
