/** Builds logs for tests: entries with readable ids, in file order, following the head unless told otherwise. */
import type { Part, ToolCallPart, ToolResultPart } from '../../../src/shared/entry.js';
import { isConversation, type Draft, type Entry } from '../../../src/shared/notes.js';
import { SessionFold } from '../../../src/shared/fold/session-fold.js';

type Shape = Draft & { id?: string; parent_id?: string | null };

export const text = (value: string): Part => ({ type: 'text', text: value });

export const call = (call_id: string, name = 'read', input: unknown = { path: 'a.ts' }): ToolCallPart => ({
  type: 'tool_call',
  call_id,
  name,
  input,
});

export const result = (call_id: string, content = 'ok', is_error = false): ToolResultPart => ({
  type: 'tool_result',
  call_id,
  name: 'read',
  content,
  is_error,
});

/** A log that grows. `head` follows the format's rule, so that `parent_id` can be left out. */
export class LogBuilder {
  readonly entries: Entry[] = [];
  head: string | null = null;
  #count = 0;

  add(...drafts: Shape[]): this {
    for (const draft of drafts) {
      this.#count += 1;
      const entry = {
        parent_id: this.head,
        ...draft,
        id: draft.id ?? `n${this.#count}`,
        timestamp: new Date(1_700_000_000_000 + this.#count * 1000).toISOString(),
      } as Entry;
      this.entries.push(entry);
      if (isConversation(entry)) this.head = entry.id;
      if (entry.type === 'head') this.head = entry.entry_id;
    }
    return this;
  }

  user(id: string, words = id, more: object = {}): this {
    return this.add({ type: 'message', role: 'user', parts: [text(words)], id, ...more });
  }

  assistant(id: string, parts: Part[] | string = id, more: object = {}): this {
    const list = typeof parts === 'string' ? [text(parts)] : parts;
    return this.add({ type: 'message', role: 'assistant', parts: list, id, ...more });
  }

  tool(id: string, parts: ToolResultPart[], more: object = {}): this {
    return this.add({ type: 'message', role: 'tool', parts, id, ...more });
  }

  go(entry_id: string | null): this {
    return this.add({ type: 'head', entry_id });
  }

  fold(): SessionFold {
    return foldOf(this.entries);
  }
}

export function foldOf(entries: readonly Entry[]): SessionFold {
  const fold = new SessionFold();
  entries.forEach((entry, position) => fold.add(entry, position));
  return fold;
}

export const placed = (entries: readonly Entry[]): { position: number; entry: Entry }[] =>
  entries.map((entry, position) => ({ position, entry }));
