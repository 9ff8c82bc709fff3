/** What tools answer with, and what keeps one from beginning. */
import type { ToolContext, ToolOutcome } from '../ports.js';
import { toolFailure, type Failure } from '../shared/failure.js';

export const refused = (failure: Failure): ToolOutcome => ({
  content: failure.detail === undefined ? failure.message : `${failure.message}\n${failure.detail}`,
  is_error: true,
});

/** Nothing is changed or run in a folder the person has not trusted. */
export function refuseUntrusted(context: ToolContext, what: string): Failure | null {
  if (context.workspace.trusted) return null;
  return toolFailure(
    'untrusted',
    `This folder is not trusted, so Bough does not ${what} here. Reading and searching work. ` +
      'To allow more, run "Workspaces: Manage Workspace Trust".',
  );
}
