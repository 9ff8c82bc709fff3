/**
 * Shows what a pending approval proposes in VS Code's own diff editor. The left side is a read-only document; the right
 * side can be edited where the tool can run what the person makes of it, with the editor's own arrows that put single
 * changes back. What stands there is kept with the card's draft, so a tab that survives a reload shows the same, or says
 * that nothing is pending. When the call was decided its tab closes.
 */
import * as vscode from 'vscode';
import type { Disposable } from '../../ports.js';
import { toolFailure, type Failure } from '../../shared/failure.js';
import { createBag } from '../disposables.js';
import { NOT_PENDING, parseAddress, proposalAddress, PROPOSAL, PROPOSED } from './proposal-address.js';
import { ProposedFiles } from './proposed-files.js';

export interface ProposedFile {
  /** As it is shown to people. */
  path: string;
  before: string | null;
  after: string | null;
}

export interface FoundProposal {
  files: readonly ProposedFile[];
  /** The tool can run another text than the proposed one. */
  isEditable: boolean;
  /** What the person made of it. */
  edited: string | undefined;
}

export interface DiffParts {
  /** The proposal of a call; null when it is not known, or not pending any more. */
  find: (session: string, call_id: string) => Promise<FoundProposal | null>;
  /** Keeps what the person makes of it; null when it is as it was proposed. */
  keep: (session: string, call_id: string, text: string | null) => Promise<void>;
  onError: (error: unknown) => void;
}

export interface Diffs extends Disposable {
  show(session: string, call_id: string): Promise<Failure | null>;
  /** What was made of a proposal elsewhere is shown here too. */
  refresh(session: string): void;
  /** Closes what shows calls of this session that are not pending any more. */
  closeDecided(session: string): void;
}

export function createDiffs(parts: DiffParts): Diffs {
  const bag = createBag();
  const proposed = bag.add(new ProposedFiles(parts));
  bag.add(
    vscode.workspace.registerTextDocumentContentProvider(PROPOSAL, {
      provideTextDocumentContent: async (uri) => {
        const { session, call_id, index, side } = parseAddress(uri);
        const file = (await parts.find(session, call_id))?.files[index];
        return file === undefined ? NOT_PENDING : (file[side] ?? '');
      },
    }),
  );
  bag.add(vscode.workspace.registerFileSystemProvider(PROPOSED, proposed, { isCaseSensitive: true }));
  return {
    show: (session, call_id) => show(parts, session, call_id),
    refresh: (session) => void proposed.refresh(session).catch(parts.onError),
    closeDecided: (session) => void closeDecided(parts, session).catch(parts.onError),
    dispose: () => bag.dispose(),
  };
}

async function show({ find }: DiffParts, session: string, call_id: string): Promise<Failure | null> {
  const found = await find(session, call_id);
  if (found === null || found.files.length === 0) return toolFailure('no-proposal', NOT_PENDING);
  const { files, isEditable } = found;
  const pairs = files.map((file, index) => ({
    file,
    left: proposalAddress(PROPOSAL, { session, call_id, index, side: 'before' }, file.path),
    right: proposalAddress(
      isEditable ? PROPOSED : PROPOSAL,
      { session, call_id, index, side: 'after' },
      file.path,
    ),
  }));
  const [only, ...others] = pairs;
  if (only !== undefined && others.length === 0) {
    await vscode.commands.executeCommand('vscode.diff', only.left, only.right, title(only.file), {
      preview: true,
    });
  } else {
    const resources = pairs.map(({ left, right }) => [right, left, right]);
    await vscode.commands.executeCommand(
      'vscode.changes',
      vscode.l10n.t('Proposed: {0} files', pairs.length),
      resources,
    );
  }
  return null;
}

function title({ path, before, after }: ProposedFile): string {
  if (before === null) return vscode.l10n.t('{0} (proposed, new)', path);
  return after === null
    ? vscode.l10n.t('{0} (proposed, deleted)', path)
    : vscode.l10n.t('{0} (proposed)', path);
}

async function closeDecided({ find }: DiffParts, session: string): Promise<void> {
  for (const tab of vscode.window.tabGroups.all.flatMap((group) => group.tabs)) {
    if (!(tab.input instanceof vscode.TabInputTextDiff)) continue;
    const { modified, original } = tab.input;
    if (original.scheme !== PROPOSAL) continue;
    const address = parseAddress(original);
    if (address.session !== session || (await find(session, address.call_id)) !== null) continue;
    // What was decided needs no question whether to save it.
    const open = vscode.workspace.textDocuments.find(({ uri }) => uri.toString() === modified.toString());
    if (open?.isDirty === true) await open.save();
    await vscode.window.tabGroups.close(tab);
  }
}
