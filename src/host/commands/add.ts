/** Adds what the person points at in the editor, the explorer, a terminal or a problem to the message being written. */
import * as vscode from 'vscode';
import type { Mention } from '../../shared/protocol.js';
import { createContextMention } from '../context/added.js';
import type { Terminals } from '../context/terminals.js';
import type { Chats } from '../chat/chats.js';
import type { Commands } from './commands.js';

export interface AddCommandParts {
  chats: Pick<Chats, 'show' | 'current'>;
  terminals: Terminals;
}

type AddCommands = Pick<
  Commands,
  'bough.chat.addSelection' | 'bough.chat.addFiles' | 'bough.chat.addTerminal' | 'bough.chat.addProblems'
>;

export function addCommands({ chats, terminals }: AddCommandParts): AddCommands {
  const add = async (mentions: readonly Mention[]): Promise<void> =>
    chats.show(await chats.current(), { mentions });
  const added = createContextMention();
  return {
    'bough.chat.addSelection': async () => add([added.selection()]),
    'bough.chat.addFiles': async (file, files) => add(await added.files(urisOf(file, files))),
    'bough.chat.addTerminal': async () => add([await terminals.selectionOrLast()]),
    'bough.chat.addProblems': async (file, problems) =>
      add([added.problems(file instanceof vscode.Uri ? file : undefined, problems)]),
  };
}

/** What was clicked, or all that is chosen with it. */
function urisOf(file: unknown, files: unknown): vscode.Uri[] {
  const all = Array.isArray(files) && files.length > 0 ? (files as unknown[]) : [file];
  return all.filter((uri) => uri instanceof vscode.Uri);
}
