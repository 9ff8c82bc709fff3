/**
 * Part of a task given to an agent of its own, whose work stands in a session of its own. The parent's log says that it
 * began, before it does, and what came of it; nothing of what it did on the way is here.
 */
import type { Outcome, SubagentEnd, SubagentTask } from '../ports.js';
import { isFailure, toolFailure } from '../shared/failure.js';
import type { Draft, NoteOf } from '../shared/notes.js';
import { levelOf, parentSessionOf, subagentId } from '../shared/route.js';
import type { Core } from './core.js';
import { approvalOf } from './mode.js';

/** A subagent may have subagents; those may not. */
const MAX_LEVEL = 2;

/** The call that hands the task over. */
export interface Handing {
  call_id: string;
  turn_id: string;
  signal: AbortSignal;
  report: (chunk: string) => void;
}

export async function delegate(
  core: Core,
  { call_id, turn_id, signal, report }: Handing,
  wanted: SubagentTask,
): Promise<Outcome<SubagentEnd>> {
  const { subagents } = core.parts;
  if (subagents === undefined)
    return toolFailure('no-subagents', 'No subagents can be had here. Do the task yourself.');
  if (levelOf(core.log.id) >= MAX_LEVEL)
    return toolFailure(
      'too-deep',
      `Subagents may be nested ${String(MAX_LEVEL)} deep, and this is one of the deepest. Do the task yourself.`,
    );
  const begun = await startsOf(core);
  // A copy of a log names the subagents of its original: they are not this session's.
  const known = begun.find(
    ({ session }) => session === wanted.session && parentSessionOf(session) === core.log.id,
  );
  if (wanted.session !== undefined && known === undefined)
    return toolFailure(
      'no-subagent',
      `No subagent of this session has the id "${wanted.session}". Leave it out to begin with a new one.`,
    );
  const agent = known?.agent ?? wanted.agent;
  const session = known?.session ?? subagentId(core.log.id, agent, numberOf(begun, agent));
  const task = { agent, session, task: wanted.task };
  await core.append([{ type: 'subagent_start', turn_id, call_id, ...task }]);
  const { mode } = approvalOf(core);
  const { model } = core.log.state();
  const end = await subagents.run(
    { ...task, parent: core.log.id, mode, model },
    { signal: unlessClosed(core, signal), report },
  );
  if (!core.isClosed) await core.append(endNotes(turn_id, call_id, task, end));
  return end;
}

function endNotes(
  turn_id: string,
  call_id: string,
  { agent, session }: { agent: string; session: string },
  end: Outcome<SubagentEnd>,
): Draft[] {
  const of = { type: 'subagent_end', turn_id, call_id, agent, session } as const;
  if (isFailure(end)) return [{ ...of, status: 'failed', steps: 0, error: end.message }];
  const { status, summary, steps, usage } = end;
  return [
    { ...of, status, summary, steps },
    ...(usage === undefined ? [] : [{ type: 'usage', turn_id, purpose: 'subagent', ...usage } as const]),
  ];
}

/** A window that closes takes the subagent along as it takes all sessions: what waits there goes on waiting. */
function unlessClosed(core: Core, signal: AbortSignal): AbortSignal {
  const stopping = new AbortController();
  const stop = (): void => {
    if (!core.isClosed) stopping.abort(signal.reason);
  };
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  return stopping.signal;
}

/** Where the work of a call stands that was interrupted; nothing when it gave no task away. */
export async function subagentOf(core: Core, call_id: string): Promise<string> {
  const start = (await startsOf(core)).find((begun) => begun.call_id === call_id);
  return start === undefined
    ? ''
    : ` The subagent's work is kept in its session ${start.session}: go on with that one, by \`session\`, rather than with a new one.`;
}

/** All there ever were, whatever the line. */
async function startsOf(core: Core): Promise<NoteOf<'subagent_start'>[]> {
  const placed = await core.log.since(0);
  return placed.flatMap(({ entry }) => (entry.type === 'subagent_start' ? [entry] : []));
}

const numberOf = (begun: readonly NoteOf<'subagent_start'>[], agent: string): number =>
  new Set(begun.filter((start) => start.agent === agent).map(({ session }) => session)).size + 1;
