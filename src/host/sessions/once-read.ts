/**
 * What is looked for in all sessions at the start: once more when the logs are read that were left because reading the list
 * was stopped, for what an unread one waits for nobody knows.
 */
import type { Disposable } from '../../ports.js';
import type { ReadingLists } from './reading-lists.js';

export interface OnceReadParts {
  reading: Pick<ReadingLists, 'on' | 'left'>;
  /** Never runs twice at a time. */
  look: () => Promise<void>;
  onError: (error: unknown) => void;
}

export function lookOnceRead({ reading, look, onError }: OnceReadParts): Disposable {
  let wasLeft = reading.left > 0;
  let looking = look().catch(onError);
  return reading.on((progress) => {
    if (progress !== null) return;
    const isLeft = reading.left > 0;
    if (wasLeft && !isLeft) looking = looking.then(look).catch(onError);
    wasLeft = isLeft;
  });
}
