/** Tells the host where the keyboard is: VS Code itself does not know it of a webview in a side bar. */

export interface KeyboardFocus {
  focused: boolean;
  /** In a text field that is not empty: keys that edit text are the field's own. */
  typing: boolean;
}

const isTyping = (element: Element | null): boolean =>
  (element instanceof HTMLTextAreaElement || element instanceof HTMLInputElement) && element.value !== '';

export function reportFocus(target: Window, report: (focus: KeyboardFocus) => void): void {
  let last: KeyboardFocus = { focused: false, typing: false };
  const tell = (focused: boolean) => {
    const typing = focused && isTyping(target.document.activeElement);
    if (focused === last.focused && typing === last.typing) return;
    last = { focused, typing };
    report(last);
  };
  target.addEventListener('focus', () => tell(true));
  target.addEventListener('blur', () => tell(false));
  for (const type of ['focusin', 'input', 'keyup'] as const) {
    target.document.addEventListener(type, () => tell(target.document.hasFocus()));
  }
  tell(target.document.hasFocus());
}
