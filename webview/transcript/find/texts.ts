/**
 * What a row says, as the plain text a person sees, part by part: those that are folded too, so that what is not mounted or
 * not open is found all the same. Parts carry the names of the elements that show them (`data-find`).
 */
import type { Token, Tokens } from 'marked';
import type { ConversationEntry, EarlierTry } from '../../../src/shared/entry.js';
import type { Row, ToolCard } from '../../../src/shared/fold/types.js';
import { promptOf, textOf } from '../../../src/shared/prompt-parts.js';
import { diffOf } from '../hunks.js';
import type { Item } from '../items.js';
import { decodeEntities } from '../markdown/entities.js';
import { parseMarkdown } from '../markdown/stream.js';
import { messageText } from '../prompt-text.js';
import { editsOf, inputOf } from '../call-input.js';
import { sentenceOf } from '../sentence.js';
import { fold } from './fold.js';

export interface FoundPart {
  /** Of its element. */
  name: string;
  /** Folded for comparison; as long as what is seen. */
  text: string;
  /** Names what must be opened to see all of it. */
  opens?: string;
}

/** Between two blocks: nothing a person can type. */
export const BREAK = '\uE000';

const known = new WeakMap<ConversationEntry, FoundPart[]>();
const knownCards = new WeakMap<
  ToolCard['call'],
  { state: string; result: string | undefined; part: FoundPart }
>();

export function partsOf({ row, growing }: Item): FoundPart[] {
  if (row === undefined)
    return growing === undefined ? [] : [{ name: 'text', text: markdownText(growing.text) }];
  let parts = known.get(row.entry);
  if (parts === undefined) known.set(row.entry, (parts = entryParts(row)));
  return row.kind === 'assistant' ? [...parts, ...row.cards.map(cardPart)] : parts;
}

/** Whether it was looked at before, so that it costs nothing now. */
export const isKnown = ({ row }: Item): boolean => row === undefined || known.has(row.entry);

function entryParts(row: Row): FoundPart[] {
  switch (row.kind) {
    case 'user': {
      const { typed, attachments, files } = promptOf(row.entry);
      const names = [...attachments.map(({ label }) => label), ...files.map(({ name }) => name)];
      return [
        { name: 'text', text: fold(typed.map(textOf).join('\n\n')) },
        ...(names.length === 0 ? [] : [{ name: 'attached', text: fold(names.join(BREAK)) }]),
      ];
    }
    case 'assistant': {
      const thoughts = row.entry.parts.flatMap((part) =>
        part.type === 'reasoning' ? [part.text || (part.preview ?? '')] : [],
      );
      return [
        ...thoughtPart(thoughts, row.entry.id),
        { name: 'text', text: markdownText(messageText(row.entry)) },
      ];
    }
    case 'incomplete':
      return [
        ...thoughtPart([row.entry.reasoning ?? ''], row.entry.id),
        { name: 'text', text: markdownText(row.entry.text || (row.entry.preview ?? '')) },
        ...earlierPart(row.entry.earlier ?? [], row.entry.id),
      ];
    case 'compaction':
    case 'branch_summary':
      return [{ name: 'summary', text: markdownText(row.entry.summary), opens: row.entry.id }];
    case 'skill_load': {
      const { name, body, preview } = row.entry;
      return [
        {
          name: 'summary',
          text: fold(name) + BREAK + markdownText(body || (preview ?? '')),
          opens: row.entry.id,
        },
      ];
    }
  }
}

function earlierPart(tries: readonly EarlierTry[], entry: string): FoundPart[] {
  if (tries.length === 0) return [];
  const text = tries.map((tried) => markdownText(tried.text || (tried.preview ?? ''))).join(BREAK);
  return [{ name: 'earlier', text, opens: `${entry} earlier` }];
}

function thoughtPart(thoughts: readonly string[], entry: string): FoundPart[] {
  const text = fold(thoughts.filter((thought) => thought !== '').join('\n\n'));
  return text === '' ? [] : [{ name: 'reasoning', text, opens: `${entry} reasoning` }];
}

export const cardName = (call: string): string => `card ${call}`;

function cardPart(card: ToolCard): FoundPart {
  const { call, state, result } = card;
  const before = knownCards.get(call);
  if (before !== undefined && before.state === state && before.result === result) return before.part;
  const name = cardName(call.call_id);
  const part = { name, text: fold(cardTexts(card).join(BREAK)), opens: name };
  knownCards.set(call, { state, result, part });
  return part;
}

function cardTexts(card: ToolCard): string[] {
  const { verb, object, outcome } = sentenceOf(card);
  const sentence = `${verb} ${object}${outcome === undefined ? '' : ` · ${outcome}`}`;
  return [sentence, ...inputTexts(card), ...(card.result === undefined ? [] : [card.result])];
}

function inputTexts(card: ToolCard): string[] {
  const { call } = card;
  const input = inputOf(card);
  if (call.blob !== undefined) return [call.preview ?? ''];
  const diffs = editsOf(card).flatMap(({ before, after }) => diffOf(before, after, false) ?? []);
  if (diffs.length > 0) return diffs.flatMap(({ lines }) => lines.map(({ text }) => text));
  if (call.name === 'write' && typeof input['content'] === 'string') return [input['content']];
  if (call.name === 'run' && typeof input['command'] === 'string') return [`$ ${input['command']}`];
  return [call.raw_input ?? JSON.stringify(call.input, null, 2)];
}

export const markdownText = (text: string): string => fold(blocksText(parseMarkdown(text)));

const blocks = new Set(['paragraph', 'heading', 'code', 'blockquote', 'list', 'table', 'hr', 'space']);

function blocksText(tokens: readonly Token[]): string {
  return tokens
    .map((token) => (blocks.has(token.type) ? `${tokenText(token)}${BREAK}` : tokenText(token)))
    .join('');
}

function tokenText(token: Token): string {
  if (token.type === 'list')
    return (token as Tokens.List).items.map(({ tokens }) => blocksText(tokens)).join(BREAK);
  if (token.type === 'table') {
    const { header, rows } = token as Tokens.Table;
    return [header, ...rows]
      .flat()
      .map(({ tokens }) => blocksText(tokens))
      .join(BREAK);
  }
  if (token.type === 'code' || token.type === 'codespan') return (token as Tokens.Code).text;
  if (token.type === 'br') return '\n';
  if (token.type === 'image') return `Image: ${decodeEntities((token as Tokens.Image).text)}`;
  if (token.type === 'html') return token.raw;
  if (token.type === 'checkbox' || token.type === 'def' || token.type === 'space') return '';
  if (token.type === 'escape') return (token as Tokens.Escape).text;
  if ('tokens' in token && token.tokens !== undefined) return blocksText(token.tokens);
  return 'text' in token && typeof token.text === 'string' ? decodeEntities(token.text) : '';
}
