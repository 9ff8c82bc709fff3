/** Work one after the other, in the order it was asked for. A failure is told to whoever asked and stops nothing. */
export class Serial {
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  get isIdle(): boolean {
    return this.#waiting === 0;
  }

  run<T>(work: () => Promise<T>): Promise<T> {
    this.#waiting++;
    const result = this.#last.then(work).finally(() => this.#waiting--);
    this.#last = result.catch(() => undefined); // told through `result`
    return result;
  }
}
