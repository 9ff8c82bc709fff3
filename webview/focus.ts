/** Tells the host whether the view has the keyboard: VS Code itself does not know it of a webview in a side bar. */
export function reportFocus(target: Window, report: (focused: boolean) => void): void {
  target.addEventListener('focus', () => report(true));
  target.addEventListener('blur', () => report(false));
  if (target.document.hasFocus()) report(true);
}
