/**
 * Names by which a model calls tools of others: valid for every provider, unique, and the same in every window. What had
 * to be changed or cut, or would be called like another, is told apart by a hash of what it stands for.
 */
import { createHash } from 'node:crypto';

export const LONGEST_NAME = 64;
const HASH_CHARS = 6;

export interface Named {
  /** What the name is made of, first to last: "mcp", the server, the tool. */
  parts: readonly string[];
  /** What it stands for, in the whole of this machine. */
  identity: string;
}

const cleaned = (part: string): string =>
  part
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^A-Za-z0-9_-]+/g, '_');

/** Names in the order of `given`; none of them is one of `taken`. */
export function toolNames(given: readonly Named[], taken: ReadonlySet<string> = new Set()): string[] {
  const plain = given.map(({ parts }) => parts.map(cleaned).join('_'));
  const count = new Map<string, number>();
  for (const name of plain) count.set(name.toLowerCase(), (count.get(name.toLowerCase()) ?? 0) + 1);
  return given.map(({ parts, identity }, index) => {
    const name = plain[index] ?? '';
    const isSame = name === parts.join('_') && name.length <= LONGEST_NAME;
    return isSame && !taken.has(name) && count.get(name.toLowerCase()) === 1
      ? name
      : withHash(name, identity);
  });
}

function withHash(name: string, identity: string): string {
  const hash = createHash('sha256').update(identity).digest('hex').slice(0, HASH_CHARS);
  return `${name.slice(0, LONGEST_NAME - HASH_CHARS - 1)}_${hash}`;
}
