/** The two ends of the wire that VS Code gives a webview. */
import type { ToHost } from '../src/shared/protocol.js';
import type { Wire } from './connection.js';

declare function acquireVsCodeApi(): { postMessage(message: ToHost): void };

export function openWire(): Wire {
  const api = acquireVsCodeApi();
  return {
    // What is posted is cloned; reactive objects are plain by then.
    post: (message) => api.postMessage(message),
    listen: (receive) => {
      const onMessage = (event: MessageEvent<unknown>) => receive(event.data);
      window.addEventListener('message', onMessage);
      return () => window.removeEventListener('message', onMessage);
    },
  };
}
