/** Runs one prepared call: its start durable before, its result and what it changed in one batch after. */
import type { Disposable, Prepared, Tool, ToolContext, ToolOutcome } from '../ports.js';
import { isBoughError, toolFailure, type Failure } from '../shared/failure.js';
import type { CallState } from '../shared/fold/types.js';
import type { Draft } from '../shared/notes.js';
import { plainOf } from '../shared/styled-text.js';
import { createPrinted } from './background.js';
import { underLease, type Core, type Run } from './core.js';
import { resultMessage } from './entries.js';
import { stackOf } from './failures.js';
import { journalOutput, type OutputJournal } from './output-journal.js';
import { readReport } from './queue.js';
import { readResult } from './results.js';
import { delegate } from './subagents.js';
import { skillLoad } from './skills.js';

/** How long a stopped tool may take to give its result. */
export const STOP_GRACE_MS = 2_000;

export interface ReadyCall {
  call: CallState;
  tool: Tool;
  prepared: Prepared;
}

export const toolBug = (name: string, error: unknown): Failure => ({
  kind: 'tool',
  code: 'InternalError',
  message: `The tool ${name} failed inside: ${error instanceof Error ? error.message : String(error)}`,
  transient: false,
});

/** For a call that is only looked at. */
const nothing = { aside: new AbortController().signal, report: (): void => undefined };

interface Running extends Pick<ToolContext, 'aside' | 'report'> {
  call_id: string;
  turn_id: string;
  putAside: () => void;
}

export const toolContext = (core: Core, signal: AbortSignal, running?: Running): ToolContext => ({
  workspace: core.parts.workspace,
  session: {
    readResult: (id, offset, limit) => readResult(core, id, { offset, limit }),
    background: (id) => core.background.get(id),
    delegate: (task, options) =>
      running === undefined
        ? Promise.resolve(toolFailure('not-running', 'A task can be given away only while the call runs.'))
        : delegate(core, { ...running, ...options }, task),
  },
  signal,
  aside: running?.aside ?? nothing.aside,
  report: running?.report ?? nothing.report,
  ...saidTo(core, running?.call_id),
  ...operationOf(core, running?.turn_id),
});

/** What the person wrote, and where they want it, when they let a call run. */
function saidTo(core: Core, id: string | undefined): Pick<ToolContext, 'said' | 'place'> {
  const { open_calls } = core.log.state();
  const decision = open_calls.find(({ call }) => call.call_id === id)?.decision;
  const { feedback: said, place } = decision ?? {};
  return { ...(said === undefined ? {} : { said }), ...(place === undefined ? {} : { place }) };
}

function operationOf(core: Core, turn_id: string | undefined): Pick<ToolContext, 'operation_key'> {
  const { goal } = core.log.state();
  if (turn_id === undefined || goal?.turn_id !== turn_id || goal.operation_key === undefined) return {};
  return { operation_key: goal.operation_key };
}

export async function stepRef(
  core: Core,
  call: CallState,
): Promise<{ turn_id: string; step: number | undefined }> {
  const message = await core.log.entry(call.message_id);
  return {
    turn_id: call.turn_id ?? message?.turn_id ?? '',
    step: message?.type === 'message' ? message.step : undefined,
  };
}

/**
 * The note that makes the start of a call with effects durable. The bytes of its files as they are now go into blobs
 * first, so that a recovery can tell what the call did.
 */
export async function startBatch(
  core: Core,
  turn_id: string,
  { call, prepared }: ReadyCall,
): Promise<Draft[]> {
  if (prepared.risk === 'read' && prepared.begins !== true) return [];
  const { blobs } = core;
  for (const change of prepared.proposal ?? []) if (change.before !== null) await blobs.put(change.before);
  return [
    {
      type: 'tool_start',
      turn_id,
      call_id: call.call.call_id,
      ...(prepared.targets.length === 0 ? {} : { before: prepared.targets }),
    },
  ];
}

