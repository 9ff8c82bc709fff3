/**
 * One request to a model of VS Code, as the events of the Model port: ends with exactly one `finish` or `failure` and
 * never throws. Free of vscode itself: parts are told apart by their shape, because newer versions bring kinds of parts
 * that the types of our oldest version do not know.
 */
import { classifyWords } from '../../models/classify.js';
import type { FinishReason, ModelEvent, ModelRequest, ReceivedCall } from '../../ports.js';
import { cancelled, type Failure } from '../../shared/failure.js';

/** A message as VS Code takes it, before its classes are put around it. */
export interface LmMessage {
  role: 'user' | 'assistant';
  parts: LmPart[];
}
export type LmPart =
  | { type: 'text'; text: string }
  | { type: 'call'; call_id: string; name: string; input: object }
  | { type: 'result'; call_id: string; content: string };

/** VS Code has no system message: its text becomes the head of the first user message. */
export function lmMessages(request: ModelRequest): LmMessage[] {
  const messages: LmMessage[] = [];
  for (const message of request.messages) {
    const parts = partsOf(message);
    if (parts.length > 0) messages.push({ role: message.role === 'assistant' ? 'assistant' : 'user', parts });
  }
  if (request.system === '') return messages;
  const system: LmPart = { type: 'text', text: request.system };
  const [first] = messages;
  if (first?.role === 'user') first.parts.unshift(system);
  else messages.unshift({ role: 'user', parts: [system] });
  return messages;
}

function partsOf(message: ModelRequest['messages'][number]): LmPart[] {
  switch (message.role) {
    case 'user':
      return message.parts.map((part) =>
        part.type === 'text'
          ? { type: 'text', text: part.text }
          : {
              type: 'text',
              text: `[${part.name} (${part.mime}) was attached; this model is given text only]`,
            },
      );
    case 'assistant':
      return message.parts.flatMap((part): LmPart[] => {
        if (part.type === 'text') return [{ type: 'text', text: part.text }];
        if (part.type === 'reasoning') return [];
        return [{ type: 'call', call_id: part.call_id, name: part.name, input: asObject(part.input) }];
      });
    case 'tool':
      return message.parts.map((part) => ({
        type: 'result',
        call_id: part.call_id,
        content: part.is_error ? `Error: ${part.content}` : part.content,
      }));
  }
}

export interface LmStream {
  /** Sends the request; rejects with what VS Code rejects with. */
  send: () => PromiseLike<{ stream: AsyncIterable<unknown> }>;
  isText: (part: unknown) => boolean;
  label: string;
  signal: AbortSignal;
  onBytes: () => void;
  /** Parts of a kind we cannot use; told, not dropped silently. */
  onUnknown: (what: string) => void;
}

export async function* lmAttempt(options: LmStream): AsyncGenerator<ModelEvent, void, undefined> {
  const { signal, label } = options;
  const answer = new Answer();
  try {
    const response = await options.send();
    yield { type: 'response' };
    for await (const value of response.stream) {
      if (signal.aborted) break;
      options.onBytes();
      const part = readPart(value, options.isText);
      if (part.type === 'unknown') options.onUnknown(part.what);
      else yield* answer.add(part);
    }
  } catch (error) {
    yield { type: 'failure', failure: signal.aborted ? cancelled() : lmFailure(error, label) };
    return;
  }
  if (signal.aborted) {
    yield { type: 'failure', failure: cancelled() };
    return;
  }
  yield* answer.endPart();
  yield answer.isEmpty
    ? { type: 'failure', failure: emptyAnswer(label) }
    : { type: 'finish', reason: finishReason(answer.calls) };
}

/** Puts deltas together into whole parts, in their order. */
class Answer {
  calls = 0;
  isEmpty = true;
  private text = '';
  private reasoning = '';

  *add(part: Exclude<ReadPart, { type: 'unknown' }>): Generator<ModelEvent> {
    if (part.type === 'call') {
      yield* this.endPart();
      this.calls += 1;
      this.isEmpty = false;
      yield { type: 'part', part: part.call };
      return;
    }
    if (part.type === 'text' ? this.reasoning !== '' : this.text !== '') yield* this.endPart();
    this[part.type] += part.text;
    if (part.text !== '') this.isEmpty = false;
    yield { type: part.type, delta: part.text };
  }

