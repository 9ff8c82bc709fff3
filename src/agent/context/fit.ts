/**
 * Makes a request fit the model's window and a provider's byte limit: old tool results are shortened first, then images
 * left out, then recent results shortened, at last the oldest exchanges left out. Whatever goes leaves a mark where it stood.
 */
import type { ModelMessage } from '../../ports.js';
import { hintOf } from './attachments.js';
import { headOf, tailOf } from './clean.js';
import { joinTexts } from './sequence.js';
import { add, sizeOfMessage, type Size } from './tokens.js';

/** How many of each were shortened or left out. */
export interface Trimmed {
  results: number;
  images: number;
  messages: number;
}

export interface Fitted {
  messages: ModelMessage[];
  /** False when even the least does not fit. */
  fits: boolean;
  trimmed: Trimmed;
}

/** Characters that are left of a result: of an old one at once, of those of the running step in turn. */
const OLD_RESULT = 600;
const RECENT_RESULT = { beforeImages: [40_000, 10_000], afterImages: [2_500, OLD_RESULT] };

/** What the marks of left-out messages take. */
const MARKS: Size = { tokens: 120, bytes: 600 };

export const leftOutText = (count: number): string =>
  `[${count} earlier ${count === 1 ? 'message was' : 'messages were'} left out here because they do not fit the model's window.]`;

const marker = (count: number): string =>
  `\n[… ${count} characters were left out here because they do not fit the model's window …]\n`;

/** Head and tail of a text around a mark, or the text itself when that would not be shorter. */
export function shorten(text: string, length: number): string {
  const head = headOf(text, Math.ceil((length * 2) / 3));
  const tail = tailOf(text, Math.floor(length / 3));
  const short = head + marker(text.length - head.length - tail.length) + tail;
  return short.length < text.length ? short : text;
}

export function fit(messages: readonly ModelMessage[], room: Size): Fitted {
  const fitting = new Fitting(messages, room);
  fitting.run();
  return fitting;
}

class Fitting implements Fitted {
  readonly messages: ModelMessage[];
  readonly trimmed: Trimmed = { results: 0, images: 0, messages: 0 };
  readonly #shortened = new Set<string>();
  #sizes: Size[];
  #total: Size = { tokens: 0, bytes: 0 };

  constructor(
    messages: readonly ModelMessage[],
    private readonly room: Size,
  ) {
    this.messages = [...messages];
    this.#sizes = messages.map(sizeOfMessage);
    for (const size of this.#sizes) this.#total = add(this.#total, size);
  }

  get fits(): boolean {
    return this.#total.tokens <= this.room.tokens && this.#total.bytes <= this.room.bytes;
  }

  run(): void {
    const batch = this.messages.findLastIndex(({ role }) => role === 'tool');
    const newestUser = this.messages.findLastIndex(({ role }) => role === 'user');
    const isRecent = (index: number): boolean => index === batch && batch > newestUser;
    for (let index = 0; index < this.messages.length && !this.fits; index++) {
      if (!isRecent(index)) this.#shortenResults(index, OLD_RESULT);
    }
    const shortenRecent = (length: number): void => {
      if (isRecent(batch) && !this.fits) this.#shortenResults(batch, length);
    };
    RECENT_RESULT.beforeImages.forEach(shortenRecent);
    for (let index = 0; index < this.messages.length && !this.fits; index++) this.#dropImages(index);
    RECENT_RESULT.afterImages.forEach(shortenRecent);
    if (!this.fits) this.#dropOldest();
  }

  #replace(index: number, message: ModelMessage): void {
    const before = this.#sizes[index] ?? { tokens: 0, bytes: 0 };
    const after = sizeOfMessage(message);
    this.messages[index] = message;
    this.#sizes[index] = after;
    this.#total = add(this.#total, {
      tokens: after.tokens - before.tokens,
      bytes: after.bytes - before.bytes,
    });
  }

  #shortenResults(index: number, length: number): void {
    const message = this.messages[index];
    if (message?.role !== 'tool') return;
    const parts = message.parts.map((part) => {
      const content = shorten(part.content, length);
      if (content !== part.content) this.#shortened.add(part.call_id);
      return { ...part, content };
    });
    this.trimmed.results = this.#shortened.size;
    this.#replace(index, { role: 'tool', parts });
  }

  #dropImages(index: number): void {
    const message = this.messages[index];
    if (message?.role !== 'user' || message.parts.every(({ type }) => type === 'text')) return;
    const parts = message.parts.map((part) => {
      if (part.type === 'text') return part;
      this.trimmed.images += 1;
      return hintOf(part);
    });
    this.#replace(index, { role: 'user', parts: joinTexts(parts) });
  }

  /**
   * Leaves out whole exchanges from the beginning, up to the newest user message; then steps that followed it, but the
   * last. The mark stands in the user message before the gap.
   */
  #dropOldest(): void {
    const newestUser = this.messages.findLastIndex(({ role }) => role === 'user');
    const opening = this.#dropUntil(0, newestUser, (role) => role === 'user');
    const user = this.messages[opening];
    if (this.trimmed.messages > 0 && user?.role === 'user')
      this.#mark(opening, this.trimmed.messages, 'before');
    if (this.fits) return;
    const dropped = this.trimmed.messages;
    const lastStep = this.messages.findLastIndex(({ role }) => role === 'assistant');
    this.#dropUntil(opening + 1, lastStep, (role) => role === 'assistant');
    if (this.trimmed.messages > dropped) this.#mark(opening, this.trimmed.messages - dropped, 'after');
  }

  /** Leaves out messages from `start` until it fits, stopping only where `isStart` says a message may follow; at most to `end`. */
  #dropUntil(start: number, end: number, isStart: (role: ModelMessage['role']) => boolean): number {
    let count = 0;
    let total = this.#total;
    const isEnough = (): boolean =>
      total.tokens + MARKS.tokens <= this.room.tokens && total.bytes + MARKS.bytes <= this.room.bytes;
    for (let index = start; index < end; index++) {
      const role = this.messages[index]?.role;
      if (role !== undefined && isStart(role) && isEnough()) break;
      const size = this.#sizes[index] ?? { tokens: 0, bytes: 0 };
      total = { tokens: total.tokens - size.tokens, bytes: total.bytes - size.bytes };
      count += 1;
    }
    this.messages.splice(start, count);
    this.#sizes.splice(start, count);
    this.#total = total;
    this.trimmed.messages += count;
    return start;
  }

  #mark(index: number, count: number, where: 'before' | 'after'): void {
    const message = this.messages[index];
    if (message?.role !== 'user') return;
    const mark = { type: 'text' as const, text: leftOutText(count) };
    const parts = joinTexts(where === 'before' ? [mark, ...message.parts] : [...message.parts, mark]);
    this.#replace(index, { role: 'user', parts });
  }
}
