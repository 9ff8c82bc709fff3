/**
 * The wire to the host: posts what the protocol allows, checks what comes, and pairs each reply with its request by id.
 * What does not fit the protocol is reported and dropped, never half understood.
 */
import type { Failure } from '../src/shared/failure.js';
import type {
  Ask,
  ComposerDraft,
  Intent,
  Mention,
  ToHost,
  ToWebview,
  UiCommand,
} from '../src/shared/protocol.js';
import { readMessage } from './messages.js';
import { PATIENCE_MS, unanswered } from './patience.js';

export type Reply = { ok: true; result: unknown } | { ok: false; failure: Failure };
export type HostMessage = Exclude<ToWebview, { type: 'reply' }>;

export interface Connection {
  open(): void;
  /** What becomes of the session that the view waits for. */
  opening(what: 'cancel' | 'again'): void;
  /** `expectedHead`: the head the person saw; undefined when the intent does not depend on it. */
  intend(intent: Intent, expectedHead?: string | null): Promise<Reply>;
  /** Fails when no answer comes in time: what waits for it must not wait for ever. */
  ask(ask: Ask): Promise<Reply>;
  /** May take as long as the person takes to answer what it asks. */
  command(command: UiCommand): Promise<Reply>;
  draft(draft: { session: string } & ComposerDraft): void;
  /** Into the composer of a session that is not on show. */
  bringBack(brought: { session: string; text: string; mentions: Mention[] }): void;
  trouble(text: string): void;
  dispose(): void;
}

/** What the webview needs of `acquireVsCodeApi()` and of the window. */
export interface Wire {
  post: (message: ToHost) => void;
  listen: (receive: (data: unknown) => void) => () => void;
}

const TROUBLE_LENGTH = 4000;

/** `shown`: the session on show; what is asked for is meant for it. */
export function connect(
  wire: Wire,
  receive: (message: HostMessage) => void,
  shown: () => string | undefined,
): Connection {
  let lastId = 0;
  const waiting = new Map<number, (reply: Reply) => void>();

  const trouble = (text: string) => wire.post({ type: 'trouble', text: text.slice(0, TROUBLE_LENGTH) });

  const asked = (id: number) => {
    const session = shown();
    return session === undefined ? { id } : { id, session };
  };

  const request = (build: (asked: { id: number; session?: string }) => ToHost): Promise<Reply> =>
    new Promise((resolve) => {
      const id = ++lastId;
      waiting.set(id, resolve);
      wire.post(build(asked(id)));
    });

  const ask = (what: Ask): Promise<Reply> =>
    new Promise((resolve) => {
      const id = ++lastId;
      const patience = setTimeout(() => {
        waiting.delete(id);
        resolve({ ok: false, failure: unanswered('What was to be loaded is not here; try again.') });
      }, PATIENCE_MS);
      waiting.set(id, (reply) => {
        clearTimeout(patience);
        resolve(reply);
      });
      wire.post({ type: 'ask', ...asked(id), ask: what });
    });

  const settle = (message: Extract<ToWebview, { type: 'reply' }>) => {
    const resolve = waiting.get(message.id);
    waiting.delete(message.id);
    resolve?.(message.ok ? { ok: true, result: message.result } : { ok: false, failure: message.failure });
  };

  const stop = wire.listen((data) => {
    const message = readMessage(data);
    if (typeof message === 'string') trouble(message);
    else if (message.type === 'reply') settle(message);
    else receive(message);
  });

  return {
    open: () => wire.post({ type: 'open' }),
    opening: (what) => wire.post({ type: 'opening', what }),
    intend: (intent, expectedHead) =>
      request((by) => ({
        type: 'intent',
        ...by,
        intent,
        ...(expectedHead === undefined ? {} : { expected_head: expectedHead }),
      })),
    ask,
    command: (command) => request((by) => ({ type: 'ui', ...by, command })),
    draft: (draft) => wire.post({ type: 'draft', ...draft }),
    bringBack: (brought) => wire.post({ type: 'bring_back', ...brought }),
    trouble,
    dispose: stop,
  };
}