  *endPart(): Generator<ModelEvent> {
    const { text, reasoning } = this;
    if (reasoning !== '') yield { type: 'part', part: { type: 'reasoning', text: reasoning } };
    if (text !== '') yield { type: 'part', part: { type: 'text', text } };
    this.reasoning = '';
    this.text = '';
  }
}

/** VS Code does not tell why an answer ended. */
function finishReason(calls: number): FinishReason {
  return calls > 0 ? 'tool_calls' : 'unknown';
}

type ReadPart =
  | { type: 'text' | 'reasoning'; text: string }
  | { type: 'call'; call: ReceivedCall }
  | { type: 'unknown'; what: string };

function readPart(value: unknown, isText: (part: unknown) => boolean): ReadPart {
  if (typeof value !== 'object' || value === null) return { type: 'unknown', what: typeof value };
  if ('callId' in value && 'name' in value && typeof value.name === 'string') {
    const input = 'input' in value ? value.input : {};
    const id = typeof value.callId === 'string' ? { provider_call_id: value.callId } : {};
    return {
      type: 'call',
      call: { type: 'tool_call', ...id, name: value.name, raw_input: JSON.stringify(input ?? {}), input },
    };
  }
  const words = 'value' in value ? asText(value.value) : undefined;
  if (words !== undefined && !('mimeType' in value))
    return { type: isText(value) ? 'text' : 'reasoning', text: words };
  return {
    type: 'unknown',
    what: 'mimeType' in value ? `data of type ${String(value.mimeType)}` : Object.keys(value).join(', '),
  };
}

function asText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return Array.isArray(value) && value.every((item) => typeof item === 'string') ? value.join('') : undefined;
}

function asObject(input: unknown): object {
  return typeof input === 'object' && input !== null ? input : {};
}

function emptyAnswer(label: string): Failure {
  return {
    kind: 'network',
    message: `${label} ended without an answer.`,
    transient: true,
    code: 'EmptyAnswer',
  };
}

/**
 * NoPermissions, NotFound and Blocked are never retried; what the words say has a remedy of its own – images that are not
 * taken, a conversation that is too long – is not either; anything else by our own backoff.
 */
export function lmFailure(error: unknown, label: string): Failure {
  const code = codeOf(error) ?? 'Unknown';
  const detail = messageOf(error).slice(0, 500);
  const known = refusals[code];
  if (!known) {
    const told = classifyWords(detail, label);
    if (told !== undefined) return { code, detail, ...told };
    const message = `${label} failed: ${detail || 'no reason given'}`;
    return { kind: 'network', message, transient: true, code, detail };
  }
  return {
    kind: known.kind,
    message: known.message(label),
    transient: false,
    code,
    detail,
    action: 'select-model',
  };
}

const refusals: Readonly<Record<string, { kind: Failure['kind']; message: (label: string) => string }>> = {
  NoPermissions: {
    kind: 'auth',
    message: (label) =>
      `VS Code has not allowed Bough to use ${label}. Send again and allow it, or choose another model.`,
  },
  NotFound: {
    kind: 'refused',
    message: (label) => `${label} is not there any more. Choose another model.`,
  },
  Blocked: {
    kind: 'rate',
    message: (label) =>
      `${label} does not take requests from Bough now; its quota may be used up. Choose another model.`,
  },
};

function codeOf(error: unknown): string | undefined {
  return typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined;
}

/** A provider may throw anything, and what comes through VS Code may be an Error without a message. */
function messageOf(error: unknown): string {
  const cause = error instanceof Error ? wordsOf(error.cause) : '';
  return cause === '' ? wordsOf(error) : cause;
}

function wordsOf(thrown: unknown): string {
  switch (typeof thrown) {
    case 'string':
      return thrown.trim();
    case 'number':
    case 'bigint':
    case 'boolean':
      return String(thrown);
    default:
      return typeof thrown === 'object' && thrown !== null && 'message' in thrown
        ? wordsOf(thrown.message)
        : '';
  }
}
