/** The messages that bring a view to what the log says: the whole (a snapshot of the visible part) or what was added. */
import type { AgentSession } from '../../agent/types.js';
import type { LinePage, PlacedEntry } from '../../log/store.js';
import { packOutline } from '../../shared/fold/packed-outline.js';
import { isConversation } from '../../shared/notes.js';
import type { Snapshot, StatusView, ToWebview } from '../../shared/protocol.js';
import type { Fitted } from './fitted.js';

/** Entries of the path a snapshot brings along; the view asks for older bodies when they come into sight. */
export const PAGE = 200;

export interface SnapshotParts {
  agent: AgentSession;
  fitted: Fitted;
  isEphemeral: boolean;
  /** Both are asked for when the rest is read: what changed meanwhile is in them. */
  title: () => string;
  status: () => StatusView;
  draft: Snapshot['draft'];
}

export async function buildSnapshot(parts: SnapshotParts): Promise<Snapshot> {
  const { agent, fitted, isEphemeral, title, status, draft } = parts;
  const { log } = agent;
  const page = await settledPage(log, fitted);
  const dropped = agent.dropped();
  return {
    type: 'snapshot',
    session: {
      id: log.id,
      title: title(),
      folder: log.header.folder,
      read_only: log.access.mode !== 'write',
      ...(isEphemeral ? { ephemeral: true } : {}),
      ...(log.header.subagent_task === undefined || log.header.parent_session_id === undefined
        ? {}
        : { parent: log.header.parent_session_id }),
    },
    position: log.position,
    outline: packOutline(log.outline),
    state: log.state(),
    status: status(),
    entries: page.entries,
    more: page.more,
    growing: agent.growing(),
    ...(dropped === null ? {} : { dropped }),
    progress: agent.progress(),
    draft,
  };
}

/** The end of the line as it is when this resolves: what was appended while it was read would be missing from it. */
async function settledPage(log: AgentSession['log'], fitted: Fitted): Promise<LinePage> {
  for (;;) {
    const before = log.position;
    const { entries, more } = await log.page(PAGE);
    const page = short({ entries: await fitted.all(entries), more });
    if (log.position === before) return page;
  }
}

/** Messages may be long, each of them: of more than this the view asks for the older ones when they come into sight. */
const PAGE_CHARS = 4_000_000;

function short(page: LinePage): LinePage {
  let left = PAGE_CHARS;
  const before = page.entries.findLastIndex(({ entry }) => (left -= JSON.stringify(entry).length) < 0);
  if (before <= 0) return page;
  const { entries, more } = lastPage(page.entries, page.entries.length - before);
  return { entries, more: more || page.more };
}

/** The last entries of the line, cut before a conversation entry, so that the notes of what is shown are all there. */
export function lastPage(line: readonly PlacedEntry[], limit = PAGE): LinePage {
  if (line.length <= limit) return { entries: [...line], more: false };
  let begin = line.length - limit;
  while (begin > 0) {
    const placed = line[begin];
    if (placed && isConversation(placed.entry)) break;
    begin -= 1;
  }
  return {
    entries: line.slice(begin),
    more: line.slice(0, begin).some(({ entry }) => isConversation(entry)),
  };
}

export interface AppendedParts {
  agent: AgentSession;
  status: StatusView;
  from: number;
  /** How many nodes of the outline the view has. */
  nodes: number;
  placed: readonly PlacedEntry[];
}

export function buildAppended({
  agent,
  status,
  from,
  nodes,
  placed,
}: AppendedParts): Extract<ToWebview, { type: 'appended' }> {
  const { log } = agent;
  return {
    type: 'appended',
    session: log.id,
    from,
    position: from + placed.length,
    outline: log.outline.slice(nodes),
    state: log.state(),
    status,
    entries: [...placed],
  };
}

/** What was added follows on from what the view has, and shows the line it shows already. Nothing: all was read anew. */
export function followsOn(from: number, placed: readonly PlacedEntry[]): boolean {
  if (placed.length === 0 || placed.some(({ entry }) => entry.type === 'head')) return false;
  return placed.every(({ position }, index) => position === from + index);
}
