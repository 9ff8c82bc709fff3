/**
 * A strict reading of Anthropic's messages: what the reference says, and what the service refuses beyond that (calls
 * without results, blank texts, ids that repeat, thinking out of its place, too many marks for the cache).
 */
import { isBlank, isObject, malformedStrings, toolNameViolations } from './rules.js';

type Wire = Record<string, unknown>;

const ID = /^[A-Za-z0-9_-]{1,64}$/;
const NAME = /^[A-Za-z0-9_-]{1,64}$/;
const MAX_CACHE_MARKS = 4;

interface Message {
  role: unknown;
  blocks: Wire[];
}

export function messagesViolations(body: Wire): string[] {
  const messages = messagesOf(body);
  if (messages === undefined) return ['messages is no list of messages with blocks'];
  return [
    ...malformedStrings(body).map((path) => `${path} is not well formed`),
    ...frameViolations(body),
    ...orderViolations(messages),
    ...messages.flatMap((message, index) =>
      contentViolations(message).map((what) => `messages[${index}]: ${what}`),
    ),
    ...pairViolations(messages),
    ...thinkingViolations(body, messages),
    ...toolViolations(body, messages),
    ...cacheViolations(body),
  ];
}

function messagesOf(body: Wire): Message[] | undefined {
  const list = Array.isArray(body['messages']) ? (body['messages'] as unknown[]) : [];
  const messages: Message[] = [];
  for (const message of list) {
    if (!isObject(message) || !Array.isArray(message['content'])) return undefined;
    const blocks = (message['content'] as unknown[]).filter(isObject);
    if (blocks.length !== message['content'].length) return undefined;
    messages.push({ role: message['role'], blocks });
  }
  return messages;
}

function frameViolations(body: Wire): string[] {
  const found: string[] = [];
  const max = body['max_tokens'];
  if (typeof max !== 'number' || !Number.isInteger(max) || max < 1) found.push('max_tokens is missing');
  if (body['stream'] !== true) found.push('it is no stream');
  const { system, thinking } = body;
  if (system !== undefined && (!Array.isArray(system) || system.some((block) => !isText(block)))) {
    found.push('system is no list of texts');
  }
  if (isObject(thinking) && thinking['type'] === 'enabled') {
    const budget = thinking['budget_tokens'];
    if (typeof budget !== 'number' || budget < 1024 || budget >= Number(max))
      found.push('the thinking budget');
  }
  return found;
}

const isText = (block: unknown): boolean =>
  isObject(block) && block['type'] === 'text' && typeof block['text'] === 'string' && !isBlank(block['text']);

function orderViolations(messages: readonly Message[]): string[] {
  const found: string[] = [];
  if (messages[0]?.role !== 'user') found.push('the first message is not of the user');
  if (messages.at(-1)?.role !== 'user') found.push('the last message is not of the user');
  messages.forEach(({ role, blocks }, index) => {
    if (role !== 'user' && role !== 'assistant') found.push(`messages[${index}]: unknown role`);
    if (role === messages[index - 1]?.role)
      found.push(`messages[${index}]: two ${String(role)} messages in a row`);
    if (blocks.length === 0) found.push(`messages[${index}]: empty`);
  });
  return found;
}

function contentViolations({ role, blocks }: Message): string[] {
  const found = blocks.flatMap((block) => blockViolations(block, role));
  const firstOther = blocks.findIndex(({ type }) => type !== 'tool_result');
  if (firstOther >= 0 && blocks.slice(firstOther).some(({ type }) => type === 'tool_result')) {
    found.push('a result behind something else');
  }
  return found;
}

function blockViolations(block: Wire, role: unknown): string[] {
  const type = String(block['type']);
  const place =
    role === 'user'
      ? ['text', 'image', 'document', 'tool_result']
      : ['text', 'thinking', 'redacted_thinking', 'tool_use'];
  if (!place.includes(type)) return [`${type} in a message of ${String(role)}`];
  switch (type) {
    case 'text':
      return isText(block) ? [] : ['a blank text'];
    case 'image':
    case 'document':
      return sourceViolations(block);
    case 'tool_result':
      return typeof block['content'] === 'string' && !isBlank(block['content'])
        ? []
        : ['a result without text'];
    case 'tool_use':
      return callViolations(block);
    case 'thinking':
      return typeof block['thinking'] === 'string' &&
        typeof block['signature'] === 'string' &&
        block['signature'] !== ''
        ? []
        : ['thinking without a signature'];
    default:
      return typeof block['data'] === 'string' ? [] : ['redacted thinking without data'];
  }
}

