/** The drafts a turn is made of. */
import type { ToolOutcome, Usage } from '../ports.js';
import type { EarlierTry, IncompleteReason, ToolCallPart } from '../shared/entry.js';
import type { Failure } from '../shared/failure.js';
import type { Draft } from '../shared/notes.js';
import type { Partial } from './core.js';
import { isBlank } from './partial.js';
import type { TriedText } from './types.js';

export type DraftOfType<T extends Draft['type']> = Extract<Draft, { type: T }>;

export interface StepRef {
  turn_id: string;
  step: number;
}

export const resultMessage = (
  ref: { turn_id: string; step: number | undefined },
  call: ToolCallPart,
  { content, is_error, styles }: Pick<ToolOutcome, 'content' | 'is_error' | 'styles'>,
): DraftOfType<'message'> => ({
  type: 'message',
  role: 'tool',
  turn_id: ref.turn_id,
  ...(ref.step === undefined ? {} : { step: ref.step }),
  parts: [
    {
      type: 'tool_result',
      ...{ call_id: call.call_id, name: call.name, content, is_error },
      ...(styles === undefined ? {} : { styles: [...styles] }),
    },
  ],
});

export const usageNote = (turn_id: string, attempt_id: string, usage: Usage): DraftOfType<'usage'> => ({
  type: 'usage',
  turn_id,
  attempt_id,
  purpose: 'step',
  ...usage,
});

/** Nothing when there is no text to keep. */
export function incompleteOutput(
  turn_id: string,
  partial: Partial | null,
  why: { reason: IncompleteReason; error?: string | undefined },
): DraftOfType<'incomplete_output'>[] {
  if (partial === null || isBlank(partial)) return [];
  const { earlier = [] } = partial;
  return [
    {
      type: 'incomplete_output',
      turn_id,
      attempt_id: partial.attempt_id,
      text: partial.text,
      incomplete: true,
      ...(partial.reasoning === '' ? {} : { reasoning: partial.reasoning }),
      reason: why.reason,
      ...(why.error === undefined ? {} : { error: why.error }),
      ...(earlier.length === 0 ? {} : { earlier: earlier.map(earlierTry) }),
    },
  ];
}

const earlierTry = ({ attempt_id, text, reasoning }: TriedText): EarlierTry => ({
  attempt_id,
  text,
  ...(reasoning === '' ? {} : { reasoning }),
});

export const turnEnd = (
  turn_id: string,
  steps: number,
  end: { status: 'completed' | 'stopped' | 'failed' | 'interrupted'; failure?: Failure | null },
): DraftOfType<'turn_end'> => ({
  type: 'turn_end',
  turn_id,
  steps,
  status: end.status,
  ...(end.failure ? { error: end.failure.message, failure: end.failure } : {}),
});
