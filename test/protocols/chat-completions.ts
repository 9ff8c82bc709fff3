/**
 * A strict reading of the chat completions protocol: what OpenAI's reference says, and what servers that speak it refuse
 * beyond that (Anthropic and Gemini behind gateways, Mistral, llama.cpp's chat templates). No violation means that none
 * of them refuses the messages.
 */
import type { ModelMessage, ModelRequest } from '../../src/ports.js';
import { isBlank, isObject, malformedStrings } from './rules.js';

export interface ChatBody {
  messages: unknown[];
  tools?: unknown[];
}

export interface Strictness {
  /** Default: letters, digits, _ and -, at most 40 (OpenAI's limit on this protocol). */
  callId?: RegExp;
  /** Apart from calls and results, user and assistant alternate (Mistral's templates). */
  alternating?: boolean;
}

const NAME = /^[A-Za-z0-9_-]{1,64}$/;
const ROLES = new Set(['system', 'user', 'assistant', 'tool']);

/** Everything a strict server would refuse, each as one sentence. */
export function chatViolations(body: ChatBody, strictness: Strictness = {}): string[] {
  const messages = body.messages.filter(isObject);
  if (messages.length !== body.messages.length) return ['a message is not an object'];
  return [
    ...malformedStrings(body).map((path) => `${path} is not well formed`),
    ...orderViolations(messages),
    ...messages.flatMap((message, index) =>
      contentViolations(message).map((what) => `messages[${index}]: ${what}`),
    ),
    ...pairViolations(messages, strictness.callId ?? /^[A-Za-z0-9_-]{1,40}$/),
    ...toolViolations(body, messages),
    ...(strictness.alternating === true ? alternationViolations(messages) : []),
  ];
}

type Wire = Record<string, unknown>;

function orderViolations(messages: readonly Wire[]): string[] {
  const found: string[] = [];
  messages.forEach(({ role }, index) => {
    if (typeof role !== 'string' || !ROLES.has(role)) found.push(`messages[${index}]: unknown role`);
    if (role === 'system' && index > 0) found.push(`messages[${index}]: a system message is not the first`);
    const before = messages[index - 1]?.['role'];
    if (role !== 'tool' && role === before)
      found.push(`messages[${index}]: two ${String(role)} messages in a row`);
  });
  const turns = messages.filter(({ role }) => role !== 'system');
  if (turns.length === 0) found.push('no message');
  else if (turns[0]?.['role'] !== 'user') found.push('the first message is not of the user');
  if (turns.at(-1)?.['role'] === 'assistant') found.push("the last message is not of the user's side");
  return found;
}

function contentViolations(message: Wire): string[] {
  const { role, content } = message;
  switch (role) {
    case 'system':
    case 'tool':
      return typeof content === 'string' && !isBlank(content) ? [] : [`blank ${role} content`];
    case 'user':
      return userContentViolations(content);
    case 'assistant':
      if (typeof content === 'string') return isBlank(content) ? ['blank assistant content'] : [];
      if (content === null && callsOf(message).length > 0) return [];
      return ['an assistant message with neither text nor calls'];
    default:
      return [];
  }
}

function userContentViolations(content: unknown): string[] {
  if (typeof content === 'string') return isBlank(content) ? ['blank user content'] : [];
  if (!Array.isArray(content) || content.length === 0) return ['user content is neither text nor parts'];
  return content.flatMap((part: unknown) => {
    if (!isObject(part)) return ['a part is not an object'];
    if (part['type'] === 'text') {
      return typeof part['text'] === 'string' && !isBlank(part['text']) ? [] : ['a blank text part'];
    }
    if (part['type'] !== 'image_url') return [`unknown part ${String(part['type'])}`];
    const url = isObject(part['image_url']) ? part['image_url']['url'] : undefined;
    return typeof url === 'string' && /^data:image\/[\w.+-]+;base64,./.test(url)
      ? []
      : ['an image without its data'];
  });
}

const callsOf = (message: Wire): unknown[] =>
  Array.isArray(message['tool_calls']) ? message['tool_calls'] : [];

