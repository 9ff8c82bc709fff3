/** Deletes sessions by age for other extensions, those that only they have open included: whose it was finds it stale. */
import type { PruneOptions, PrunePolicy, PruneReport } from '../log/upkeep.js';
import type { ApiHolds } from './api-holds.js';
import type { Chats } from './chat/chats.js';
import type { OpenSessions } from './sessions/open-sessions.js';
import type { WindowStore } from './sessions/window-store.js';

interface ApiPruneParts {
  store: Pick<WindowStore, 'prune' | 'besideFolders'>;
  sessions: Pick<OpenSessions, 'all' | 'peek' | 'letGo'>;
  chats: Pick<Chats, 'hasView'>;
  holds: ApiHolds;
}

type ApiPruneOptions = Pick<PruneOptions, 'dryRun' | 'owner'>;

export async function pruneSessions(
  { store, sessions, chats, holds }: ApiPruneParts,
  policy: PrunePolicy,
  { dryRun = false, ...owned }: ApiPruneOptions,
): Promise<PruneReport> {
  const isInUse = (id: string): boolean => {
    const session = sessions.peek(id);
    return session !== undefined && (chats.hasView(id) || !holds.wouldRest(session));
  };
  /** Other than by the person's setting, also in stores of extensions: whoever asks may have brought one. */
  const prune = async (options: PruneOptions): Promise<PruneReport> =>
    sumOf(await store.prune(policy, options, store.besideFolders()));
  const look = () => prune({ ...owned, dryRun: true, isOpen: isInUse });
  if (dryRun) return look();
  const mayRest = sessions.all().some(({ agent }) => !isInUse(agent.log.id));
  // Only what goes is let go of: whoever holds another one goes on with it.
  const going = mayRest && (policy.sessionIdle ?? 0) > 0 ? (await look()).sessions : [];
  for (const { id } of going) if (!isInUse(id)) await sessions.letGo(id);
  return prune({ ...owned, isOpen: (id) => sessions.peek(id) !== undefined });
}

function sumOf(reports: readonly PruneReport[]): PruneReport {
  const young = reports.reduce((sum, report) => sum + (report.young ?? 0), 0);
  return {
    sessions: reports.flatMap((report) => report.sessions),
    goals: reports.flatMap((report) => report.goals),
    results: reports.flatMap((report) => report.results),
    bytes: reports.reduce((sum, report) => sum + report.bytes, 0),
    kept: reports.flatMap((report) => report.kept),
    ...(young === 0 ? {} : { young }),
  };
}
