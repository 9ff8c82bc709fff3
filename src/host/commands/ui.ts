/** What a chat view asks of the editor. Nothing of it touches the log. */
import * as vscode from 'vscode';
import { readCodeInfo } from '../../shared/code-info.js';
import type { Failure } from '../../shared/failure.js';
import type { Mention, UiCommand } from '../../shared/protocol.js';
import type { CodeBlocks } from '../editor/code-blocks.js';
import type { Compared } from '../chat/channel.js';
import type { Surface } from '../chat/html.js';
import { Refusal } from '../errors.js';
import { openSettings } from '../model/settings-place.js';
import { askFocus } from './branch.js';
import type { Commands } from './commands.js';

export interface UiParts {
  commands: () => Commands;
  /** Opens a fresh handle on a session that went stale. */
  reopen: (session: string) => Promise<void>;
  /** Goes back to where the prompt was written that another window was faster than; the view sends it then. */
  keepAsBranch: (session: string) => Promise<void>;
  /** Goes on with a log of another format, or from elsewhere, as a session of this folder. */
  continueCopy: (session: string) => Promise<void>;
  /** Tries again to write what could not be written. */
  saveAgain: (session: string) => Promise<void>;
  openFile: (path: string, line: number | undefined) => Promise<void>;
  openMention: (mention: Mention) => Promise<void>;
  code: CodeBlocks;
  openDiff: (session: string, call: string) => Promise<void>;
  /** What would be written if the files followed the line on show. */
  previewFiles: (session: string) => Promise<void>;
  keepFiles: (session: string) => Promise<void>;
  /** Two lines beside each other in an editor tab. */
  compareInEditor: (session: string, lines: Compared) => Promise<void>;
  /** The files that two lines have otherwise, in the editor's own diff. */
  compareFiles: (session: string, lines: Compared, path: string | undefined) => Promise<void>;
}

/** Where it was asked for. */
export interface AskedIn {
  session: string;
  /** Undefined: nowhere in particular. */
  surface: Surface | undefined;
}

export async function runUiCommand(command: UiCommand, asked: AskedIn, parts: UiParts): Promise<unknown> {
  const { session } = asked;
  const commands = parts.commands();
  switch (command.type) {
    case 'new_session':
      return commands['bough.session.new'](asked);
    case 'switch_session':
      return commands['bough.session.switch']();
    case 'open_session':
      return commands['bough.session.open'](command.session);
    case 'rename_session':
      return commands['bough.session.rename'](session);
    case 'delete_session':
      return commands['bough.session.delete'](session);
    case 'compact_session':
      return compactAsked(commands);
    case 'start_goal':
      return commands['bough.goal.start'](command.objective);
    case 'collapse_part':
      return commands['bough.branch.collapse']();
    case 'reveal_log':
      return commands['bough.session.reveal'](session);
    case 'open_in_editor':
      return commands['bough.chat.openInEditor'](session);
    case 'select_model':
      return commands['bough.model.select']();
    case 'try_other_model':
      return commands['bough.model.select']({ session, again: command.entry_id ?? null });
    case 'set_key':
      return commands['bough.provider.setKey']();
    case 'mcp_servers':
      return commands['bough.mcp.servers']();
    case 'select_tools':
      return commands['bough.tools.select']();
    case 'show_log':
      return commands['bough.log.show']();
    case 'show_diagnostics':
      return commands['bough.diagnostics.show']();
    case 'open_settings':
      return openSettings(command.query);
    case 'open_folder':
      return vscode.commands.executeCommand('vscode.openFolder');
    case 'manage_trust':
      return vscode.commands.executeCommand('workbench.trust.manage');
    case 'archive_session':
      return commands['bough.session.archive'](session);
    case 'unarchive_session':
      return commands['bough.session.unarchive'](session);
    case 'fork_session':
      return commands['bough.session.fork'](session);
    case 'export_session':
      return commands['bough.session.export'](session);
    case 'import_session':
      return commands['bough.session.import']();
    case 'search_sessions':
      return commands['bough.session.search']();
    case 'continue_copy':
      return parts.continueCopy(session);
    case 'keep_as_branch':
      return parts.keepAsBranch(session);
    case 'reopen':
      return parts.reopen(session);
    case 'save_again':
      return parts.saveAgain(session);
    case 'copy':
      return vscode.env.clipboard.writeText(command.text);
    case 'insert_code':
      return parts.code.insert(command.text);
    case 'apply_code':
      return parts.code.propose(command.text, readCodeInfo(command.info));
    case 'open_code':
      return parts.code.open(command.text, readCodeInfo(command.info));
    case 'open_link':
      return openLink(command.url);
    case 'open_file':
      return parts.openFile(command.path, command.line);
    case 'open_mention':
      return parts.openMention(command.mention);
    case 'open_diff':
      return parts.openDiff(session, command.call_id);
    case 'preview_files':
      return parts.previewFiles(session);
    case 'restore_files':
      return commands['bough.branch.restoreFiles'](session);
    case 'keep_files':
      return parts.keepFiles(session);
    case 'review_files':
      return commands['bough.branch.reviewFiles'](session, command.turn_id);
    case 'keep_changes':
      return commands['bough.branch.keepFiles'](session);
    case 'undo_changes':
      return commands['bough.branch.undoFiles'](session);
    case 'edit_earlier':
      return commands['bough.message.edit'](asked);
    case 'switch_branch':
      return commands['bough.branch.navigate']();
    case 'compare_branches':
      return commands['bough.branch.compare'](command.entry_id);
    case 'compare_in_editor':
      return parts.compareInEditor(session, { left_id: command.left_id, right_id: command.right_id });
    case 'compare_files':
      return parts.compareFiles(session, command, command.path);
  }
}

/** Only what a browser or a mail program opens; text of a model must not run commands. */
async function openLink(url: string): Promise<void> {
  const parsed = URL.parse(url);
  if (!parsed || !/^(https?|mailto):$/.test(parsed.protocol)) throw new Refusal(noLink(url));
  await vscode.env.openExternal(vscode.Uri.parse(url, true));
}

const noLink = (url: string): Failure => ({
  kind: 'refused',
  message: `"${url.slice(0, 100)}" is no web or mail address; Bough opens no other links.`,
  transient: false,
});

/** The palette's command compacts at once; the menu of the chat asks what the summary is to keep first. */
async function compactAsked(commands: Commands): Promise<void> {
  const focus = await askFocus(vscode.l10n.t('Compact Conversation'));
  if (focus !== undefined) await commands['bough.session.compact'](focus);
}
