/**
 * Looking through what a line made of the files: what each was before the line changed it, or since the person kept it
 * last, and what the line left there. Keeping is a note on the line; undoing is restoring the files.
 */
import { isFailure, type Failure } from '../shared/failure.js';
import type { FileState } from '../shared/fold/file-states.js';
import { underLease, type Core } from './core.js';
import { orFailure } from './failures.js';
import { makesThingsRun } from './files-that-run.js';
import { isNobodysWord, runsAt, whyNotKept } from './files.js';

/** Hashes; null where there is no file. */
export interface FileChangeOfLine {
  path: string;
  before: string | null;
  after: string | null;
  /** What stands there now. */
  now: string | null;
  /** It is not what this session left there, or nobody knows that. */
  isChangedSince: boolean;
  /** By what stands in it something may be run on this computer. */
  makesThingsRun: boolean;
  /** Where it lies; undefined for a path that is not in the workspace. */
  uri?: string;
  /** Why `before` cannot be put back: one sentence. */
  problem?: string;
}

/** Changes that wait to be looked through: those that were undone are not among them. */
export const isOpenChange = ({ base, here, written }: FileState): boolean =>
  base !== here && written !== base;

/** Those of one turn, kept or not; else all of the line that are neither kept nor undone. */
export async function fileChanges(core: Core, turn_id?: string): Promise<FileChangeOfLine[]> {
  const found: FileChangeOfLine[] = [];
  for (const state of core.log.files()) {
    const change = turn_id === undefined ? openChange(state) : changeOfTurn(state, turn_id);
    if (change !== null) found.push(await withPlace(core, state, change));
  }
  return turn_id === undefined ? found.filter(({ now, before }) => now !== before) : found;
}

type Ends = Pick<FileChangeOfLine, 'before' | 'after'>;

const openChange = (state: FileState): Ends | null =>
  isOpenChange(state) ? { before: state.base, after: state.here } : null;

function changeOfTurn({ turns }: FileState, turn_id: string): Ends | null {
  const change = turns.find((one) => one.turn_id === turn_id);
  return change === undefined || change.before === change.after ? null : change;
}

async function withPlace(core: Core, state: FileState, { before, after }: Ends): Promise<FileChangeOfLine> {
  const { path } = state;
  const place = await core.parts.workspace.resolve(path);
  if (isFailure(place)) {
    const facts = { isChangedSince: true, makesThingsRun: makesThingsRun(path) };
    return { path, before, after, now: after, ...facts, problem: place.message };
  }
  const now = await core.parts.workspace.hash(place);
  const problem = await whyNotKept(core, path, before);
  return {
    ...{ path, before, after, now },
    isChangedSince: isNobodysWord(core, state) || now !== after,
    makesThingsRun: runsAt(path, place),
    uri: place.uri,
    ...(problem === null ? {} : { problem }),
  };
}

/** In the gate. */
export function keepFiles(core: Core, files: readonly FileChangeOfLine[]): Promise<void | Failure> {
  const changes = files.map(({ path, before, after }) => ({ path, before, after }));
  return core.gate.pass(() =>
    orFailure(() =>
      underLease(core, async () => {
        if (changes.length > 0) await core.append([{ type: 'files_changed', kept: true, changes }]);
      }),
    ),
  );
}
