/**
 * The tool calls of a step: what is asked, what runs at once, what is never run. Each call runs after its message is in
 * the log, one at a time in call order among those that may; each result is written as it arrives.
 */
import { cancelled, isBoughError, isFailure, type Failure } from '../shared/failure.js';
import { READ_ONLY_RESULT } from '../shared/fold/stand-in.js';
import type { CallState } from '../shared/fold/types.js';
import type { Draft } from '../shared/notes.js';
import { expiry, ownStatesSince, requestDraft, standInResult } from './approvals.js';
import { openCallsOf, type Core, type Run } from './core.js';
import { resultMessage } from './entries.js';
import { failureOf, stackOf } from './failures.js';
import { isForbidden, refusalIn, runsUnasked } from './mode.js';
import { standInText } from './recover.js';
import { finishCall, startBatch, stepRef, toolBug, toolContext, type ReadyCall } from './tool-run.js';
import { unlessStopped } from './wait.js';

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
    if (call.status === 'allowed' || runsUnasked(core, ready.prepared)) {
      first ??= ready;
      // All that must be asked was asked the first time.
      if (!isFirst) break;
    } else requests.push(await requestDraft(core, run.turn_id, ready));
  }
  if (requests.length > 0) await core.append(requests);
  return first;
}

/** Prepares a call; null when it was answered instead. */
async function judge(core: Core, run: Run, call: CallState): Promise<ReadyCall | null> {
  const answer = async (content: string): Promise<null> => {
    await core.append([resultMessage(await stepRef(core, call), call.call, { content, is_error: true })]);
    return null;
  };
  if (['started', 'refused', 'answered'].includes(call.status))
    return answer(standInResult(call, await standInText(core, call)).content);
  const unfit = await unfitToRun(core, call);
  if (unfit !== null) return answer(unfit);
  const ready = await prepareCall(core, call, run.signal);
  if (run.signal.aborted) return null;
  if (isFailure(ready)) return answer(ready.message);
  if (call.status !== 'allowed') {
    const refusal = refusalIn(core, ready.prepared);
    return refusal === null ? ready : answer(refusal);
  }
  if (isForbidden(core, ready.prepared)) return answer(READ_ONLY_RESULT);
  const changed = expiry(call, ready.prepared, await ownStatesSince(core, call));
  return changed === null ? ready : answer(changed);
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
    const context = toolContext(core, signal);
    const prepared = await unlessStopped(signal, tool.prepare(await inputOf(core, call), context));
    if (prepared === null) return cancelled();
    return isFailure(prepared) ? prepared : { call, tool, prepared };
  } catch (error) {
    if (isBoughError(error))
      return { ...failureOf(error), message: `Its input could not be read: ${error.message}` };
    core.parts.log('error', `tool ${name}, prepare: ${stackOf(error)}`);
    return toolBug(name, error);
  }
}

/** The input as the person left it, also when it was too long for its line. */
async function inputOf(core: Core, { call, decision }: CallState): Promise<unknown> {
  if (decision?.edited_input !== undefined) return decision.edited_input;
  if (call.blob === undefined) return call.input;
  return JSON.parse(new TextDecoder().decode(await core.log.blobs.get(call.blob)));
}

const unknownTool = (core: Core, name: string): Failure => ({
  kind: 'tool',
  code: 'UnknownTool',
  message: `There is no tool "${name}". The tools are: ${core.parts.tools.map((tool) => tool.spec.name).join(', ')}.`,
  transient: false,
});
