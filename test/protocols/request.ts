/** Rules for the neutral request that hold for every protocol behind it (Anthropic's, Gemini's and OpenAI's stricter ones). */
import type { ModelInfo, ModelRequest } from '../../src/ports.js';
import { isBlank, isObject, malformedStrings } from './rules.js';

export function requestViolations(request: ModelRequest, model: ModelInfo): string[] {
  const { messages } = request;
  const found = malformedStrings(request).map((path) => `${path} is not well formed`);
  if (messages[0]?.role !== 'user') found.push('does not start with a user message');
  if (messages.at(-1)?.role === 'assistant') found.push("does not end on the user's side");
  messages.forEach((message, index) => {
    const at = `messages[${index}]`;
    const before = messages[index - 1];
    if (message.role === before?.role) found.push(`${at}: two ${message.role} messages in a row`);
    if (message.parts.length === 0) found.push(`${at}: empty`);
    if (message.role === 'assistant') found.push(...assistantViolations(message, messages[index + 1], at));
    if (message.role === 'tool') {
      if (before?.role !== 'assistant') found.push(`${at}: results without calls`);
      if (message.parts.some(({ content }) => isBlank(content))) found.push(`${at}: a blank result`);
    }
    if (message.role === 'user') {
      if (message.parts.some((part) => part.type === 'text' && isBlank(part.text)))
        found.push(`${at}: blank text`);
      if (model.images === false && message.parts.some(({ type }) => type !== 'text'))
        found.push(`${at}: an image`);
    }
  });
  return found;
}

type Message = ModelRequest['messages'][number];

function assistantViolations(
  message: Extract<Message, { role: 'assistant' }>,
  next: Message | undefined,
  at: string,
): string[] {
  const found: string[] = [];
  const calls = message.parts.filter((part) => part.type === 'tool_call');
  const answers = next?.role === 'tool' ? next.parts : [];
  // Gemini wants as many responses as calls, in the same order.
  const isPaired =
    calls.length === answers.length &&
    calls.every(
      (call, index) => call.call_id === answers[index]?.call_id && call.name === answers[index]?.name,
    );
  if (!isPaired) found.push(`${at}: calls and results are not the same`);
  if (message.parts.every((part) => part.type === 'reasoning')) found.push(`${at}: nothing but reasoning`);
  if (message.parts.some((part) => part.type === 'text' && isBlank(part.text)))
    found.push(`${at}: blank text`);
  if (calls.some((call) => !isObject(call.input))) found.push(`${at}: input is no object`);
  return found;
}
