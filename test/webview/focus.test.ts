import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { isTypedNowhere, keepFieldKeys, reportFocus } from '../../webview/focus.js';

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

describe('keys that a field does by itself', () => {
  let heard: string[];
  const hear = (event: KeyboardEvent) => heard.push(event.key);
  beforeEach(() => {
    heard = [];
    keepFieldKeys(document);
    window.addEventListener('keydown', hear);
    return () => window.removeEventListener('keydown', hear);
  });
  const press = (value: string, key: string, ctrlKey: boolean) => {
    const field = document.createElement('textarea');
    document.body.append(field);
    field.value = value;
    field.dispatchEvent(new KeyboardEvent('keydown', { key, ctrlKey, bubbles: true, cancelable: true }));
    return field;
  };

  it('Ctrl+Backspace stays with a field that has words to delete', () => {
    press('and then plese', 'Backspace', true);
    expect(heard).toEqual([]);
  });

  it('reaches the editor from an empty field, and other keys do from any', () => {
    press('', 'Backspace', true);
    press('words', 'Backspace', false);
    press('words', 'Enter', true);
    expect(heard).toEqual(['Backspace', 'Backspace', 'Enter']);
  });

  it('Ctrl+A selects at once, and the editor hears nothing that it would do later', () => {
    const { selectionStart, selectionEnd } = press('find apples', 'a', true);
    expect([selectionStart, selectionEnd]).toEqual([0, 11]);
    expect(heard).toEqual([]);
    press('find apples', 'a', false);
    expect(heard).toEqual(['a']);
  });
});

describe('a letter that nothing takes', () => {
  const isLost = (html: string, init: KeyboardEventInit) => {
    document.body.innerHTML = html;
    let lost: boolean | undefined;
    const hear = (event: KeyboardEvent) => (lost = isTypedNowhere(event));
    document.addEventListener('keydown', hear, { once: true });
    const target = document.body.querySelector('#here') ?? document.body;
    target.dispatchEvent(new KeyboardEvent('keydown', { bubbles: true, ...init }));
    return lost;
  };

  it.each([
    ['', { key: 'h' }, true],
    ['<button id="here">Copy</button>', { key: 'ü' }, true],
    ['<button id="here">Copy</button>', { key: '😀' }, true],
    ['<button id="here">Copy</button>', { key: ' ' }, false],
    ['<button id="here">Copy</button>', { key: 'Enter' }, false],
    ['<button id="here">Copy</button>', { key: 'c', ctrlKey: true }, false],
    ['<button id="here">Copy</button>', { key: 'l', altKey: true }, false],
    ['<input id="here">', { key: 'h' }, false],
    ['<textarea id="here"></textarea>', { key: 'h' }, false],
    ['<div role="tree"><div id="here"></div></div>', { key: 'h' }, false],
    ['<div role="menu"><button id="here"></button></div>', { key: 'h' }, false],
  ] as const)('at “%s”, %o: %s', (html, init, expected) => {
    expect(isLost(html, init)).toBe(expected);
  });
});
