/** Which rows are mounted: all of a short conversation, the end of a long one and what was scrolled to. */

/** Up to this many rows are all mounted. */
export const ALL = 200;
/** How many of a longer conversation stand at its end, and how many come with each step up. */
export const PAGE = 60;

/** Index of the first mounted row. */
export const firstMounted = (count: number, extra: number): number =>
  count <= ALL ? 0 : Math.max(0, count - PAGE - extra);
