/** Reports what nobody would see otherwise: violations of the content-security policy and errors that nothing caught. */

const LENGTH = 4000;

export function reportTrouble(target: Window, report: (text: string) => void): void {
  const tell = (text: string) => report(text.slice(0, LENGTH));
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
