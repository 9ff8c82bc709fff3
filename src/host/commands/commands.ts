/**
 * Every command, typed in one map, and the one wrapper around them: a cancellation is quiet, what is expected is a short
 * sentence, and the rest is a bug that goes to the log with its stack. Arguments come from menus, keys and other
 * extensions, so nothing is taken for granted about them.
 */
import * as vscode from 'vscode';

export interface Commands {
  /** In the chat that the person is in. */
  'bough.session.new': (from?: unknown) => Promise<void>;
  'bough.session.newInSideBar': () => Promise<void>;
  'bough.session.newEphemeral': () => Promise<void>;
  'bough.session.switch': () => Promise<void>;
  'bough.session.continueLast': () => Promise<void>;
  'bough.session.openFile': (file?: unknown) => Promise<void>;
  'bough.session.rename': (target?: unknown, name?: unknown) => Promise<void>;
  'bough.session.archive': (target?: unknown) => Promise<void>;
  'bough.session.unarchive': (target?: unknown) => Promise<void>;
  'bough.session.delete': (target?: unknown) => Promise<void>;
  'bough.session.restore': (key?: unknown) => Promise<void>;
  'bough.session.fork': (target?: unknown, entry?: unknown, side?: unknown) => Promise<void>;
  'bough.session.verify': () => Promise<void>;
  'bough.session.prune': (policy?: unknown) => Promise<void>;
  'bough.session.relink': (key?: unknown) => Promise<void>;
  'bough.session.open': (target?: unknown, leaf?: unknown) => Promise<void>;
  'bough.session.reveal': (target?: unknown) => Promise<void>;
  'bough.session.export': (target?: unknown, format?: unknown, uri?: unknown) => Promise<void>;
  'bough.session.import': (file?: unknown) => Promise<void>;
  'bough.session.more': (session?: unknown) => Promise<void>;
  'bough.session.readOn': () => Promise<void>;
  'bough.session.filter': (all?: unknown) => Promise<void>;
  'bough.session.search': (text?: unknown) => Promise<void>;
  'bough.session.otherFolders': () => Promise<void>;
  'bough.chat.openInEditor': (target?: unknown) => Promise<void>;
  'bough.chat.show': () => Promise<void>;
  'bough.chat.addSelection': () => Promise<void>;
  'bough.chat.addFiles': (file?: unknown, files?: unknown) => Promise<void>;
  'bough.chat.addTerminal': () => Promise<void>;
  'bough.chat.addProblems': (file?: unknown, problems?: unknown) => Promise<void>;
  'bough.model.select': (model?: unknown) => Promise<void>;
  'bough.provider.setKey': (provider?: unknown, key?: unknown) => Promise<void>;
  'bough.provider.removeKey': (provider?: unknown) => Promise<void>;
  'bough.session.compact': (focus?: unknown) => Promise<void>;
  'bough.session.clear': () => Promise<void>;
  'bough.branch.fromEntry': (entry?: unknown) => Promise<void>;
  'bough.branch.navigate': (entry?: unknown) => Promise<void>;
  'bough.branch.label': (entry?: unknown, label?: unknown) => Promise<void>;
  'bough.branch.summarize': (from?: unknown, to?: unknown) => Promise<void>;
  'bough.branch.collapse': (from?: unknown, to?: unknown) => Promise<void>;
  'bough.branch.compare': (left?: unknown, right?: unknown) => Promise<void>;
  'bough.branch.restoreFiles': (target?: unknown) => Promise<void>;
  'bough.branch.reviewFiles': (target?: unknown, turn?: unknown) => Promise<void>;
  'bough.branch.keepFiles': (target?: unknown) => Promise<void>;
  'bough.branch.undoFiles': (target?: unknown) => Promise<void>;
  'bough.turn.undo': () => Promise<void>;
  'bough.turn.stop': () => Promise<void>;
  'bough.turn.continue': () => Promise<void>;
  'bough.turn.retryNow': () => Promise<void>;
  'bough.turn.tryAgain': (target?: unknown) => Promise<void>;
  'bough.goal.start': (objective?: unknown, criteria?: unknown, max?: unknown) => Promise<void>;
  'bough.goal.pause': () => Promise<void>;
  'bough.goal.resume': () => Promise<void>;
  'bough.goal.retry': () => Promise<void>;
  'bough.goal.clear': () => Promise<void>;
  'bough.message.edit': (target?: unknown) => Promise<void>;
  'bough.message.copy': (target?: unknown) => Promise<void>;
  'bough.approval.next': () => Promise<void>;
  'bough.approval.approve': (target?: unknown) => Promise<void>;
  'bough.approval.deny': (target?: unknown) => Promise<void>;
  'bough.code.apply': (change?: unknown) => Promise<void>;
  'bough.code.discard': (change?: unknown) => Promise<void>;
  'bough.restore.apply': () => Promise<void>;
  'bough.restore.discard': () => Promise<void>;
  'bough.restore.overwrite': () => Promise<void>;
  'bough.restore.keep': () => Promise<void>;
  'bough.mcp.servers': () => Promise<void>;
  'bough.tools.select': () => Promise<void>;
  'bough.log.show': () => Promise<void>;
  'bough.diagnostics.show': () => Promise<void>;
}
export type CommandName = keyof Commands;

