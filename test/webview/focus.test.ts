import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { keepWordDeletion, reportFocus } from '../../webview/focus.js';

afterEach(() => {
  document.body.replaceChildren();
  vi.restoreAllMocks();
});

it('tells when the view gets and loses the keyboard', () => {
  vi.spyOn(document, 'hasFocus').mockReturnValue(true);
  const told: boolean[] = [];
  reportFocus(window, (focused) => told.push(focused));
  window.dispatchEvent(new Event('blur'));
  window.dispatchEvent(new Event('focus'));
  expect(told).toEqual([true, false, true]);
});

describe('Ctrl+Backspace', () => {
  let heard: string[];
  const hear = (event: KeyboardEvent) => heard.push(event.key);
  beforeEach(() => {
    heard = [];
    keepWordDeletion(document);
    window.addEventListener('keydown', hear);
    return () => window.removeEventListener('keydown', hear);
  });
  const press = (value: string, key: string, ctrlKey: boolean) => {
    const field = document.createElement('textarea');
    document.body.append(field);
    field.value = value;
    field.dispatchEvent(new KeyboardEvent('keydown', { key, ctrlKey, bubbles: true }));
  };

  it('stays with a field that has words to delete', () => {
    press('and then plese', 'Backspace', true);
    expect(heard).toEqual([]);
  });

  it('reaches the editor from an empty field, and other keys do from any', () => {
    press('', 'Backspace', true);
    press('words', 'Backspace', false);
    press('words', 'Enter', true);
    expect(heard).toEqual(['Backspace', 'Backspace', 'Enter']);
  });
});
