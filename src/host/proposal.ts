/** What a pending approval proposes, from the log alone, and what the person made of it, from the draft of its card. */
import type { SessionLog } from '../log/store.js';
import type { PendingApproval } from '../shared/fold/types.js';
import type { Chats } from './chat/chats.js';
import type { Drafts } from './chat/drafts.js';
import type { FoundProposal } from './editor/diffs.js';
import type { OpenSessions, SessionEvent } from './sessions/open-sessions.js';

export async function readProposal(
  { sessions, drafts }: { sessions: Pick<OpenSessions, 'open'>; drafts: Pick<Drafts, 'read'> },
  session: string,
  call: string,
): Promise<FoundProposal | null> {
  const { log } = (await sessions.open(session)).agent;
  const approval = log.state().approvals.find(({ call_id }) => call_id === call);
  if (!approval) return null;
  const files = await Promise.all(
    approval.proposal.map(async ({ path, before, after }) => ({
      path,
      before: await textOf(log, before),
      after: await textOf(log, after),
    })),
  );
  const { unsent } = await drafts.read(session);
  return { files, isEditable: isEditable(approval), edited: unsent?.[call]?.after };
}

/** The card makes an input of what the person wrote: it can for our own tools, whose input is in the log whole. */
function isEditable({ tool, proposal, input }: PendingApproval): boolean {
  const hasInput = typeof input === 'object' && input !== null && 'path' in input;
  return proposal.length === 1 && hasInput && (tool === 'edit' || tool === 'write');
}

/** Keeps what the person made of a proposal in the draft of its card, and tells the views that show it. */
export async function keepEdited(
  { drafts, chats }: { drafts: Pick<Drafts, 'read' | 'write'>; chats: Pick<Chats, 'tellEdited'> },
  { session, call_id, text }: { session: string; call_id: string; text: string | null },
): Promise<void> {
  const draft = await drafts.read(session);
  const { texts: _, after: __, ...rest } = draft.unsent?.[call_id] ?? {};
  const typed = text === null ? rest : { ...rest, after: text };
  drafts.write(session, { ...draft, unsent: { ...draft.unsent, [call_id]: typed } });
  chats.tellEdited(session, call_id, text);
}

async function textOf(log: SessionLog, hash: string | null): Promise<string | null> {
  return hash === null ? null : new TextDecoder().decode(await log.blobs.get(hash));
}

/** A call was decided, or closed: its proposal is not pending any more. */
export const isDecision = (event: SessionEvent): boolean =>
  event.type === 'appended' && event.placed.some(({ entry }) => entry.type === 'approval_decision');
