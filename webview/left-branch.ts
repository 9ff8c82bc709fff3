/** What was left when another line was shown: from its first own message to its end. */
import type { Outline } from '../src/shared/fold/outline.js';
import { OutlineFlag } from '../src/shared/fold/types.js';

export interface LeftBranch {
  from_id: string;
  to_id: string;
  /** Its first prompt. */
  prompt?: string;
  /** Prompts and answers of it. */
  messages: number;
  /** It was the last turn, which was undone. */
  isUndone?: true;
}

/** null: nothing was left that a model was told, or all of it stands on the new line too. */
export function leftBranch(outline: Outline, before: string | null, after: string | null): LeftBranch | null {
  const kept = new Set(outline.path(outline.ordinal(after)));
  const left = outline.path(outline.ordinal(before)).filter((ordinal) => !kept.has(ordinal));
  const nodes = left.map((ordinal) => outline.nodes[ordinal]).filter((node) => node !== undefined);
  const messages = nodes.filter(
    ([, , , flags]) => (flags & (OutlineFlag.user | OutlineFlag.assistant)) !== 0,
  );
  const first = nodes[0];
  const last = nodes.at(-1);
  if (first === undefined || last === undefined || messages.length === 0) return null;
  const prompt = nodes.find(([, , , flags]) => (flags & OutlineFlag.user) !== 0)?.[0];
  return {
    ...{ from_id: first[0], to_id: last[0], messages: messages.length },
    ...(prompt === undefined ? {} : { prompt }),
  };
}
