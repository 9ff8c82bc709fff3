/** What the suite needs of a test runner, and what its parts share. */
import { isBoughError, type BoughErrorCode } from '../../shared/failure.js';
import type { Draft, Entry } from '../../shared/notes.js';
import type { SessionLog, SessionStore, StoreAbilities } from '../store.js';

export interface Expectation {
  toBe(expected: unknown): void;
  toEqual(expected: unknown): void;
  toHaveLength(length: number): void;
}

/** The part of vitest, jest or the like that the suite uses. */
export interface Runner {
  describe: (name: string, body: () => void) => unknown;
  it: (name: string, body: () => Promise<void>) => unknown;
  expect: (actual: unknown) => Expectation;
}

/** Every store of Bough's, and every one that `connectStore` makes. */
export type FullStore = SessionStore & StoreAbilities;

export interface StoreUnderTest {
  store: FullStore;
  /** A second store over the same data, as after a restart; undefined when nothing outlives the store. */
  reopen?: () => Promise<FullStore>;
  dispose(): Promise<void>;
}

export const text = (value: string): Draft => ({
  type: 'message',
  role: 'user',
  parts: [{ type: 'text', text: value }],
});
export const answer = (value: string): Draft => ({
  type: 'message',
  role: 'assistant',
  parts: [{ type: 'text', text: value }],
});

export const textOf = (entry: Entry): string =>
  entry.type === 'message' && entry.parts[0]?.type === 'text' ? entry.parts[0].text : entry.type;

export async function codeOf(work: Promise<unknown>): Promise<BoughErrorCode | 'no error'> {
  try {
    await work;
    return 'no error';
  } catch (error) {
    if (isBoughError(error)) return error.code;
    throw error;
  }
}

export const texts = async (log: SessionLog, head?: string | null): Promise<string[]> =>
  (await log.path(head)).map(textOf);

/** Makes a store for one test and disposes of it. */
export type Check = (
  title: string,
  body: (store: FullStore, under: StoreUnderTest) => Promise<void>,
) => unknown;
