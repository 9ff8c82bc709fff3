import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { editedInput } from '../../../src/host/edited-input.js';

const edit = { tool: 'edit', input: { path: 'a.txt', edits: [] } };
const write = { tool: 'write', input: { path: 'a.txt', content: 'proposed' } };

describe('the input for what the person left of a proposal', () => {
  it('is the whole text of what is written', () => {
    expect(editedInput(write, null, 'mine')).toEqual({ path: 'a.txt', content: 'mine' });
    expect(editedInput(write, 'same\r\n', 'same\n')).toBeUndefined();
  });

  it('names the changed lines, and as many around them as it takes to find them once', () => {
    expect(editedInput(edit, 'a\nb\nc\n', 'a\nB\nc\n')).toEqual({
      path: 'a.txt',
      edits: [{ old_text: 'b\n', new_text: 'B\n' }],
    });
    expect(editedInput(edit, 'x\nb\ny\nb\n', 'x\nb\ny\nB\n')).toMatchObject({
      edits: [{ old_text: 'y\nb\n', new_text: 'y\nB\n' }],
    });
  });

  it('is none where nothing would change, or nothing can be said', () => {
    expect(editedInput(edit, 'a\r\n', 'a\n')).toBeUndefined();
    expect(editedInput(edit, null, 'a')).toBeUndefined();
    expect(editedInput(edit, '', 'a')).toBeUndefined();
    expect(editedInput({ tool: 'run', input: {} }, 'a', 'b')).toBeUndefined();
    expect(editedInput({ tool: 'write', input: 'no input' }, 'a', 'b')).toBeUndefined();
  });

  it('makes of any text any other, by a place that the text has once', () => {
    const text = fc
      .array(fc.constantFrom('a\n', 'b\n', '\n', 'a'), { minLength: 1, maxLength: 12 })
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, text, (before, after) => {
        fc.pre(before !== after);
        const made = editedInput(edit, before, after) as { edits: [{ old_text: string; new_text: string }] };
        const [{ old_text, new_text }] = made.edits;
        expect(before.split(old_text)).toHaveLength(2);
        expect(before.replace(old_text, () => new_text)).toBe(after);
      }),
    );
  });
});
