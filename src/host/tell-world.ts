/** What the rest of VS Code is told of the runs here: status bar, context keys, and the API's listeners. */
import * as vscode from 'vscode';
import type { RunState } from '../shared/protocol.js';
import type { SessionStore, StoreAbilities } from '../log/store.js';
import type { Chats } from './chat/chats.js';
import { createBag } from './disposables.js';
import type { ApiEvents } from './public-api.js';
import type { OpenSessions, SessionEvent } from './sessions/open-sessions.js';
import { lookOnceRead } from './sessions/once-read.js';
import type { ReadingLists } from './sessions/reading-lists.js';
import { foremost } from './sessions/rows.js';
import { takeUpWaits } from './sessions/take-up.js';
import { WaitingSessions } from './sessions/waiting-sessions.js';

export interface TellWorldParts {
  store: Pick<SessionStore, 'list' | 'onChange'> &
    Partial<Pick<StoreAbilities, 'summary'>> & { reading: Pick<ReadingLists, 'on' | 'left'> };
  sessions: OpenSessions;
  chats: Chats;
  events: ApiEvents;
  showRun: (run: RunState) => void;
  /** How many sessions wait for the person. */
  showNeeds: (count: number) => void;
  onError: (error: unknown) => void;
}

export function tellWorld(parts: TellWorldParts): { dispose(): void } {
  const { sessions, chats, events, showRun, showNeeds } = parts;
  const bag = createBag();
  const setActive = contextKey('bough.run.active', parts.onError);
  const setFocused = contextKey('bough.chat.focused', parts.onError);
  const setGoal = contextKey('bough.goal', parts.onError);
  const waiting = bag.add(
    new WaitingSessions({ store: parts.store, sessions, onChange: () => update(), onError: parts.onError }),
  );
  const update = () => {
    const runs = sessions.all().map(({ agent }) => ({ run: agent.run(), owner: agent.log.header.owner }));
    events.runs = runs;
    const closed = Array.from({ length: waiting.count }, () => ({ run: 'waiting' as const }));
    const all = [...runs, ...closed];
    showRun(foremost(all)?.run ?? 'idle');
    showNeeds(all.filter(({ run }) => run === 'waiting' || run === 'parked').length);
    const current = chats.peekCurrent();
    const agent = current === undefined ? undefined : sessions.peek(current)?.agent;
    setActive((agent?.run() ?? 'idle') !== 'idle');
    setGoal(agent?.goal()?.status ?? '');
    setFocused(chats.hasFocus());
  };
  bag.add(chats.onChange(update));
  bag.add(
    sessions.on((event) => {
      if (event.type !== 'appended' || hasGoalNote(event)) update();
      tellListeners(event, sessions.ownerOf(event.id), events);
    }),
  );
  bag.add(
    vscode.window.onDidChangeWindowState(({ focused }) => {
      if (focused) waiting.lookAgain().catch(parts.onError);
    }),
  );
  update();
  const looks = [() => waiting.start(), () => takeUpWaits(parts)];
  for (const look of looks)
    bag.add(lookOnceRead({ reading: parts.store.reading, look, onError: parts.onError }));
  return bag;
}

function tellListeners(event: SessionEvent, owner: string | undefined, events: ApiEvents): void {
  const session = event.id;
  if (event.type === 'appended')
    for (const placed of event.placed) events.entry.fire({ owner, event: { session, ...placed } });
  if (event.type !== 'agent') return;
  const told = event.event;
  if (told.type !== 'retry' && told.type !== 'resume') return;
  const wait = { session, delayMs: told.delay_ms, dueAt: told.due_at, reason: told.reason };
  if (told.type === 'retry') events.retry.fire({ owner, event: { ...wait, attempt: told.attempt } });
  else events.resume.fire({ owner, event: { ...wait, step: told.step, resume: told.resume } });
}

/** What becomes of a goal may be all that is new. */
const hasGoalNote = ({ placed }: Extract<SessionEvent, { type: 'appended' }>): boolean =>
  placed.some(({ entry }) => entry.type === 'goal_update');

/** Set only when it changes. */
function contextKey(name: string, onError: (error: unknown) => void): (value: boolean | string) => void {
  let last: boolean | string | undefined;
  return (value) => {
    if (value === last) return;
    last = value;
    vscode.commands.executeCommand('setContext', name, value).then(undefined, onError);
  };
}
