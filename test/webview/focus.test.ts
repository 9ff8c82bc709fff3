import { afterEach, expect, test, vi } from 'vitest';
import { reportFocus, type KeyboardFocus } from '../../webview/focus.js';

afterEach(() => {
  document.body.replaceChildren();
  vi.restoreAllMocks();
});

test('a field with words in it counts as typing, an empty one does not', () => {
  vi.spyOn(document, 'hasFocus').mockReturnValue(true);
  const told: KeyboardFocus[] = [];
  const field = document.createElement('textarea');
  document.body.append(field);
  reportFocus(window, (focus) => told.push(focus));
  field.focus();
  field.value = 'a word';
  field.dispatchEvent(new Event('input', { bubbles: true }));
  field.dispatchEvent(new Event('keyup', { bubbles: true }));
  field.value = '';
  field.dispatchEvent(new Event('input', { bubbles: true }));
  window.dispatchEvent(new Event('blur'));
  expect(told).toEqual([
    { focused: true, typing: false },
    { focused: true, typing: true },
    { focused: true, typing: false },
    { focused: false, typing: false },
  ]);
});
