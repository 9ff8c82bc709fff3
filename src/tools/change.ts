/** What `edit` and `write` have in common: the state a change was prepared on still holds, it is applied, and it is told. */
import type {
  AppliedChange,
  FileChange,
  Prepared,
  ToolContext,
  ToolOutcome,
  WorkspacePath,
  WorkspaceText,
} from '../ports.js';
import { isFailure, toolFailure, type Failure } from '../shared/failure.js';
import { changeSummary, showChanged } from './changed-lines.js';
import { refused, refuseUntrusted } from './outcome.js';
import { watchProblems } from './problem-list.js';

export interface Current {
  path: WorkspacePath;
  /** null when there is no such file. */
  file: WorkspaceText | null;
}

/** The file a change is for, if its text may be replaced at all. */
export async function currentFile(path: string, context: ToolContext): Promise<Current | Failure> {
  const untrusted = refuseUntrusted(context, 'change files');
  if (untrusted !== null) return untrusted;
  const place = await context.workspace.resolve(path);
  if (isFailure(place)) return place;
  const file = await context.workspace.read(place);
  if (isFailure(file)) return file.code === 'missing' ? { path: place, file: null } : file;
  if (file.lossy !== true) return { path: place, file };
  return toolFailure(
    'not-utf8',
    `${place.shown} is not valid UTF-8, so changing its text would damage other parts of it. Change it with a command, or let the person tell VS Code its encoding (files.encoding, or "Reopen with Encoding").`,
  );
}

/** Applies what was prepared, unless the file is no longer what it was then. */
export async function applyPrepared(prepared: Prepared, context: ToolContext): Promise<ToolOutcome> {
  const untrusted = refuseUntrusted(context, 'change files');
  if (untrusted !== null) return refused(untrusted);
  const change = prepared.proposal?.[0];
  if (change === undefined) throw new Error(`${prepared.tool} was run without a proposal`);
  const { signal, workspace } = context;
  const isNew = change.before === null;
  const watch = await watchProblems(workspace.language, change.path, { isNew, signal });
  // Last of all: what is waited for gives a command time to put a link in the place of a folder.
  const target = await targetAsPrepared(prepared, context);
  if (isFailure(target)) return refused(target);
  if (target.path.uri !== change.path.uri) return refused(changedSince(target.shown));
  if (signal.aborted) return refused(toolFailure('cancelled', `Stopped before ${target.shown} was changed.`));
  const applied = await context.workspace.apply([change]);
  if (isFailure(applied)) return refused(applied);
  const done = applied[0];
  if (done === undefined) throw new Error('a change was applied and not reported');
  const told = tell(change, done, applied);
  if (told.is_error) return told;
  const { lines, outcome } = await watch.after(signal);
  return {
    ...told,
    content: [told.content, ...lines].join('\n'),
    ...(told.outcome === undefined ? {} : { outcome: `${told.outcome}${outcome}` }),
  };
}

/** A change that changes nothing: the file has that text already, and still does. Nothing is written. */
export async function leavePrepared(prepared: Prepared, context: ToolContext): Promise<ToolOutcome> {
  const target = await targetAsPrepared(prepared, context);
  if (isFailure(target)) return refused(target);
  return {
    content: `${target.shown} has exactly this content already: nothing had to be changed, and nothing was written.`,
    is_error: false,
    outcome: 'nothing to change',
  };
}

/** The file that was prepared for, unless it is another, or has another text, by now. */
async function targetAsPrepared(
  { tool, targets }: Prepared,
  { workspace }: ToolContext,
): Promise<{ path: WorkspacePath; shown: string } | Failure> {
  const [target] = targets;
  if (target === undefined) throw new Error(`${tool} was run without a target`);
  const path = await workspace.resolve(target.path);
  if (isFailure(path)) return path;
  return (await workspace.hash(path)) === target.hash
    ? { path, shown: target.path }
    : changedSince(target.path);
}

const changedSince = (shown: string): Failure =>
  toolFailure('changed', `${shown} changed after this was prepared; nothing was written. Read it again.`);

function tell(change: FileChange, done: AppliedChange, changes: AppliedChange[]): ToolOutcome {
  const before = change.before ?? '';
  const { shown } = done.path;
  if (done.problem !== undefined) {
    const isUnchanged = done.text === change.before;
    return {
      content: done.problem,
      is_error: true,
      outcome: 'not saved',
      ...(isUnchanged ? {} : { changes }),
    };
  }
  const summary = changeSummary(before, done.text);
  const lines = [`${change.before === null ? 'Created' : 'Changed'} ${shown} (${summary}).`];
  if (!done.saved) {
    lines.push(
      `${shown} had unsaved changes in the editor, so it was changed there and NOT saved: ` +
        'the file on disk is as it was. Commands see the old text until the person saves it.',
    );
  }
  if (done.text !== change.after)
    lines.push('Saving changed the text further (format on save). It stands as follows.');
  if (done.text !== change.after || change.before !== null) lines.push(showChanged(before, done.text));
  const outcome = done.saved ? summary : `${summary} · not saved`;
  return { content: lines.join('\n'), is_error: false, outcome, changes };
}
