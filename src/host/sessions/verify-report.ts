/** What a look through the session files found, as a text for people: what is wrong first, then every file. */
import type { LogReport, VerifyReport } from '../../log/upkeep.js';
import { sizeWords } from './size-words.js';

export interface VerifyFindings {
  text: string;
  /** How many things are not as they should be. */
  troubles: number;
  /** How many things were mended. */
  repaired: number;
  /** How many could be. */
  mendable: number;
}

export function reportFindings(reports: readonly VerifyReport[], at: string): VerifyFindings {
  const logs = reports.flatMap((report) => report.logs);
  const foreign = logs.filter((log) => log.isForeign === true);
  const upset = logs.filter((log) => isUpset(log) && log.isForeign !== true);
  const orphans = reports.flatMap((report) => report.orphans);
  const strays = reports.flatMap((report) => report.strayFiles);
  const mended = logs.filter((log) => log.repaired.length > 0);
  const repaired = mended.flatMap((log) => log.repaired.map((what) => `${plain(log.title)}: ${what}`));
  const unmended = logs.flatMap(({ title, unmended: why }) =>
    why === undefined ? [] : [`${plain(title)}: ${plain(why)}`],
  );
  const isRepair =
    repaired.length + unmended.length > 0 || reports.some((report) => report.repaired.length > 0);
  const mendable = logs.reduce((sum, log) => sum + (log.mendable ?? 0), 0);
  const lines = [
    '# Session files',
    '',
    `${at}. ${summary(logs, upset.length + foreign.length)}`,
    ...reports.flatMap(({ folder }) => (folder === undefined ? [] : [`Folder: ${folder}`])),
    ...(mendable > 0 && !isRepair ? ['', howToRepair(mendable)] : []),
    ...section('Mended', repaired),
    ...section('Could not be mended', unmended),
    ...section('Done besides', [...new Set(reports.flatMap((report) => report.repaired))]),
    ...(isRepair && upset.length > 0
      ? ['', 'What follows stays as it is: it cannot be mended without losing something.']
      : []),
    ...upset.flatMap(describeLog),
    ...section(
      'No session logs: none of their lines is an entry. Repair leaves them as they are; what is said there is written behind what they hold',
      foreign.map(oneLine),
    ),
    ...section(
      'Of a newer format: whether they are in order, only a newer Bough can tell. They are left as they are',
      logs.filter(isOnlyNewer).map((log) => `${oneLine(log)}: ${plain(log.newer ?? '')}`),
    ),
    ...section('Side files without a session', orphans),
    ...section('Left behind by a process that ended while it wrote', strays),
    ...section(
      'In order',
      logs.filter((log) => !isUpset(log) && log.isForeign !== true && !isOnlyNewer(log)).map(oneLine),
    ),
    '',
  ];
  return {
    text: lines.join('\n'),
    troubles: upset.length + foreign.length + orphans.length + strays.length,
    repaired: repaired.length,
    mendable,
  };
}

/** The question beside the report goes away; the report stays. */
const howToRepair = (mendable: number): string =>
  `**To repair:** run **Bough: Verify Session Files** from the Command Palette and choose **Repair**. It mends ${mendable} of what is named below, loses nothing, and looks through all files again first.`;

/** Of a file full of them. */
const LISTED = 20;

function shorten(items: readonly string[]): string[] {
  const more = items.length - LISTED;
  return more <= 1 ? [...items] : [...items.slice(0, LISTED), `and ${more} more lines`];
}

const isUpset = (log: LogReport): boolean =>
  log.unreadable !== undefined || log.damage.length > 0 || log.missingBlobs.length > 0;

const isOnlyNewer = (log: LogReport): boolean =>
  log.newer !== undefined && !isUpset(log) && log.isForeign !== true;

function summary(logs: readonly LogReport[], upset: number): string {
  const bytes = logs.reduce((sum, log) => sum + log.bytes, 0);
  const files = `${count(logs.length, 'session file')}, ${sizeWords(bytes)}`;
  const newer = logs.filter(isOnlyNewer).length;
  const rest = newer === 0 ? '' : ` ${newer} of a newer format, which cannot be judged here.`;
  if (upset > 0) return `${files}: ${upset} not in order.${rest}`;
  return newer === 0 ? `${files}: all in order.` : `${files}: none is not in order.${rest}`;
}

function describeLog(log: LogReport): string[] {
  const found = [
    ...(log.unreadable === undefined ? [] : [`cannot be read: ${plain(log.unreadable)}`]),
    ...shorten(log.damage.map(faultWords)),
    ...log.missingBlobs.map(({ hash, reason }) => `stored text ${hash.slice(0, 12)}…: ${plain(reason)}`),
  ];
  return section(oneLine(log), found);
}

function faultWords({ kind, line, reason, ids }: LogReport['damage'][number]): string {
  if (kind === 'empty')
    return 'the file is empty, and nothing of the session could be read. A message sent there begins it anew';
  return `line ${line}: ${plain(reason)}${ids === undefined ? '' : ` (${plain(ids)})`}`;
}

function oneLine({ title, id, file, entries, lines, bytes }: LogReport): string {
  const size = `${count(entries, 'entry', 'entries')} in ${count(lines, 'line')}, ${sizeWords(bytes)}`;
  return `${plain(title)} – ${size} – ${file ?? id}`;
}

function section(title: string, items: readonly string[]): string[] {
  return items.length === 0 ? [] : ['', `## ${title}`, '', ...items.map((item) => `- ${item}`)];
}

const plain = (text: string): string => text.replace(/\s+/g, ' ').trim();

const count = (number: number, one: string, many = `${one}s`): string =>
  `${number} ${number === 1 ? one : many}`;
