/** What is so of a goal, as a person reads it. */
import { evaluatedOf, type GoalNote, type GoalView } from '../src/shared/goal.js';
import { asSentence } from './ui/words.js';

const doings: Record<NonNullable<GoalView['doing']>, string> = {
  working: 'being worked on',
  checking: 'being looked at whether it is reached',
  asking: 'waiting for your decision',
  waiting: 'waiting until the server may be asked',
  elsewhere: 'being worked on in another window',
};

/** "Iteration 3 of 20, being worked on." and why, when there is a why. */
export function goalWords(note: GoalNote, { status, doing, reason }: GoalView): string {
  const round = `${note.iteration} of ${note.max_iterations}`;
  switch (status) {
    case 'active': {
      const again = reason === undefined ? '' : ` ${asSentence(reason)}`;
      const before = doing === 'working' && note.phase === 'begun' ? note.reason : undefined;
      const last = before === undefined ? '' : ` Not yet: ${asSentence(before)}`;
      return `Iteration ${round}, ${doings[doing ?? 'working']}.${again}${last}`;
    }
    case 'paused':
      return `Paused in iteration ${round}.${because(reason)}`;
    case 'blocked':
      return `Blocked in iteration ${round}.${because(reason)}`;
    case 'completed':
      return `Completed in iteration ${round}.${because(evaluatedOf(note)?.reason ?? reason)}`;
  }
}

const because = (reason: string | undefined): string =>
  reason === undefined || reason.trim() === '' ? '' : ` ${asSentence(reason)}`;
