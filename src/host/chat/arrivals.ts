/**
 * Who waits until a view was sent what the log holds, so that what is told of it comes behind it. Nobody waits longer than
 * something is on its way to the view.
 */
export class Arrivals {
  private onTheWay = 0;
  private waiting: { position: number; go: () => void }[] = [];

  /** Resolves when `arrived` tells of this position or a later one, or nothing is on its way any more. */
  reach(position: number): Promise<void> {
    if (this.onTheWay === 0) return Promise.resolve();
    return new Promise((go) => this.waiting.push({ position, go }));
  }

  /** `work` sends what is waited for; where it cannot, whoever asked for it is told why. */
  async during(work: () => Promise<void>): Promise<void> {
    this.onTheWay += 1;
    try {
      await work();
    } finally {
      this.onTheWay -= 1;
      if (this.onTheWay === 0) this.end();
    }
  }

  /** The view was sent everything before this position. */
  arrived(position: number): void {
    const isThere = (one: { position: number }) => one.position <= position;
    const there = this.waiting.filter(isThere);
    this.waiting = this.waiting.filter((one) => !isThere(one));
    for (const { go } of there) go();
  }

  /** There is nothing to wait for any more. */
  end(): void {
    this.arrived(Infinity);
  }
}
