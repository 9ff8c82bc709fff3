/**
 * What a view was sent of the text that streams, and what it lacks: deltas by offset, so that a lost or doubled message
 * shows and nothing is sent twice.
 */
import type { GrowingView, ToWebview } from '../../shared/protocol.js';

export type GrowingMessage = Extract<ToWebview, { type: 'growing' }>;

interface Sent {
  attempt_id: string;
  text: number;
  reasoning: number;
  calls: string;
}

export class Growth {
  private sent: Sent | null = null;

  constructor(private readonly session: string) {}

  /** The next message for what has grown, or undefined when the view has everything. */
  advance(growing: GrowingView | null): GrowingMessage | undefined {
    if (growing === null) return undefined;
    const before = this.sent?.attempt_id === growing.attempt_id ? this.sent : undefined;
    const now = markOf(growing);
    if (before && isSame(before, now)) return undefined;
    this.sent = now;
    // Text that became shorter is another text: begin again.
    const offset = before && before.text <= now.text ? before.text : 0;
    const reasoningOffset = before && before.reasoning <= now.reasoning ? before.reasoning : 0;
    return {
      type: 'growing',
      session: this.session,
      attempt_id: growing.attempt_id,
      turn_id: growing.turn_id,
      step: growing.step,
      offset,
      delta: growing.text.slice(offset),
      reasoning_offset: reasoningOffset,
      reasoning_delta: growing.reasoning.slice(reasoningOffset),
      calls: growing.calls,
    };
  }

  /** The view was sent `growing` whole, in a snapshot. */
  reset(growing: GrowingView | null): void {
    this.sent = growing === null ? null : markOf(growing);
  }
}

function markOf({ attempt_id, text, reasoning, calls }: GrowingView): Sent {
  return { attempt_id, text: text.length, reasoning: reasoning.length, calls: JSON.stringify(calls) };
}

function isSame(a: Sent, b: Sent): boolean {
  return a.text === b.text && a.reasoning === b.reasoning && a.calls === b.calls;
}
