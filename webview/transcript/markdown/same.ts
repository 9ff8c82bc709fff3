/**
 * Tokens read again keep the objects of those that they are equal to, so that of a paragraph that grows only its last words
 * are drawn again. What is written alike is read alike, but for lists: whether they are loose shows in what they hold.
 */
import type { MarkedToken, Token, Tokens } from 'marked';

/** Only marked's own tokens come from its own lexer. */
const known = (token: Token): MarkedToken => token as MarkedToken;

/** `after`, with the objects of `before` where both say the same. */
export function keepSame(before: readonly Token[], after: readonly Token[]): Token[] {
  return after.map((token, index) => {
    const old = before[index];
    return old === undefined ? token : same(known(old), known(token));
  });
}

function same(before: MarkedToken, after: MarkedToken): Token {
  if (before === after || before.type !== after.type) return after;
  if (before.type === 'list' && after.type === 'list') return { ...after, items: items(before, after) };
  if (before.type === 'blockquote' && after.type === 'blockquote')
    return { ...after, tokens: keepSame(before.tokens, after.tokens) };
  if (before.raw === after.raw) return before;
  if (isLine(before) && isLine(after)) return { ...after, tokens: keepSame(before.tokens, after.tokens) };
  return after;
}

type Line = Tokens.Paragraph | Tokens.Heading | Tokens.Strong | Tokens.Em | Tokens.Del;

const isLine = (token: MarkedToken): token is Line | (Tokens.Text & { tokens: Token[] }) =>
  token.type === 'text'
    ? token.tokens !== undefined
    : token.type === 'paragraph' ||
      token.type === 'heading' ||
      token.type === 'strong' ||
      token.type === 'em' ||
      token.type === 'del';

const items = (before: Tokens.List, after: Tokens.List): Tokens.ListItem[] =>
  after.items.map((item, index) => {
    const old = before.items[index];
    if (old === undefined) return item;
    const tokens = keepSame(old.tokens, item.tokens);
    const isSame =
      old.raw === item.raw &&
      old.checked === item.checked &&
      old.loose === item.loose &&
      tokens.length === old.tokens.length &&
      tokens.every((token, at) => token === old.tokens[at]);
    return isSame ? old : { ...item, tokens };
  });
