/**
 * The list of sessions shows what other windows do, too: it is read again when the folder of the logs says that one was
 * written, added or taken away by somebody else, and when the list comes into sight or the person comes back to the window.
 * While it is out of sight nothing is watched, and while nothing changes there is no timer.
 */
import path from 'node:path';
import { isBoughError } from '../../shared/failure.js';
import { LOG_SUFFIX } from '../../log/session-name.js';
import type { Clock, Disposable } from '../../ports.js';
import type { RunState } from '../../shared/protocol.js';
import { createBag } from '../disposables.js';
import type { OpenSessions } from './open-sessions.js';
import type { HostSession } from './session.js';
import { Watching, type WatchFolder } from './watch-folder.js';

/** A list costs a look at every file. */
const EVERY_MS = 1_000;
/** What is written together is read together. */
const SOON_MS = 50;
/** How many folders above one that is not there yet are tried. */
const ABOVE = 3;

/** Nothing of ours is being written. */
const rests: ReadonlySet<RunState> = new Set(['idle', 'waiting', 'parked']);

export interface FollowListParts {
  /** Where the logs of the list lie, as far as they are files. */
  folders: () => readonly string[];
  sessions: Pick<OpenSessions, 'all'>;
  list: {
    isVisible: () => boolean;
    /** It came into sight or went out of it, or the person came back to the window. */
    onView: (listener: () => void) => Disposable;
    /** It was read again: other folders may be in it, or one is there at last. */
    onRead: (listener: () => void) => Disposable;
    refresh: () => void;
  };
  watch: WatchFolder;
  clock: Clock;
  onError: (error: unknown) => void;
}

export function followList(parts: FollowListParts): Disposable {
  const { folders, sessions, list, clock } = parts;
  const bag = createBag();
  /** Names of logs that were written since the last look. */
  const written = new Set<string>();
  let timer: Disposable | undefined;
  let last = -Infinity;
  const catchUp = async (): Promise<void> => {
    const resting = sessions.all().filter(({ agent }) => rests.has(agent.run()));
    const behind = resting.filter((session) => written.has(nameOf(session)));
    written.clear();
    for (const { agent } of behind) await agent.log.catchUp();
  };
  const look = (): void => {
    timer ??= clock.after(Math.max(SOON_MS, last + EVERY_MS - clock.elapsed()), () => {
      timer = undefined;
      last = clock.elapsed();
      void catchUp()
        .catch((error: unknown) => {
          // A log that cannot be read says so in its row.
          if (!isBoughError(error)) parts.onError(error);
        })
        .finally(list.refresh);
    });
  };
  const isOurs = (folder: string, name: string): boolean =>
    sessions.all().some(({ agent }) => agent.log.file === path.join(folder, name) && !rests.has(agent.run()));
  const watching = new Watching(parts.watch, (folder, name) => {
    if (!folders().includes(folder)) return follow();
    if (name !== undefined && (!name.endsWith(LOG_SUFFIX) || isOurs(folder, name))) return;
    if (name !== undefined) written.add(name);
    look();
  });
  const follow = (): void => {
    const wanted = list.isVisible() ? folders() : [];
    const unseen = wanted.filter((folder) => !watching.isWatched(folder));
    watching.be(wanted.map(withThoseAbove));
    // It is there now, with what was written in it before it was watched.
    if (unseen.some((folder) => watching.isWatched(folder))) look();
  };
  const onView = (): void => {
    follow();
    if (list.isVisible()) look();
  };
  bag.add(list.onView(onView));
  bag.add(list.onRead(follow));
  // The list is read after this for the first time.
  watching.be((list.isVisible() ? folders() : []).map(withThoseAbove));
  bag.add({
    dispose: () => {
      timer?.dispose();
      watching.be([]);
    },
  });
  return bag;
}

const nameOf = ({ agent }: HostSession): string => path.basename(agent.log.file ?? '');

function withThoseAbove(folder: string): string[] {
  const places = [folder];
  for (let above = 0; above < ABOVE; above++) places.push(path.dirname(places.at(-1) ?? folder));
  return places;
}