/** What a failed command was about to do, for the sentence. */
const doing: Readonly<Record<CommandName, string>> = {
  'bough.session.new': 'Starting a session',
  'bough.session.newInSideBar': 'Starting a session',
  'bough.session.newEphemeral': 'Starting a session',
  'bough.session.switch': 'Switching the session',
  'bough.session.continueLast': 'Continuing the last session',
  'bough.session.openFile': 'Opening the session file',
  'bough.session.rename': 'Renaming the session',
  'bough.session.archive': 'Archiving the session',
  'bough.session.unarchive': 'Unarchiving the session',
  'bough.session.delete': 'Deleting the session',
  'bough.session.restore': 'Restoring the session',
  'bough.session.fork': 'Forking the session',
  'bough.session.verify': 'Looking through the session files',
  'bough.session.prune': 'Deleting old sessions',
  'bough.session.relink': 'Linking sessions to this folder',
  'bough.session.open': 'Opening the session',
  'bough.session.reveal': 'Showing the log file',
  'bough.session.export': 'Exporting the session',
  'bough.session.import': 'Importing the session',
  'bough.session.more': 'Listing sessions',
  'bough.session.readOn': 'Listing sessions',
  'bough.session.filter': 'Filtering the list',
  'bough.session.search': 'Searching the sessions',
  'bough.session.otherFolders': 'Listing sessions of other folders',
  'bough.chat.openInEditor': 'Opening the chat',
  'bough.chat.show': 'Showing the chat',
  'bough.chat.addSelection': 'Adding to the chat',
  'bough.chat.addFiles': 'Adding to the chat',
  'bough.chat.addTerminal': 'Adding to the chat',
  'bough.chat.addProblems': 'Adding to the chat',
  'bough.model.select': 'Choosing a model',
  'bough.provider.setKey': 'Setting the key',
  'bough.provider.removeKey': 'Removing the key',
  'bough.session.compact': 'Compacting the conversation',
  'bough.session.clear': 'Clearing the conversation',
  'bough.branch.fromEntry': 'Branching',
  'bough.branch.navigate': 'Going to the message',
  'bough.branch.label': 'Naming the place',
  'bough.branch.summarize': 'Summarising the branch',
  'bough.branch.collapse': 'Replacing a part by its summary',
  'bough.branch.compare': 'Comparing branches',
  'bough.branch.restoreFiles': 'Restoring files',
  'bough.branch.reviewFiles': 'Showing the changes',
  'bough.branch.keepFiles': 'Keeping the changes',
  'bough.branch.undoFiles': 'Undoing the changes',
  'bough.turn.undo': 'Undoing the turn',
  'bough.turn.stop': 'Stopping',
  'bough.turn.continue': 'Continuing',
  'bough.turn.retryNow': 'Retrying',
  'bough.turn.tryAgain': 'Trying again',
  'bough.goal.start': 'Starting the goal',
  'bough.goal.pause': 'Pausing the goal',
  'bough.goal.resume': 'Resuming the goal',
  'bough.goal.retry': 'Retrying the goal',
  'bough.goal.clear': 'Clearing the goal',
  'bough.message.edit': 'Editing the message',
  'bough.message.copy': 'Copying the message',
  'bough.approval.next': 'Showing the approval',
  'bough.approval.approve': 'Approving',
  'bough.approval.deny': 'Denying',
  'bough.code.apply': 'Applying the change',
  'bough.code.discard': 'Discarding the change',
  'bough.restore.apply': 'Restoring files',
  'bough.restore.discard': 'Closing the preview',
  'bough.restore.overwrite': 'Restoring the file',
  'bough.restore.keep': 'Closing the preview',
  'bough.mcp.servers': 'Showing the MCP servers',
  'bough.tools.select': 'Choosing tools',
  'bough.log.show': 'Showing the log',
  'bough.diagnostics.show': 'Collecting the diagnostics',
};

/** Registers all commands at once; the code behind them is loaded when the first one is run. */
export function registerCommands(
  load: () => Promise<Commands>,
  onError: (error: unknown, doing: string) => void,
): vscode.Disposable {
  const names = Object.keys(doing) as CommandName[];
  const registered = names.map((name) =>
    vscode.commands.registerCommand(name, async (...args: unknown[]) => {
      try {
        const run: (...args: unknown[]) => Promise<void> = (await load())[name];
        await run(...args);
      } catch (error) {
        onError(error, doing[name]);
      }
    }),
  );
  return vscode.Disposable.from(...registered);
}
