/** Commands on what a line of a conversation made of the files. */
import type { RestoreParts } from '../editor/restore.js';
import { keepAll, reviewFiles, undoAll } from '../editor/review.js';
import type { OpenSessions } from '../sessions/open-sessions.js';
import type { Commands } from './commands.js';
import { sessionOf, type Targets } from './target.js';

export interface ReviewCommandParts {
  sessions: OpenSessions;
  targets: Targets;
  restore: RestoreParts;
}

type Names = `bough.branch.${'reviewFiles' | 'keepFiles' | 'undoFiles'}`;

export function reviewCommands({ sessions, targets, restore }: ReviewCommandParts): Pick<Commands, Names> {
  const agentOf = async (target: unknown) => (await sessions.open(await sessionOf(target, targets))).agent;
  return {
    'bough.branch.reviewFiles': async (target, turn) =>
      reviewFiles(await agentOf(target), restore, typeof turn === 'string' ? turn : undefined),
    'bough.branch.keepFiles': async (target) => keepAll(await agentOf(target), restore, fileOf(target)),
    'bough.branch.undoFiles': async (target) => undoAll(await agentOf(target), restore, fileOf(target)),
  };
}

/** Of one file, when it is asked for beside its lines. */
function fileOf(target: unknown): string | undefined {
  if (typeof target !== 'object' || target === null || !('file' in target)) return undefined;
  return typeof target.file === 'string' ? target.file : undefined;
}
