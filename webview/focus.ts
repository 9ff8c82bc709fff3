/** Where the keyboard is, and which keys are the text field's own. */

/** VS Code itself does not know whether a webview in a side bar has the keyboard. */
export function reportFocus(target: Window, report: (focused: boolean) => void): void {
  target.addEventListener('focus', () => report(true));
  target.addEventListener('blur', () => report(false));
  if (target.document.hasFocus()) report(true);
}

/**
 * Ctrl/Cmd+Backspace deletes a word where there is one, and stops the run where there is none. VS Code hears every key by
 * a listener on the window, so what ends at the document never becomes a key binding.
 */
export function keepWordDeletion(document: Document): void {
  document.addEventListener('keydown', (event) => {
    if (event.key !== 'Backspace' || !(event.ctrlKey || event.metaKey)) return;
    const { target } = event;
    const isField = target instanceof HTMLTextAreaElement || target instanceof HTMLInputElement;
    if (isField && target.value !== '') event.stopPropagation();
  });
}
