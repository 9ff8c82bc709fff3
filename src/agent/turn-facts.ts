/** What the log says of a turn's steps and attempts: budgets are counted from it, so that a reload never resets them. */
import type { Message } from '../shared/entry.js';
import type { Entry } from '../shared/notes.js';
import type { Core } from './core.js';
import { lineEnd } from './line-end.js';

export interface TurnFacts {
  /** The last step that was started; 0 before the first. */
  step: number;
  /** It was started and has no end. */
  isStepOpen: boolean;
  /** Attempts of the request that is open now. */
  attempts: number;
  /** ms since the epoch, by the wall clock: when the request's first attempt and the last one began. */
  firstAttemptAt: number | null;
  lastAttemptAt: number | null;
  resumes: number;
  /** The number of a retry that has no end yet. */
  openRetry: number | null;
  /** A compaction was tried in this step because the request was too long. */
  hasMadeRoom: boolean;
  /** Images went in this step because the server did not accept them. */
  hasLeftImages: boolean;
  /** Blobs of all that went in this turn. */
  withoutImages: ReadonlySet<string>;
  /** The assistant message of the last step, when it came. */
  message: Message | null;
}

export const factsOf = async (core: Core, turn_id: string): Promise<TurnFacts> =>
  turnFacts(await entriesOf(core, turn_id));

/** A turn's own entries, read only from where it began, however long the conversation is. */
export async function entriesOf(core: Core, turn_id: string): Promise<Entry[]> {
  if (core.turnPlace?.turn_id !== turn_id) {
    core.turnPlace = { turn_id, position: await placeOf(core, turn_id) };
  }
  const placed = await core.log.since(core.turnPlace.position);
  return placed.map(({ entry }) => entry).filter((entry) => entry.turn_id === turn_id);
}

async function placeOf(core: Core, turn_id: string): Promise<number> {
  const line = await lineEnd(
    core.log,
    ({ entry }) => entry.type === 'turn_start' && entry.turn_id === turn_id,
  );
  return line.find(({ entry }) => entry.turn_id === turn_id)?.position ?? 0;
}

const timeOf = (timestamp: string): number | null => {
  const at = Date.parse(timestamp);
  return Number.isNaN(at) ? null : at;
};

/** `entries`: the turn's own, in file order. */
export function turnFacts(entries: readonly Entry[]): TurnFacts {
  const facts: TurnFacts = {
    step: 0,
    isStepOpen: false,
    attempts: 0,
    firstAttemptAt: null,
    lastAttemptAt: null,
    resumes: 0,
    openRetry: null,
    hasMadeRoom: false,
    hasLeftImages: false,
    withoutImages: new Set(),
    message: null,
  };
  for (const entry of entries) take(facts, entry);
  return facts;
}

function take(facts: TurnFacts, entry: Entry): void {
  switch (entry.type) {
    case 'step_start':
      if (entry.step !== facts.step || !facts.isStepOpen) beginRequest(facts);
      facts.step = entry.step;
      facts.isStepOpen = true;
      facts.message = null;
      facts.attempts += 1;
      facts.lastAttemptAt = timeOf(entry.timestamp);
      facts.firstAttemptAt ??= facts.lastAttemptAt;
      return;
    case 'resume_start':
      facts.resumes += 1;
      return beginRequest(facts);
    case 'retry_start':
      facts.openRetry = entry.attempt;
      if (entry.without_images !== undefined) {
        facts.hasLeftImages = true;
        facts.withoutImages = new Set([...facts.withoutImages, ...entry.without_images]);
      }
      return;
    case 'retry_end':
      facts.openRetry = null;
      return;
    case 'step_end':
      if (entry.step === facts.step) facts.isStepOpen = false;
      facts.hasMadeRoom = false;
      facts.hasLeftImages = false;
      return;
    case 'overflow_recovery':
      facts.hasMadeRoom = true;
      return;
    case 'message':
      if (entry.role === 'assistant') facts.message = entry;
      return;
    default:
      return;
  }
}

function beginRequest(facts: TurnFacts): void {
  facts.attempts = 0;
  facts.firstAttemptAt = null;
}

/**
 * ms that a turn ran until its last entry, by the times in the log. Waiting for the person does not count: not from a
 * request to its decision, nor while the turn was parked.
 */
export function spentMs(entries: readonly Entry[]): number {
  const open = new Set<string>();
  let isParked = false;
  let before: number | null = null;
  let spent = 0;
  for (const entry of entries) {
    const at = timeOf(entry.timestamp);
    if (at !== null) {
      if (before !== null && open.size === 0 && !isParked) spent += Math.max(0, at - before);
      before = at;
    }
    if (entry.type === 'approval_request') open.add(entry.id);
    if (entry.type === 'approval_decision') open.delete(entry.request_id);
    if (entry.type === 'retry_start') isParked = entry.kind === 'parked';
    if (entry.type === 'step_start' || entry.type === 'retry_end') isParked = false;
  }
  return spent;
}
