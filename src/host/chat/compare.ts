/** What a view needs to show two lines beside each other: what each has of its own, and the files they have otherwise. */
import type { SessionLog } from '../../log/store.js';
import { Outline } from '../../shared/fold/outline.js';
import { isConversation } from '../../shared/notes.js';
import type { ComparedLine, ComparedLines } from '../../shared/protocol.js';
import type { Fitted } from './fitted.js';

/** How many messages of each line are brought; the view says so when there are more. */
const MOST = 300;

type Log = Pick<SessionLog, 'outline' | 'line' | 'state' | 'files'>;

export async function compareLines(
  log: Log,
  fitted: Fitted,
  { left_id, right_id }: { left_id: string; right_id: string },
): Promise<ComparedLines> {
  const outline = new Outline(log.outline);
  const common = commonAncestor(outline, left_id, right_id);
  return {
    common_id: common,
    left: await lineFrom(log, fitted, { head: left_id, common }),
    right: await lineFrom(log, fitted, { head: right_id, common }),
    files: differingFiles(log, left_id, right_id).map(({ path, left, right }) => ({
      path,
      left: left !== null,
      right: right !== null,
    })),
  };
}

/** The last entry that both lines have; null when they begin apart. */
function commonAncestor(outline: Outline, left: string, right: string): string | null {
  const other = new Set(outline.path(outline.ordinal(right)));
  const shared = outline.path(outline.ordinal(left)).findLast((ordinal) => other.has(ordinal));
  return shared === undefined ? null : (outline.nodes[shared]?.[0] ?? null);
}

async function lineFrom(
  log: Log,
  fitted: Fitted,
  { head, common }: { head: string; common: string | null },
): Promise<ComparedLine> {
  const line = await log.line(head);
  const from = common === null ? 0 : line.findIndex(({ entry }) => entry.id === common) + 1;
  const own = line.slice(from);
  const places = own.flatMap(({ entry }, index) => (isConversation(entry) ? [index] : []));
  const until = places[MOST] ?? own.length;
  return {
    head,
    entries: await fitted.all(own.slice(places[0] ?? 0, until)),
    state: log.state(head),
    left_out: Math.max(0, places.length - MOST),
  };
}

export interface DifferingFile {
  path: string;
  left: string | null;
  right: string | null;
}

/** Hashes of what stands there on either line; null where there is no file. */
export function differingFiles(
  log: Pick<SessionLog, 'files'>,
  left_id: string,
  right_id: string,
): DifferingFile[] {
  const right = new Map(log.files(right_id).map(({ path, here }) => [path, here]));
  return log
    .files(left_id)
    .map(({ path, here }) => ({ path, left: here, right: right.get(path) ?? null }))
    .filter((file) => file.left !== file.right);
}
