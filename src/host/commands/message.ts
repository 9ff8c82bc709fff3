/** Commands on one message, from its menu: its chat has the whole of it, and the composer. */
import * as vscode from 'vscode';
import type { Surface } from '../chat/html.js';
import type { Chats } from '../chat/chats.js';
import type { OpenSessions } from '../sessions/open-sessions.js';
import { pickMessage } from './branch.js';
import type { Commands } from './commands.js';
import { placeOf } from './target.js';

type Name = `bough.message.${'edit' | 'copy'}`;

export interface MessageCommandParts {
  chats: Pick<Chats, 'tellChosen'>;
  sessions: Pick<OpenSessions, 'open'>;
}

export function messageCommands({ chats, sessions }: MessageCommandParts): Pick<Commands, Name> {
  /** The chat that asks for it without a message: the person chooses one of hers on the line. */
  const editChosen = async ({ session, surface }: Asker): Promise<void> => {
    const path = await (await sessions.open(session)).agent.log.path();
    const own = path.filter((entry) => entry.type === 'message' && entry.role === 'user');
    const title = vscode.l10n.t('Message to Edit and Send Again');
    const entry = await pickMessage(own.reverse(), title);
    if (entry !== undefined) chats.tellChosen({ session, entry, surface }, 'edit');
  };
  return {
    'bough.message.edit': async (target) => {
      if (isAsker(target)) await editChosen(target);
      else chats.tellChosen(placeIn(target), 'edit');
    },
    'bough.message.copy': (target) => {
      chats.tellChosen(placeIn(target), 'copy');
      return Promise.resolve();
    },
  };
}

function placeIn(target: unknown): NonNullable<ReturnType<typeof placeOf>> {
  const place = placeOf(target);
  if (place === undefined) throw new Error('The command needs a message of a chat.');
  return place;
}

interface Asker {
  session: string;
  surface: Surface;
}

const isAsker = (target: unknown): target is Asker =>
  typeof target === 'object' &&
  target !== null &&
  'session' in target &&
  typeof target.session === 'string' &&
  'surface' in target &&
  (target.surface === 'view' || target.surface === 'tab');
