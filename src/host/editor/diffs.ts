/**
 * Shows what a pending approval proposes in VS Code's own diff editor. Both sides are read-only documents whose text is
 * looked up when it is asked for, so a tab that survives a reload shows the same, or says that nothing is pending.
 */
import * as vscode from 'vscode';
import type { Disposable } from '../../ports.js';
import { toolFailure, type Failure } from '../../shared/failure.js';

export interface ProposedFile {
  /** As it is shown to people. */
  path: string;
  before: string | null;
  after: string | null;
}

/** The proposal of a call; null when it is not known, or not pending any more. */
export type FindProposal = (session: string, call_id: string) => Promise<readonly ProposedFile[] | null>;

export interface Diffs extends Disposable {
  show(session: string, call_id: string): Promise<Failure | null>;
}

const SCHEME = 'bough-proposal';
type Side = 'before' | 'after';

export function createDiffs(find: FindProposal): Diffs {
  const registration = vscode.workspace.registerTextDocumentContentProvider(SCHEME, {
    provideTextDocumentContent: async (uri) => {
      const { session, call_id, index, side } = parse(uri);
      const file = (await find(session, call_id))?.[index];
      return file === undefined ? 'This proposal is not pending any more.' : (file[side] ?? '');
    },
  });
  return {
    async show(session, call_id) {
      const files = await find(session, call_id);
      if (files === null || files.length === 0)
        return toolFailure('no-proposal', 'This proposal is not pending any more.');
      const pairs = files.map((file, index) => ({
        file,
        left: address({ session, call_id, index, side: 'before' }, file.path),
        right: address({ session, call_id, index, side: 'after' }, file.path),
      }));
      const [only, ...others] = pairs;
      if (only !== undefined && others.length === 0) {
        await vscode.commands.executeCommand('vscode.diff', only.left, only.right, title(only.file), {
          preview: true,
        });
      } else {
        const resources = pairs.map(({ left, right }) => [right, left, right]);
        await vscode.commands.executeCommand('vscode.changes', `Proposed: ${pairs.length} files`, resources);
      }
      return null;
    },
    dispose: () => {
      registration.dispose();
    },
  };
}

function title({ path, before, after }: ProposedFile): string {
  if (before === null) return `${path} (proposed, new)`;
  return after === null ? `${path} (proposed, deleted)` : `${path} (proposed)`;
}

interface Address {
  session: string;
  call_id: string;
  index: number;
  side: Side;
}

/** The path ends like the file's, so that the editor knows its language. */
const address = (where: Address, path: string): vscode.Uri =>
  vscode.Uri.from({ scheme: SCHEME, path: `/${path.replace(/^\/+/, '')}`, query: JSON.stringify(where) });

function parse(uri: vscode.Uri): Address {
  const where = JSON.parse(uri.query) as Address;
  return { ...where, side: where.side === 'before' ? 'before' : 'after' };
}
