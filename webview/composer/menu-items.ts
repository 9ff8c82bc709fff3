/** The rows of the composer's menu and what becomes of the text and the draft when one is taken. */
import type { MentionOffer, SlashOffer } from '../../src/shared/protocol.js';
import type { Chat } from '../chat.svelte.js';
import { mentionIcons } from './mention-icons.js';
import type { Trigger } from './mention.js';
import type { MenuItem } from './menu.svelte.js';
import { slashCommands } from './slash.js';

export interface MenuParts {
  chat: Pick<Chat, 'lookups' | 'mention' | 'slash' | 'draft'>;
  /** Puts a text in place of the sign and what stands behind it. */
  replace: (trigger: Trigger, text: string) => void;
  /** Looks again at what stands before the caret. */
  again: () => void;
}

export async function findItems(
  parts: MenuParts,
  trigger: Trigger,
  show: (items: readonly MenuItem[]) => void,
): Promise<void> {
  if (trigger.kind === 'slash') {
    show(await slashItems(parts, trigger.query));
    return;
  }
  const { chat } = parts;
  const symbols = chat.lookups.symbols(trigger.query);
  const items = (await chat.lookups.mentions(trigger.query)).map((offer) => mentionItem(parts, offer));
  show(items);
  const found = (await symbols).map((offer) => mentionItem(parts, offer));
  // Below what was there, so that nothing moves under the keys.
  if (found.length > 0) show([...items.slice(0, 8), ...found]);
}

function mentionItem(parts: MenuParts, offer: MentionOffer): MenuItem {
  const { kind, label, detail, path, ref } = offer;
  return {
    key: [kind, path ?? label, ref ?? ''].join('\n'),
    icon: mentionIcons[kind],
    ...{ label, detail },
    pick: (trigger) => pickMention(parts, offer, trigger),
  };
}

function pickMention({ chat, replace, again }: MenuParts, offer: MentionOffer, trigger: Trigger): void {
  const { kind, path, prefix } = offer;
  if (prefix !== undefined) {
    replace(trigger, `@${prefix}`);
    again();
  } else if (kind === 'file' && path !== undefined) {
    replace(trigger, `@${path} `);
    chat.draft.mentionFile(path);
  } else {
    replace(trigger, '');
    void chat.mention(offer);
  }
}

async function slashItems({ chat, replace }: MenuParts, query: string): Promise<MenuItem[]> {
  const commands = slashCommands.map(({ name, icon, description }): MenuItem => ({
    key: `command ${name}`,
    icon,
    label: `/${name}`,
    detail: description,
    pick: () => void chat.slash.run(name, ''),
  }));
  const offers = (await chat.slash.offers()).map((offer: SlashOffer): MenuItem => ({
    key: `${offer.kind} ${offer.name}`,
    icon: offer.kind === 'skill' ? mentionIcons.skill : 'note',
    label: `/${offer.name}`,
    detail: offer.hint === undefined ? offer.description : `${offer.description} · ${offer.hint}`,
    pick: (trigger) => {
      const rest = chat.draft.text.slice(trigger.query.length + 1).trim();
      if (offer.kind === 'skill') replace(trigger, '');
      void chat.slash.take(offer, rest);
    },
  }));
  const word = `/${query.toLowerCase()}`;
  const all = [...offers, ...commands.filter(({ label }) => !offers.some((offer) => offer.label === label))];
  const begins = all.filter(({ label }) => label.toLowerCase().startsWith(word));
  const holds = all.filter(
    (item) => !begins.includes(item) && item.label.toLowerCase().includes(query.toLowerCase()),
  );
  return query === '' ? all : [...begins, ...holds];
}
