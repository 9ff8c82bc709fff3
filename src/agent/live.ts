/**
 * What streams or runs right now and is not in the log yet: for display only, lost without harm. What is kept without keys
 * is shown without them.
 */
import type { Disposable } from '../ports.js';
import type { DroppedView, GrowingView, ProgressView } from '../shared/protocol.js';
import { plainOf, settleLines, styledTail } from '../shared/styled-text.js';
import { tailOf } from './context/clean.js';
import { cleanPieces, type Redact } from './secrets.js';
import type { AgentEvent } from './types.js';

/** Characters of a running tool's output that are shown. */
const TAIL_CHARS = 4_000;

/** What is kept of it beyond that, so that a key is known though its beginning is not shown any more. */
const KNOWN_CHARS = TAIL_CHARS + 1_000;

export class Live {
  readonly #listeners = new Set<(event: AgentEvent) => void>();
  readonly #running = new Map<string, ProgressView>();
  /** The end of the output of those, as it came. */
  readonly #printed = new Map<string, string>();
  readonly #redact: Redact;
  #clean: { text: (piece: string) => string; reasoning: (piece: string) => string };
  readonly #onTrouble: (error: unknown) => void;
  #growing: GrowingView | null = null;
  #dropped: DroppedView | null = null;

  /** `onTrouble`: a listener threw. A view that cannot take an event must not stop the run. */
  constructor(redact: Redact, onTrouble: (error: unknown) => void) {
    this.#redact = redact;
    this.#onTrouble = onTrouble;
    this.#clean = this.#cleaners();
  }

  #cleaners(): { text: (piece: string) => string; reasoning: (piece: string) => string } {
    return { text: cleanPieces(this.#redact), reasoning: cleanPieces(this.#redact) };
  }

  get growing(): GrowingView | null {
    return this.#growing;
  }

  /** What had streamed of the open step until its last attempt broke off; null as soon as there is something newer. */
  get dropped(): DroppedView | null {
    return this.#dropped;
  }

  get progress(): ProgressView[] {
    return [...this.#running.values()];
  }

  on(listener: (event: AgentEvent) => void): Disposable {
    this.#listeners.add(listener);
    return { dispose: () => this.#listeners.delete(listener) };
  }

  emit(event: AgentEvent): void {
    for (const listener of [...this.#listeners]) {
      try {
        listener(event);
      } catch (error) {
        this.#onTrouble(error);
      }
    }
  }

  /** A new attempt takes the place of whatever grew before. */
  begin(attempt: { attempt_id: string; turn_id: string; step: number }): void {
    this.#clean = this.#cleaners();
    this.#grow({ ...attempt, text: '', reasoning: '', calls: [] });
  }

  grow(attempt_id: string, more: { text?: string; reasoning?: string }): void {
    const growing = this.#growing;
    if (growing?.attempt_id !== attempt_id) return;
    const text = growing.text + this.#clean.text(more.text ?? '');
    this.#grow({
      ...growing,
      text,
      reasoning: growing.reasoning + this.#clean.reasoning(more.reasoning ?? ''),
    });
  }

  /** More characters of a call's arguments. */
  growCall(attempt_id: string, index: number, { name, chars }: { name: string; chars: number }): void {
    const growing = this.#growing;
    if (growing?.attempt_id !== attempt_id) return;
    const calls = [...growing.calls];
    while (calls.length <= index) calls.push({ name: '', chars: 0 });
    const known = calls[index];
    calls[index] = { name: name || (known?.name ?? ''), chars: (known?.chars ?? 0) + chars };
    this.#grow({ ...growing, calls });
  }

  /** The attempt's output leaves the live view: it is in the log now. */
  end(attempt_id: string): void {
    if (this.#growing?.attempt_id !== attempt_id) return;
    this.#growing = null;
    this.emit({ type: 'growing_end', attempt_id });
  }

  /** The attempt failed: its output leaves the live view, and what it said stays in sight beside the wait. */
  drop(attempt_id: string, said: DroppedView | null): void {
    this.end(attempt_id);
    this.showDropped(said);
  }

  showDropped(said: DroppedView | null): void {
    if (said === null && this.#dropped === null) return;
    this.#dropped = said;
    this.emit({ type: 'dropped' });
  }

  startCall(call_id: string, started_at: number): void {
    this.#show({ call_id, started_at, tail: '' });
  }

  report(call_id: string, chunk: string): void {
    const view = this.#running.get(call_id);
    if (view === undefined) return;
    const all = settleLines((this.#printed.get(call_id) ?? '') + chunk).text;
    const printed = styledTail(all, KNOWN_CHARS);
    this.#printed.set(call_id, printed);
    const plain = plainOf(printed);
    const clean = this.#redact.tokens(plain);
    // A key may be parted by colours: then it is shown without any.
    const tail = clean === plain ? styledTail(printed, TAIL_CHARS) : tailOf(clean, TAIL_CHARS);
    this.#show({ ...view, tail: tail.replaceAll('\r', '') });
  }

  endCall(call_id: string): void {
    this.#printed.delete(call_id);
    if (this.#running.delete(call_id)) this.emit({ type: 'progress' });
  }

  #grow(growing: GrowingView): void {
    this.#growing = growing;
    if (growing.text !== '' || growing.reasoning !== '' || growing.calls.length > 0) this.showDropped(null);
    this.emit({ type: 'growing' });
  }

  #show(view: ProgressView): void {
    this.#running.set(view.call_id, view);
    this.emit({ type: 'progress' });
  }
}
