/**
 * Drafts → messages in an order every protocol takes: user first, roles that alternate, results directly after their
 * calls, the user's side last. What is put in for that is never stored.
 */
import type { ModelMessage } from '../../ports.js';
import type { ToolCallPart } from '../../shared/entry.js';
import type { UserPart } from './attachments.js';
import type { Dialect } from './dialect.js';
import type { AssistantPart, Draft, Drafts, Slot } from './drafts.js';

/** Told to the model when the path does not end on the user's side. */
export const CONTINUE_TEXT = 'Continue.';
/** Stands first when the path begins with something else than a user message. */
export const BEGIN_TEXT = '(The conversation begins here.)';
/** Stands between a result and a user message for models that want it so. */
export const PAUSE_TEXT = '(No answer: the turn ended here.)';

const userSaying = (text: string): ModelMessage => ({ role: 'user', parts: [{ type: 'text', text }] });

export function sequence(drafts: Drafts, dialect: Dialect, hasTools: boolean): ModelMessage[] {
  const messages: ModelMessage[] = [];
  const ids = new CallIds(dialect);
  for (const draft of drafts.messages) {
    for (const message of messagesOf(draft, drafts, ids, hasTools)) place(messages, message, dialect);
  }
  const last = messages.at(-1);
  if (last === undefined || last.role === 'assistant') messages.push(userSaying(CONTINUE_TEXT));
  return messages;
}

/** Appends `message` with what must stand before it; joins what the same side says in a row. */
function place(messages: ModelMessage[], message: ModelMessage, dialect: Dialect): void {
  const last = messages.at(-1);
  if (message.role === 'user' && last?.role === 'user') {
    last.parts = joinTexts([...last.parts, ...message.parts]);
    return;
  }
  if (message.role === 'user' && last?.role === 'tool' && dialect.answersResults) {
    messages.push({ role: 'assistant', parts: [{ type: 'text', text: PAUSE_TEXT }] });
  }
  if (message.role === 'assistant' && (last === undefined || last.role === 'assistant')) {
    // An answer to an answer was asked for by the same words when it was made.
    messages.push(userSaying(last === undefined ? BEGIN_TEXT : CONTINUE_TEXT));
  }
  messages.push(message);
}

/** Texts in a row as one: not every server takes a list of them. */
export function joinTexts(parts: readonly UserPart[]): UserPart[] {
  const joined: UserPart[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (part.type === 'text' && last?.type === 'text') {
      joined[joined.length - 1] = { type: 'text', text: `${last.text}\n\n${part.text}` };
    } else joined.push(part);
  }
  return joined;
}

function messagesOf(draft: Draft, drafts: Drafts, ids: CallIds, hasTools: boolean): ModelMessage[] {
  if (draft.role === 'user') return [{ role: 'user', parts: joinTexts(draft.parts) }];
  if (draft.slots.length === 0) return [{ role: 'assistant', parts: draft.parts }];
  if (!hasTools) return asText(draft.parts, draft.slots, drafts);
  const given = new Map(draft.slots.map((slot) => [slot.call, ids.give(slot.call)]));
  const parts = draft.parts.map((part) => (part.type === 'tool_call' ? withId(part, given) : part));
  const results = draft.slots.map((slot) => ({
    call_id: given.get(slot.call) ?? slot.call.call_id,
    name: slot.call.name,
    ...drafts.answerOf(slot),
  }));
  return [
    { role: 'assistant', parts },
    { role: 'tool', parts: results },
  ];
}

function withId(call: ToolCallPart, given: ReadonlyMap<ToolCallPart, string>): ToolCallPart {
  const { provider_call_id: _, ...rest } = call;
  return { ...rest, call_id: given.get(call) ?? call.call_id };
}

/** Calls and results as text, for a request that offers no tools: protocols refuse calls of tools it does not define. */
function asText(parts: readonly AssistantPart[], slots: readonly Slot[], drafts: Drafts): ModelMessage[] {
  const said = parts.map((part): AssistantPart =>
    part.type === 'tool_call'
      ? { type: 'text', text: `[Called ${part.name} with ${JSON.stringify(part.input)}]` }
      : part,
  );
  const answers = slots.map((slot): UserPart => {
    const { content, is_error } = drafts.answerOf(slot);
    return { type: 'text', text: `[${is_error ? 'Error' : 'Result'} of ${slot.call.name}]\n${content}` };
  });
  return [
    { role: 'assistant', parts: said },
    { role: 'user', parts: joinTexts(answers) },
  ];
}

/**
 * Ids as they are sent: the provider's own when it is valid and not taken, else made from ours. Given in order, so that
 * what was sent before is sent again unchanged when the path goes on.
 */
class CallIds {
  readonly #taken = new Set<string>();

  constructor(private readonly dialect: Dialect) {}

  give(call: ToolCallPart): string {
    const id =
      [call.provider_call_id, call.call_id].find((wanted) => this.#isFree(wanted)) ?? this.#make(call);
    this.#taken.add(id);
    return id;
  }

  #isFree(id: string | undefined): id is string {
    return id !== undefined && this.dialect.validId.test(id) && !this.#taken.has(id);
  }

  #make(call: ToolCallPart): string {
    const length = this.dialect.idLength;
    const stem = call.call_id.replace(/[^A-Za-z0-9]/g, '').padEnd(length, '0');
    for (let count = this.#taken.size; ; count++) {
      const suffix = count.toString(36);
      const plain = stem.slice(0, length);
      const id = this.#isFree(plain) ? plain : stem.slice(0, length - suffix.length) + suffix;
      if (this.#isFree(id)) return id;
    }
  }
}