/** Each call is answered once, directly after its message; nothing else is. */
function pairViolations(messages: readonly Wire[], callId: RegExp): string[] {
  const found: string[] = [];
  const seen = new Set<unknown>();
  let waiting = new Set<unknown>();
  messages.forEach((message, index) => {
    const at = `messages[${index}]`;
    if (message['role'] === 'tool') {
      const id = message['tool_call_id'];
      if (!waiting.delete(id)) found.push(`${at}: a result without a call before it: ${String(id)}`);
      return;
    }
    if (waiting.size > 0) found.push(`${at}: calls without a result before it: ${[...waiting].join(', ')}`);
    waiting = new Set();
    if (message['tool_calls'] !== undefined && callsOf(message).length === 0)
      found.push(`${at}: empty tool_calls`);
    for (const call of callsOf(message)) {
      const id = isObject(call) ? call['id'] : undefined;
      if (typeof id !== 'string' || !callId.test(id)) found.push(`${at}: call id ${JSON.stringify(id)}`);
      if (seen.has(id)) found.push(`${at}: call id ${String(id)} is not unique`);
      seen.add(id);
      waiting.add(id);
      found.push(...callViolations(call).map((what) => `${at}: ${what}`));
    }
  });
  if (waiting.size > 0) found.push(`calls without a result: ${[...waiting].join(', ')}`);
  return found;
}

function callViolations(call: unknown): string[] {
  if (!isObject(call) || call['type'] !== 'function' || !isObject(call['function']))
    return ['a call is no function'];
  const { name, arguments: input } = call['function'];
  const found = typeof name === 'string' && NAME.test(name) ? [] : [`tool name ${JSON.stringify(name)}`];
  if (typeof input !== 'string') return [...found, 'arguments are not text'];
  try {
    if (!isObject(JSON.parse(input))) found.push('arguments are no object');
  } catch {
    found.push('arguments are no JSON');
  }
  return found;
}

function toolViolations(body: ChatBody, messages: readonly Wire[]): string[] {
  const found: string[] = [];
  const names = new Set<unknown>();
  if (body.tools?.length === 0) found.push('an empty list of tools');
  for (const tool of body.tools ?? []) {
    const fn = isObject(tool) ? tool['function'] : undefined;
    const name = isObject(fn) ? fn['name'] : undefined;
    if (typeof name !== 'string' || !NAME.test(name) || names.has(name))
      found.push(`tool ${JSON.stringify(name)}`);
    if (!isObject(fn) || !isObject(fn['parameters'])) found.push(`tool ${String(name)} without a schema`);
    names.add(name);
  }
  const hasCalls = messages.some((message) => message['role'] === 'tool' || callsOf(message).length > 0);
  if (hasCalls && names.size === 0) found.push('calls in the history, but no tools are defined');
  return found;
}

function alternationViolations(messages: readonly Wire[]): string[] {
  const plain = messages.filter((message) => {
    const role = message['role'];
    return role === 'user' || (role === 'assistant' && callsOf(message).length === 0);
  });
  return plain.flatMap(({ role }, index) =>
    (role === 'user') === (index % 2 === 0) ? [] : [`user and assistant do not alternate (${index})`],
  );
}

/** The request as it goes over the wire, by the letter of the reference. */
export function chatBody(request: ModelRequest): ChatBody {
  const system = isBlank(request.system) ? [] : [{ role: 'system', content: request.system }];
  const tools = request.tools.map(({ name, description, input_schema }) => ({
    type: 'function',
    function: { name, description, parameters: input_schema },
  }));
  const messages = [...system, ...request.messages.flatMap(wireMessages)];
  return tools.length === 0 ? { messages } : { messages, tools };
}

function wireMessages(message: ModelMessage): Wire[] {
  switch (message.role) {
    case 'user': {
      const [only, ...others] = message.parts;
      if (only?.type === 'text' && others.length === 0) return [{ role: 'user', content: only.text }];
      return [{ role: 'user', content: message.parts.map(wirePart) }];
    }
    case 'assistant': {
      const text = message.parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
      const calls = message.parts.flatMap((part) =>
        part.type === 'tool_call'
          ? [
              {
                id: part.call_id,
                type: 'function',
                function: { name: part.name, arguments: JSON.stringify(part.input) },
              },
            ]
          : [],
      );
      if (calls.length === 0) return [{ role: 'assistant', content: text }];
      return [{ role: 'assistant', content: text === '' ? null : text, tool_calls: calls }];
    }
    case 'tool':
      return message.parts.map(({ call_id, content }) => ({ role: 'tool', tool_call_id: call_id, content }));
  }
}

function wirePart(part: Extract<ModelMessage, { role: 'user' }>['parts'][number]): Wire {
  if (part.type === 'text') return { type: 'text', text: part.text };
  const data = Buffer.from(part.bytes).toString('base64');
  return { type: 'image_url', image_url: { url: `data:${part.mime};base64,${data}` } };
}
