/**
 * Bodies of a path → rows of the transcript. A call's card holds its result, so tool messages have no row of their own.
 * Total over partial bodies: what is not there yet has no row.
 */
import type { ConversationEntry, Message, ToolCallPart, ToolResultPart } from '../entry.js';
import { isConversation, type Entry, type NoteOf } from '../notes.js';
import { goalLine } from '../goal.js';
import { Outline, ROOT } from './outline.js';
import { isStandIn, LOST_RESULT } from './stand-in.js';
import { spentByTurn, tellSpent } from './spent.js';
import { waitsOf } from './waited.js';
import type { CallState, CardState, OutlineNode, PathState, Row, RowBody, ToolCard } from './types.js';

/** What the run is doing, as the protocol's RunState says it. */
export type RunTag = 'idle' | 'running' | 'waiting' | 'retrying' | 'parked' | 'stopping';

interface Facts {
  state: PathState;
  run: RunTag;
  /** The turn whose end was torn off the file. */
  torn: string | undefined;
  open: Map<string, CallState>;
  results: Map<string, { part: ToolResultPart; entry_id: string }[]>;
  requests: Map<string, NoteOf<'approval_request'>>;
  decisions: Map<string, NoteOf<'approval_decision'>>;
  starts: Set<string>;
  /** Sessions of subagents, by the call that began them. */
  subagents: Map<string, string>;
}

/**
 * Rows of the path to `state.head`, root first. `entries` may hold more or less than the path, in file order; keep an
 * {@link Outline} to spare building its index each time. `torn`: the open turn, when the end of the file is lost with which
 * it would go on. `shown`: the end of the path for which there are to be rows, where it is not all of it.
 */
export function rowsOf(
  entries: readonly { position: number; entry: Entry }[],
  outline: Outline | readonly OutlineNode[],
  state: PathState,
  run: RunTag,
  torn?: string,
  shown?: readonly number[],
): Row[] {
  const tree = outline instanceof Outline ? outline : new Outline(outline);
  const bodies = new Map<string, ConversationEntry>();
  for (const { entry } of entries) if (isConversation(entry)) bodies.set(entry.id, entry);
  const head = tree.ordinal(state.head);
  const ordinals = shown ?? tree.path(head);
  const path = ordinals.map((ordinal) => bodies.get(tree.node(ordinal)?.[0] ?? ''));
  const facts = { ...collect(entries, path, state, run), torn };
  const forks = head === ROOT ? new Map<string, never>() : tree.forks(head, ordinals[0]);
  const waits = waitsOf(entries);
  const rows: Row[] = [];
  const goals = goalLines(entries);
  for (const entry of path) {
    if (entry === undefined) continue;
    const fork = forks.get(entry.id);
    const lines = goals.get(entry.id);
    if (isToolMessage(entry) && fork === undefined) {
      tellGoal(rows.at(-1), lines);
      continue;
    }
    const waited = waits.get(entry.id);
    rows.push({
      ...bodyOf(entry, facts),
      ...(fork === undefined ? {} : { fork }),
      ...(waited === undefined ? {} : { waited }),
    });
    tellGoal(rows.at(-1), lines);
  }
  tellSpent(rows, spentByTurn(entries));
  return rows;
}

/** By the entry they stand on; what is said twice is shown once. */
function goalLines(entries: readonly { entry: Entry }[]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const { entry } of entries) {
    if (entry.type !== 'goal_update' || entry.parent_id === null) continue;
    const line = goalLine(entry);
    const lines = found.get(entry.parent_id) ?? [];
    if (line !== undefined && lines.at(-1) !== line) found.set(entry.parent_id, [...lines, line]);
  }
  return found;
}

function tellGoal(row: Row | undefined, lines: readonly string[] | undefined): void {
  if (row !== undefined && lines !== undefined) row.goals = [...(row.goals ?? []), ...lines];
}

const isToolMessage = (entry: ConversationEntry): boolean =>
  entry.type === 'message' && entry.role === 'tool';

function collect(
  entries: readonly { entry: Entry }[],
  path: readonly (ConversationEntry | undefined)[],
  state: PathState,
  run: RunTag,
): Omit<Facts, 'torn'> {
  const facts: Omit<Facts, 'torn'> = {
    state,
    run,
    open: new Map(state.open_calls.map((open) => [open.call.call_id, open])),
    results: new Map(),
    requests: new Map(),
    decisions: new Map(),
    starts: new Set(),
    subagents: new Map(),
  };
  for (const { entry } of entries) {
    if (entry.type === 'approval_request') facts.requests.set(entry.call_id, entry);
    if (entry.type === 'tool_start') facts.starts.add(entry.call_id);
    if (entry.type === 'subagent_start' && entry.call_id !== undefined) {
      facts.subagents.set(entry.call_id, entry.session);
    }
    // Of several decisions the first in the file counts.
    if (entry.type === 'approval_decision' && !facts.decisions.has(entry.request_id)) {
      facts.decisions.set(entry.request_id, entry);
    }
  }
  for (const entry of path) if (entry?.type === 'message') addResults(facts, entry);
  return facts;
}