/** Runs a call that may run, and writes its result with what it changed in one batch. */
export async function finishCall(core: Core, run: Run, ready: ReadyCall): Promise<void> {
  const { call, tool, prepared } = ready;
  const { call_id } = call.call;
  core.live.startCall(call_id, core.parts.clock.now());
  try {
    const outcome = await runTool(core, run, tool, { prepared, call });
    // The window closes and the tool does not say what it did: the next one finds its outcome unknown.
    if (outcome === null) return;
    const batch = await resultBatch(core, call, outcome);
    try {
      await keepResult(core, run, call_id, batch);
    } catch (error) {
      if (!isBoughError(error, 'InvalidArgument')) throw error;
      // No log could hold it, now or later: what is kept is that the call did run, and why its result is not here.
      const content = `The call ran, but its result cannot be kept: ${error.message}`;
      await keepResult(core, run, call_id, await resultBatch(core, call, { content, is_error: true }));
    }
  } finally {
    if (!core.background.isRunning(call_id)) core.live.endCall(call_id);
  }
}

async function keepResult(core: Core, run: Run, call_id: string, batch: Draft[]): Promise<void> {
  try {
    await core.append(batch);
  } catch (error) {
    if (isBoughError(error, 'InvalidArgument')) throw error;
    // The call did run: whoever closes the turn must be able to say so.
    if (core.unsaved?.turn_id !== run.turn_id) {
      core.unsaved = { turn_id: run.turn_id, partial: null, results: new Map(), reason: '' };
    }
    core.unsaved.results.set(call_id, batch);
    throw error;
  }
}

async function runTool(
  core: Core,
  run: Run,
  tool: Tool,
  { prepared, call }: { prepared: Prepared; call: CallState },
): Promise<ToolOutcome | null> {
  const { call_id } = call.call;
  const kept = prepared.risk === 'run' ? await journalFor(core, run, call) : null;
  const ending = new AbortController();
  const signal = AbortSignal.any([run.signal, ending.signal]);
  const aside = new AbortController();
  const printed = createPrinted();
  const report = (chunk: string): void => {
    const plain = plainOf(chunk);
    printed.add(plain);
    kept?.add(plain);
    core.live.report(call_id, chunk);
  };
  const context = toolContext(core, signal, {
    call_id,
    turn_id: run.turn_id,
    aside: aside.signal,
    report,
    putAside: () => aside.abort(BY_MODEL),
  });
  const end = (): void => ending.abort(new Error('The person ended this call.'));
  const putAside = prepared.risk === 'run' ? (): void => aside.abort() : null;
  run.call = { call_id, end, putAside };
  const work = (async (): Promise<ToolOutcome> => {
    try {
      return await tool.run(prepared, context);
    } catch (error) {
      core.parts.log('error', `tool ${prepared.tool}: ${stackOf(error)}`);
      return { content: toolBug(prepared.tool, error).message, is_error: true };
    }
  })();
  try {
    const outcome = await Promise.race([orAbandoned(core, run, signal, work), wasPutAside(aside.signal)]);
    if (outcome === 'aside') {
      const onEnd = (): void => core.live.endCall(call_id);
      const onRead = (): void => forgetReport(core, call_id);
      core.background.keep(call_id, {
        turn_id: run.turn_id,
        work: work.then(({ content }) => content),
        printed,
        end,
        onEnd,
        onRead,
      });
      if (aside.signal.reason === BY_MODEL)
        return { content: worksBeside(call_id), is_error: false, outcome: 'in the background' };
      return { content: goesOn(call_id, core.parts.redact.tokens(printed.read())), is_error: false };
    }
    if (outcome === null || run.signal.aborted || !ending.signal.aborted) return outcome;
    return { ...outcome, content: `${outcome.content}\n${ENDED_CALL}` };
  } finally {
    kept?.leave();
    run.call = null;
  }
}

