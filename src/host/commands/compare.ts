/** Two lines of a conversation beside each other: from a tree, a list, or chosen from all ends of lines. */
import * as vscode from 'vscode';
import type { SessionLog } from '../../log/store.js';
import type { Chats } from '../chat/chats.js';
import type { Compared } from '../chat/channel.js';
import { differingFiles } from '../chat/compare.js';
import type { KeptFiles } from '../editor/kept-files.js';
import { Refusal } from '../errors.js';
import { branchPickItems, pickBranch } from '../sessions/branch-items.js';
import { leafBehind } from '../sessions/branches.js';
import type { OpenSessions } from '../sessions/open-sessions.js';
import type { Teller } from '../tell.js';
import type { Commands } from './commands.js';
import { branchOf, placeOf } from './target.js';

export interface CompareParts {
  sessions: OpenSessions;
  chats: Chats;
  tell: Teller;
}

export function compareCommands(parts: CompareParts): Pick<Commands, 'bough.branch.compare'> {
  const { sessions, chats } = parts;
  return {
    'bough.branch.compare': async (left, right) => {
      const place = placeOf(left);
      const chosen = place === undefined ? branchesIn(left, right) : { session: place.session, leaves: [] };
      const session = chosen.session ?? (await chats.current());
      const { agent } = await sessions.open(session);
      const leaves =
        place === undefined || place.isOnLine ? chosen.leaves : [leafBehind(agent.log.outline, place.entry)];
      const lines = await twoLines(agent, leaves, parts);
      if (lines !== undefined) await chats.compare(session, lines);
    },
  };
}

/** Ids of entries, or rows of the list: one that was clicked, or the two that are selected. */
function branchesIn(left: unknown, right: unknown): { session: string | undefined; leaves: string[] } {
  const selected = Array.isArray(right) ? right.flatMap((node: unknown) => branchOf(node) ?? []) : [];
  const rows = selected.length > 1 ? selected : [branchOf(left), branchOf(right)].flatMap((row) => row ?? []);
  const [first] = rows;
  if (first === undefined)
    return { session: undefined, leaves: [left, right].filter((id) => typeof id === 'string') };
  if (rows.length > 2 || rows.some(({ session }) => session !== first.session))
    throw new Refusal({
      kind: 'refused',
      message: 'Select two branches of one session to compare them.',
      transient: false,
    });
  return { session: first.session, leaves: rows.map(({ leaf }) => leaf) };
}

type Agent = Parameters<typeof branchPickItems>[0];

/** The line on show stands left unless two were given. */
async function twoLines(
  agent: Agent,
  given: readonly string[],
  parts: CompareParts,
): Promise<Compared | undefined> {
  const { head, outline } = agent.log;
  const unknown = given.find((id) => !outline.some(([known]) => known === id));
  if (unknown !== undefined)
    throw new Refusal({
      kind: 'refused',
      message: `There is no message "${unknown}" in this conversation.`,
      transient: false,
    });
  const [one, two] = given;
  if (one !== undefined && two !== undefined) return { left_id: one, right_id: two };
  const left = one === undefined || one === head ? head : one;
  const items = branchPickItems(agent);
  if (one !== undefined && one !== head && head !== null) return { left_id: head, right_id: one };
  const others = items.filter(({ leaf, isShown }) => leaf !== left && !isShown);
  if (left === null || others.length === 0) {
    parts.tell.info(vscode.l10n.t('There is no other branch to compare with yet.'));
    return undefined;
  }
  const right = await pickBranch(others, {
    title: vscode.l10n.t('Compare Branches'),
    placeHolder: vscode.l10n.t('Which one stands beside the branch on show'),
  });
  return right === undefined ? undefined : { left_id: left, right_id: right };
}

/** The files that two lines have otherwise: one of them, or all in one editor. */
export async function showChangedFiles(
  log: SessionLog,
  { left_id, right_id }: Compared,
  { kept, path }: { kept: KeptFiles; path: string | undefined },
): Promise<void> {
  const pairs = differingFiles(log, left_id, right_id).map((file) => ({
    path: file.path,
    left: kept.uri(log.id, file.path, file.left),
    right: kept.uri(log.id, file.path, file.right),
  }));
  const one = path === undefined ? undefined : pairs.find((pair) => pair.path === path);
  if (one !== undefined) await kept.showOne(vscode.l10n.t('{0} (left branch ↔ right branch)', one.path), one);
  else await kept.showAll(vscode.l10n.t('Files of two branches'), pairs);
}
