/** The appends of a group as lines, each on top of those before it. One that is refused leaves the others alone. */
import type { Ids } from '../ports.js';
import { BoughError } from '../shared/failure.js';
import type { AppendRequest } from './append-queue.js';
import { serialiseBatch } from './codec.js';
import { Ahead, completeBatch } from './complete.js';
import type { Ledger } from './ledger.js';
import type { AppendOptions } from './store.js';

export interface GroupLine {
  request: AppendRequest;
  text: string;
}

export function composeLines(
  requests: readonly AppendRequest[],
  ledger: Ledger,
  world: { ids: Ids; timestamp: string },
): GroupLine[] {
  const ahead = new Ahead({
    has: (id) => ledger.tree.has(id),
    isConversation: (id) => ledger.fold.ordinal(id) !== -1,
    head: ledger.head,
  });
  return requests.flatMap((request) => {
    try {
      checkHead(request.options, ahead.head);
      return [{ request, text: completeBatch(request.batch, ahead, world, serialiseBatch) }];
    } catch (error) {
      request.reject(error);
      return [];
    }
  });
}

export function checkHead({ expectedHead }: AppendOptions, head: string | null): void {
  if (expectedHead === undefined || expectedHead === head) return;
  throw new BoughError(
    'SessionConflict',
    'The conversation went on meanwhile: nothing was written. Look at what is there now and send again.',
    { expected: expectedHead ?? 'the beginning', head: head ?? 'the beginning' },
  );
}
