/** How often a property is tried: a tenth with BOUGH_QUICK=1 (`npm run test:unit`), `soak` times with BOUGH_SOAK=1. */
export function runs({ usual, soak }: { usual: number; soak: number }): number {
  if (process.env['BOUGH_SOAK'] === '1') return soak;
  return process.env['BOUGH_QUICK'] === '1' ? Math.ceil(usual / 10) : usual;
}
