/** Reads the logs of test/logs and what they must give. */
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { rowsOf } from '../../../src/shared/fold/path.js';
import { SessionFold } from '../../../src/shared/fold/session-fold.js';
import { entrySchemas, isKnownType, type Entry } from '../../../src/shared/notes.js';

const folder = new URL('../../logs/', import.meta.url);

export const goldenNames = readdirSync(folder)
  .filter((file) => file.endsWith('.jsonl'))
  .map((file) => file.slice(0, -'.jsonl'.length));

export interface Golden {
  name: string;
  fold: SessionFold;
  placed: { position: number; entry: Entry }[];
  line: { position: number; entry: Entry }[];
}

/** These logs are whole: one header, then an entry or a batch a line, each as the schema says. */
export function readGolden(name: string): Golden {
  const [, ...lines] = readFileSync(new URL(`${name}.jsonl`, folder), 'utf8')
    .trimEnd()
    .split('\n');
  const entries = lines.flatMap((line) => JSON.parse(line) as Entry | Entry[]);
  for (const entry of entries) {
    if (!isKnownType(entry.type)) throw new Error(`${name}: unknown type ${entry.type}`);
    entrySchemas[entry.type].parse(entry);
  }
  const fold = new SessionFold();
  const placed = entries.map((entry, position) => ({ position, entry }));
  for (const { entry, position } of placed) fold.add(entry, position);
  return { name, fold, placed, line: fold.linePositions().flatMap((position) => placed[position] ?? []) };
}

/** The fold as text that a person can check. */
export function foldOfGolden({ fold, line }: Golden): object {
  const state = fold.state();
  const rows = rowsOf(line, fold.outline, state, state.approvals.length > 0 ? 'waiting' : 'idle');
  return {
    head: fold.head,
    path: fold.pathIds(),
    leaves: fold.leaves(),
    outline: fold.outline,
    rows: rows.map((row) => ({
      kind: row.kind,
      id: row.entry.id,
      ...(row.kind === 'assistant'
        ? { cards: row.cards.map(({ call, ...card }) => ({ call: call.call_id, ...card })) }
        : {}),
      ...(row.fork === undefined ? {} : { fork: row.fork }),
    })),
    state,
  };
}

/** The expected value beside the log. BOUGH_GOLDEN=write writes it anew, to be read before it is committed. */
export function expected(name: string, what: 'fold' | 'request', actual: unknown): unknown {
  const file = new URL(`${name}.${what}.json`, folder);
  if (process.env['BOUGH_GOLDEN'] === 'write') writeFileSync(file, `${JSON.stringify(actual, null, 2)}\n`);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as unknown) : undefined;
}
