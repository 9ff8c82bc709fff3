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
export const SEARCHED = 'ends early and another';

export type Works = Record<string, (folder: string, id: string) => Promise<Measured>>;

export async function measured(
  work: () => Record<string, unknown> | Promise<Record<string, unknown>>,
): Promise<Measured> {
  globalThis.gc?.();
  const before = process.memoryUsage.rss();
  const begin = performance.now();
  const outcome = await work();
  const ms = performance.now() - begin;
  return { ms, bytes: process.memoryUsage.rss() - before, outcome };
}

/** So many texts, and which. */
export const told = (texts: readonly string[]): string => {
  const hash = createHash('sha1');
  for (const text of texts) hash.update(`${String(text.length)}:${text}`);
  return `${String(texts.length)} texts ${hash.digest('hex').slice(0, 12)}`;
};
