/**
 * Which rows are mounted: all of a short conversation; of a long one its end, and what was scrolled to for as long as
 * somebody reads there.
 */

/** Up to this many rows are all mounted. */
export const ALL = 200;
/** How many of a longer conversation stand at its end, and how many come with each step up. */
export const PAGE = 40;

/** Index of the first row that is mounted in any case. */
export const usualFirst = (count: number): number => (count <= ALL ? 0 : count - PAGE);

export class RowWindow<T extends { key: string }> {
  /** The first mounted row while somebody reads above the end; named by key, since rows come before it too. */
  #held = $state.raw<string | null>(null);
  readonly #rows: () => readonly T[];

  constructor(rows: () => readonly T[]) {
    this.#rows = rows;
  }

  /** Index of the first mounted row. */
  get first(): number {
    const rows = this.#rows();
    const usual = usualFirst(rows.length);
    const held = this.#held === null ? -1 : rows.findIndex(({ key }) => key === this.#held);
    return held === -1 ? usual : Math.min(held, usual);
  }

  /** What is mounted now stays, however many rows come at the end. */
  hold(): void {
    this.#held ??= this.#rows()[this.first]?.key ?? null;
  }

  /** From this row on all are mounted. */
  holdFrom(key: string): void {
    this.#held = key;
  }

  release(): void {
    this.#held = null;
  }

  /** Another page above. */
  up(): void {
    this.#held = this.#rows()[Math.max(0, this.first - PAGE)]?.key ?? null;
  }
}
