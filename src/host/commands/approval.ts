/** Decides on a proposal from the title of its diff: what is approved is what stands there. */
import * as vscode from 'vscode';
import { toolFailure } from '../../shared/failure.js';
import type { Chats } from '../chat/chats.js';
import type { Drafts } from '../chat/drafts.js';
import { editedInput, isSameText } from '../edited-input.js';
import { NOT_PENDING, parseAddress, PROPOSAL, PROPOSED } from '../editor/proposal-address.js';
import { Refusal, unwrap } from '../errors.js';
import { readProposal } from '../proposal.js';
import type { OpenSessions } from '../sessions/open-sessions.js';
import type { Teller } from '../tell.js';
import type { Commands } from './commands.js';

export interface ApprovalCommandParts {
  sessions: Pick<OpenSessions, 'open'>;
  drafts: Pick<Drafts, 'read'>;
  chats: Pick<Chats, 'show'>;
  tell: Teller;
}

export function approvalCommands(
  parts: ApprovalCommandParts,
): Pick<Commands, 'bough.approval.approve' | 'bough.approval.deny'> {
  return {
    'bough.approval.approve': (target) => approve(parts, proposedAt(target)),
    'bough.approval.deny': async (target) => {
      const { session, call_id } = proposedAt(target);
      const { agent } = await parts.sessions.open(session);
      const feedback = await typedInstead(parts, session, call_id);
      const decision = { type: 'decide', call_id, decision: 'deny', scope: 'once' } as const;
      unwrap(await agent.dispatch(feedback === '' ? decision : { ...decision, feedback }));
    },
  };
}

interface Proposed {
  session: string;
  call_id: string;
  uri: vscode.Uri;
}

/** The right side of the diff whose title it was asked for in, else of the one in front. */
function proposedAt(target: unknown): Proposed {
  const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
  const front = input instanceof vscode.TabInputTextDiff ? input.modified : undefined;
  const uri = target instanceof vscode.Uri ? target : front;
  if (uri === undefined || ![PROPOSAL, PROPOSED].includes(uri.scheme))
    throw new Refusal(toolFailure('no-proposal', NOT_PENDING));
  const { session, call_id } = parseAddress(uri);
  return { session, call_id, uri };
}

async function approve(parts: ApprovalCommandParts, { session, call_id, uri }: Proposed): Promise<void> {
  const { sessions, drafts } = parts;
  const { agent } = await sessions.open(session);
  const approval = agent.log.state().approvals.find((one) => one.call_id === call_id);
  const found = await readProposal(parts, session, call_id);
  const file = found?.files[0];
  if (approval === undefined || found === null || file === undefined)
    throw new Refusal(toolFailure('no-proposal', NOT_PENDING));
  // What was typed on the card is in no diff.
  if ((await drafts.read(session)).unsent?.[call_id]?.texts !== undefined)
    return decideThere(parts, session, vscode.l10n.t('What you changed on the card is not in this diff.'));
  if ((await typedInstead(parts, session, call_id)) !== '')
    return decideThere(
      parts,
      session,
      vscode.l10n.t('What you typed on the card is sent only when you deny it.'),
    );
  const shown = uri.scheme === PROPOSED ? textAt(uri) : undefined;
  const isEdited = shown !== undefined && !isSameText(shown, file.after ?? '');
  const edited_input = isEdited ? editedInput(approval, file.before, shown) : undefined;
  if (isEdited && edited_input === undefined)
    return decideThere(parts, session, vscode.l10n.t('What you left of the proposal changes nothing.'));
  unwrap(
    await agent.dispatch({
      type: 'decide',
      call_id,
      decision: 'allow',
      scope: 'once',
      ...(edited_input === undefined ? {} : { edited_input: { ...edited_input } }),
    }),
  );
}

/** What to do instead, as it stands on the card. */
const typedInstead = async (
  { drafts }: ApprovalCommandParts,
  session: string,
  call_id: string,
): Promise<string> => (await drafts.read(session)).unsent?.[call_id]?.feedback?.trim() ?? '';

async function decideThere(
  { chats, tell }: ApprovalCommandParts,
  session: string,
  why: string,
): Promise<void> {
  await chats.show(session, { at: 'approval' });
  tell.info(`${why} ${vscode.l10n.t('Decide on it in the chat.')}`);
}

const textAt = (uri: vscode.Uri): string | undefined =>
  vscode.workspace.textDocuments.find((document) => document.uri.toString() === uri.toString())?.getText();
