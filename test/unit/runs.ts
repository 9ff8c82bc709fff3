/** How often a property is tried: a tenth with BOUGH_QUICK=1 (`npm run test:unit`), `soak` times with BOUGH_SOAK=1. */
export function runs({ usual, soak }: { usual: number; soak: number }): number {
  if (process.env['BOUGH_SOAK'] === '1') return soak;
  return process.env['BOUGH_QUICK'] === '1' ? Math.ceil(usual / 10) : usual;
}

/** With BOUGH_QUICK=1 one in `of` of a table that is gone through whole otherwise; which ones stays the same. */
export const quickly = <T>(table: readonly T[], of: number): readonly T[] =>
  process.env['BOUGH_QUICK'] === '1' ? table.filter((_, index) => index % of === 0) : table;

/** BOUGH_SHARD=2/8 does the second eighth of a long property: cases are random, so shards differ by themselves. */
export function sharded(all: number): { runs: number; name: string } {
  const [, which, of] = /^(\d+)\/(\d+)$/.exec(process.env['BOUGH_SHARD'] ?? '') ?? [];
  if (which === undefined || of === undefined) return { runs: all, name: '' };
  return { runs: Math.ceil(all / Number(of)), name: ` (shard ${which} of ${of})` };
}
