/** The readable text of an HTML page, by simple means: what is no text goes, blocks become lines, links keep their address. */

const DROPPED = /<(script|style|noscript|template|svg|iframe|object|head|nav)\b[^>]*>[^]*?(<\/\1\s*>|$)/gi;
const BLOCK =
  'address article aside blockquote br dd details div dl dt fieldset figcaption figure footer form header hr main ol p pre section summary table tr ul'.split(
    ' ',
  );
const blocks = new Set(BLOCK);

const entities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  ndash: '–',
  mdash: '—',
  hellip: '…',
  lsquo: '‘',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
  bull: '•',
  middot: '·',
  copy: '©',
  reg: '®',
  trade: '™',
  times: '×',
  larr: '←',
  rarr: '→',
  euro: '€',
  auml: 'ä',
  ouml: 'ö',
  uuml: 'ü',
  szlig: 'ß',
  eacute: 'é',
};

export function pageText(html: string, base: string): string {
  const title = /<title[^>]*>([^]*?)<\/title\s*>/i.exec(html)?.[1];
  const body = html.replace(/<!--[^]*?(-->|$)|<!doctype[^>]*>/gi, '').replace(DROPPED, ' ');
  const text = decodeEntities(withoutTags(body, base))
    .replace(/[^\S\n]+$/gm, '')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
  return title === undefined || title.trim() === ''
    ? text
    : `${decodeEntities(title).replace(/\s+/g, ' ').trim()}\n\n${text}`;
}

function withoutTags(html: string, base: string): string {
  const links: string[] = [];
  let isPre = 0;
  let out = '';
  let at = 0;
  for (const match of html.matchAll(/<(\/?)([a-z][a-z0-9]*)\b((?:"[^"]*"|'[^']*'|[^>"'])*)>/gi)) {
    const text = html.slice(at, match.index);
    out = isPre > 0 ? out + text : joined(out, text);
    at = match.index + match[0].length;
    const [, slash, tag = '', attributes = ''] = match;
    const name = tag.toLowerCase();
    if (name === 'pre') isPre = Math.max(0, isPre + (slash === '' ? 1 : -1));
    if (name === 'a') out += slash === '' ? openLink(links, attributes, base) : closeLink(links);
    else out += markOf(name, slash !== '');
  }
  return joined(out, html.slice(at));
}

/** White space counts as one blank, and as none where a line begins. */
function joined(out: string, text: string): string {
  const flat = text.replace(/\s+/g, ' ');
  return out + (/(^|\s)$/.test(out) ? flat.trimStart() : flat);
}

function markOf(name: string, isEnd: boolean): string {
  const level = /^h([1-6])$/.exec(name)?.[1];
  if (level !== undefined) return isEnd ? '\n\n' : `\n\n${'#'.repeat(Number(level))} `;
  if (name === 'li') return isEnd ? '' : '\n- ';
  if (name === 'td' || name === 'th') return isEnd ? ' | ' : '';
  if (name === 'p' || name === 'pre') return '\n\n';
  return blocks.has(name) ? '\n' : '';
}

function openLink(links: string[], attributes: string, base: string): string {
  const href = /\bhref\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+))/i.exec(attributes);
  const address = decodeEntities(href?.[1] ?? href?.[2] ?? href?.[3] ?? '');
  const isOther = address !== '' && !address.startsWith('#') && URL.canParse(address, base);
  links.push(isOther ? new URL(address, base).href : '');
  return '';
}

function closeLink(links: string[]): string {
  const address = links.pop() ?? '';
  return /^https?:/.test(address) ? ` (${address})` : '';
}

const decodeEntities = (text: string): string =>
  text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]+\d?));/gi, (whole, decimal, hex, name) => {
    if (typeof name === 'string') return entities[name] ?? whole;
    const code = typeof decimal === 'string' ? Number(decimal) : parseInt(String(hex), 16);
    return code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff) ? '\uFFFD' : String.fromCodePoint(code);
  });
