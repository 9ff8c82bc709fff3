/**
 * The keyboard goes back to the chat when what it had VS Code ask is answered, or left. VS Code itself gives it back to the
 * frame around a webview, from where no key reaches the chat.
 */
import type { UiCommand } from '../../shared/protocol.js';

/** What asks by pick lists, input boxes and dialogs, and leaves the person where they were. */
const asks: ReadonlySet<UiCommand['type']> = new Set([
  'switch_session',
  'rename_session',
  'delete_session',
  'fork_session',
  'export_session',
  'import_session',
  'search_sessions',
  'compact_session',
  'collapse_part',
  'start_goal',
  'select_model',
  'try_other_model',
  'set_key',
  'mcp_servers',
  'select_tools',
  'switch_branch',
  'compare_branches',
  'restore_files',
  'undo_changes',
]);

export const asksPerson = (command: UiCommand): boolean => asks.has(command.type);

export interface Asking {
  /** This chat has the keyboard. */
  hasFocus: () => boolean;
  /** Changes when something else is brought to the front, which then has the keyboard. */
  front: () => unknown;
  takeFocus: () => void;
}

export async function comingBack<T>(chat: Asking, work: () => Promise<T>): Promise<T> {
  const hadFocus = chat.hasFocus();
  const front = chat.front();
  try {
    return await work();
  } finally {
    if (hadFocus && chat.front() === front) chat.takeFocus();
  }
}
