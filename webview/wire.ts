/** The two ends of the wire that VS Code gives a webview. */
import type { ToHost } from '../src/shared/protocol.js';
import type { Wire } from './connection.js';

declare function acquireVsCodeApi(): {
  postMessage(message: ToHost): void;
  setState(state: { session: string; tab?: string | undefined }): void;
};

export function openWire(): Wire {
  const api = acquireVsCodeApi();
  return {
    // What is posted is cloned; reactive objects are plain by then.
    post: (message) => api.postMessage(message),
    listen: (receive) => {
      const onMessage = (event: MessageEvent<unknown>) => {
        // All that a tab keeps over a reload: VS Code hands it to the host, which opens the session again.
        const session = sessionOf(event.data);
        if (session !== undefined) api.setState({ session, tab: document.body.dataset['tabId'] });
        receive(event.data);
      };
      window.addEventListener('message', onMessage);
      return () => window.removeEventListener('message', onMessage);
    },
  };
}

function sessionOf(data: unknown): string | undefined {
  if (typeof data !== 'object' || data === null || !('type' in data)) return undefined;
  const session: unknown = 'session' in data ? data.session : undefined;
  // It may be long until it can be shown.
  if (data.type === 'opening' && typeof session === 'string') return session;
  if (data.type !== 'snapshot') return undefined;
  if (typeof session !== 'object' || session === null || !('id' in session)) return undefined;
  return typeof session.id === 'string' ? session.id : undefined;
}
