/** One row of the session list, from the ledger that the transcript is read with. */
import path from 'node:path';
import type { FileStat, Files } from '../ports.js';
import type { Header } from '../shared/entry.js';
import { Outline } from '../shared/fold/outline.js';
import { OutlineFlag } from '../shared/fold/types.js';
import type { PathState } from '../shared/fold/types.js';
import type { Ledger } from './ledger.js';
import { loadLog, type Loaded } from './load.js';
import { LOG_SUFFIX, sessionIdOf } from './session-name.js';
import type { LogDamage, SessionSummary } from './store.js';

const UNTITLED = 'New session';

/** Reads the file; bodies are folded and let go of as they pass. @throws BoughError StorageFailure */
export async function summarise(files: Files, file: string): Promise<SessionSummary> {
  const name = path.basename(file, LOG_SUFFIX);
  return summaryOf(name, await loadLog(files, file, name, { isForOnce: true }));
}

/** Size and time are those of what was read, so that what came later is noticed. */
export function summaryOf(
  name: string,
  { ledger, size, mtime }: Pick<Loaded, 'ledger' | 'size' | 'mtime'>,
): SessionSummary {
  const { header } = ledger;
  const state = ledger.fold.state();
  const created = Date.parse(header.timestamp ?? '');
  const said = Date.parse(ledger.said ?? '');
  const damage = ledger.damage[0];
  const detail = damage === undefined ? newerFormat(ledger) : detailOf(damage);
  return {
    id: sessionIdOf(name, header.id),
    title: titleOf(ledger),
    named: state.name !== null,
    folder: header.folder,
    created: Number.isNaN(created) ? mtime : created,
    updated: mtime,
    said: Number.isNaN(said) ? mtime : said,
    size,
    messages: ledger.messages,
    leaves: new Outline(ledger.fold.outline).leaves().length,
    archived: state.archived,
    tags: state.tags,
    owner: header.owner,
    ...originOf(header),
    status: damage === undefined ? statusOf(state) : 'damaged',
    ...(detail === undefined ? {} : { detail }),
  };
}

/** What works for another session was no copy of it. */
const originOf = ({ parent_session_id, subagent_task }: Header): Pick<SessionSummary, 'origin'> =>
  parent_session_id === undefined || subagent_task !== undefined ? {} : { origin: parent_session_id };

/** A session whose file cannot be read keeps its row: nothing is ever hidden, let alone removed, for that. */
export function unreadable(
  name: string,
  stat: FileStat,
  reason: string,
  known?: SessionSummary,
): SessionSummary {
  if (known !== undefined) return { ...known, status: 'unreadable', detail: reason };
  return {
    id: name,
    title: name,
    named: false,
    folder: undefined,
    created: stat.mtime,
    updated: stat.mtime,
    said: stat.mtime,
    size: stat.size,
    messages: 0,
    leaves: 0,
    archived: false,
    tags: [],
    owner: undefined,
    status: 'unreadable',
    detail: reason,
  };
}

/** A session whose log is there, and was not read when the list was made. */
export function unread(name: string, stat: FileStat, known?: SessionSummary): SessionSummary {
  const { detail: _, ...row } = unreadable(name, stat, '', known);
  return { ...row, updated: stat.mtime, said: stat.mtime, size: stat.size, status: 'unread' };
}

/** A session that the list knows and whose log is not in its place. */
export const missing = (known: SessionSummary, file: string): SessionSummary => ({
  ...known,
  status: 'missing',
  detail: `not found here: ${file} is not there any more. Put it back and reopen the session to go on with it, or delete it from the list.`,
});

/**
 * What a session is called where nobody named it: by its first words; a file that is no session log by its name. An empty
 * one may become any: it is called as it is when it is open.
 */
export const titleOf = (ledger: Ledger): string =>
  ledger.fold.state().name ??
  ledger.header.title ??
  firstPrompt(ledger) ??
  (ledger.isSessionLog || ledger.damage.some(({ kind }) => kind === 'empty') ? UNTITLED : ledger.header.id);

/** What there is of it can be read, so that it is not damaged; the row says why it cannot be gone on with. */
const newerFormat = ({ access }: Ledger): string | undefined =>
  access.mode === 'read-only' && access.reason === 'newer' ? `newer format: ${access.message}` : undefined;

/** Of no line where there is none. */
const detailOf = ({ kind, line, reason }: LogDamage): string =>
  kind === 'empty' ? `${reason}; nothing of it could be read` : `line ${line}: ${reason}`;

function statusOf(state: PathState): SessionSummary['status'] {
  if (state.approvals.length > 0) return 'waiting';
  if (state.wait !== null) return state.wait.kind === 'parked' ? 'waiting' : 'retrying';
  return state.incomplete || state.turn !== null ? 'incomplete' : 'idle';
}

function firstPrompt(ledger: Ledger): string | undefined {
  for (const [, , , flags, preview] of ledger.fold.outline) {
    if ((flags & OutlineFlag.user) !== 0 && preview !== '') return preview;
  }
  return undefined;
}
