/** What deciding about a session's age needs to know of it: whether it waits or carries a goal, and what its lines name. */
import path from 'node:path';
import type { Files } from '../ports.js';
import type { Entry, NoteOf } from '../shared/notes.js';
import { withFile } from './bytes.js';
import { hashesIn } from './copy-lines.js';
import { Ledger } from './ledger.js';
import { recordTexts } from './record-text.js';
import { scanLines, type RawLine } from './scan.js';
import { DRAFT_FILE, type SessionPaths } from './session-name.js';
import { ifThere, stored } from './storage.js';

export interface SurveyedGoal {
  /** Its last word. */
  last: NoteOf<'goal_update'>;
  hashes: Set<string>;
}

export interface Survey {
  ledger: Ledger;
  size: number;
  updated: number;
  isWaiting: boolean;
  goals: Map<string, SurveyedGoal>;
  /** Everything that may name a blob, goals' own words apart; lines that cannot be read count too. */
  named: Set<string>;
}

const doneGoals = new Set(['completed', 'pruned']);

export const isCarrying = ({ goals }: Pick<Survey, 'goals'>): boolean =>
  [...goals.values()].some(({ last }) => !doneGoals.has(last.status));

/** The same of entries that are at hand, blobs apart. */
export function surveyEntries(
  { fold }: Pick<Ledger, 'fold'>,
  entries: readonly Entry[],
): Pick<Survey, 'isWaiting' | 'goals'> {
  const goals = new Map<string, SurveyedGoal>();
  for (const entry of entries)
    if (entry.type === 'goal_update') goals.set(entry.goal_id, { last: entry, hashes: new Set() });
  return { goals, isWaiting: isWaiting(fold) };
}

const isWaiting = (fold: Ledger['fold']): boolean =>
  fold.leaves().some((leaf) => fold.state(leaf).approvals.length > 0);

export async function survey(files: Files, paths: SessionPaths): Promise<Survey> {
  return stored('read', paths.log, () =>
    withFile(files.open(paths.log, 'read'), async (file) => {
      const { size, mtime } = await file.stat();
      const ledger = new Ledger(paths.name, new Date(mtime).toISOString());
      const found: Survey = {
        ledger,
        size,
        updated: mtime,
        isWaiting: false,
        goals: new Map(),
        named: new Set(await namedInDraft(files, paths)),
      };
      for await (const lines of scanLines(file, { to: size })) for (const line of lines) take(found, line);
      found.isWaiting = isWaiting(ledger.fold);
      return found;
    }),
  );
}

function take({ ledger, goals, named }: Survey, line: RawLine): void {
  const text = Buffer.from(line.bytes).toString('latin1');
  const entries = ledger.take(line).map(({ entry }) => entry);
  if (!entries.some(({ type }) => type === 'goal_update')) {
    for (const hash of hashesIn(text)) named.add(hash);
    return;
  }
  const texts = recordTexts(line.bytes, ledger.dialect, ledger.fallbackTime);
  for (const [index, entry] of entries.entries()) {
    const hashes = hashesIn(texts[index] ?? text);
    if (entry.type !== 'goal_update') {
      for (const hash of hashes) named.add(hash);
      continue;
    }
    const goal = goals.get(entry.goal_id) ?? { last: entry, hashes: new Set() };
    for (const hash of hashes) goal.hashes.add(hash);
    goals.set(entry.goal_id, { ...goal, last: entry });
  }
}

async function namedInDraft(files: Files, { folder }: SessionPaths): Promise<string[]> {
  const bytes = await ifThere(files.read(path.join(folder, DRAFT_FILE)));
  return bytes === undefined ? [] : hashesIn(new TextDecoder().decode(bytes));
}
