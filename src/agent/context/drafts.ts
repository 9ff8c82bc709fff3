/**
 * What was said → messages. Every call gets exactly one result directly after its message, whatever the log holds:
 * results wait for nothing that stands between, those without a call are left out, of several the first counts.
 */
import type { Message, Part, SkillLoad, ToolCallPart } from '../../shared/entry.js';
import type { ModelInfo, ModelMessage } from '../../ports.js';
import { messagesWithImages, type Attachments, type UserPart } from './attachments.js';
import { cleanInput, cleanMetadata, cleanToolName, isBlank } from './clean.js';
import type { CallFacts } from './facts.js';
import type { Said } from './select.js';

export type AssistantPart = Extract<ModelMessage, { role: 'assistant' }>['parts'][number];

/** Stands for what a tool gave when it gave nothing: some providers refuse an empty result. */
const NO_OUTPUT = '(no output)';

/** One call and its result, until ids are given. */
export interface Slot {
  call: ToolCallPart;
  answer: { content: string; is_error: boolean } | null;
}

export type Draft =
  { role: 'user'; parts: UserPart[] } | { role: 'assistant'; parts: AssistantPart[]; slots: Slot[] };

export class Drafts {
  readonly messages: Draft[] = [];
  readonly #waiting = new Map<string, Slot[]>();
  readonly #withImages: ReadonlySet<Message>;
  readonly #hasAuthors: boolean;

  constructor(
    said: readonly Said[],
    private readonly model: ModelInfo,
    private readonly facts: CallFacts,
    private readonly attachments: Attachments,
  ) {
    this.#withImages = messagesWithImages(said);
    this.#hasAuthors = hasSeveralAuthors(said);
    for (const item of said) this.#add(item);
  }

  #add(item: Said): void {
    switch (item.kind) {
      case 'summary':
        return this.#user([{ type: 'text', text: item.text }]);
      case 'skill':
        return this.#user([{ type: 'text', text: skillText(item.entry, this.attachments) }]);
      case 'message':
        return this.#message(item.entry);
    }
  }

  #message(entry: Message): void {
    switch (entry.role) {
      case 'user':
        return this.#user(this.#withAuthor(entry, this.#userParts(entry)));
      case 'system':
        return this.#user([{ type: 'text', text: '[System message]' }, ...this.#userParts(entry)]);
      case 'assistant':
        return this.#assistant(entry);
      case 'tool':
        return this.#results(entry);
    }
  }

  #user(parts: UserPart[]): void {
    const said = parts.filter((part) => part.type !== 'text' || !isBlank(part.text));
    const wellFormed = said.map((part) =>
      part.type === 'text' ? { type: 'text' as const, text: part.text.toWellFormed() } : part,
    );
    if (wellFormed.length > 0) this.messages.push({ role: 'user', parts: wellFormed });
  }

  #userParts(entry: Message): UserPart[] {
    return entry.parts.flatMap((part): UserPart[] => {
      if (part.type === 'text') return [{ type: 'text', text: this.attachments.text(part) }];
      if (part.type !== 'image' && part.type !== 'file') return [];
      return [this.attachments.file(part, this.#withImages.has(entry))];
    });
  }

  #withAuthor(entry: Message, parts: UserPart[]): UserPart[] {
    const { author } = entry;
    if (!this.#hasAuthors || author === undefined) return parts;
    const name = (author.name ?? '').trim() || author.id;
    const prefix = `${name.replace(/\s+/g, ' ')}: `;
    const first = parts.findIndex((part) => part.type === 'text' && !isBlank(part.text));
    const text = parts[first];
    if (text?.type !== 'text') return parts.length === 0 ? parts : [{ type: 'text', text: prefix }, ...parts];
    return parts.with(first, { type: 'text', text: prefix + text.text });
  }

  #assistant(entry: Message): void {
    const isOwn = entry.provider === this.model.provider && entry.model === this.model.id;
    const parts: AssistantPart[] = [];
    const slots: Slot[] = [];
    for (const part of entry.parts) {
      const sent = this.#assistantPart(part, isOwn);
      if (sent !== null) parts.push(sent);
      if (sent?.type === 'tool_call') slots.push({ call: sent, answer: null });
    }
    // Reasoning that nothing followed is no answer, and refused by those who check it.
    if (parts.every((part) => part.type === 'reasoning')) return;
    for (const slot of slots) {
      const same = this.#waiting.get(slot.call.call_id);
      if (same === undefined) this.#waiting.set(slot.call.call_id, [slot]);
      else same.push(slot);
    }
    this.messages.push({ role: 'assistant', parts, slots });
  }

  #assistantPart(part: Part, isOwn: boolean): AssistantPart | null {
    const metadata =
      isOwn && 'provider_metadata' in part && part.provider_metadata !== undefined
        ? { provider_metadata: cleanMetadata(part.provider_metadata) }
        : {};
    switch (part.type) {
      case 'text': {
        const text = this.attachments.text(part).toWellFormed();
        return isBlank(text) ? null : { type: 'text', text, ...metadata };
      }
      case 'reasoning': {
        if (!isOwn) return null;
        const text = this.attachments.text(part).toWellFormed();
        const { signature } = part;
        const isEmpty = isBlank(text) && signature === undefined && !('provider_metadata' in metadata);
        return isEmpty
          ? null
          : { type: 'reasoning', text, ...(signature === undefined ? {} : { signature }), ...metadata };
      }
      case 'tool_call':
        return { ...callOf(part, cleanInput(this.attachments.input(part))), ...metadata };
      case 'tool_result':
      case 'image':
      case 'file':
        return null;
    }
  }

  #results(entry: Message): void {
    const images: UserPart[] = [];
    for (const part of entry.parts) {
      if (part.type === 'image' || part.type === 'file') {
        images.push(this.attachments.file(part, this.#withImages.has(entry)));
      }
      if (part.type !== 'tool_result') continue;
      const slot = this.#waiting.get(part.call_id)?.shift();
      if (slot === undefined) continue;
      const content = this.attachments.result(part).toWellFormed();
      const edited = this.facts.editedNote(part.call_id);
      slot.answer = { content: edited + (isBlank(content) ? NO_OUTPUT : content), is_error: part.is_error };
    }
    this.#user(images);
  }

  /** The answer of a call, or what is said in its place. */
  answerOf(slot: Slot): { content: string; is_error: boolean } {
    return slot.answer ?? { content: this.facts.standIn(slot.call.call_id), is_error: true };
  }
}

function callOf(part: ToolCallPart, input: Record<string, unknown>): ToolCallPart {
  const { call_id, provider_call_id } = part;
  const name = cleanToolName(part.name);
  const call: ToolCallPart = { type: 'tool_call', call_id, name, input };
  return provider_call_id === undefined ? call : { ...call, provider_call_id };
}

function skillText(skill: SkillLoad, attachments: Attachments): string {
  const body = attachments.text({ text: skill.body, blob: skill.blob, preview: skill.preview });
  const base = skill.resource_base === undefined ? '' : `\n\nIts files lie in ${skill.resource_base}.`;
  return `[Skill "${skill.name}": ${skill.description}]\n\n${body}${base}`;
}

function hasSeveralAuthors(said: readonly Said[]): boolean {
  const authors = new Set<string>();
  for (const item of said) {
    if (item.kind === 'message' && item.entry.role === 'user' && item.entry.author !== undefined) {
      authors.add(item.entry.author.id);
    }
  }
  return authors.size > 1;
}
