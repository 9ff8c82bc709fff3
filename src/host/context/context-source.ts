/** What a chat's composer asks the editor and the workspace for: what an @ names, what a / does, and showing it. */
import type { Disposable, Skills } from '../../ports.js';
import type { Mention, SlashOffer } from '../../shared/protocol.js';
import type { ContextSource } from '../chat/answers.js';
import { createBag } from '../disposables.js';
import { unwrap } from '../errors.js';
import { openFile } from '../files.js';
import { createAttachedTexts, type AttachedTexts } from './attached-texts.js';
import { findMentions, resolveMention, symbolQuery } from './mentions.js';
import type { PastSessionsParts } from './past-sessions.js';
import { expandPrompt, findPrompts, type PromptFilesParts } from './prompt-files.js';
import { findSymbols } from './symbols.js';
import { watchTerminals, type Terminals } from './terminals.js';

export interface ContextParts extends PastSessionsParts, PromptFilesParts {
  skills: Skills;
  onError: (error: unknown) => void;
}

export interface ComposerContext extends Disposable {
  source: ContextSource;
  terminals: Terminals;
  /** Shows what is attached. */
  open(mention: Mention): Promise<void>;
}

export function createComposerContext(parts: ContextParts): ComposerContext {
  const bag = createBag();
  const terminals = bag.add(watchTerminals(parts.onError));
  const texts = bag.add(createAttachedTexts());
  return {
    terminals,
    source: createSource(parts, terminals),
    open: (mention) => openMention({ skills: parts.skills, texts }, mention),
    dispose: () => bag.dispose(),
  };
}

function createSource(parts: ContextParts, terminals: Terminals): ContextSource {
  const mentions = { ...parts, terminals };
  return {
    mentions: (query, session) => findMentions(mentions, query, session),
    symbols: async (query) => {
      const wanted = symbolQuery(query);
      return wanted === undefined ? [] : findSymbols(wanted);
    },
    mention: (offer, session) => resolveMention(mentions, offer, session),
    slash: async () => {
      const [prompts, skills] = await Promise.all([findPrompts(parts), parts.skills.list()]);
      const names = new Set(prompts.map(({ name }) => name));
      return [
        ...prompts.map(({ body: _, ...offer }): SlashOffer => offer),
        ...skills
          .filter(({ name, isForPerson }) => isForPerson && !names.has(name))
          .map(({ name, description }): SlashOffer => ({ kind: 'skill', name, description })),
      ];
    },
    expand: (name) => expandPrompt(parts, name),
  };
}

/** Its text, else the file or folder. */
async function openMention(
  { skills, texts }: { skills: Skills; texts: AttachedTexts },
  { kind, label, path, text }: Mention,
): Promise<void> {
  if (kind === 'skill') return texts.show(label, unwrap(await skills.load(label, 'person')).body);
  if (text !== undefined) return texts.show(label, text);
  if (path !== undefined) return openFile(path, undefined);
}
