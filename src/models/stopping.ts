/** Ending what is under way: at once when a signal fires, and without caring how the other side takes it. */

export const asError = (value: unknown): Error => (value instanceof Error ? value : new Error(String(value)));

export const reasonOf = (signal: AbortSignal): Error => asError(signal.reason);

/** Nothing more is wanted of it; that letting go fails changes nothing for anybody. */
export const letGo = (reader: ReadableStreamDefaultReader<unknown> | undefined): void => {
  reader?.cancel().then(undefined, () => undefined);
};

/** Rejects as soon as the signal fires; what arrives later is handed to `tooLate`. */
export const orStopped = <T>(
  wanted: PromiseLike<T>,
  signal: AbortSignal,
  tooLate?: (value: T) => void,
): Promise<T> =>
  new Promise((resolve, reject) => {
    const stop = (): void => reject(reasonOf(signal));
    signal.addEventListener('abort', stop, { once: true });
    const settle = (): void => signal.removeEventListener('abort', stop);
    wanted.then(
      (value) => {
        settle();
        if (signal.aborted) tooLate?.(value);
        resolve(value);
      },
      (error: unknown) => {
        settle();
        reject(asError(error));
      },
    );
  });
