/** The end of the log's line, read only as far back as it takes to hold what is looked for. */
import type { PlacedEntry, SessionLog } from '../log/store.js';

const FIRST_LIMIT = 256;

export async function lineEnd(
  log: Pick<SessionLog, 'page'>,
  isEnough: (placed: PlacedEntry) => boolean,
): Promise<PlacedEntry[]> {
  for (let limit = FIRST_LIMIT; ; limit *= 4) {
    const { entries, more } = await log.page(limit);
    if (!more || entries.some(isEnough)) return entries;
  }
}
