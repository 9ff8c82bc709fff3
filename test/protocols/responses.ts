/**
 * A strict reading of OpenAI's responses, stateless: what the reference says of the input items, and what the service
 * refuses beyond that (outputs without calls, reasoning without what it led to, items that were never stored).
 */
import { isBlank, isObject, malformedStrings, toolNameViolations } from './rules.js';

type Wire = Record<string, unknown>;

const CALL_ID = /^[A-Za-z0-9_-]{1,64}$/;
const NAME = /^[A-Za-z0-9_-]{1,64}$/;

export function responsesViolations(body: Wire): string[] {
  const input = Array.isArray(body['input']) ? (body['input'] as unknown[]) : [];
  const items = input.filter(isObject);
  if (items.length !== input.length || items.length === 0) return ['the input is no list of items'];
  return [
    ...malformedStrings(body).map((path) => `${path} is not well formed`),
    ...statelessViolations(body, items),
    ...items.flatMap((item, index) => itemViolations(item).map((what) => `input[${index}]: ${what}`)),
    ...pairViolations(items),
    ...reasoningViolations(items),
    ...endViolations(items),
    ...toolViolations(body, items),
  ];
}

const typeOf = (item: Wire): unknown => item['type'] ?? (item['role'] === undefined ? undefined : 'message');

function statelessViolations(body: Wire, items: readonly Wire[]): string[] {
  const found: string[] = [];
  if (body['store'] !== false) found.push('the response would be stored');
  if (body['stream'] !== true) found.push('it is no stream');
  if (body['previous_response_id'] != null || body['conversation'] != null)
    found.push('refers to stored state');
  if (items.some((item) => item['type'] === 'item_reference')) found.push('refers to a stored item');
  const include = Array.isArray(body['include']) ? body['include'] : [];
  if (body['reasoning'] !== undefined && !include.includes('reasoning.encrypted_content')) {
    found.push('reasoning is asked for, but not so that it can be sent back');
  }
  return found;
}

function itemViolations(item: Wire): string[] {
  switch (typeOf(item)) {
    case 'message':
      return messageViolations(item);
    case 'function_call':
      return callViolations(item);
    case 'function_call_output':
      return typeof item['output'] === 'string' && !isBlank(item['output']) ? [] : ['an output without text'];
    case 'reasoning':
      if (!Array.isArray(item['summary'])) return ['reasoning without a summary list'];
      return typeof item['encrypted_content'] === 'string' && item['encrypted_content'] !== ''
        ? []
        : ['reasoning that was not stored and is not sealed'];
    default:
      return [`unknown item ${String(item['type'])}`];
  }
}

function messageViolations({ role, content }: Wire): string[] {
  switch (role) {
    case 'system':
    case 'developer':
    case 'assistant':
      return typeof content === 'string' && !isBlank(content) ? [] : [`blank ${role} content`];
    case 'user':
      if (!Array.isArray(content) || content.length === 0) return ['user content is no list of parts'];
      return (content as unknown[]).flatMap(userPartViolations);
    default:
      return [`unknown role ${String(role)}`];
  }
}

function userPartViolations(part: unknown): string[] {
  if (!isObject(part)) return ['a part is not an object'];
  switch (part['type']) {
    case 'input_text':
      return typeof part['text'] === 'string' && !isBlank(part['text']) ? [] : ['a blank text'];
    case 'input_image':
      return /^data:image\/[\w.+-]+;base64,./.test(String(part['image_url']))
        ? []
        : ['an image without data'];
    case 'input_file':
      return /^data:application\/pdf;base64,./.test(String(part['file_data'])) ? [] : ['a file without data'];
    default:
      return [`unknown part ${String(part['type'])}`];
  }
}

function callViolations({ call_id, name, arguments: input }: Wire): string[] {
  const found: string[] = [];
  if (typeof call_id !== 'string' || !CALL_ID.test(call_id)) found.push(`call id ${JSON.stringify(call_id)}`);
  if (typeof name !== 'string' || !NAME.test(name)) found.push(`tool name ${JSON.stringify(name)}`);
  if (typeof input !== 'string') return [...found, 'arguments are not text'];
  try {
    if (!isObject(JSON.parse(input))) found.push('arguments are no object');
  } catch {
    found.push('arguments are no JSON');
  }
  return found;
}

/** Every call has one output behind it, and every output a call before it. */
function pairViolations(items: readonly Wire[]): string[] {
  const found: string[] = [];
  const open = new Set<unknown>();
  const seen = new Set<unknown>();
  for (const item of items) {
    const id = item['call_id'];
    if (item['type'] === 'function_call') {
      if (seen.has(id)) found.push(`call id ${String(id)} is not unique`);
      seen.add(id);
      open.add(id);
    } else if (item['type'] === 'function_call_output') {
      if (!open.delete(id)) found.push(`an output without a call: ${String(id)}`);
    } else if (open.size > 0 && item['role'] === 'user') {
      found.push(`a user message before the output of ${[...open].join(', ')}`);
    }
  }
  if (open.size > 0) found.push(`no output for ${[...open].join(', ')}`);
  return found;
}

function reasoningViolations(items: readonly Wire[]): string[] {
  const ids = new Set<unknown>();
  return items.flatMap((item, index) => {
    if (item['type'] !== 'reasoning') return [];
    const found: string[] = [];
    const { id } = item;
    if (id !== undefined && ids.has(id))
      found.push(`input[${index}]: item id ${JSON.stringify(id)} is not unique`);
    ids.add(id);
    const next = items[index + 1];
    const isFollowed =
      next !== undefined &&
      (next['type'] === 'reasoning' || next['type'] === 'function_call' || next['role'] === 'assistant');
    if (!isFollowed) found.push(`input[${index}]: reasoning without what it led to`);
    return found;
  });
}

function endViolations(items: readonly Wire[]): string[] {
  const last = items.at(-1);
  const isUserSide = last?.['role'] === 'user' || last?.['type'] === 'function_call_output';
  return isUserSide ? [] : ["the last item is not of the user's side"];
}

function toolViolations(body: Wire, items: readonly Wire[]): string[] {
  const tools = Array.isArray(body['tools']) ? (body['tools'] as unknown[]) : [];
  const found = toolNameViolations(tools.map((tool) => (isObject(tool) ? tool['name'] : undefined)));
  for (const tool of tools.filter(isObject)) {
    if (tool['type'] !== 'function' || !isObject(tool['parameters'])) found.push('a tool without a schema');
    if (tool['strict'] !== false) found.push('a schema that is strict by default');
  }
  if (tools.length === 0 && items.some((item) => item['type'] === 'function_call')) {
    found.push('calls in the history, but no tools are defined');
  }
  return found;
}
