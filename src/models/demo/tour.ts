/**
 * The built-in demo model: a scripted, clearly labelled non-LLM that works offline. It is told what any model is told and
 * answers through the same events and the same tools; it has no other way to see or change anything.
 */
import type { Clock, Model, ModelEvent, ModelInfo, ModelRequest, ReceivedCall } from '../../ports.js';
import { cancelled, type Failure } from '../../shared/failure.js';
import { edit } from './edit.js';
import { explore } from './explore.js';
import { isSummaryRequest, summary } from './summary.js';
import { label, readTalk, type Beat, type Scene } from './talk.js';
import { branch, crash, drop, FAILURES, rateLimit } from './trouble.js';

export const demoInfo: ModelInfo = {
  provider: 'demo',
  id: 'tour',
  label: 'Built-in demo (not a language model)',
  images: false,
  tools: true,
  local: true,
};

const scenes: ReadonlyMap<string, Scene> = new Map([
  ['/demo edit', edit],
  ['/demo rate-limit', rateLimit],
  ['/demo drop', drop],
  ['/demo branch', branch],
  ['/demo crash', crash],
]);

/** What the person can ask for by a button. */
export const demoPrompts: readonly string[] = [...scenes.keys()];

const WORD_MS = 12;

const failures: Record<'rate' | 'drop', Failure> = {
  rate: {
    kind: 'rate',
    message: 'The demo plays a rate limit (429): it asks to wait 2 seconds.',
    transient: true,
    status: 429,
    code: 'demo',
    retry_after_ms: 2000,
  },
  drop: {
    kind: 'network',
    message: 'The demo plays a lost connection: the stream broke off before its end.',
    transient: true,
    code: 'demo',
  },
};

export const createDemoModel = ({ clock }: { clock: Clock }): Model => {
  const attempts = countAttempts();
  return {
    info: demoInfo,
    attempt: (request, { signal, onBytes }) => perform(request, { signal, onBytes, clock, attempts }),
  };
};

/** How often a request was sent in a row without success; a request is known by its messages. */
const countAttempts = () => {
  const counts = new Map<string, number>();
  return {
    next(request: ModelRequest): number {
      const key = JSON.stringify(request.messages);
      const count = (counts.get(key) ?? 0) + 1;
      if (count > FAILURES) counts.delete(key);
      else counts.set(key, count);
      return count;
    },
  };
};

interface Stage {
  signal: AbortSignal;
  onBytes: () => void;
  clock: Clock;
  attempts: ReturnType<typeof countAttempts>;
}

/** Resolves after `ms`, or at once when the signal fires. */
const pause = ({ clock, signal }: Stage, ms: number): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const done = (): void => {
      signal.removeEventListener('abort', stop);
      resolve();
    };
    const timer = clock.after(ms, done);
    const stop = (): void => {
      timer.dispose();
      done();
    };
    signal.addEventListener('abort', stop, { once: true });
  });

const beatsFor = (request: ModelRequest, { attempts }: Stage): Beat[] => {
  const asked = readTalk(request, 1).prompt;
  if (isSummaryRequest(asked, request.tools.length > 0)) return summary(readTalk(request, 1));
  const scene = scenes.get(lastWords(asked));
  const isFailing = scene === rateLimit || scene === drop;
  const beats = (scene ?? explore)(readTalk(request, isFailing ? attempts.next(request) : 1));
  return isLabelled(request) ? beats.map(withoutLabel) : beats;
};

/** A prompt that was never answered stands before this one in the same message: the last one is meant. */
const lastWords = (prompt: string): string =>
  prompt
    .split(/\n\s*\n/)
    .at(-1)
    ?.trim() ?? prompt;

const isLabelled = ({ messages }: ModelRequest): boolean =>
  messages.some(
    (message) =>
      message.role === 'assistant' &&
      message.parts.some((part) => part.type === 'text' && part.text.includes(label)),
  );

/** Said once in a conversation: the header names the demo all the time. */
const withoutLabel = (beat: Beat): Beat =>
  beat.do === 'say' ? { ...beat, text: beat.text.replace(`\n\n${label}`, '') } : beat;

async function* speak(text: string, paceMs: number, stage: Stage): AsyncGenerator<ModelEvent> {
  yield { type: 'start', part: 'text' };
  for (const delta of text.match(/\S+\s*|\s+/g) ?? []) {
    await pause(stage, paceMs);
    if (stage.signal.aborted) return;
    stage.onBytes();
    yield { type: 'text', delta };
  }
}

async function* ask(received: ReceivedCall, index: number, stage: Stage): AsyncGenerator<ModelEvent> {
  yield { type: 'start', part: 'tool_call' };
  const middle = Math.ceil(received.raw_input.length / 2);
  for (const delta of [received.raw_input.slice(0, middle), received.raw_input.slice(middle)]) {
    await pause(stage, WORD_MS);
    if (stage.signal.aborted) return;
    stage.onBytes();
    yield { type: 'tool_input', index, name: received.name, delta };
  }
}

async function* perform(request: ModelRequest, stage: Stage): AsyncGenerator<ModelEvent, void, undefined> {
  const { signal } = stage;
  const whole: Extract<ModelEvent, { type: 'part' }>['part'][] = [];
  let calls = 0;
  for (const beat of signal.aborted ? [] : beatsFor(request, stage)) {
    switch (beat.do) {
      case 'say':
        yield* speak(beat.text, beat.paceMs ?? WORD_MS, stage);
        whole.push({ type: 'text', text: beat.text });
        break;
      case 'call': {
        const received = receivedCall(beat, `demo_${request.messages.length}_${calls + 1}`);
        yield* ask(received, calls, stage);
        calls += 1;
        whole.push(received);
        break;
      }
      case 'fail':
        if (signal.aborted) return yield { type: 'failure', failure: cancelled() };
        return yield { type: 'failure', failure: failures[beat.how] };
    }
    if (signal.aborted) break;
  }
  if (signal.aborted) return yield { type: 'failure', failure: cancelled() };
  for (const part of whole) yield { type: 'part', part };
  yield { type: 'finish', reason: calls > 0 ? 'tool_calls' : 'stop' };
}

const receivedCall = (beat: Extract<Beat, { do: 'call' }>, id: string): ReceivedCall => ({
  type: 'tool_call',
  provider_call_id: id,
  name: beat.name,
  raw_input: JSON.stringify(beat.input),
  input: beat.input,
});
