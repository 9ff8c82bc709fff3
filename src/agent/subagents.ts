/**
 * Part of a task given to an agent of its own, whose work stands in a session of its own. The parent's log says that it
 * began, before it does, and what came of it; nothing of what it did on the way is here.
 */
import type { Disposable, Outcome, SubagentEnd, SubagentTask } from '../ports.js';
import { isFailure, toolFailure } from '../shared/failure.js';
import type { Draft, NoteOf } from '../shared/notes.js';
import { levelOf, parentSessionOf, subagentId } from '../shared/route.js';
import { underLease, type Core, type Run } from './core.js';
import { approvalOf } from './mode.js';
import { enqueueReport } from './queue.js';

/** A subagent may have subagents; those may not. */
const MAX_LEVEL = 2;

/** The call that hands the task over. */
export interface Handing {
  call_id: string;
  turn_id: string;
  signal: AbortSignal;
  report: (chunk: string) => void;
  /** Lets the call go on beside the turn. */
  putAside: () => void;
}

export async function delegate(
  core: Core,
  handing: Handing,
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
  const { turn_id, call_id } = handing;
  const job = wanted.isBeside === true ? { job_id: call_id } : {};
  const task = { agent, session, task: wanted.task };
  const about = { turn_id, call_id, agent, session, ...job };
  const beside = wanted.isBeside === true ? { async: true } : {};
  await core.append([{ type: 'subagent_start', ...about, task: wanted.task, ...beside }]);
  if (wanted.isBeside === true) handing.putAside();
  const { mode } = approvalOf(core);
  const { model } = core.log.state();
  const pauses = pausesOf(core, wanted.isBeside === true ? null : core.run);
  const end = await subagents.run(
    { ...task, parent: core.log.id, mode, model },
    { signal: unlessClosed(core, handing.signal), report: handing.report, onWaiting: pauses.set },
  );
  pauses.set(false);
  if (core.isClosed) return end;
  if (wanted.isBeside === true) await bringReport(core, about, end);
  else await core.append(endNotes(about, end));
  return end;
}

/** While the subagent waits for the person, the time of the turn that waits for it stands still. */
function pausesOf(core: Core, run: Run | null): { set: (isWaiting: boolean) => void } {
  let pause: Disposable | null = null;
  return {
    set: (isWaiting) => {
      if (!isWaiting) {
        pause?.dispose();
        pause = null;
      } else if (run !== null && core.run === run) pause ??= run.pause();
    },
  };
}

interface About {
  turn_id: string;
  call_id: string;
  agent: string;
  session: string;
  job_id?: string;
}

/**
 * What came of one that worked beside the turn, as a message that goes into the turn that runs now, or into the next one:
 * by itself it begins none. It waits in the queue, so that it is told once, is in sight, and survives a reload.
 */
async function bringReport(core: Core, about: About, end: Outcome<SubagentEnd>): Promise<void> {
  await core.gate.pass(() =>
    underLease(core, async () => {
      const report = await enqueueReport(core, about.call_id, reportOf(about, end));
      await core.append([...endNotes(about, end), ...report]);
    }),
  );
}

function reportOf({ agent, session }: About, end: Outcome<SubagentEnd>): string {
  const said = isFailure(end) ? end.message : end.summary;
  const how = isFailure(end) ? 'failed' : end.status;
  return `[Report of the subagent "${agent}", which worked in the background: ${how}. Its session is ${session}.]\n\n${said}`;
}

function endNotes({ turn_id, ...about }: About, end: Outcome<SubagentEnd>): Draft[] {
  const of = { type: 'subagent_end', turn_id, ...about } as const;
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
