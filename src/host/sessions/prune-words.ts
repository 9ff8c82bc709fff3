/** What pruning would delete, or did, in words. */
import type { PruneReport } from '../../log/upkeep.js';
import { sizeWords } from './size-words.js';

const LISTED = 8;

export const isNothing = ({ sessions, goals, results }: PruneReport): boolean =>
  sessions.length + goals.length + results.length === 0;

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

function count(number: number, noun: string): string | undefined {
  return number === 0 ? undefined : `${number} ${noun}${number === 1 ? '' : 's'}`;
}
