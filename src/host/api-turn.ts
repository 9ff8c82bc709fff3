/** One turn for other extensions: begun, waited for, and what it brought, whether it ended well or not. */
import type { AgentEvent, AgentSession, PartialText } from '../agent/types.js';
import type { Blobs } from '../log/store.js';
import type { Disposable, Outcome } from '../ports.js';
import type { Message, Part } from '../shared/entry.js';
import { BoughError, cancelled, isFailure, type Failure } from '../shared/failure.js';
import type { Entry } from '../shared/notes.js';
import type { TurnError, TurnResult } from './api.js';
import { textOf, wholeText } from './api-history.js';

/** Sends a prompt and waits for its turn. */
export async function prompt(
  agent: AgentSession,
  text: string,
  signal: AbortSignal | undefined,
): Promise<TurnResult> {
  signal?.throwIfAborted();
  if (agent.run() !== 'idle') throw stillRunning();
  return turnOf(agent, signal, async () => {
    const sent = await agent.dispatch({ type: 'send', text, mentions: [], mode: 'send', only_now: true });
    if (isFailure(sent)) {
      if (sent.code === 'SessionRunning') throw stillRunning();
      return sent;
    }
    const message = sent.entry_id === undefined ? undefined : await agent.log.entry(sent.entry_id);
    return message?.turn_id ?? '';
  });
}

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
  signal?.addEventListener('abort', stop, { once: true });
  try {
    const turn = await begin();
    if (isFailure(turn)) throw turnError(turn, await resultOf(agent.log.blobs, [], { failure: turn }));
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

/** How a turn ended, as far as the log may not say it. */
type TurnEnd = Omit<Extract<AgentEvent, { type: 'turn_end' }>, 'type' | 'turn_id'>;

/** `place`: the entry that was the head when its end was written. */
type Ended = TurnEnd & { place?: string };

interface Ends extends Disposable {
  /** Resolves with how this turn ended, also when it ended before it was asked for. */
  of(turn: string): Promise<Ended>;
}

function watchEnds(agent: AgentSession): Ends {
  const ended = new Map<string, Ended>();
  const places = new Map<string, string>();
  let waiting: { turn: string; resolve: (end: Ended) => void } | undefined;
  const end = (turn: string, how: TurnEnd): void => {
    const place = places.get(turn);
    const known = place === undefined ? how : { ...how, place };
    ended.set(turn, known);
    if (waiting?.turn === turn) waiting.resolve(known);
  };
  const listening = agent.on((event) => {
    if (event.type === 'turn_end') end(event.turn_id, event);
  });
  // A turn that waits is no run: dismissed, left or replaced, it ends by what is written alone, here or in another window.
  const written = agent.log.onAppend((placed) => {
    for (const { entry } of placed) {
      if (entry.type !== 'turn_end') continue;
      if (entry.parent_id !== null) places.set(entry.turn_id, entry.parent_id);
      if (agent.run() === 'idle') end(entry.turn_id, { failure: entry.failure ?? null });
    }
  });
  // A session that is closed or deleted ends no turn any more.
  const closing = agent.log.onAccess((access) => {
    if (access.mode !== 'stale' && access.mode !== 'poisoned') return;
    const failure: Failure = {
      kind: 'storage',
      message: access.message,
      transient: false,
      code: 'SessionStale',
    };
    waiting?.resolve({ failure });
  });
  return {
    of: (turn) => {
      const known = ended.get(turn);
      if (known !== undefined) return Promise.resolve(known);
      return new Promise((resolve) => (waiting = { turn, resolve }));
    },
    dispose: () => {
      listening.dispose();
      written.dispose();
      closing.dispose();
    },
  };
}

function wasStopped(entries: readonly Entry[]): boolean {
  return entries.some((entry) => entry.type === 'turn_end' && entry.status === 'stopped');
}

async function resultOf(blobs: Blobs, entries: readonly Entry[], end: TurnEnd): Promise<TurnResult> {
  const messages = entries.filter((entry): entry is Message => entry.type === 'message');
  const answers = messages.filter(({ role }) => role === 'assistant');
  const last = entries.findLast((entry) => entry.type === 'step_start')?.attempt_id;
  const partial = end.partial ?? (await partialOf(blobs, entries));
  return {
    text: await textOf(blobs, answers.at(-1)),
    messages,
    stream: [
      ...answers.flatMap(({ parts }) => parts),
      ...(partial !== undefined && partial.attempt_id === last ? partsOf(partial) : []),
    ],
    incomplete: end.failure !== null || partial !== undefined || wasStopped(entries),
    partialText: partial?.text ?? '',
    attemptId: partial?.attempt_id ?? last,
    usage: usageOf(entries),
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

function usageOf(entries: readonly Entry[]): TurnResult['usage'] {
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
    failure,
    result,
    ...(saveFailure === undefined ? {} : { saveFailure }),
  });
}
