/**
 * Files follow branches, when the person asks for it: what a line says stands in the files of the session, and how they
 * are put back. Nothing that anybody else wrote is replaced unless the person saw exactly that and said so.
 */
import type { WorkspacePath } from '../ports.js';
import { isFailure, toolFailure, type Failure } from '../shared/failure.js';
import type { FileState } from '../shared/fold/file-states.js';
import { underLease, type Core } from './core.js';
import { orFailure } from './failures.js';
import { makesThingsRun } from './files-that-run.js';
import { pendingFailure, running } from './refusals.js';
import { sha256 } from './sha256.js';
import { suspensionOf } from './suspended.js';

/** A file that does not have what the line says. Hashes; null where there is no file. */
export interface FileDifference {
  path: string;
  wanted: string | null;
  now: string | null;
  /** It is not what this session left there: somebody else changed it since. */
  isChangedSince: boolean;
  /** By what stands in it something may be run on this computer: it is asked about whoever left it so. */
  makesThingsRun: boolean;
  /** The line that was left, and nobody else, made the difference. */
  isOfLine: boolean;
  /** Where it lies; undefined for a path that is not in the workspace. */
  uri?: string;
  /** Why it cannot be put back: one sentence. */
  problem?: string;
}

export interface FileToRestore {
  path: string;
  wanted: string | null;
  /** What stood there when the person decided: nothing else is replaced. */
  seen: string | null;
}

export interface RestoredFile {
  path: string;
  before: string | null;
  after: string | null;
  /** False when only the editor has it. */
  saved: boolean;
}

export interface RestoreOutcome {
  restored: RestoredFile[];
  failed: { path: string; message: string }[];
  /** Why the log does not know of what was restored. */
  unrecorded: Failure | null;
}

/** The files that differ from what the line to `head` says, in the order they were first changed. */
export async function fileDifferences(core: Core, head?: string | null): Promise<FileDifference[]> {
  const found: FileDifference[] = [];
  for (const state of core.log.files(head)) {
    const difference = await compare(core, state);
    if (difference !== null) found.push(difference);
  }
  return found;
}

async function compare(core: Core, state: FileState): Promise<FileDifference | null> {
  const { path, here, written } = state;
  const { workspace } = core.parts;
  const place = await workspace.resolve(path);
  if (isFailure(place)) {
    if (here === written) return null;
    const problem = place.message;
    return {
      ...{ path, wanted: here, now: written, problem },
      ...{ isChangedSince: true, makesThingsRun: makesThingsRun(path), isOfLine: true },
    };
  }
  const now = await workspace.hash(place);
  if (now === here) return null;
  const problem = await whyNotKept(core, path, here);
  return {
    path,
    wanted: here,
    now,
    isChangedSince: isNobodysWord(core, state) || now !== written || !state.isOfLines,
    makesThingsRun: runsAt(path, place),
    isOfLine: here !== written,
    uri: place.uri,
    ...(problem === null ? {} : { problem }),
  };
}

/** What a log from elsewhere says of our files, copied or not. */
export const isNobodysWord = (core: Core, { isForeign }: FileState): boolean =>
  core.parts.isForeign === true || isForeign;

/** By the name that the log has for it, or by the one it has here. */
export const runsAt = (path: string, { shown }: WorkspacePath): boolean =>
  makesThingsRun(path) || makesThingsRun(shown);

/** Why these bytes cannot be put back; null when they can. */
export async function whyNotKept(core: Core, path: string, hash: string | null): Promise<string | null> {
  if (hash === null) return null;
  const isKept = await orFailure(() => core.blobs.has(hash));
  if (isKept === true) return null;
  const reason = isFailure(isKept)
    ? isKept.message
    : "it held a key, or a part of the session's folder is gone.";
  return `The bytes of ${path} are not kept: ${reason}`;
}

/** In the gate. Files that cannot be put back are named, and the others are; all of it is one note. */
export function restoreFiles(core: Core, files: readonly FileToRestore[]): Promise<RestoreOutcome | Failure> {
  return core.gate.pass(() =>
    orFailure(() =>
      underLease(core, async () => {
        if (core.run !== null) return running();
        if (suspensionOf(core) === 'approvals') return pendingFailure(core);
        const outcome: RestoreOutcome = { restored: [], failed: [], unrecorded: null };
        for (const file of files) {
          const result = await orFailure(() => restoreFile(core, file));
          if (isFailure(result)) outcome.failed.push({ path: file.path, message: result.message });
          else outcome.restored.push(result);
        }
        if (outcome.restored.length > 0) outcome.unrecorded = await record(core, outcome.restored);
        return outcome;
      }),
    ),
  );
}

async function restoreFile(
  core: Core,
  { path, wanted, seen }: FileToRestore,
): Promise<RestoredFile | Failure> {
  const { workspace } = core.parts;
  const place = await workspace.resolve(path);
  if (isFailure(place)) return place;
  const problem = await whyNotKept(core, path, wanted);
  if (problem !== null) return toolFailure('not-kept', problem);
  const bytes = wanted === null ? null : await core.blobs.get(wanted);
  const now = await workspace.bytes(place);
  if (isFailure(now)) return now;
  const before = now === null ? null : sha256(now);
  if (before !== seen)
    return toolFailure('changed', `${path} was changed after you were asked; it was left alone.`);
  // What is replaced is durable before it goes.
  if (now !== null && !(await core.blobs.has(await core.blobs.put(now))))
    return toolFailure(
      'not-kept',
      `${path} holds a key, so what it has now could not be kept; it was left alone.`,
    );
  const put = await workspace.put(place, { seen: before, bytes });
  return isFailure(put) ? put : { path, before, after: put.hash, saved: put.saved };
}

async function record(core: Core, restored: readonly RestoredFile[]): Promise<Failure | null> {
  const changes = restored.map(({ path, before, after }) => ({ path, before, after }));
  const outcome = await orFailure(() => core.append([{ type: 'files_changed', restored: true, changes }]));
  return isFailure(outcome) ? outcome : null;
}
