/** Whole lists of sessions, all their pages; of several lists, those that can be had, with an error for each that cannot. */
import type { SessionStore, SessionSummary } from '../../log/store.js';

const PAGE = 200;

export async function allRows(store: Pick<SessionStore, 'list'>): Promise<SessionSummary[]> {
  const found: SessionSummary[] = [];
  let cursor: string | undefined;
  do {
    const page = await store.list({
      archived: 'all',
      limit: PAGE,
      ...(cursor === undefined ? {} : { cursor }),
    });
    found.push(...page.sessions);
    ({ cursor } = page);
  } while (cursor !== undefined);
  return found;
}

/** What `read` gives for each, in their order; one that fails is told of and left out. */
export async function readEach<One, Read>(
  all: readonly One[],
  read: (one: One) => Promise<Read>,
  onError: (error: unknown) => void,
): Promise<Read[]> {
  const settled = await Promise.allSettled(all.map(read));
  return settled.flatMap((one) => {
    if (one.status === 'fulfilled') return [one.value];
    onError(one.reason);
    return [];
  });
}
