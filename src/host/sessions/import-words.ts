/** What an import has to say when something of the file was not understood. */
import type { SessionLog } from '../../log/store.js';

/** Undefined when all of it was taken in as it stands. */
export function importWords({ outline, damage }: Pick<SessionLog, 'outline' | 'damage'>): string | undefined {
  const lost = damage.filter(({ kind, kept }) => kept !== true && lineKinds.has(kind));
  const kept = damage.filter((fault) => fault.kept === true);
  const moved = damage.filter(({ kind }) => linkKinds.has(kind));
  if (damage.length === 0) return undefined;
  const messages = outline.filter(([, , type]) => type === 'message').length;
  const parts = [
    `Imported ${count(messages, 'message')}`,
    ...(lost.length === 0 ? [] : [`${count(linesOf(lost), 'line')} left out as damaged`]),
    ...(kept.length === 0 ? [] : [`${count(linesOf(kept), 'line')} read as far as possible`]),
    ...(moved.length === 0 ? [] : [`${count(linesOf(moved), 'line')} put where they may belong`]),
  ];
  const header = damage.some(({ kind }) => kind === 'header')
    ? ['the first line is no header of a session, so one was made up']
    : [];
  const [first] = damage;
  const where =
    first === undefined ? '' : ` Line ${first.line}: ${first.reason.replace(/\s+/g, ' ').trim()}.`;
  return `${[...parts, ...header].join(', ')}. The file itself is as it was.${where}`;
}

const lineKinds: ReadonlySet<string> = new Set(['unreadable-line', 'too-large', 'torn-tail']);
const linkKinds: ReadonlySet<string> = new Set(['duplicate-id', 'missing-parent', 'cycle']);

const linesOf = (damage: readonly { line: number }[]): number => new Set(damage.map(({ line }) => line)).size;

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`;
