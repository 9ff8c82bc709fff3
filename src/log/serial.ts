/** Work one after the other, in the order it was asked for. A failure is told to whoever asked and stops nothing. */
export class Serial {
  readonly #onIdle: () => void;
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  constructor(onIdle: () => void = () => undefined) {
    this.#onIdle = onIdle;
  }

  get isIdle(): boolean {
    return this.#waiting === 0;
  }

  /** An aborted `signal` ends the wait at once, and the work never begins; work that has begun is not touched by it. */
  run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    this.#waiting++;
    const begun = new AbortController();
    const result = this.#last
      .then(() => {
        signal?.throwIfAborted();
        begun.abort();
        return work();
      })
      .finally(() => {
        if (--this.#waiting === 0) this.#onIdle();
      });
    this.#last = result.catch(() => undefined); // told through `result`
    return signal === undefined ? result : Promise.race([whenAborted(signal, begun.signal), result]);
  }
}

/** Rejects when `signal` is aborted before `begun` is; listens no longer than that. */
function whenAborted(signal: AbortSignal, begun: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const give = (): void => reject(signal.reason as Error);
    if (signal.aborted) return give();
    signal.addEventListener('abort', give, { once: true, signal: begun });
  });
}

/** A {@link Serial} for each key, for as long as somebody waits there. */
export class Gates {
  readonly #gates = new Map<string, Serial>();

  run<T>(key: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    let gate = this.#gates.get(key);
    if (gate === undefined) this.#gates.set(key, (gate = new Serial(() => this.#gates.delete(key))));
    return gate.run(work, signal);
  }
}
