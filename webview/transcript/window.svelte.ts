/**
 * Which rows are mounted: all of a short conversation; of a long one its end, and what was scrolled to or jumped to for as
 * long as somebody reads there. Between a place far up and the end there may be a gap.
 */

/** Up to this many rows are all mounted. */
export const ALL = 200;
/** How many of a longer conversation stand at its end, and how many come with each step up. */
export const PAGE = 40;
/** The end that is mounted whatever is read. */
export const TAIL = 30;
/** How many rows above one that was jumped to come with it. */
const BEFORE = 10;

/** Index of the first row that is mounted in any case. */
export const usualFirst = (count: number): number => (count <= ALL ? 0 : count - PAGE);

export class RowWindow<T extends { key: string }> {
  /** The first mounted row while somebody reads above the end; named by key, since rows come before it too. */
  #held = $state.raw<string | null>(null);
  /** The row behind what was jumped to and has been read on from there; null: all to the end is mounted. */
  #until = $state.raw<string | null>(null);
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

  /** The rows between what was jumped to and the end, that are not mounted: from one index up to another. */
  get gap(): { from: number; to: number } | null {
    if (this.#until === null) return null;
    const rows = this.#rows();
    const from = rows.findIndex(({ key }) => key === this.#until);
    const to = Math.max(rows.length - TAIL, 0);
    return from === -1 || from >= to ? null : { from, to };
  }

  /** Mounts a row, and some around it. */
  around(index: number): void {
    const rows = this.#rows();
    this.#held = rows[Math.max(0, index - BEFORE)]?.key ?? null;
    const until = index + PAGE;
    this.#until = until < rows.length - ALL ? (rows[until]?.key ?? null) : null;
  }

  /** Another page below what was jumped to. */
  down(): void {
    const { gap } = this;
    this.#until = gap === null ? null : (this.#rows()[Math.min(gap.from + PAGE, gap.to)]?.key ?? null);
  }

  release(): void {
    this.#held = null;
    this.#until = null;
  }

  /** Another page above. */
  up(): void {
    this.#held = this.#rows()[Math.max(0, this.first - PAGE)]?.key ?? null;
  }
}
