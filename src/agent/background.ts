/**
 * Calls that the person lets go on beside the turn. Each can be read and ended until it is over; none outlives the stop of
 * its own turn, or the session. Nothing of them is in the log but the results that were asked for.
 */
import type { BackgroundCall } from '../ports.js';
import { settleLines } from '../shared/styled-text.js';
import { tailOf } from './context/clean.js';

/** Characters of its output that are kept while it runs: its result holds what its tool keeps. */
const PRINTED_CHARS = 20_000;
/** Those that are over and can still be asked for. */
const MOST_ENDED = 20;

export interface Printed {
  add(chunk: string): void;
  read(): string;
}

/** The end of what a call printed so far. */
export function createPrinted(): Printed {
  let text = '';
  return {
    add: (chunk) => (text = tailOf(settleLines(text + chunk).text, PRINTED_CHARS)),
    read: () => text.replaceAll('\r', ''),
  };
}

interface Kept extends BackgroundCall {
  turn_id: string;
  result: string | null;
  /** Called once, when its result is read. */
  onRead: (() => void) | undefined;
}

export class Background {
  readonly #calls = new Map<string, Kept>();

  get(id: string): BackgroundCall | undefined {
    return this.#calls.get(id);
  }

  isRunning(id: string): boolean {
    return this.#calls.get(id)?.isRunning === true;
  }

  /** `work`: what the call gives in the end. */
  keep(
    id: string,
    {
      turn_id,
      work,
      printed,
      end,
      onEnd,
      onRead,
    }: {
      turn_id: string;
      work: Promise<string>;
      printed: Printed;
      end: () => void;
      onEnd: () => void;
      onRead?: () => void;
    },
  ): void {
    const call: Kept = {
      turn_id,
      result: null,
      onRead,
      get isRunning() {
        return call.result === null;
      },
      read: () => {
        if (call.result === null) return printed.read();
        call.onRead?.();
        call.onRead = undefined;
        return call.result;
      },
      end,
      ended: work.then((result) => {
        call.result = result;
        onEnd();
        this.#forget();
      }),
    };
    this.#calls.set(id, call);
  }

  /** False when it does not run. */
  end(id: string): boolean {
    if (!this.isRunning(id)) return false;
    this.#calls.get(id)?.end();
    return true;
  }

  /** Those a turn let go on, whichever of its runs began them: it may have waited for the person since. */
  endOf(turn_id: string): void {
    for (const [id, call] of this.#calls) if (call.turn_id === turn_id) this.end(id);
  }

  endAll(): void {
    for (const id of this.#calls.keys()) this.end(id);
  }

  #forget(): void {
    const over = [...this.#calls].filter(([, { isRunning }]) => !isRunning);
    for (const [id] of over.slice(0, -MOST_ENDED)) this.#calls.delete(id);
  }
}
