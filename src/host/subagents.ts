/**
 * Runs subagents: each in a session of its own, linked to its parent's and listed below it, with the parent's model and at
 * most what the parent may do without a card. What needs the person waits in that session, like all else.
 */
import type { AgentSession } from '../agent/types.js';
import type { SessionInit } from '../log/store.js';
import type { Disposable, Outcome, SubagentEnd, SubagentRun, Subagents } from '../ports.js';
import { isMoreCareful, type ApprovalMode } from '../shared/approval-state.js';
import { isFailure, toolFailure, type Failure } from '../shared/failure.js';
import type { Entry } from '../shared/notes.js';
import { failureOf } from './errors.js';
import type { OpenSessions } from './sessions/open-sessions.js';
import type { HostSession } from './sessions/session.js';
import type { WindowStore } from './sessions/window-store.js';
import { watchEnds } from './turn-ends.js';

const MAX_TITLE = 80;

export interface SubagentsParts {
  sessions: OpenSessions;
  store: WindowStore;
}

export function createSubagents({ sessions, store }: SubagentsParts): Subagents {
  const opened = async (run: SubagentRun): Promise<HostSession> => {
    const known = await store.summary(run.session);
    if (known === undefined) await begin(sessions, store, run);
    return sessions.open(run.session);
  };
  return {
    run: async (run, options) => {
      try {
        const session = await opened(run);
        const parent = (await sessions.open(run.parent)).agent;
        const holding = session.hold();
        const agent = session.agent;
        const minding = mindMode(parent, agent);
        try {
          return await work(agent, run, options);
        } finally {
          minding.dispose();
          holding.dispose();
        }
      } catch (error) {
        return failureOf(error, 'The subagent');
      }
    },
  };
}

/** Kept where its parent is kept, and as its parent is. */
async function begin(
  sessions: OpenSessions,
  store: WindowStore,
  { parent, session, task }: SubagentRun,
): Promise<void> {
  const { header } = (await sessions.open(parent)).agent.log;
  const init: SessionInit = {
    id: session,
    title: titleOf(task),
    parent_session_id: parent,
    subagent_task: task,
    ...(header.folder === undefined ? {} : { folder: header.folder }),
    ...(header.owner === undefined ? {} : { owner: header.owner }),
  };
  if (store.isEphemeral(parent)) store.ephemeralId(session);
  else {
    const place = await store.placeOf(parent);
    if (place !== store.first) store.beginIn(place, session);
  }
  await store.openOrCreate(session, init);
}

const titleOf = (task: string): string => {
  const line = task.trim().split('\n')[0]?.trim() ?? '';
  return line.length > MAX_TITLE ? `${line.slice(0, MAX_TITLE - 1).toWellFormed()}…` : line;
};

/** A parent that is made more careful while its subagent works makes that more careful too. */
function mindMode(parent: AgentSession, agent: AgentSession): Disposable {
  return parent.log.onAppend(() => void tighten(agent, parent.mode()));
}

/** Never loosens: what the person chose for the subagent's own session counts. */
async function tighten(agent: AgentSession, mode: ApprovalMode): Promise<Failure | null> {
  if (!isMoreCareful(mode, agent.mode())) return null;
  const set = await agent.dispatch({ type: 'set_mode', mode });
  return isFailure(set) ? set : null;
}

/** Its parent's model and mode, before its first turn. */
async function equip(agent: AgentSession, { mode, model }: SubagentRun): Promise<Failure | null> {
  if (agent.log.outline.length > 0) return tighten(agent, mode);
  if (model !== null) {
    const chosen = await agent.selectModel(model.provider, model.model_id);
    if (isFailure(chosen)) return chosen;
  }
  const set = await agent.dispatch({ type: 'set_mode', mode });
  return isFailure(set) ? set : null;
}

async function work(
  agent: AgentSession,
  run: SubagentRun,
  { signal, report, onWaiting }: Parameters<Subagents['run']>[1],
): Promise<Outcome<SubagentEnd>> {
  const unfit = await equip(agent, run);
  if (unfit !== null) return unfit;
  const telling = agent.log.onAppend((placed) => placed.forEach(({ entry }) => tell(entry, report)));
  // It may wait for the person, for a night if need be: only the end of its turn counts, whoever ends it.
  const ends = watchEnds(agent);
  const waiting = agent.on(({ type }) => {
    if (type === 'run') onWaiting(agent.isWaiting());
  });
  const stop = (): void => void agent.dispatch({ type: 'stop' });
  try {
    const sent = await agent.assign(run.task);
    if (isFailure(sent)) return sent;
    const turn = (await agent.log.entry(sent.entry_id ?? ''))?.turn_id ?? '';
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    const { failure } = await ends.of(turn);
    return await endOf(agent, turn, failure);
  } finally {
    signal.removeEventListener('abort', stop);
    ends.dispose();
    waiting.dispose();
    telling.dispose();
  }
}

/** One line for the card of the call. */
function tell(entry: Entry, report: (chunk: string) => void): void {
  if (entry.type === 'approval_request') report(`Waits for you: ${entry.summary}\n`);
  if (entry.type !== 'message' || entry.role !== 'assistant') return;
  for (const part of entry.parts) if (part.type === 'tool_call') report(`${part.name}\n`);
}

/** What came of its turn, as its log says; the failure, when the log does not. */
async function endOf(
  { log }: AgentSession,
  turn: string,
  failure: Failure | null,
): Promise<Outcome<SubagentEnd>> {
  const entries = (await log.since(0)).map(({ entry }) => entry).filter((entry) => entry.turn_id === turn);
  const end = entries.findLast((entry) => entry.type === 'turn_end');
  const finish = entries.findLast((entry) => entry.type === 'run_finish');
  if (end?.type !== 'turn_end')
    return failure ?? toolFailure('subagent-lost', `The log of ${log.id} does not say how its turn ended.`);
  const usage = sumOf(entries);
  const status =
    end.status === 'completed' ? (finish?.type === 'run_finish' ? finish.status : 'completed') : end.status;
  return {
    session: log.id,
    status: status === 'interrupted' ? 'stopped' : status,
    summary:
      (finish?.type === 'run_finish' ? finish.summary : lastText(entries)) ||
      (end.error ?? 'It said nothing.'),
    steps: end.steps,
    ...(usage === undefined ? {} : { usage }),
  };
}

function lastText(entries: readonly Entry[]): string {
  for (const entry of [...entries].reverse()) {
    if (entry.type !== 'message' || entry.role !== 'assistant') continue;
    const text = entry.parts
      .flatMap((part) => (part.type === 'text' ? [part.text ?? part.preview ?? ''] : []))
      .join('\n');
    if (text.trim() !== '') return text;
  }
  return '';
}

/** Its own subagents' requests are in there too. */
function sumOf(entries: readonly Entry[]): SubagentEnd['usage'] {
  const notes = entries.flatMap((entry) => (entry.type === 'usage' ? [entry] : []));
  if (notes.length === 0) return undefined;
  const sum = { input_tokens: 0, output_tokens: 0, total_tokens: 0 };
  let cost: number | undefined;
  for (const note of notes) {
    sum.input_tokens += note.input_tokens;
    sum.output_tokens += note.output_tokens;
    sum.total_tokens += note.total_tokens;
    if (note.cost !== undefined) cost = (cost ?? 0) + note.cost;
  }
  return { ...sum, ...(cost === undefined ? {} : { cost }) };
}
