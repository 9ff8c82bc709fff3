/**
 * Markdown that stands among other Markdown: what it leaves open would swallow all that comes after it – a fence that never
 * ends, as an answer has that broke off, or a comment. Nothing is changed in it; its end is put behind it.
 */
import { Lexer, type Token } from 'marked';

export function closedMarkdown(text: string): string {
  const end = endOf(lastBlock(text));
  return end === '' ? text : `${text.trimEnd()}\n${end}`;
}

function lastBlock(text: string): Token | undefined {
  try {
    return new Lexer({ gfm: true }).lex(text).findLast(({ type }) => type !== 'space');
  } catch (error) {
    // Nested deeper than the stack is; nobody else reads it either.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Only what begins at the margin can swallow what comes after; what is within a list or a quotation ends with it. */
function endOf(block: Token | undefined): string {
  if (block?.type === 'code') return endOfFence(block.raw);
  if (block?.type !== 'html') return '';
  const raw = block.raw.trim();
  if (raw.startsWith('<!--')) return raw.includes('-->') ? '' : '-->';
  if (raw.startsWith('<![CDATA[')) return raw.includes(']]>') ? '' : ']]>';
  if (raw.startsWith('<?')) return raw.includes('?>') ? '' : '?>';
  const name = /^<(script|pre|style|textarea)(?:[\s>]|$)/i.exec(raw)?.[1];
  return name === undefined || new RegExp(`</${name}>`, 'i').test(raw) ? '' : `</${name}>`;
}

function endOfFence(raw: string): string {
  const fence = /^ {0,3}(`{3,}|~{3,})/.exec(raw)?.[1];
  if (fence === undefined) return '';
  const [first, ...lines] = raw.trimEnd().split('\n');
  const last = lines.at(-1)?.trim() ?? '';
  const isClosed =
    first !== undefined && last.startsWith(fence) && last === fence.charAt(0).repeat(last.length);
  return isClosed ? '' : fence;
}
