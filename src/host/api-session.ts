/** A session as other extensions get it: a prompt is a turn that has ended when it resolves. */
import type { AgentSession } from '../agent/types.js';
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
    if (isFailure(sent)) throw turnError(sent, resultOf([]));
    const message = sent.entry_id === undefined ? undefined : await agent.log.entry(sent.entry_id);
    const turn = message?.turn_id ?? '';
    const failure = await ends.of(turn);
    const entries = (await agent.log.line())
      .map(({ entry }) => entry)
      .filter((entry) => entry.turn_id === turn);
    const result = resultOf(entries);
    if (failure) throw turnError(failure, result);
    if (wasStopped(entries)) throw turnError(cancelled('The turn was stopped.'), result);
    return result;
  } finally {
    signal?.removeEventListener('abort', stop);
    ends.dispose();
  }
}

interface Ends extends Disposable {
  /** Resolves with how this turn ended, also when it ended before it was asked for. */
  of(turn: string): Promise<Failure | null>;
}

function watchEnds(agent: AgentSession): Ends {
  const ended = new Map<string, Failure | null>();
  let waiting: { turn: string; resolve: (failure: Failure | null) => void } | undefined;
  const listening = agent.on((event) => {
    if (event.type !== 'turn_end') return;
    ended.set(event.turn_id, event.failure);
    if (waiting?.turn === event.turn_id) waiting.resolve(event.failure);
  });
  // A session that is closed or deleted ends no turn any more.
  const closing = agent.log.onAccess((access) => {
    if (access.mode === 'stale' || access.mode === 'poisoned')
      waiting?.resolve({ kind: 'storage', message: access.message, transient: false, code: 'SessionStale' });
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

export function resultOf(entries: readonly Entry[]): TurnResult {
  const messages = entries.filter((entry): entry is Message => entry.type === 'message');
  const answers = messages.filter(({ role }) => role === 'assistant');
  const partial = entries.findLast((entry) => entry.type === 'incomplete_output');
  const partialPart: Part[] = partial ? [{ type: 'text', text: partial.text }] : [];
  return {
    text: textOf(answers.at(-1)),
    messages,
    stream: [...answers.flatMap(({ parts }) => parts), ...partialPart],
    incomplete: partial !== undefined,
    partialText: partial?.text ?? '',
    attemptId: partial?.attempt_id ?? answers.at(-1)?.attempt_id,
    usage: usageOf(entries),
  };
}

function textOf(message: Message | undefined): string {
  return (message?.parts ?? []).map((part) => (part.type === 'text' ? part.text : '')).join('');
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

function turnError(failure: Failure, result: TurnResult): TurnError {
  return Object.assign(new Error(failure.message), { name: 'TurnError' as const, failure, result });
}
