/** What a pending approval proposes, from the log alone, so that a diff survives a reload. */
import type { SessionLog } from '../log/store.js';
import type { ProposedFile } from './editor/diffs.js';
import type { OpenSessions } from './sessions/open-sessions.js';

export async function readProposal(
  sessions: Pick<OpenSessions, 'open'>,
  session: string,
  call: string,
): Promise<readonly ProposedFile[] | null> {
  const { log } = (await sessions.open(session)).agent;
  const approval = log.state().approvals.find(({ call_id }) => call_id === call);
  if (!approval) return null;
  return Promise.all(
    approval.proposal.map(async ({ path, before, after }) => ({
      path,
      before: await textOf(log, before),
      after: await textOf(log, after),
    })),
  );
}

async function textOf(log: SessionLog, hash: string | null): Promise<string | null> {
  return hash === null ? null : new TextDecoder().decode(await log.blobs.get(hash));
}
