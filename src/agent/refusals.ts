/** Why an intent is refused as things stand, each in one sentence that says what to do. */
import type { Failure } from '../shared/failure.js';
import { answeredBy } from '../shared/only-question.js';
import type { Core } from './core.js';
import { refused } from './failures.js';

export type Done = { entry_id?: string };
export type ExpectedHead = string | null | undefined;

export const running = (): Failure =>
  refused('SessionRunning', 'A turn is running here. Stop it first, then try again.');

export const parked = (due_at: string): Failure =>
  refused(
    'SessionRunning',
    `The turn waits until ${timeOf(due_at)}, as the server asked. Retry then, switch the model, or give up first.`,
  );

/** `message`: what was to be sent, which may be the answer; absent where something else than a message is refused. */
export function pendingFailure(core: Core, message?: { mentions: readonly unknown[] }): Failure {
  const { approvals } = core.log.state();
  if (answeredBy({ mentions: [] }, approvals) === undefined)
    return refused(
      'ResumeRequired',
      'A tool call waits for your decision. Approve or deny it, or answer it with your message instead.',
    );
  const maySend = message !== undefined && answeredBy(message, approvals) !== undefined;
  return refused(
    'ResumeRequired',
    maySend
      ? 'A question waits for your answer. Answer it there, or send your message as the answer.'
      : 'A question waits for your answer. Answer it on its card first.',
  );
}

const moved = (): Failure =>
  refused(
    'SessionConflict',
    'The conversation has moved on since you saw it. Look at its end and try again.',
  );

export const timeOf = (due_at: string): string => {
  const at = new Date(due_at);
  return Number.isNaN(at.getTime()) ? due_at : at.toLocaleTimeString();
};

/** Whether the head is still the one the person saw. After the lease was taken, so that others' appends count. */
export const headMoved = (core: Core, expected: ExpectedHead): Failure | null =>
  expected === undefined || expected === core.log.head ? null : moved();
