/** A question of the model that waits by itself: what the person writes next is its answer. */
import type { PendingApproval } from './fold/types.js';

export const QUESTION_TOOL = 'ask';

/**
 * The call that a message answers; undefined when anything else waits too, or nothing does. An answer is words alone:
 * what brings a file or a skill along is a message like any other.
 */
export function answeredBy(
  { mentions }: { mentions: readonly unknown[] },
  approvals: readonly PendingApproval[],
): string | undefined {
  const [first, ...others] = approvals;
  if (mentions.length > 0 || others.length > 0 || first?.tool !== QUESTION_TOOL) return undefined;
  return first.call_id;
}
