/** The turn that was last begun on the path, and how it ended. */
import type { Failure } from '../shared/failure.js';
import type { NoteOf } from '../shared/notes.js';
import type { Core } from './core.js';
import { lineEnd } from './line-end.js';
import { termsOf, type TurnTerms } from './turn-terms.js';

export interface LastTurn {
  turn_id: string;
  end: NoteOf<'turn_end'> | null;
  terms: TurnTerms;
}

export async function lastTurn(core: Core): Promise<LastTurn | null> {
  const line = await lineEnd(core.log, ({ entry }) => entry.type === 'turn_start');
  const start = line.findLast(({ entry }) => entry.type === 'turn_start')?.entry;
  if (start?.type !== 'turn_start') return null;
  const { turn_id } = start;
  const terms = termsOf(start);
  for (const { entry } of line) {
    if (entry.type === 'turn_end' && entry.turn_id === turn_id) return { turn_id, end: entry, terms };
  }
  return { turn_id, end: null, terms };
}

/** How the last turn of the path failed, as the log has it. */
export async function lastFailure(core: Core): Promise<Failure | null> {
  const end = (await lastTurn(core))?.end;
  if (end?.status !== 'failed') return null;
  return (
    end.failure ?? {
      kind: 'tool',
      message: end.error ?? 'The turn failed; the log does not say why.',
      transient: false,
    }
  );
}
