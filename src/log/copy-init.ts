/** Where a copy of a session begins and ends, and what its header says: the same for every store. */
import path from 'node:path';
import type { Ids } from '../ports.js';
import { BoughError } from '../shared/failure.js';
import { isConversation } from '../shared/notes.js';
import type { ForkOptions, SessionInit, SessionLog } from './store.js';

export type CopyInit = SessionInit & { id: string };

/** The last conversation entry of the copy; null for one that holds none. */
export async function forkPoint(source: SessionLog, { at, before }: ForkOptions): Promise<string | null> {
  if (at !== undefined && before !== undefined)
    throw new BoughError('InvalidArgument', 'A fork is made at an entry or before one, not both.');
  const named = at ?? before;
  if (named === undefined) return source.head;
  const entry = await source.entry(named);
  if (entry === undefined)
    throw new BoughError(
      'InvalidArgument',
      `There is no entry ${named} in session ${source.id} to fork from.`,
    );
  return at !== undefined && isConversation(entry) ? entry.id : entry.parent_id;
}

export function refuseWhileAsked(source: SessionLog, head: string | null): void {
  const asked = source.state().approvals[0] ?? source.state(head).approvals[0];
  if (asked === undefined) return;
  const message = `This session waits for an answer to "${asked.summary}"; approve or deny it, then fork.`;
  throw new BoughError('ResumeRequired', message, { request: asked.request_id });
}

export function forkInit(ids: Ids, source: SessionLog, head: string | null, options: ForkOptions): CopyInit {
  const { folder } = source.header;
  const title = options.title ?? source.header.title;
  const owner = options.owner ?? source.header.owner;
  return {
    id: options.id ?? ids.session(),
    ...(folder === undefined ? {} : { folder }),
    ...(title === undefined ? {} : { title }),
    ...(owner === undefined ? {} : { owner }),
    parent_session_id: lineageOf(source),
    ...(head === null ? {} : { parent_entry_id: head }),
  };
}

/** A log that lies elsewhere is known here by its path. */
export const isElsewhere = ({ id }: SessionLog): boolean => path.isAbsolute(id);

/** What a log that lies elsewhere calls itself says more than its path. */
const lineageOf = (source: SessionLog): string => (isElsewhere(source) ? source.header.id : source.id);

export const exists = (id: string): BoughError =>
  new BoughError('SessionExists', `There is a session ${id} already; open it instead.`);

/** A copy is there whole or not at all. */
export const goneMeanwhile = (source: SessionLog, missing: number): BoughError =>
  new BoughError(
    'SessionConflict',
    `Session ${source.id} was deleted or moved away while it was copied, and ${missing === 1 ? 'an attachment' : `${missing} attachments`} with it; no copy was made. Bring it back, then copy it.`,
  );

/** What is not named in `init` is as the original has it; its owner is nobody's. */
export function importInit(ids: Ids, source: SessionLog, init: SessionInit): CopyInit {
  const { folder, title, subagent_task } = source.header;
  return {
    ...(folder === undefined ? {} : { folder }),
    ...(title === undefined ? {} : { title }),
    ...(subagent_task === undefined ? {} : { subagent_task }),
    parent_session_id: lineageOf(source),
    ...init,
    id: init.id ?? ids.session(),
  };
}
