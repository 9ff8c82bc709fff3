/** Which files each turn changed, told where the turn ends. */
import type { Row } from '../../src/shared/fold/types.js';
import { inputOf } from './call-input.js';

interface TurnFiles {
  turn_id: string;
  paths: readonly string[];
  /** All of the turn is here; of one whose beginning is not loaded only the log knows the rest. */
  isWhole: boolean;
}

const known = new WeakMap<readonly Row[], ReadonlyMap<string, TurnFiles>>();

/** By the last entry of the turn. Looked up once for each state of the rows. */
export function turnFilesOf(rows: readonly Row[], hasOlder: boolean): ReadonlyMap<string, TurnFiles> {
  const found = known.get(rows) ?? collect(rows, hasOlder);
  known.set(rows, found);
  return found;
}

function collect(rows: readonly Row[], hasOlder: boolean): ReadonlyMap<string, TurnFiles> {
  const turns = new Map<string, { last: string; paths: Set<string> }>();
  for (const row of rows) {
    if (row.kind !== 'assistant') continue;
    const { turn_id, id } = row.entry;
    if (turn_id === undefined) continue;
    const turn = turns.get(turn_id) ?? { last: id, paths: new Set<string>() };
    turns.set(turn_id, turn);
    turn.last = id;
    for (const card of row.cards) {
      const { path } = inputOf(card);
      const isChange = card.state === 'ok' && (card.call.name === 'edit' || card.call.name === 'write');
      if (isChange && typeof path === 'string') turn.paths.add(path);
    }
  }
  const cut = hasOlder ? cutTurn(rows) : undefined;
  const told = [...turns].filter(([turn_id, { paths }]) => paths.size > 0 || turn_id === cut);
  return new Map(
    told.map(([turn_id, { last, paths }]) => [
      last,
      { turn_id, paths: [...paths], isWhole: turn_id !== cut },
    ]),
  );
}

/** The turn that goes on where the rows begin; a prompt begins one, unless it was sent while one worked. */
function cutTurn([first]: readonly Row[]): string | undefined {
  const isBegin = first?.kind === 'user' && first.entry.origin !== 'steer';
  return isBegin ? undefined : first?.entry.turn_id;
}
