/**
 * Markdown of a model as HTML that can do nothing: raw HTML is text, an image is its address, and a link leads to a web
 * page or a mail or is text as well. What cannot be read as Markdown stays as it was written.
 */
import { Lexer, type MarkedToken, type Token, type Tokens } from 'marked';

export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

export function markdownHtml(text: string): string {
  try {
    return htmlOf(new Lexer({ gfm: true }).lex(text));
  } catch (error) {
    // Nested deeper than the stack is.
    if (error instanceof RangeError) return `<pre>${escapeHtml(text)}</pre>`;
    throw error;
  }
}

const htmlOf = (tokens: readonly Token[]): string => tokens.map((token) => tokenHtml(known(token))).join('');

/** No extensions are used, so every token is one of those that marked itself makes. */
function known(token: Token): MarkedToken;
function known(token: Token): Token {
  return token;
}

/** Text of a paragraph comes with the references that Markdown knows (`&amp;`), already or still escaped. */
function tokenHtml(token: MarkedToken): string {
  switch (token.type) {
    case 'space':
    case 'def':
      return '';
    case 'br':
      return '<br>';
    case 'hr':
      return '<hr>';
    case 'heading':
      return `<h${Math.min(token.depth + 2, 6)}>${htmlOf(token.tokens)}</h${Math.min(token.depth + 2, 6)}>`;
    case 'paragraph':
      return `<p>${htmlOf(token.tokens)}</p>`;
    case 'text':
      return token.tokens === undefined ? withReferences(token.text) : htmlOf(token.tokens);
    case 'escape':
      return escapeHtml(token.text);
    case 'html':
      return token.block ? `<p>${escapeHtml(token.text)}</p>` : escapeHtml(token.text);
    case 'strong':
      return `<strong>${htmlOf(token.tokens)}</strong>`;
    case 'em':
      return `<em>${htmlOf(token.tokens)}</em>`;
    case 'del':
      return `<del>${htmlOf(token.tokens)}</del>`;
    case 'codespan':
      return `<code>${escapeHtml(token.text)}</code>`;
    case 'code':
      return `<pre><code>${escapeHtml(token.text)}</code></pre>`;
    case 'blockquote':
      return `<blockquote>${htmlOf(token.tokens)}</blockquote>`;
    case 'checkbox':
      return token.checked ? '☑ ' : '☐ ';
    case 'list':
      return listHtml(token);
    case 'list_item':
      return `<li>${htmlOf(token.tokens)}</li>`;
    case 'table':
      return tableHtml(token);
    case 'link':
      return linkHtml(token.href, htmlOf(token.tokens));
    case 'image':
      return linkHtml(token.href, `Image: ${escapeHtml(token.text === '' ? token.href : token.text)}`);
  }
}

/** A reference to a character may stay one: what it stands for is text to a browser, whatever it is. */
const withReferences = (text: string): string =>
  text
    .split(/(&(?:#x[0-9a-f]{1,6}|#\d{1,7}|[a-z]{2,8});)/i)
    .map((piece, index) => (index % 2 === 1 ? piece : escapeHtml(piece)))
    .join('');

function listHtml({ ordered, start, items }: Tokens.List): string {
  const content = items.map(({ tokens }) => `<li>${htmlOf(tokens)}</li>`).join('');
  if (!ordered) return `<ul>${content}</ul>`;
  return `<ol start="${typeof start === 'number' ? start : 1}">${content}</ol>`;
}

function tableHtml({ header, rows }: Tokens.Table): string {
  const row = (cells: readonly Tokens.TableCell[], tag: 'th' | 'td') =>
    `<tr>${cells.map(({ tokens }) => `<${tag}>${htmlOf(tokens)}</${tag}>`).join('')}</tr>`;
  return `<table><thead>${row(header, 'th')}</thead><tbody>${rows.map((cells) => row(cells, 'td')).join('')}</tbody></table>`;
}

function linkHtml(href: string, content: string): string {
  if (!/^(https?:\/\/|mailto:)/i.test(href.trim())) return `${content} (${escapeHtml(href)})`;
  return `<a href="${escapeHtml(href.trim())}" rel="noreferrer noopener">${content}</a>`;
}
