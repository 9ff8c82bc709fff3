/** What pruning would delete, or did, in words. */
import type { PruneReport } from '../../log/upkeep.js';
import { sizeWords } from './size-words.js';

const LISTED = 8;

export const isNothing = ({ sessions, goals, results }: PruneReport): boolean =>
  sessions.length + goals.length + results.length === 0;

/** Why what verifying names may not be deleted yet; nothing to say when there is none. */
export function youngWords(reports: readonly PruneReport[]): string[] {
  const young = reports.reduce((sum, report) => sum + (report.young ?? 0), 0);
  if (young === 0) return [];
  return [
    `${count(young, 'stored text or side file', 'stored texts or side files')} that no session names ${young === 1 ? 'is' : 'are'} younger than the age asked for (a day, unless you set another), since what is new may still be in use.`,
  ];
}

export function describePrune(reports: readonly PruneReport[]): { short: string; detail: string } {
  const sessions = reports.flatMap((report) => report.sessions);
  const goals = reports.flatMap((report) => report.goals);
  const results = reports.flatMap((report) => report.results);
  const kept = reports.flatMap((report) => report.kept);
  const bytes = reports.reduce((sum, report) => sum + report.bytes, 0);
  const kinds = [
    count(sessions.length, 'session'),
    count(goals.length, 'completed goal'),
    count(results.length, 'left-over file'),
  ].filter((words) => words !== undefined);
  const rows = [
    ...sessions.map(({ title, bytes: size }) => `${title} (${sizeWords(size)})`),
    ...goals.map(({ goal_id, bytes: size }) => `Goal ${goal_id} (${sizeWords(size)})`),
    ...results.map(({ file, bytes: size }) => `${file} (${sizeWords(size)})`),
  ];
  const detail = [
    ...shorten(rows),
    ...(kept.length === 0
      ? []
      : ['', 'These stay:', ...shorten(kept.map(({ session, reason }) => `${session}: ${reason}`))]),
  ];
  return { short: `${kinds.join(', ')}, ${sizeWords(bytes)}`, detail: detail.join('\n') };
}

function shorten(rows: readonly string[]): string[] {
  if (rows.length <= LISTED) return [...rows];
  return [...rows.slice(0, LISTED), `and ${rows.length - LISTED} more`];
}

function count(number: number, noun: string, many = `${noun}s`): string | undefined {
  return number === 0 ? undefined : `${number} ${number === 1 ? noun : many}`;
}
