/** Reports what nobody would see otherwise: violations of the content-security policy and errors that nothing caught. */

const LENGTH = 4000;
/** What goes wrong on every frame must not fill the log. */
const MOST = 50;

export function reportTrouble(target: Window, report: (text: string) => void): void {
  let count = 0;
  const tell = (text: string) => {
    count += 1;
    if (count <= MOST) report(text.slice(0, LENGTH));
    if (count === MOST) report('More of this is not reported until the view is opened again.');
  };
  target.document.addEventListener('securitypolicyviolation', (event) => {
    tell(
      `Content-security violation: ${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}:${event.lineNumber}`,
    );
  });
  target.addEventListener('error', (event) => {
    // A browser says this when a layout takes two frames; nothing is wrong.
    if (event.message.startsWith('ResizeObserver loop')) return;
    tell(`Uncaught error: ${describe(event.error ?? event.message)}`);
  });
  target.addEventListener('unhandledrejection', (event) =>
    tell(`Unhandled rejection: ${describe(event.reason)}`),
  );
}

export const describe = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? `${error.name}: ${error.message}`) : String(error);
