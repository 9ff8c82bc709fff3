/**
 * What another window appends to a session that is on show here is read when its folder says that something changed, at
 * most once a second: one look at the file's size, and one at who works in it. There is no look without a reason: while
 * somebody works in it, who may end without a word, and where a folder cannot be watched, once a second is one.
 */
import path from 'node:path';
import type { Clock, Disposable } from '../../ports.js';
import type { RunState } from '../../shared/protocol.js';
import { createBag } from '../disposables.js';
import type { OpenSessions } from './open-sessions.js';
import type { HostSession } from './session.js';
import { Watching, type WatchFolder } from './watch-folder.js';

const EVERY_MS = 1_000;
/** What is written together is read together. */
const SOON_MS = 50;

/** Nothing of ours is being written. */
const rests: ReadonlySet<RunState> = new Set(['idle', 'waiting', 'parked']);

export interface FollowParts {
  sessions: Pick<OpenSessions, 'all' | 'on'>;
  chats: {
    isVisible: (session: string) => boolean;
    /** Another session is in sight, or the person comes back to the window. */
    onChange: (listener: () => void) => Disposable;
  };
  watch: WatchFolder;
  clock: Clock;
  onError: (error: unknown) => void;
}

export function followOthers(parts: FollowParts): Disposable {
  const { sessions, chats, clock } = parts;
  const bag = createBag();
  const watching = new Watching(parts.watch, () => look());
  let timer: Disposable | undefined;
  let isLooking = false;
  /** Something was said during a look, which may have been too early for it. */
  let isDue = false;
  let isOver = false;
  let last = -Infinity;
  /** The same trouble every second is told once. */
  let told = '';
  const tell = (error: unknown) => {
    const text = String(error);
    if (text !== told) parts.onError(error);
    told = text;
  };
  const shown = () => sessions.all().filter((session) => isOnShow(session, chats.isVisible));
  const pass = async () => {
    for (const session of shown().filter(({ agent }) => rests.has(agent.run()))) {
      const { log } = session.agent;
      await log.catchUp();
      await session.takeHolder(await log.holder());
    }
  };
  const needsNoReason = (session: HostSession) => isWorkedIn(session) || watching.isBlind(folderOf(session));
  const look = (atLeast = SOON_MS) => {
    if (isOver) return;
    if (isLooking) isDue = true;
    else timer ??= clock.after(Math.max(atLeast, last + EVERY_MS - clock.elapsed()), begin);
  };
  const begin = () => {
    timer = undefined;
    isLooking = true;
    last = clock.elapsed();
    void pass()
      .catch(tell)
      .finally(() => {
        isLooking = false;
        if (isDue) look();
        else if (shown().some(needsNoReason)) look(EVERY_MS);
        isDue = false;
      });
  };
  const follow = () => {
    watching.be(shown().map((session) => [folderOf(session)]));
    look();
  };
  bag.add(chats.onChange(follow));
  bag.add(sessions.on(({ type }) => (follows.has(type) ? follow() : undefined)));
  follow();
  return {
    dispose: () => {
      isOver = true;
      timer?.dispose();
      watching.be([]);
      bag.dispose();
    },
  };
}

/** After them another folder may have to be watched, or one is there at last. */
const follows: ReadonlySet<string> = new Set([
  'opened',
  'closed',
  'rested',
  'replaced',
  'appended',
  'holder',
]);

/** Somebody else runs it, be it that something waits for an answer here too. */
const isWorkedIn = (session: HostSession): boolean => rests.has(session.agent.run()) && session.isHeld;

const isOnShow = ({ agent: { log } }: HostSession, isVisible: (session: string) => boolean): boolean =>
  log.file !== undefined && isVisible(log.id);

const folderOf = ({ agent }: HostSession): string => path.dirname(agent.log.file ?? '');
