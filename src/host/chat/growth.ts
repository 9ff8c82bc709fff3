/**
 * What a view was sent of the text that streams, and what it lacks: deltas by offset, so that a lost or doubled message
 * shows and nothing is sent twice.
 */
import type { GrowingView, ToWebview } from '../../shared/protocol.js';

export type GrowingMessage = Extract<ToWebview, { type: 'growing' }>;

export interface Growth {
  /** The next message for what has grown, or undefined when the view has everything. */
  advance(growing: GrowingView | null): GrowingMessage | undefined;
  /** The view was sent `growing` whole, in a snapshot. */
  reset(growing: GrowingView | null): void;
}

export function createGrowth(session: string): Growth {
  let sent: { attempt_id: string; text: number; reasoning: number; calls: string } | null = null;
  const mark = (growing: GrowingView) => ({
    attempt_id: growing.attempt_id,
    text: growing.text.length,
    reasoning: growing.reasoning.length,
    calls: JSON.stringify(growing.calls),
  });
  return {
    advance(growing) {
      if (growing === null) return undefined;
      const before =
        sent?.attempt_id === growing.attempt_id
          ? sent
          : { attempt_id: '', text: 0, reasoning: 0, calls: '[]' };
      const now = mark(growing);
      const isKnown = before.attempt_id !== '';
      if (
        isKnown &&
        now.text === before.text &&
        now.reasoning === before.reasoning &&
        now.calls === before.calls
      )
        return undefined;
      // Text that became shorter is another text: begin again.
      const offset = now.text < before.text ? 0 : before.text;
      const reasoningOffset = now.reasoning < before.reasoning ? 0 : before.reasoning;
      sent = now;
      return {
        type: 'growing',
        session,
        attempt_id: growing.attempt_id,
        turn_id: growing.turn_id,
        step: growing.step,
        offset,
        delta: growing.text.slice(offset),
        reasoning_offset: reasoningOffset,
        reasoning_delta: growing.reasoning.slice(reasoningOffset),
        calls: growing.calls,
      };
    },
    reset(growing) {
      sent = growing === null ? null : mark(growing);
    },
  };
}
