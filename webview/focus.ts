/** Where the keyboard is, and which keys are the text field's own. */
import { isComposition } from './composer/keys.js';
import { isMac } from './ui/mod-key.js';

/** VS Code itself does not know whether a webview in a side bar has the keyboard. */
export function reportFocus(target: Window, report: (focused: boolean) => void): void {
  target.addEventListener('focus', () => report(true));
  target.addEventListener('blur', () => report(false));
  if (target.document.hasFocus()) report(true);
}

/**
 * Keys that a text field does at once by itself, and that VS Code would do too: it hears every key by a listener on the window,
 * so what ends at the document never becomes a key binding. Ctrl/Cmd+Backspace deletes a word where there is one, and stops
 * the run where there is none. Ctrl/Cmd+A as a command comes back some moments later, and then selects what was typed
 * meanwhile, so that the next key replaces it.
 */
export function keepFieldKeys(document: Document): void {
  document.addEventListener('keydown', (event) => {
    const { target } = event;
    const isField = target instanceof HTMLTextAreaElement || target instanceof HTMLInputElement;
    if (!isField || isComposition(event) || !(event.ctrlKey || event.metaKey)) return;
    if (event.key === 'Backspace' && target.value !== '') event.stopPropagation();
    if (event.key.toLowerCase() === 'a' && isSelectAll(event)) {
      event.preventDefault();
      event.stopPropagation();
      target.select();
    }
  });
}

/** On a Mac Ctrl+A goes to the beginning of the line. */
const isSelectAll = ({ ctrlKey, metaKey, shiftKey, altKey }: KeyboardEvent): boolean =>
  (isMac ? metaKey && !ctrlKey : ctrlKey && !metaKey) && !shiftKey && !altKey;

/** What takes letters itself, or goes by them. */
const TAKES_LETTERS =
  'input, textarea, select, [contenteditable], [role="tree"], [role="menu"], [role="listbox"]';

/**
 * Whether a key is a letter of a text that nothing takes where the keyboard is. A space presses or scrolls; with Option a Mac
 * types letters too.
 */
export function isTypedNowhere(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey) return false;
  if (event.altKey && !isMac) return false;
  if ([...event.key].length !== 1 || event.key === ' ') return false;
  return !(event.target instanceof Element && event.target.closest(TAKES_LETTERS) !== null);
}
