/** One turn for other extensions: begun, waited for, and what it brought, whether it ended well or not. */
import { finishOf } from '../agent/segments.js';
import type { TurnTerms } from '../agent/turn-terms.js';
import type { AgentSession, PartialText } from '../agent/types.js';
import type { Blobs } from '../log/store.js';
import type { Outcome } from '../ports.js';
import type { Message, Part } from '../shared/entry.js';
import { BoughError, cancelled, isFailure, type Failure } from '../shared/failure.js';
import type { Entry } from '../shared/notes.js';
import { answeredBy } from '../shared/only-question.js';
import type { Mention } from '../shared/protocol.js';
import type { PromptOptions, TurnError, TurnResult } from './api.js';
import { thrown } from './api-errors.js';
import { textOf, wholeText } from './api-history.js';
import { routeOf, routeTerms } from './api-routes.js';
import { watchEnds, type TurnEnd } from './turn-ends.js';

/** Sends a prompt and waits for its turn. */
export async function prompt(
  agent: AgentSession,
  text: string,
  { signal, requireFinish, route }: PromptOptions = {},
  mentions: readonly Mention[] = [],
): Promise<TurnResult> {
  signal?.throwIfAborted();
  const terms: TurnTerms = {
    ...(requireFinish === true ? { requires_finish: true } : {}),
    ...(route === undefined ? {} : routeTerms(route)),
  };
  // While an approval waits the session says so itself.
  if (agent.run() !== 'idle' && agent.log.state().approvals.length === 0) throw stillRunning();
  return turnOf(agent, signal, async () => {
    const sent = await agent.prompt(text, terms, mentions);
    if (isFailure(sent)) {
      if (sent.code === 'SessionRunning') throw stillRunning();
      if (sent.code === 'ResumeRequired') throw thrown({ ...sent, message: waitsHere(agent) });
      // Refused as it was asked for: there was no turn that could have failed.
      if (sent.code === 'InvalidArgument') throw thrown(sent);
      return sent;
    }
    const message = sent.entry_id === undefined ? undefined : await agent.log.entry(sent.entry_id);
    return message?.turn_id ?? '';
  });
}

/** What is refused is no message of the composer: it cannot become the answer. */
const waitsHere = (agent: AgentSession): string =>
  answeredBy({ mentions: [] }, agent.log.state().approvals) === undefined
    ? 'A tool call waits for a decision in this session. Decide in Bough, or by resume() of the API, then send this again.'
    : 'A question waits for an answer in this session. Answer it in Bough, or by resume() of the API, then send this again.';

const stillRunning = (): BoughError =>
  new BoughError('SessionRunning', 'A turn of this session is not finished yet. Wait for it, or stop it.');

/** The whole of the turn that `begin` names, once it has ended. @throws TurnError when it did not end well */
export async function turnOf(
  agent: AgentSession,
  signal: AbortSignal | undefined,
  begin: () => Promise<Outcome<string>>,
): Promise<TurnResult> {
  const ends = watchEnds(agent);
  const stop = () => void agent.dispatch({ type: 'stop' });
  try {
    const turn = await begin();
    if (isFailure(turn)) throw turnError(turn, await resultOf(agent.log.blobs, [], { failure: turn }));
    // Not before: what was refused leaves alone what is there.
    signal?.addEventListener('abort', stop, { once: true });
    if (signal?.aborted === true) stop();
    const { place, ...end } = await ends.of(turn);
    // Where the turn ended: whoever ended it may have gone elsewhere with the same write.
    const entries = (await agent.log.line(place ?? agent.log.head))
      .map(({ entry }) => entry)
      .filter((entry) => entry.turn_id === turn);
    const result = await resultOf(agent.log.blobs, entries, end);
    if (end.failure) throw turnError(end.failure, result, end.save_failure);
    if (wasStopped(entries)) throw turnError(cancelled('The turn was stopped.'), result);
    return result;
  } finally {
    signal?.removeEventListener('abort', stop);
    ends.dispose();
  }
}

function wasStopped(entries: readonly Entry[]): boolean {
  return entries.some((entry) => entry.type === 'turn_end' && entry.status === 'stopped');
}

async function resultOf(blobs: Blobs, entries: readonly Entry[], end: TurnEnd): Promise<TurnResult> {
  const messages = entries.filter((entry): entry is Message => entry.type === 'message');
  const answers = messages.filter(({ role }) => role === 'assistant');
  const last = entries.findLast((entry) => entry.type === 'step_start')?.attempt_id;
  const finish = finishOf(entries);
  const partial = end.partial ?? (await partialOf(blobs, entries));
  return {
    text: await textOf(blobs, answers.at(-1)),
    // Whoever asked may do with it what they like: it is not what the log's readers share.
    messages: structuredClone(messages),
    stream: structuredClone([
      ...answers.flatMap(({ parts }) => parts),
      ...(partial !== undefined && partial.attempt_id === last ? partsOf(partial) : []),
    ]),
    incomplete: end.failure !== null || partial !== undefined || wasStopped(entries),
    partialText: partial?.text ?? '',
    attemptId: partial?.attempt_id ?? last,
    usage: usageOf(entries),
    finish: finish === null ? undefined : { status: finish.status, summary: finish.summary },
    route: routeOf(entries.find((entry) => entry.type === 'turn_start')),
  };
}

async function partialOf(blobs: Blobs, entries: readonly Entry[]): Promise<PartialText | undefined> {
  const entry = entries.findLast((one) => one.type === 'incomplete_output');
  if (entry === undefined) return undefined;
  const { attempt_id, reasoning = '', reasoning_blob } = entry;
  return {
    attempt_id,
    text: await wholeText(blobs, entry),
    reasoning: await wholeText(blobs, { text: reasoning, blob: reasoning_blob }),
  };
}

const partsOf = ({ text, reasoning }: PartialText): Part[] => [
  ...(reasoning === '' ? [] : [{ type: 'reasoning' as const, text: reasoning }]),
  ...(text === '' ? [] : [{ type: 'text' as const, text }]),
];

export function usageOf(entries: readonly Entry[]): TurnResult['usage'] {
  const sum = { input_tokens: 0, output_tokens: 0, total_tokens: 0, cost: 0 };
  for (const entry of entries) {
    if (entry.type !== 'usage') continue;
    sum.input_tokens += entry.input_tokens;
    sum.output_tokens += entry.output_tokens;
    sum.total_tokens += entry.total_tokens;
    sum.cost += entry.cost ?? 0;
  }
  return sum;
}

function turnError(failure: Failure, result: TurnResult, saveFailure?: Failure): TurnError {
  return Object.assign(new Error(failure.message), {
    name: 'TurnError' as const,
    code: failure.code ?? failure.kind,
    failure,
    result,
    ...(saveFailure === undefined ? {} : { saveFailure }),
  });
}
