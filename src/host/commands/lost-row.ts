/**
 * A command that was chosen on a row is never run on something else. VS Code hands over the row and the rows that are
 * selected, but forgets its rows while the list is read anew: what comes then is nothing, as from the palette.
 */
import * as vscode from 'vscode';
import { BoughError } from '../../shared/failure.js';
import type { CommandName, Commands } from './commands.js';

/** In the menus of rows, and without a row about the chat in front. */
const ofRows = [
  'bough.branch.compare',
  'bough.branch.label',
  'bough.branch.navigate',
  'bough.branch.restoreFiles',
  'bough.branch.reviewFiles',
  'bough.session.archive',
  'bough.session.delete',
  'bough.session.export',
  'bough.session.fork',
  'bough.session.open',
  'bough.session.rename',
  'bough.session.reveal',
  'bough.session.unarchive',
] as const satisfies readonly CommandName[];

/** `commands`, which say that nothing was done where the row is not known. */
export function refuseLostRows(commands: Commands): Commands {
  const refusing = ofRows.map((name) => {
    const run: (...args: unknown[]) => Promise<void> = commands[name];
    return [name, (...args: unknown[]) => (isOfLostRow(args) ? Promise.reject(lostRow()) : run(...args))];
  });
  return { ...commands, ...(Object.fromEntries(refusing) as Pick<Commands, (typeof ofRows)[number]>) };
}

function isOfLostRow(args: readonly unknown[]): boolean {
  const [row, selected] = args;
  return args.length === 2 && row == null && (selected == null || Array.isArray(selected));
}

const lostRow = (): BoughError =>
  new BoughError(
    'InvalidArgument',
    vscode.l10n.t('The list of sessions was just being read anew, so nothing was done. Choose it again.'),
  );