function sourceViolations({ source }: Wire): string[] {
  if (!isObject(source)) return ['a file without a source'];
  if (source['type'] === 'text') return isBlank(String(source['data'])) ? ['a blank document'] : [];
  const isBase64 = source['type'] === 'base64' && /^[A-Za-z0-9+/]+=*$/.test(String(source['data']));
  return isBase64 && /^(image\/(png|jpeg|gif|webp)|application\/pdf)$/.test(String(source['media_type']))
    ? []
    : ['a file of a kind that is not taken'];
}

function callViolations({ id, name, input }: Wire): string[] {
  const found: string[] = [];
  if (typeof id !== 'string' || !ID.test(id)) found.push(`call id ${JSON.stringify(id)}`);
  if (typeof name !== 'string' || !NAME.test(name)) found.push(`tool name ${JSON.stringify(name)}`);
  if (!isObject(input)) found.push('input is no object');
  return found;
}

/** The message behind calls answers each of them once, and nothing else. */
function pairViolations(messages: readonly Message[]): string[] {
  const found: string[] = [];
  const seen = new Set<unknown>();
  messages.forEach(({ blocks }, index) => {
    const before = messages[index - 1]?.blocks ?? [];
    const open = new Set(before.flatMap((block) => (block['type'] === 'tool_use' ? [block['id']] : [])));
    for (const block of blocks) {
      if (block['type'] === 'tool_result' && !open.delete(block['tool_use_id'])) {
        found.push(`messages[${index}]: a result without a call: ${String(block['tool_use_id'])}`);
      }
      if (block['type'] !== 'tool_use') continue;
      if (seen.has(block['id']))
        found.push(`messages[${index}]: call id ${String(block['id'])} is not unique`);
      seen.add(block['id']);
    }
    if (open.size > 0) found.push(`messages[${index}]: no result for ${[...open].join(', ')}`);
  });
  return found;
}

const isThinking = (block: Wire | undefined): boolean => /thinking$/.test(String(block?.['type']));

function thinkingViolations(body: Wire, messages: readonly Message[]): string[] {
  const found: string[] = [];
  messages.forEach(({ role, blocks }, index) => {
    if (role !== 'assistant' || !blocks.some(isThinking)) return;
    if (!isThinking(blocks[0])) found.push(`messages[${index}]: thinking that is not the first block`);
    if (isThinking(blocks.at(-1))) found.push(`messages[${index}]: thinking is the last block`);
  });
  const { thinking } = body;
  if (!isObject(thinking) || thinking['type'] !== 'enabled') return found;
  const last = messages.at(-1);
  const asking = messages.at(-2);
  const isInLoop = last?.blocks.some(({ type }) => type === 'tool_result') === true;
  if (isInLoop && asking?.role === 'assistant' && !isThinking(asking.blocks[0])) {
    found.push('thinking is on, but the calls that are answered have none');
  }
  return found;
}

function toolViolations(body: Wire, messages: readonly Message[]): string[] {
  const tools = Array.isArray(body['tools']) ? (body['tools'] as unknown[]) : [];
  const found = toolNameViolations(tools.map((tool) => (isObject(tool) ? tool['name'] : undefined)));
  for (const tool of tools) {
    const schema = isObject(tool) ? tool['input_schema'] : undefined;
    if (!isObject(schema) || schema['type'] !== 'object') found.push('a tool whose input is no object');
  }
  const hasCalls = messages.some(({ blocks }) => blocks.some(({ type }) => type === 'tool_use'));
  if (hasCalls && tools.length === 0) found.push('calls in the history, but no tools are defined');
  return found;
}

function cacheViolations(body: Wire): string[] {
  const marks = countMarks(body);
  return marks > MAX_CACHE_MARKS ? [`${marks} marks for the cache`] : [];
}

export const countMarks = (value: unknown): number => {
  if (typeof value !== 'object' || value === null) return 0;
  return Object.entries(value).reduce(
    (sum, [key, item]) => sum + (key === 'cache_control' && isObject(item) ? 1 : countMarks(item)),
    0,
  );
};
