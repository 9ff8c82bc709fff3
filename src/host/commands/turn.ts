/** Commands on the run of the chat in front: stop, continue, retry now, try again, and to what waits for the person. */
import * as vscode from 'vscode';
import type { SessionStore } from '../../log/store.js';
import type { Intent } from '../../shared/protocol.js';
import type { Chats } from '../chat/chats.js';
import { unwrap } from '../errors.js';
import type { OpenSessions } from '../sessions/open-sessions.js';
import { foremost } from '../sessions/rows.js';
import type { Teller } from '../tell.js';
import type { Commands } from './commands.js';
import { promptAbove } from './prompt-above.js';
import { placeOf } from './target.js';
import { switchTo } from './switching.js';

export interface TurnCommandParts {
  store: SessionStore;
  sessions: OpenSessions;
  chats: Chats;
  tell: Teller;
}

type Name = `bough.turn.${'stop' | 'continue' | 'retryNow' | 'tryAgain'}`;

export function turnCommands(parts: TurnCommandParts): Pick<Commands, Name | 'bough.approval.next'> {
  const { sessions, chats } = parts;
  const intend = async (intent: Intent) => {
    const { agent } = await sessions.open(await chats.current());
    unwrap(await agent.dispatch(intent));
  };
  return {
    'bough.turn.stop': () => stop(parts),
    'bough.turn.continue': () => intend({ type: 'continue' }),
    'bough.turn.retryNow': () => intend({ type: 'retry_now' }),
    'bough.turn.tryAgain': (target) => tryAgain(parts, target),
    'bough.approval.next': () => showNext(parts),
  };
}

/** The last prompt of the chat in front, or the one that leads to the message whose menu it was chosen from. */
async function tryAgain({ sessions, chats, tell }: TurnCommandParts, target: unknown): Promise<void> {
  const place = placeOf(target);
  const { agent } = await sessions.open(place?.session ?? (await chats.current()));
  const prompt = place === undefined ? undefined : promptAbove(agent.log.outline, place.entry);
  const intent: Intent = { type: 'try_again', ...(prompt === undefined ? {} : { entry_id: prompt }) };
  await switchTo({ agent, intent, tell });
}

/** The run of the chat in front; when that one rests, the one that works. */
async function stop({ sessions, chats, tell }: TurnCommandParts): Promise<void> {
  const { agent } = await sessions.open(await chats.current());
  const runs = sessions.all().map((session) => ({ run: session.agent.run(), agent: session.agent }));
  const target = agent.run() === 'idle' ? foremost(runs)?.agent : agent;
  if (target) unwrap(await target.dispatch({ type: 'stop' }));
  else tell.info(vscode.l10n.t('Nothing is running.'));
}

/** The session that waits for a decision: an open one first, then the newest of the list. */
async function showNext({ store, sessions, chats, tell }: TurnCommandParts): Promise<void> {
  const open = sessions.all().map((session) => ({ run: session.agent.run(), id: session.agent.log.id }));
  const waiting = foremost(open.filter(({ run }) => run === 'waiting' || run === 'parked'));
  const next = waiting?.id ?? (await store.list()).sessions.find(({ status }) => status === 'waiting')?.id;
  if (next !== undefined) await chats.show(next, { at: 'approval' });
  else tell.info(vscode.l10n.t('Nothing waits for you.'));
}
