/** The text that streams now, put together from deltas by offset. */
import type { GrowingView, ToWebview } from '../src/shared/protocol.js';

type Delta = Extract<ToWebview, { type: 'growing' }>;

export class Growing {
  #view: GrowingView | null = null;
  /** The attempt that ended last: what still comes of it is late. */
  #ended: string | null = null;

  /** What can be shown: half of a character that came split waits for its other half. */
  view(): GrowingView | null {
    const view = this.#view;
    return view === null ? null : { ...view, text: whole(view.text), reasoning: whole(view.reasoning) };
  }

  reset(view: GrowingView | null): void {
    this.#view = view;
    this.#ended = null;
  }

  /** False when something between is missing. */
  grow(delta: Delta): boolean {
    if (delta.attempt_id === this.#ended) return true;
    const before = this.#view?.attempt_id === delta.attempt_id ? this.#view : { text: '', reasoning: '' };
    const text = join(before.text, delta.offset, delta.delta);
    const reasoning = join(before.reasoning, delta.reasoning_offset, delta.reasoning_delta);
    if (text === undefined || reasoning === undefined) return false;
    const { attempt_id, turn_id, step, calls } = delta;
    this.#view = { attempt_id, turn_id, step, text, reasoning, calls };
    return true;
  }

  end(attemptId: string): void {
    this.#ended = attemptId;
    if (this.#view?.attempt_id === attemptId) this.#view = null;
  }
}

const whole = (text: string): string =>
  isHighSurrogate(text.charCodeAt(text.length - 1)) ? text.slice(0, -1) : text;

const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdbff;

function join(text: string, offset: number, delta: string): string | undefined {
  if (offset > text.length) return undefined;
  return (offset === text.length ? text : text.slice(0, offset)) + delta;
}
