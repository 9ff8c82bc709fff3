/** A session as other extensions get it: a prompt is a turn that has ended when it resolves. */
import type { AgentEvent, AgentSession, PartialText } from '../agent/types.js';
import type { Blobs } from '../log/store.js';
import type { Disposable } from '../ports.js';
import type { Message, Part } from '../shared/entry.js';
import { BoughError, cancelled, isFailure, type Failure } from '../shared/failure.js';
import type { Entry } from '../shared/notes.js';
import type { BoughSession, TurnError, TurnResult } from './api.js';
import type { HostSession } from './sessions/session.js';

export function apiSession(session: HostSession): BoughSession {
  const { agent } = session;
  return {
    id: agent.log.id,
    get path() {
      return agent.log.position > 0 ? agent.log.file : undefined;
    },
    get model() {
      return agent.model();
    },
    get title() {
      return session.title();
    },
    runState: () => agent.run(),
    prompt: (text, options) => prompt(agent, text, options?.signal),
  };
}

async function prompt(
  agent: AgentSession,
  text: string,
  signal: AbortSignal | undefined,
): Promise<TurnResult> {
  signal?.throwIfAborted();
  if (agent.run() !== 'idle')
    throw new BoughError(
      'SessionRunning',
      'A turn of this session is not finished yet. Wait for it, or stop it.',
    );
  const ends = watchEnds(agent);
  const stop = () => void agent.dispatch({ type: 'stop' });
  signal?.addEventListener('abort', stop, { once: true });
  try {
    const sent = await agent.dispatch({ type: 'send', text, mentions: [], mode: 'send' });
    if (isFailure(sent)) throw turnError(sent, await resultOf(agent.log.blobs, [], { failure: sent }));
    const message = sent.entry_id === undefined ? undefined : await agent.log.entry(sent.entry_id);
    const turn = message?.turn_id ?? '';
    const end = await ends.of(turn);
    const entries = (await agent.log.line())
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

interface Ends extends Disposable {
  /** Resolves with how this turn ended, also when it ended before it was asked for. */
  of(turn: string): Promise<TurnEnd>;
}

function watchEnds(agent: AgentSession): Ends {
  const ended = new Map<string, TurnEnd>();
  let waiting: { turn: string; resolve: (end: TurnEnd) => void } | undefined;
  const listening = agent.on((event) => {
    if (event.type !== 'turn_end') return;
    ended.set(event.turn_id, event);
    if (waiting?.turn === event.turn_id) waiting.resolve(event);
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

/** A text that was too long for its line is in a blob. */
const wholeText = async (
  blobs: Blobs,
  { text, blob }: { text: string; blob?: string | undefined },
): Promise<string> => (blob === undefined ? text : new TextDecoder().decode(await blobs.get(blob)));

async function textOf(blobs: Blobs, message: Message | undefined): Promise<string> {
  let text = '';
  for (const part of message?.parts ?? []) if (part.type === 'text') text += await wholeText(blobs, part);
  return text;
}

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
