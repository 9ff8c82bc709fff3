/** A reader of logs as a stranger would write it, from the comment at the head of src/shared/entry.ts and nothing else. */
import { createHash } from 'node:crypto';

interface Entry {
  type: string;
  id: string;
  parent_id: string | null;
  entry_id?: unknown;
}

const nodeTypes = ['message', 'incomplete_output', 'compaction', 'branch_summary', 'skill_load'];

export interface Read {
  head: string | null;
  /** Ids, root first. */
  path: string[];
  /** All ids in file order. */
  ids: string[];
}

export function readLog(file: Uint8Array): Read {
  /** What stands for an entry as a parent: itself if it is a node, what it hangs on if it is a note. */
  const stands = new Map<string, string | null>();
  const parents = new Map<string, string | null>();
  const replaced = new Map<string, string | null>();
  let head: string | null = null;
  let gap: string | null = null;

  const add = (entry: Entry, offset: number, index: number): void => {
    let { id } = entry;
    if (stands.has(id)) {
      id = `${id}:${offset}:${index}`;
      do id = createHash('sha256').update(id).digest('hex').slice(0, 16);
      while (stands.has(id));
    }
    let parent = entry.parent_id;
    if (parent !== null && stands.has(parent)) parent = stands.get(parent) ?? null;
    else if (parent !== null && replaced.has(parent)) parent = replaced.get(parent) ?? null;
    else if (parent !== null && parent === entry.id) parent = null;
    else if (parent !== null) replaced.set(parent, (parent = gap));
    const isNode = nodeTypes.includes(entry.type);
    stands.set(id, isNode ? id : parent);
    parents.set(id, parent);
    if (isNode) head = id;
    if (entry.type !== 'head') return;
    const target = entry.entry_id;
    if (target === null || (typeof target === 'string' && stands.get(target) === target)) head = target;
  };

  for (let from = 0; from < file.length;) {
    const newline = file.indexOf(0x0a, from);
    const end = newline === -1 ? file.length : newline;
    const bytes = file.subarray(from, end);
    const line = textOf(bytes);
    const value = parse(line);
    const isHeader = isObject(value) && value['type'] === 'session';
    const batch = Array.isArray(value) ? (value as unknown[]) : [value];
    const isGood = batch.length > 0 && batch.every(isEntry);
    const hasNul = bytes.at(0) === 0 || bytes.at(-1) === 0;
    const isBad = hasNul || (line !== '' && !isGood && !isHeader);
    // What never ended is not even a bad line.
    if (isBad && (isGood || newline !== -1)) gap = head;
    if (isGood && !isHeader) batch.forEach((entry, index) => add(entry as Entry, from, index));
    from = end + 1;
  }
  const path: string[] = [];
  for (let at: string | null = head; at !== null; at = parents.get(at) ?? null) path.unshift(at);
  return { head, path, ids: [...stands.keys()] };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isEntry = (value: unknown): boolean =>
  isObject(value) &&
  typeof value['type'] === 'string' &&
  typeof value['id'] === 'string' &&
  value['id'] !== '' &&
  (value['parent_id'] === null || typeof value['parent_id'] === 'string');

function textOf(bytes: Uint8Array): string {
  // ignoreBOM is false: a byte-order mark is passed over.
  const text = new TextDecoder().decode(bytes).replace(/^\0+/, '').replace(/\0+$/, '').replace(/\r$/, '');
  return text.trim();
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
