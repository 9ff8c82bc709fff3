/** What streams or runs right now and is not in the log yet: for display only, lost without harm. */
import type { Disposable } from '../ports.js';
import type { GrowingView, ProgressView } from '../shared/protocol.js';
import { tailOf } from './context/clean.js';
import type { AgentEvent } from './types.js';

/** Characters of a running tool's output that are shown. */
const TAIL_CHARS = 4_000;

export class Live {
  readonly #listeners = new Set<(event: AgentEvent) => void>();
  readonly #running = new Map<string, ProgressView>();
  readonly #onTrouble: (error: unknown) => void;
  #growing: GrowingView | null = null;

  /** `onTrouble`: a listener threw. A view that cannot take an event must not stop the run. */
  constructor(onTrouble: (error: unknown) => void) {
    this.#onTrouble = onTrouble;
  }

  get growing(): GrowingView | null {
    return this.#growing;
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
    this.#grow({ ...attempt, text: '', reasoning: '', calls: [] });
  }

  grow(attempt_id: string, more: { text?: string; reasoning?: string }): void {
    const growing = this.#growing;
    if (growing?.attempt_id !== attempt_id) return;
    const text = growing.text + (more.text ?? '');
    this.#grow({ ...growing, text, reasoning: growing.reasoning + (more.reasoning ?? '') });
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

  /** The attempt's output leaves the live view: it is in the log now, or it failed. */
  end(attempt_id: string): void {
    if (this.#growing?.attempt_id !== attempt_id) return;
    this.#growing = null;
    this.emit({ type: 'growing_end', attempt_id });
  }

  startCall(call_id: string, started_at: number): void {
    this.#show({ call_id, started_at, tail: '' });
  }

  report(call_id: string, chunk: string): void {
    const view = this.#running.get(call_id);
    if (view !== undefined) this.#show({ ...view, tail: tailOf(view.tail + chunk, TAIL_CHARS) });
  }

  endCall(call_id: string): void {
    if (this.#running.delete(call_id)) this.emit({ type: 'progress' });
  }

  #grow(growing: GrowingView): void {
    this.#growing = growing;
    this.emit({ type: 'growing' });
  }

  #show(view: ProgressView): void {
    this.#running.set(view.call_id, view);
    this.emit({ type: 'progress' });
  }
}