function addResults(facts: Pick<Facts, 'results'>, message: Message): void {
  for (const part of message.parts) {
    if (part.type !== 'tool_result') continue;
    const same = facts.results.get(part.call_id);
    const result = { part, entry_id: message.id };
    if (same === undefined) facts.results.set(part.call_id, [result]);
    else same.push(result);
  }
}

function bodyOf(entry: ConversationEntry, facts: Facts): RowBody {
  switch (entry.type) {
    case 'message': {
      if (entry.role === 'user' || entry.role === 'system') return { kind: 'user', entry };
      const calls = entry.parts.filter((part) => part.type === 'tool_call');
      return { kind: 'assistant', entry, cards: calls.map((call) => cardOf(call, facts)) };
    }
    case 'incomplete_output':
      return { kind: 'incomplete', entry };
    case 'compaction':
      return { kind: 'compaction', entry };
    case 'branch_summary':
      return { kind: 'branch_summary', entry };
    case 'skill_load':
      return { kind: 'skill_load', entry };
  }
}

function cardOf(call: ToolCallPart, facts: Facts): ToolCard {
  const open = facts.open.get(call.call_id);
  const request = facts.requests.get(call.call_id) ?? open?.request;
  const decision = (request === undefined ? undefined : facts.decisions.get(request.id)) ?? open?.decision;
  // Each result answers one call of its id: should ids repeat, they are taken in order.
  const result = facts.results.get(call.call_id)?.shift();
  const session = facts.subagents.get(call.call_id);
  const state =
    result === undefined
      ? openState(open, facts)
      : answeredState(result.part, decision?.decision, facts.starts.has(call.call_id));
  const isLost =
    result === undefined
      ? state === 'interrupted' && isTornOff(open, facts)
      : result.part.content.startsWith(LOST_RESULT);
  return {
    call,
    ...(isLost ? { state: 'unknown', isLost } : { state }),
    result: result === undefined ? undefined : result.part.content || result.part.preview,
    styles: result?.part.styles,
    result_id: result?.entry_id,
    decision: decision?.decision,
    feedback: decision?.feedback,
    ...(decision?.edited_input === undefined ? {} : { edited_input: decision.edited_input }),
    summary: request?.summary,
    ...(session === undefined ? {} : { session }),
  };
}

function answeredState(
  result: ToolResultPart,
  decision: ToolCard['decision'],
  hasStarted: boolean,
): CardState {
  if (decision !== undefined && decision !== 'allow') return 'denied';
  if (isStandIn(result.content)) return hasStarted ? 'unknown' : 'interrupted';
  return result.is_error ? 'error' : 'ok';
}

/** Nothing that is left says that it did not run. */
const isTornOff = (open: CallState | undefined, { torn }: Facts): boolean =>
  torn !== undefined && open?.turn_id === torn && (open.status === 'open' || open.status === 'allowed');

function openState(open: CallState | undefined, { state, run }: Facts): CardState {
  // Answered on this path, but the answer's body is not here yet.
  if (open === undefined) return 'unknown';
  const isOfOpenTurn =
    state.turn !== null && (open.turn_id === undefined || open.turn_id === state.turn.turn_id);
  const isLive = isOfOpenTurn && (run === 'running' || run === 'stopping');
  switch (open.status) {
    case 'pending':
      return 'pending';
    case 'refused':
      return open.decision === undefined ? 'interrupted' : 'denied';
    case 'answered':
      return 'interrupted';
    case 'started':
      return isLive ? 'running' : 'unknown';
    case 'allowed':
      // Its tool_start is not there yet: it waits for the call before it.
      return isLive || (isOfOpenTurn && run === 'waiting') ? 'pending' : 'interrupted';
    case 'open':
      if (isLive && isNext(open, state)) return 'running';
      return isLive || (isOfOpenTurn && run === 'waiting') ? 'pending' : 'interrupted';
  }
}

/** Calls run one at a time: the first without a card, unless one whose start is in the log still runs. */
function isNext({ call, turn_id }: CallState, { open_calls }: PathState): boolean {
  const ofTurn = open_calls.filter((other) => other.turn_id === turn_id);
  if (ofTurn.some(({ status }) => status === 'started')) return false;
  const next = ofTurn.find(({ status }) => status === 'open');
  return next?.call.call_id === call.call_id;
}