async function journalFor(core: Core, { turn_id }: Run, call: CallState): Promise<OutputJournal> {
  const message = await core.log.entry(call.message_id);
  const { step = 0, attempt_id = '' } = message?.type === 'message' ? message : {};
  return journalOutput(core, { call_id: call.call.call_id, turn_id, step, attempt_id });
}

const wasPutAside = (aside: AbortSignal): Promise<'aside'> =>
  new Promise((resolve) => {
    aside.addEventListener('abort', () => resolve('aside'), { once: true });
  });

/** Why a call went aside that the model itself asked to. */
const BY_MODEL = new Error('It was begun in the background.');

const worksBeside = (id: string): string =>
  `[It works in the background, as "${id}". Its report comes into the conversation when it is done: do not wait for it unless you can do nothing else. Use background with this id to look at what it does, to wait for its end or to end it.]`;

/** The model has read it: it is not told a second time. */
function forgetReport(core: Core, id: string): void {
  const dropping = core.gate.pass(() =>
    underLease(core, async () => {
      const batch = readReport(core.log.state(), id);
      if (batch.length > 0) await core.append(batch);
    }),
  );
  dropping.catch((error: unknown) => core.parts.log('warn', `a report is told twice: ${stackOf(error)}`));
}

function goesOn(id: string, printed: string): string {
  const said = `[The person lets this go on in the background: it is still running, as "${id}". Use background with this id to read its output, to wait for its end or to end it.]`;
  return printed.trim() === '' ? said : `${printed.trimEnd()}\n\n${said}`;
}

/** A tool that does not heed the stop is left after a moment; what it did is then not known. */
function orAbandoned(
  core: Core,
  run: Run,
  signal: AbortSignal,
  work: Promise<ToolOutcome>,
): Promise<ToolOutcome | null> {
  return new Promise((resolve, reject) => {
    let timer: Disposable | null = null;
    const begin = (): void => {
      timer = core.parts.clock.after(STOP_GRACE_MS, () => settle(left(run)));
    };
    const settle = (outcome: ToolOutcome | null): void => {
      timer?.dispose();
      signal.removeEventListener('abort', begin);
      resolve(outcome);
    };
    signal.addEventListener('abort', begin, { once: true });
    if (signal.aborted) begin();
    work.then(settle, reject);
  });
}

function left(run: Run): ToolOutcome | null {
  if (run.stopReason() === 'closed') return null;
  return { content: run.signal.aborted ? STOPPED_IN_CALL : LEFT_CALL, is_error: true };
}

const ENDED_CALL = '[The person ended this call by hand. The turn goes on.]';

const LEFT_CALL = 'The call did not end when it was told to, and was left. It may go on.';

export const STOPPED_IN_CALL =
  'The turn was stopped while this call was running. It may have partly run. Look at its effects before running it again.';

async function resultBatch(core: Core, call: CallState, outcome: ToolOutcome): Promise<Draft[]> {
  const ref = await stepRef(core, call);
  const message = resultMessage(ref, call.call, outcome);
  for (const { mime, name, bytes } of outcome.pictures ?? [])
    message.parts.push({ type: 'image', blob: await core.blobs.put(bytes), mime, name });
  const batch: Draft[] = [message];
  const changes = [];
  for (const change of outcome.changes ?? []) {
    changes.push({
      path: change.path.shown,
      before: change.before_bytes === null ? null : await core.blobs.put(change.before_bytes),
      after: change.after_bytes === null ? null : await core.blobs.put(change.after_bytes),
    });
  }
  if (changes.length > 0) batch.push({ type: 'files_changed', turn_id: ref.turn_id, changes });
  if (outcome.skill !== undefined)
    batch.push(...skillLoad(await core.log.line(), outcome.skill, ref.turn_id));
  if (outcome.todos !== undefined)
    batch.push({ type: 'todo_update', turn_id: ref.turn_id, items: outcome.todos });
  if (outcome.finish !== undefined)
    batch.push({ type: 'run_finish', turn_id: ref.turn_id, ...outcome.finish });
  return batch;
}
