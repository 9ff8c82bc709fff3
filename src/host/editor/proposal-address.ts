/** Addresses of the two sides of a proposal. */
import * as vscode from 'vscode';

/** Read-only. */
export const PROPOSAL = 'bough-proposal';
/** What the person may change before it runs. */
export const PROPOSED = 'bough-proposed';

/** What such a document says when its call was decided. */
export const NOT_PENDING = 'This proposal is not pending any more.';

interface ProposalAddress {
  session: string;
  call_id: string;
  index: number;
  side: 'before' | 'after';
}

/** The path ends like the file's, so that the editor knows its language. */
export const proposalAddress = (scheme: string, where: ProposalAddress, path: string): vscode.Uri =>
  vscode.Uri.from({ scheme, path: `/${path.replace(/^\/+/, '')}`, query: JSON.stringify(where) });

export function parseAddress(uri: vscode.Uri): ProposalAddress {
  const where = JSON.parse(uri.query) as ProposalAddress;
  return { ...where, side: where.side === 'before' ? 'before' : 'after' };
}
