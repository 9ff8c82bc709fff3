/**
 * The tool calls of a step: what is asked, what runs at once, what is never run. Each call runs after its message is in
 * the log, one at a time in call order among those that may; each result is written as it arrives.
 */
import type { Disposable, Prepared, Tool, ToolContext, ToolOutcome } from '../ports.js';
import { isBoughError, isFailure, type Failure } from '../shared/failure.js';
import type { CallState } from '../shared/fold/types.js';
import type { Draft } from '../shared/notes.js';
import { openCallsOf, type Core, type Run } from './core.js';
import { resultMessage } from './entries.js';
import { failureOf, stackOf } from './failures.js';
import { expiry, requestDraft } from './approvals.js';
import { fitResult } from './offload.js';
import { standInText } from './recover.js';

/** How long a stopped tool may take to give its result. */
const STOP_GRACE_MS = 2_000;

export interface ReadyCall {
  call: CallState;
  tool: Tool;
  prepared: Prepared;
}

/** `waiting`: all that is left are calls that nobody has decided. */
export type CallsResult = 'settled' | 'waiting' | 'stopped';

export async function settleCalls(core: Core, run: Run): Promise<CallsResult> {
  for (let isFirst = true; ;) {
    if (run.signal.aborted) return 'stopped';
    const ready = await sortOut(core, run, isFirst);
    isFirst = false;
    if (ready === null) return run.signal.aborted ? 'stopped' : restOf(core, run);
    if (run.signal.aborted) return 'stopped';
    const start = await startBatch(core, run.turn_id, ready);
    if (start.length > 0) await core.append(start);
    await finishCall(core, run, ready);
  }
}

/** Whether calls are left that can go on without a person. Asked again in the gate before a run is left. */
export function restOf(core: Core, run: Run): 'settled' | 'waiting' {
  return openCallsOf(core.log.state(), run.turn_id).length > 0 ? 'waiting' : 'settled';
}

/**
 * Answers what cannot run, asks for what nobody allowed (all of a step in one batch) and gives the first call, in call
 * order, that may run now; null when there is none.
 */
async function sortOut(core: Core, run: Run, isFirst: boolean): Promise<ReadyCall | null> {
  const requests: Draft[] = [];
  let first: ReadyCall | null = null;
  for (const call of openCallsOf(core.log.state(), run.turn_id)) {
    if (run.signal.aborted) return null;
    if (call.status === 'pending') continue;
    const ready = await judge(core, run, call);
    if (ready === null) continue;
    if (call.status === 'allowed' || mayRun(core, ready)) {
      first ??= ready;
      // All that must be asked was asked the first time.
      if (!isFirst) break;
    } else requests.push(await requestDraft(core, run.turn_id, ready));
  }
  if (requests.length > 0) await core.append(requests);
  return first;
}

const mayRun = (core: Core, { prepared }: ReadyCall): boolean =>
  prepared.risk === 'read' || core.parts.rules.allows(prepared);

/** Prepares a call; null when it was answered instead. */
async function judge(core: Core, run: Run, call: CallState): Promise<ReadyCall | null> {
  const answer = async (content: string): Promise<null> => {
    await core.append([resultMessage(await stepRef(core, call), call.call, { content, is_error: true })]);
    return null;
  };
  if (call.status === 'started' || call.status === 'refused') return answer(await standInText(core, call));
  const unfit = await unfitToRun(core, call);
  if (unfit !== null) return answer(unfit);
  const ready = await prepareCall(core, call, run.signal);
  if (run.signal.aborted) return null;
  if (isFailure(ready)) return answer(ready.message);
  if (call.status === 'allowed') {
    const changed = expiry(call, ready.prepared);
    if (changed !== null) return answer(changed);
  }
  return ready;
}

/** Why a call must never run: it is not whole. */
async function unfitToRun(core: Core, { call, message_id }: CallState): Promise<string | null> {
  if (call.raw_input !== undefined) {
    return 'The call was not run: its arguments are not valid JSON. Send the whole call again with valid arguments.';
  }
  const message = await core.log.entry(message_id);
  if (message?.type === 'message' && message.finish_reason === 'length') {
    return "The call was not run: the answer was cut at the model's output limit. Send the call again, in smaller pieces if need be.";
  }
  return null;
}

