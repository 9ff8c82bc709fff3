/** Commands on one message, from its menu: its chat has the whole of it, and the composer. */
import type { Chats } from '../chat/chats.js';
import type { Commands } from './commands.js';
import { placeOf } from './target.js';

type Name = `bough.message.${'edit' | 'copy'}`;

export function messageCommands({ chats }: { chats: Chats }): Pick<Commands, Name> {
  const tell = (what: 'edit' | 'copy', target: unknown): Promise<void> => {
    const place = placeOf(target);
    if (place === undefined) throw new Error('The command needs a message of a chat.');
    chats.tellChosen(place, what);
    return Promise.resolve();
  };
  return {
    'bough.message.edit': (target) => tell('edit', target),
    'bough.message.copy': (target) => tell('copy', target),
  };
}
