/**
 * What the list of sessions shows, as plain data: the description of a row, its icon, and the groups by time. The words
 * of a description are fixed; tests and people look for them.
 */
import type { SessionSummary } from '../../log/store.js';
import type { RunState } from '../../shared/protocol.js';

export type RowWord =
  | ''
  | 'running'
  | 'waiting'
  | 'retrying'
  | 'incomplete'
  | 'damaged'
  | 'archived'
  | 'not found here'
  | 'not read';

/** A run that lives here knows more than the log on disk; a turn that was interrupted says less than damage does. */
export function rowWord(
  summary: Pick<SessionSummary, 'status' | 'archived'>,
  run: RunState | undefined,
  /** It is open here, and nothing will take its turn up by itself. */
  isInterrupted = false,
): RowWord {
  if (isInterrupted) {
    const resting = restingWord(summary, undefined);
    return resting === 'damaged' || resting === 'not found here' ? resting : 'incomplete';
  }
  switch (run) {
    case 'running':
    case 'stopping':
      return 'running';
    case 'waiting':
    // A parked wait goes on by nothing but the person.
    case 'parked':
      return 'waiting';
    case 'retrying':
      return 'retrying';
    case 'idle':
    case undefined:
      return restingWord(summary, run);
  }
}

/** Of a session whose log could not be opened. */
export const troubleWord = ({ code }: { code: string }): RowWord =>
  code === 'SessionNotFound' ? 'not found here' : 'damaged';

function restingWord(
  { status, archived }: Pick<SessionSummary, 'status' | 'archived'>,
  run: 'idle' | undefined,
): RowWord {
  switch (status) {
    case 'damaged':
    case 'unreadable':
      return 'damaged';
    case 'missing':
      return 'not found here';
    case 'unread':
      // What is open is read.
      return run === undefined ? 'not read' : '';
    case 'incomplete':
      return 'incomplete';
    case 'waiting':
    case 'retrying':
      // The list may lag behind a run of ours that has just ended.
      if (run === undefined) return status;
      return archived ? 'archived' : '';
    case 'idle':
      return archived ? 'archived' : '';
  }
}

/** Codicon and theme colour; colours only where something needs the person. */
export const rowIcons: Readonly<Record<RowWord, { icon: string; color?: string }>> = {
  '': { icon: 'comment-discussion' },
  running: { icon: 'sync' },
  waiting: { icon: 'question', color: 'list.warningForeground' },
  retrying: { icon: 'history', color: 'list.warningForeground' },
  incomplete: { icon: 'debug-disconnect', color: 'list.warningForeground' },
  damaged: { icon: 'warning', color: 'list.errorForeground' },
  archived: { icon: 'archive' },
  'not found here': { icon: 'circle-slash' },
  'not read': { icon: 'circle-outline' },
};

/** The newest first, by what was said in them: looking at another line of one moves it nowhere. */
export const bySaid = <T extends { said: number; id: string }>(rows: readonly T[]): T[] =>
  rows.toSorted((a, b) => b.said - a.said || (a.id < b.id ? -1 : 1));

export type GroupName = 'today' | 'yesterday' | 'week' | 'month' | 'older';

export interface Group<T> {
  name: GroupName;
  rows: T[];
}

/** In the order of the rows; groups without rows are left out. Days begin at local midnight. */
export function groupByTime<T extends { said: number }>(rows: readonly T[], now: number): Group<T>[] {
  const groups = new Map<GroupName, T[]>();
  for (const row of rows) {
    const name = groupOf(row.said, now);
    const group = groups.get(name);
    if (group) group.push(row);
    else groups.set(name, [row]);
  }
  return [...groups].map(([name, members]) => ({ name, rows: members }));
}

function groupOf(said: number, now: number): GroupName {
  const midnight = new Date(now);
  midnight.setHours(0, 0, 0, 0);
  const daysAgo = (days: number) => {
    const day = new Date(midnight);
    day.setDate(day.getDate() - days);
    return day.getTime();
  };
  if (said >= daysAgo(0)) return 'today';
  if (said >= daysAgo(1)) return 'yesterday';
  if (said >= daysAgo(7)) return 'week';
  if (said >= daysAgo(30)) return 'month';
  return 'older';
}

/** "3 minutes ago", in the language of the editor. */
export function relativeTime(then: number, now: number, language: string): string {
  const seconds = Math.round((then - now) / 1000);
  const units = [
    ['day', 86_400],
    ['hour', 3_600],
    ['minute', 60],
  ] as const;
  const format = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });
  for (const [unit, size] of units)
    if (Math.abs(seconds) >= size) return format.format(Math.trunc(seconds / size), unit);
  return format.format(Math.min(seconds, 0), 'second');
}

const urgency: readonly RunState[] = ['waiting', 'parked', 'retrying', 'stopping', 'running'];

/** The run that matters most among several: what needs the person first, then what works. */
export function foremost<T extends { run: RunState }>(runs: readonly T[]): T | undefined {
  for (const state of urgency) {
    const found = runs.find(({ run }) => run === state);
    if (found) return found;
  }
  return undefined;
}
