/**
 * What whoever began a turn wants of it, as its `turn_start` has it. A turn that goes on with another, or answers the same
 * message again, stands under the same terms.
 */
import type { SessionLog } from '../log/store.js';
import type { NoteOf } from '../shared/notes.js';
import { lineEnd } from './line-end.js';

export type TurnTerms = Pick<NoteOf<'turn_start'>, 'requires_finish' | 'delivery' | 'reply_to'>;

export const termsOf = ({ requires_finish, delivery, reply_to }: TurnTerms): TurnTerms => ({
  ...(requires_finish === true ? { requires_finish } : {}),
  ...(delivery === undefined ? {} : { delivery }),
  ...(reply_to === undefined ? {} : { reply_to }),
});

/** How a turn began, on whatever line; undefined when the log does not say. */
export async function startOf(
  log: Pick<SessionLog, 'page' | 'since'>,
  turn_id: string,
): Promise<NoteOf<'turn_start'> | undefined> {
  const isIt = ({ entry }: { entry: { type: string; turn_id?: string | undefined } }): boolean =>
    entry.type === 'turn_start' && entry.turn_id === turn_id;
  const found = (await lineEnd(log, isIt)).find(isIt) ?? (await log.since(0)).find(isIt);
  return found?.entry.type === 'turn_start' ? found.entry : undefined;
}

/** Whether the to-do list of the line was written for its last prompt: by that turn, or by one that went on with it. */
export async function hasListOfItsOwn(log: Pick<SessionLog, 'page'>): Promise<boolean> {
  const isPrompted = ({ entry }: { entry: { type: string; continues?: unknown } }): boolean =>
    entry.type === 'turn_start' && entry.continues === undefined;
  const line = await lineEnd(log, isPrompted);
  return line
    .slice(Math.max(0, line.findLastIndex(isPrompted)))
    .some(({ entry }) => entry.type === 'todo_update');
}
