/** One piece of work at a time, in the order asked for: intents and a run's boundaries never see each other half done. */
export interface Gate {
  pass<T>(work: () => Promise<T>): Promise<T>;
}

export function createGate(): Gate {
  let last: Promise<unknown> = Promise.resolve();
  return {
    pass<T>(work: () => Promise<T>): Promise<T> {
      const mine = last.then(work);
      last = mine.then(
        () => undefined,
        () => undefined,
      );
      return mine;
    },
  };
}
