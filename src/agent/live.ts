/** What streams or runs right now and is not in the log yet: for display only, lost without harm. */
import type { Disposable } from '../ports.js';
import type { GrowingView, ProgressView } from '../shared/protocol.js';
import { tailOf } from './context/clean.js';
import type { AgentEvent } from './types.js';

/** Characters of a running tool's output that are shown. */
const TAIL_CHARS = 4_000;

export interface Live {
  growing(): GrowingView | null;
  progress(): ProgressView[];
  emit(event: AgentEvent): void;
  on(listener: (event: AgentEvent) => void): Disposable;
  /** A new attempt takes the place of whatever grew before. */
  begin(attempt: { attempt_id: string; turn_id: string; step: number }): void;
  grow(attempt_id: string, more: { text?: string; reasoning?: string }): void;
  growCall(attempt_id: string, index: number, name: string, chars: number): void;
  /** The attempt's output leaves the live view: it is in the log now, or it failed. */
  end(attempt_id: string): void;
  startCall(call_id: string, started_at: number): void;
  report(call_id: string, chunk: string): void;
  endCall(call_id: string): void;
}

export function createLive(trouble: (error: unknown) => void): Live {
  const listeners = new Set<(event: AgentEvent) => void>();
  const running = new Map<string, ProgressView>();
  let growing: GrowingView | null = null;

  const emit = (event: AgentEvent): void => {
    for (const listener of [...listeners]) {
      try {
        listener(event);
      } catch (error) {
        // A view that cannot take an event must not stop the run.
        trouble(error);
      }
    }
  };

  return {
    growing: () => growing,
    progress: () => [...running.values()],
    emit,
    on(listener) {
      listeners.add(listener);
      return { dispose: () => listeners.delete(listener) };
    },
    begin(attempt) {
      growing = { ...attempt, text: '', reasoning: '', calls: [] };
      emit({ type: 'growing' });
    },
    grow(attempt_id, more) {
      if (growing?.attempt_id !== attempt_id) return;
      growing = {
        ...growing,
        text: growing.text + (more.text ?? ''),
        reasoning: growing.reasoning + (more.reasoning ?? ''),
      };
      emit({ type: 'growing' });
    },
    growCall(attempt_id, index, name, chars) {
      if (growing?.attempt_id !== attempt_id) return;
      const calls = [...growing.calls];
      while (calls.length <= index) calls.push({ name: '', chars: 0 });
      const known = calls[index];
      calls[index] = { name: name || (known?.name ?? ''), chars: (known?.chars ?? 0) + chars };
      growing = { ...growing, calls };
      emit({ type: 'growing' });
    },
    end(attempt_id) {
      if (growing?.attempt_id !== attempt_id) return;
      growing = null;
      emit({ type: 'growing_end', attempt_id });
    },
    startCall(call_id, started_at) {
      running.set(call_id, { call_id, started_at, tail: '' });
      emit({ type: 'progress' });
    },
    report(call_id, chunk) {
      const view = running.get(call_id);
      if (view === undefined) return;
      running.set(call_id, { ...view, tail: tailOf(view.tail + chunk, TAIL_CHARS) });
      emit({ type: 'progress' });
    },
    endCall(call_id) {
      if (running.delete(call_id)) emit({ type: 'progress' });
    },
  };
}
