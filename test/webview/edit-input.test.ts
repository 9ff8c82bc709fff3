// What of a proposed call can be changed on its card, and what comes of it.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyEdits } from '../../src/tools/replace.js';
import { editableTexts, inputFor, withTexts } from '../../webview/transcript/edit-input.js';

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

describe('a proposal that was changed in the diff', () => {
  const before = 'one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\n';
  const input = { path: 'a', edits: [{ old_text: 'two', new_text: 'TWO' }] };

  it('edit: one of two changes was left out', () => {
    expect(inputFor('edit', input, { before, after: before.replace('two', 'TWO') })).toEqual({
      path: 'a',
      edits: [{ old_text: 'two\n', new_text: 'TWO\n' }],
    });
  });

  it('write: the text itself; nothing runs when nothing is left', () => {
    const made = inputFor('write', { path: 'a', content: 'x' }, { before, after: 'y' });
    expect(made).toEqual({ path: 'a', content: 'y' });
    expect(inputFor('write', { path: 'a', content: 'x' }, { before, after: before })).toBeUndefined();
    expect(inputFor('edit', input, { before, after: before.replaceAll('\n', '\r\n') })).toBeUndefined();
    expect(inputFor('other', input, { before, after: 'y' })).toBeUndefined();
  });

  it('whatever was made of a file, the edits make exactly that of it', () => {
    const line = fc.constantFrom('a', 'b', '', '  a', 'a a', 'é');
    const text = fc
      .tuple(fc.array(line, { maxLength: 14 }), fc.constantFrom('\n', '\r\n'), fc.boolean())
      .map(([lines, ending, isEnded]) => lines.join(ending) + (isEnded ? ending : ''));
    fc.assert(
      fc.property(text, text, (old, wanted) => {
        const made = inputFor('edit', { path: 'a' }, { before: old, after: wanted });
        const flat = (all: string) => all.replaceAll('\r\n', '\n');
        if (flat(old) === flat(wanted) || old === '') {
          expect(made).toBeUndefined();
          return;
        }
        const edits = made?.['edits'] as { old_text: string; new_text: string }[];
        const done = applyEdits('a', old, edits);
        expect(typeof done === 'string' ? flat(done) : done).toBe(flat(wanted));
      }),
    );
  });
});