export async function prepareCall(
  core: Core,
  call: CallState,
  signal: AbortSignal,
): Promise<ReadyCall | Failure> {
  const { name } = call.call;
  const tool = core.parts.tools.find((known) => known.spec.name === name);
  if (tool === undefined) return unknownTool(core, name);
  try {
    const prepared = await tool.prepare(
      await inputOf(core, call),
      toolContext(core, signal, () => undefined),
    );
    return isFailure(prepared) ? prepared : { call, tool, prepared };
  } catch (error) {
    if (isBoughError(error))
      return { ...failureOf(error), message: `Its input could not be read: ${error.message}` };
    core.parts.log('error', `tool ${name}, prepare: ${stackOf(error)}`);
    return toolBug(name, error);
  }
}

/** The input, also when it was too long for its line. */
export async function inputOf(core: Core, { call }: CallState): Promise<unknown> {
  if (call.blob === undefined) return call.input;
  return JSON.parse(new TextDecoder().decode(await core.log.blobs.get(call.blob)));
}

const unknownTool = (core: Core, name: string): Failure => ({
  kind: 'tool',
  code: 'UnknownTool',
  message: `There is no tool "${name}". The tools are: ${core.parts.tools.map((tool) => tool.spec.name).join(', ')}.`,
  transient: false,
});

const toolBug = (name: string, error: unknown): Failure => ({
  kind: 'tool',
  code: 'InternalError',
  message: `The tool ${name} failed inside: ${error instanceof Error ? error.message : String(error)}`,
  transient: false,
});

const toolContext = (core: Core, signal: AbortSignal, report: (chunk: string) => void): ToolContext => ({
  workspace: core.parts.workspace,
  signal,
  report,
});

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
  if (prepared.risk === 'read') return [];
  const { blobs } = core.log;
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
    const outcome = await runTool(core, run, tool, { prepared, call_id });
    // The window closes and the tool does not say what it did: the next one finds its outcome unknown.
    if (outcome === null) return;
    const batch = await resultBatch(core, call, outcome);
    try {
      await core.append(batch);
    } catch (error) {
      // The call did run: whoever closes the turn must be able to say so.
      core.unsaved ??= { turn_id: run.turn_id, partial: null, results: new Map(), reason: '' };
      core.unsaved.results.set(call_id, batch);
      throw error;
    }
  } finally {
    core.live.endCall(call_id);
  }
}

async function runTool(
  core: Core,
  run: Run,
  tool: Tool,
  { prepared, call_id }: { prepared: Prepared; call_id: string },
): Promise<ToolOutcome | null> {
  const context = toolContext(core, run.signal, (chunk) => core.live.report(call_id, chunk));
  const work = (async (): Promise<ToolOutcome> => {
    try {
      return await tool.run(prepared, context);
    } catch (error) {
      core.parts.log('error', `tool ${prepared.tool}: ${stackOf(error)}`);
      return { content: toolBug(prepared.tool, error).message, is_error: true };
    }
  })();
  return orAbandoned(core, run, work);
}

/** A tool that does not heed the stop is left after a moment; what it did is then not known. */
function orAbandoned(core: Core, run: Run, work: Promise<ToolOutcome>): Promise<ToolOutcome | null> {
  return new Promise((resolve, reject) => {
    let timer: Disposable | null = null;
    const begin = (): void => {
      timer = core.parts.clock.after(STOP_GRACE_MS, () => settle(left(run)));
    };
    const settle = (outcome: ToolOutcome | null): void => {
      timer?.dispose();
      run.signal.removeEventListener('abort', begin);
      resolve(outcome);
    };
    run.signal.addEventListener('abort', begin, { once: true });
    if (run.signal.aborted) begin();
    work.then(settle, reject);
  });
}

const left = (run: Run): ToolOutcome | null =>
  run.stopReason() === 'closed' ? null : { content: STOPPED_IN_CALL, is_error: true };

export const STOPPED_IN_CALL =
  'The turn was stopped while this call was running. It may have partly run. Look at its effects before running it again.';

async function resultBatch(core: Core, call: CallState, outcome: ToolOutcome): Promise<Draft[]> {
  const ref = await stepRef(core, call);
  const message = resultMessage(ref, call.call, { content: outcome.content, is_error: outcome.is_error });
  const batch: Draft[] = [await fitResult(core.log.blobs, message)];
  const changes = [];
  for (const change of outcome.changes ?? []) {
    changes.push({
      path: change.path.shown,
      before: change.before_bytes === null ? null : await core.log.blobs.put(change.before_bytes),
      after: change.after_bytes === null ? null : await core.log.blobs.put(change.after_bytes),
    });
  }
  if (changes.length > 0) batch.push({ type: 'files_changed', turn_id: ref.turn_id, changes });
  return batch;
}
