/**
 * Tells a turn as it goes, in a chat that can only be added to: text as it streams, what is called, what waits for the
 * person. What an attempt had said that is begun anew cannot be taken back there; it is said that it does not count.
 */
import type { AgentEvent, AgentSession } from '../../agent/types.js';
import type { Disposable } from '../../ports.js';
import type { Message } from '../../shared/entry.js';
import { withHiddenNamed } from '../../shared/hidden-characters.js';
import type { Entry } from '../../shared/notes.js';

/** Where it is told. Texts are not to be trusted: they come from a model. */
export interface Told {
  text(markdown: string): void;
  /** One line, plain. */
  progress(line: string): void;
  /** What the person has to decide, plain. */
  waits(summary: string): void;
  /** What was told last of the answer is begun anew. */
  brokeOff(): void;
  retry(seconds: number, reason: string): void;
  continued(): void;
}

const LONGEST_DETAIL = 80;
/** What a call is about, by the first of these that its input has. */
const DETAILS = ['path', 'command', 'query', 'pattern', 'url', 'task', 'question', 'title'];

/** Tells all that happens in the session until it is disposed of. */
export function tellTurn(agent: AgentSession, told: Told): Disposable {
  const telling = new Telling(told);
  const listening = [
    agent.on((event) => telling.hear(event, agent.growing())),
    agent.log.onAppend((placed) => placed.forEach(({ entry }) => telling.append(entry))),
  ];
  return { dispose: () => listening.forEach((one) => one.dispose()) };
}

class Telling {
  /** The attempt that is being told, and how much of its text was. */
  #attempt: { id: string; step: number; length: number } | null = null;
  #hasText = false;

  constructor(private readonly told: Told) {}

  hear(event: AgentEvent, growing: ReturnType<AgentSession['growing']>): void {
    if (event.type === 'growing' && growing !== null) this.#say(growing, growing.text);
    if (event.type === 'retry' || event.type === 'resume')
      this.told.retry(Math.ceil(event.delay_ms / 1_000), event.reason);
  }

  append(entry: Entry): void {
    if (entry.type === 'approval_request') this.told.waits(withHiddenNamed(entry.summary));
    if (entry.type === 'turn_continue') this.told.continued();
    if (entry.type !== 'message' || entry.role !== 'assistant') return;
    const { attempt_id = '', step = 0 } = entry;
    this.#say({ attempt_id, step }, textOf(entry));
    this.#attempt = null;
    for (const part of entry.parts) {
      if (part.type === 'tool_call') this.told.progress(lineOf(part.name, part.input));
    }
  }

  /** `text`: all of the attempt's so far. */
  #say({ attempt_id, step }: { attempt_id: string; step: number }, text: string): void {
    if (this.#attempt?.id !== attempt_id) {
      if (text === '') return;
      if (this.#attempt !== null && this.#attempt.length > 0) this.told.brokeOff();
      else if (this.#hasText) this.told.text('\n\n');
      this.#attempt = { id: attempt_id, step, length: 0 };
    }
    const more = text.slice(this.#attempt.length);
    if (more === '') return;
    this.#attempt.length = text.length;
    this.#hasText = true;
    this.told.text(more);
  }
}

const textOf = ({ parts }: Message): string =>
  parts.map((part) => (part.type === 'text' ? (part.text ?? part.preview ?? '') : '')).join('');

export function lineOf(name: string, input: unknown): string {
  const given = typeof input === 'object' && input !== null ? (input as Record<string, unknown>) : {};
  const detail = DETAILS.map((key) => given[key]).find((value) => typeof value === 'string');
  const line = typeof detail === 'string' ? detail.replace(/\s+/g, ' ').trim() : '';
  const short = line.length > LONGEST_DETAIL ? `${line.slice(0, LONGEST_DETAIL - 1).toWellFormed()}…` : line;
  return short === '' ? name : `${name} ${short}`;
}
