/** Where a look through many files begins: one folder, or all of the workspace. */
import type { Workspace, WorkspacePath } from '../ports.js';
import { isFailure, type Failure } from '../shared/failure.js';

export interface LookIn {
  in?: WorkspacePath;
}

/** The root, when there are several, stands for all of them. */
export async function lookIn(path: string | undefined, workspace: Workspace): Promise<LookIn | Failure> {
  const isEverywhere = path === undefined || (/^\.?\/?$/.test(path) && workspace.folders().length > 1);
  if (isEverywhere) return {};
  const place = await workspace.resolve(path);
  return isFailure(place) ? place : { in: place };
}

/** Behind what is looked for, in a sentence. */
export const inWords = (query: LookIn): string =>
  query.in === undefined || query.in.shown === '.' ? '' : ` in ${query.in.shown}`;

export const whereWords = (query: LookIn): string => query.in?.shown ?? 'the workspace';
