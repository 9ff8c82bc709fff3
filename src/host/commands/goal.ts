/** Commands on the goal of the chat in front: what is to be reached is asked for once, in two boxes. */
import * as vscode from 'vscode';
import type { Intent } from '../../shared/protocol.js';
import { asks } from '../asks.js';
import type { Chats } from '../chat/chats.js';
import { unwrap } from '../errors.js';
import type { OpenSessions } from '../sessions/open-sessions.js';
import type { Commands } from './commands.js';

export interface GoalCommandParts {
  sessions: Pick<OpenSessions, 'open'>;
  chats: Pick<Chats, 'current' | 'show'>;
}

type Name = `bough.goal.${'start' | 'pause' | 'resume' | 'retry' | 'clear'}`;

export function goalCommands(parts: GoalCommandParts): Pick<Commands, Name> {
  const { sessions, chats } = parts;
  const intend = async (intent: Intent): Promise<void> => {
    const { agent } = await sessions.open(await chats.current());
    unwrap(await agent.dispatch(intent));
  };
  return {
    'bough.goal.start': (objective, criteria, max) => start(parts, { objective, criteria, max }),
    'bough.goal.pause': () => intend({ type: 'goal_pause' }),
    'bough.goal.resume': () => intend({ type: 'goal_resume' }),
    'bough.goal.retry': () => intend({ type: 'goal_retry' }),
    'bough.goal.clear': () => intend({ type: 'goal_clear' }),
  };
}

/** What is given is not asked for; criteria may be left empty. @throws CancellationError when the person did not go on */
async function start(
  { sessions, chats }: GoalCommandParts,
  given: { objective: unknown; criteria: unknown; max: unknown },
): Promise<void> {
  const session = await chats.current();
  const objective = typeof given.objective === 'string' ? given.objective : await askObjective();
  if (objective === undefined || objective.trim() === '') throw new vscode.CancellationError();
  const criteria = typeof given.criteria === 'string' ? given.criteria : await askCriteria(objective);
  if (criteria === undefined) throw new vscode.CancellationError();
  const { agent } = await sessions.open(session);
  unwrap(
    await agent.dispatch({
      type: 'goal_start',
      objective,
      criteria,
      ...(typeof given.max === 'number' ? { max_iterations: given.max } : {}),
    }),
  );
  await chats.show(session);
}

const askObjective = (): Thenable<string | undefined> =>
  asks.showInputBox({
    title: vscode.l10n.t('Start Goal (1 of 2)'),
    prompt: vscode.l10n.t(
      'What is to be reached? Bough works towards it turn after turn, and asks before calls as ever.',
    ),
    placeHolder: vscode.l10n.t('For example: all tests pass on Node 20 and 22'),
    ignoreFocusOut: true,
  });

const askCriteria = (objective: string): Thenable<string | undefined> =>
  asks.showInputBox({
    title: vscode.l10n.t('Start Goal (2 of 2)'),
    prompt: vscode.l10n.t(
      'How can one see that this is reached: “{0}”? May be left empty.',
      short(objective),
    ),
    placeHolder: vscode.l10n.t('For example: npm test exits with 0, and no test was removed'),
    ignoreFocusOut: true,
  });

const SHOWN = 80;
const short = (text: string): string =>
  text.length <= SHOWN ? text : `${text.slice(0, SHOWN).toWellFormed()}…`;
