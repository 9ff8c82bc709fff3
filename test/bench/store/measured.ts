// What one process measures: time, how much its memory grew, and what came of it, to be compared with the other side.
import { createHash } from 'node:crypto';

export interface Measured {
  ms: number;
  /** How much the resident memory grew. */
  bytes: number;
  /** Equal on both sides where both have it. */
  outcome?: Record<string, unknown>;
}

/** What is searched for: said in some of the sessions. */
export const SEARCHED = 'lost branch lost';

export type Works = Record<string, (folder: string, id: string) => Promise<Measured>>;

/** `outcome` tells, when the time is taken, what came of the work. */
export async function measured<T>(
  work: () => T | Promise<T>,
  outcome: (result: T) => Record<string, unknown> = () => ({}),
): Promise<Measured> {
  globalThis.gc?.();
  const before = process.memoryUsage.rss();
  const begin = performance.now();
  const result = await work();
  const ms = performance.now() - begin;
  const bytes = process.memoryUsage.rss() - before;
  return { ms, bytes, outcome: outcome(result) };
}

/** So many texts, and which. */
export const told = (texts: readonly string[]): string => {
  const hash = createHash('sha1');
  for (const text of texts) hash.update(`${String(text.length)}:${text}`);
  return `${String(texts.length)} texts ${hash.digest('hex').slice(0, 12)}`;
};
