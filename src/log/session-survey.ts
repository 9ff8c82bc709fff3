/** What deciding about a session's age needs to know of it: whether it waits or carries a goal, and what its lines name. */
import path from 'node:path';
import type { Files } from '../ports.js';
import type { NoteOf } from '../shared/notes.js';
import { withFile } from './bytes.js';
import { hashesIn } from './copy-lines.js';
import { Ledger } from './ledger.js';
import { recordTexts } from './record-text.js';
import { scanLines, type RawLine } from './scan.js';
import { DRAFT_FILE, type SessionPaths } from './session-name.js';
import { ifThere, stored } from './storage.js';
import type { PlacedEntry } from './store.js';

type GoalNote = NoteOf<'goal_update'>;

/** What lines say of goals: a word counts for the lines that it stands on, not for others. */
interface SurveyedGoals {
  /** A line has a goal that is not completed. */
  isCarrying: boolean;
  /** Last words of those that are completed where the head is, and that no line carries on. */
  completed: GoalNote[];
}

export interface Survey extends SurveyedGoals {
  ledger: Ledger;
  size: number;
  updated: number;
  isWaiting: boolean;
  /** By goal, what its own words name, wherever they stand. */
  goalHashes: Map<string, Set<string>>;
  /** Everything else that may name a blob; lines that cannot be read count too. */
  named: Set<string>;
}

const doneGoals = new Set(['completed', 'pruned']);

/** Why a log may carry what is not known here; undefined when all that it may hold is. */
export function unknownIn({ access }: Pick<Ledger, 'access'>): string | undefined {
  if (access.mode !== 'read-only') return undefined;
  if (access.reason === 'newer')
    return 'It was written by a newer Bough: whether something in it is still needed cannot be told here.';
  return access.reason === 'unreadable'
    ? 'It is of a format that Bough does not know: whether something in it is still needed cannot be told.'
    : undefined;
}

/** The same of entries that are at hand, blobs apart. */
export function surveyEntries(
  { fold }: Pick<Ledger, 'fold'>,
  placed: readonly PlacedEntry[],
): SurveyedGoals & Pick<Survey, 'isWaiting'> {
  return { ...goalsOf(fold, goalWords(placed)), isWaiting: isWaiting(fold) };
}

const isWaiting = (fold: Ledger['fold']): boolean =>
  fold.leaves().some((leaf) => fold.state(leaf).approvals.length > 0);

/** By position. */
type GoalWords = Map<number, GoalNote>;

const goalWords = (placed: readonly PlacedEntry[]): GoalWords =>
  new Map(
    placed.flatMap(({ position, entry }) =>
      entry.type === 'goal_update' ? [[position, entry] as const] : [],
    ),
  );

function goalsOf(fold: Ledger['fold'], words: GoalWords): SurveyedGoals {
  if (words.size === 0) return { isCarrying: false, completed: [] };
  const unheard = new Map(words);
  const lastWords = (end: string | null): GoalNote[] => {
    const last = new Map<string, GoalNote>();
    for (const position of fold.linePositions(end)) {
      const note = words.get(position);
      if (note === undefined) continue;
      unheard.delete(position);
      last.set(note.goal_id, note);
    }
    return [...last.values()];
  };
  const here = lastWords(fold.head);
  const lines = [here, ...fold.leaves().map(lastWords)];
  // Said after going back, and nothing followed: who goes there again has it.
  const ends = new Set([...unheard.values()].map(({ parent_id }) => parent_id));
  lines.push(...[...ends].map(lastWords));
  const carried = new Set(
    lines.flatMap((line) =>
      line.filter(({ status }) => !doneGoals.has(status)).map(({ goal_id }) => goal_id),
    ),
  );
  const isOver = ({ status, goal_id }: GoalNote): boolean => status === 'completed' && !carried.has(goal_id);
  return { isCarrying: carried.size > 0, completed: here.filter(isOver) };
}

export async function survey(files: Files, paths: SessionPaths): Promise<Survey> {
  return stored('read', paths.log, () =>
    withFile(files.open(paths.log, 'read'), async (file) => {
      const { size, mtime } = await file.stat();
      const ledger = new Ledger(paths.name, new Date(mtime).toISOString());
      const named = new Set(await namedInDraft(files, paths));
      const scan: Scan = { ledger, words: new Map(), goalHashes: new Map(), named };
      for await (const lines of scanLines(file, { to: size })) for (const line of lines) take(scan, line);
      const { goalHashes } = scan;
      const goals = goalsOf(ledger.fold, scan.words);
      return { ledger, size, updated: mtime, isWaiting: isWaiting(ledger.fold), ...goals, goalHashes, named };
    }),
  );
}

interface Scan extends Pick<Survey, 'ledger' | 'goalHashes' | 'named'> {
  words: GoalWords;
}

function take({ ledger, words, goalHashes, named }: Scan, line: RawLine): void {
  const text = Buffer.from(line.bytes).toString('latin1');
  const placed = ledger.take(line);
  if (!placed.some(({ entry }) => entry.type === 'goal_update')) {
    for (const hash of hashesIn(text)) named.add(hash);
    return;
  }
  const texts = recordTexts(line.bytes, ledger.dialect, ledger.fallbackTime);
  for (const [index, { position, entry }] of placed.entries()) {
    let into = named;
    if (entry.type === 'goal_update') {
      words.set(position, entry);
      into = goalHashes.get(entry.goal_id) ?? new Set();
      goalHashes.set(entry.goal_id, into);
    }
    for (const hash of hashesIn(texts[index] ?? text)) into.add(hash);
  }
}

async function namedInDraft(files: Files, { folder }: SessionPaths): Promise<string[]> {
  const bytes = await ifThere(files.read(path.join(folder, DRAFT_FILE)));
  return bytes === undefined ? [] : hashesIn(new TextDecoder().decode(bytes));
}
