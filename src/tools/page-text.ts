/** The readable text of an HTML page, by simple means: what is no text goes, blocks become lines, links keep their address. */

const dropped = new Set('script style noscript template svg iframe object head nav'.split(' '));
/** Only addresses of links can make more of a page than it was; the caller shows far less. */
const LONGEST = 8 * 1024 * 1024;
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
  const title = titleOf(html);
  const text = decodeEntities(withoutTags(html, base))
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
  return title === undefined || title.trim() === ''
    ? text
    : `${decodeEntities(title).replace(/\s+/g, ' ').trim()}\n\n${text}`;
}

function titleOf(html: string): string | undefined {
  const open = html.search(/<title[\s>]/i);
  const start = open === -1 ? -1 : html.indexOf('>', open);
  if (start === -1) return undefined;
  const end = closing('title', html, start);
  return end && html.slice(start + 1, end.index);
}

function closing(name: string, html: string, from: number): RegExpExecArray | undefined {
  const pattern = new RegExp(`</${name}\\s*>`, 'gi');
  pattern.lastIndex = from;
  return pattern.exec(html) ?? undefined;
}

function withoutTags(html: string, base: string): string {
  const links: string[] = [];
  const out = createText();
  let pres = 0;
  let at = 0;
  const addText = (text: string): void => (pres > 0 ? out.add(text) : out.join(text));
  for (const { name, isEnd, attributes, start, end } of tagsOf(html)) {
    addText(html.slice(at, start));
    at = end;
    if (out.length() > LONGEST) return out.whole();
    if (name === 'pre') pres = Math.max(0, pres + (isEnd ? -1 : 1));
    if (name === 'a') out.add(isEnd ? closeLink(links) : openLink(links, attributes, base));
    else if (dropped.has(name) && !isEnd) addText(' ');
    else out.add(markOf(name, isEnd));
  }
  out.join(html.slice(at));
  return out.whole();
}

/** Grows by pieces: looking at the end of one long string after each piece would copy it each time. */
function createText() {
  const pieces: string[] = [];
  let last = '\n';
  let length = 0;
  const add = (piece: string): void => {
    if (piece === '') return;
    pieces.push(piece);
    last = piece.slice(-1);
    length += piece.length;
  };
  return {
    add,
    /** White space counts as one blank, and as none where a line begins. */
    join(text: string): void {
      const flat = text.replace(/\s+/g, ' ');
      add(/\s/.test(last) ? flat.trimStart() : flat);
    },
    length: () => length,
    whole: () => pieces.join(''),
  };
}

interface Tag {
  /** Empty for a comment. */
  name: string;
  isEnd: boolean;
  attributes: string;
  start: number;
  end: number;
}

/**
 * What is no text, from left to right: tags, comments, and elements that are left out as a whole. A place is looked at once:
 * a page may be made to keep a reader busy who starts over at each `<`.
 */
function* tagsOf(html: string): Generator<Tag> {
  const endOf = createTagEnds(html);
  let start = html.indexOf('<');
  while (start !== -1) {
    const tag = comment(html, start) ?? element(html, start, endOf);
    // From here on nothing is closed any more.
    if (tag === 'open') return;
    if (tag !== undefined) yield tag;
    start = html.indexOf('<', tag?.end ?? start + 1);
  }
}

function comment(html: string, start: number): Tag | 'open' | undefined {
  const [begin, close] = html.startsWith('<!--', start)
    ? ['<!--', '-->']
    : /^<!doctype$/i.test(html.slice(start, start + 9))
      ? ['<!doctype', '>']
      : [];
  if (begin === undefined || close === undefined) return undefined;
  const at = html.indexOf(close, start + begin.length);
  if (at === -1 && close === '>') return 'open';
  return {
    ...{ name: '', isEnd: false, attributes: '', start },
    end: at === -1 ? html.length : at + close.length,
  };
}

function element(html: string, start: number, endOf: (from: number) => number): Tag | 'open' | undefined {
  const head = /<(\/?)([a-z][\w:.-]*)/iy;
  head.lastIndex = start;
  const [found, slash, tag = ''] = head.exec(html) ?? [];
  if (found === undefined) return undefined;
  const from = start + found.length;
  const close = endOf(from);
  if (close === -1) return 'open';
  const name = tag.toLowerCase();
  const isEnd = slash !== '';
  const attributes = html.slice(from, close);
  if (isEnd || !dropped.has(name)) return { name, isEnd, attributes, start, end: close + 1 };
  const last = closing(name, html, close + 1);
  const end = last ? last.index + last[0].length : html.length;
  return { name, isEnd, attributes: '', start, end };
}

/**
 * Where the tag ends whose attributes begin here; -1 when it does not. A `>` in quotes is part of a value, until one tag
 * is never closed when it is read so: from then on quotes count for nothing.
 */
function createTagEnds(html: string): (from: number) => number {
  let areQuotesRead = true;
  return (from) => {
    const end = areQuotesRead ? quotedEnd(html, from) : -1;
    if (end !== -1) return end;
    areQuotesRead = false;
    return html.indexOf('>', from);
  };
}

function quotedEnd(html: string, from: number): number {
  const next = /[>"']/g;
  next.lastIndex = from;
  for (let match = next.exec(html); match !== null; match = next.exec(html)) {
    if (match[0] === '>') return match.index;
    const close = html.indexOf(match[0], next.lastIndex);
    if (close === -1) return -1;
    next.lastIndex = close + 1;
  }
  return -1;
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
    if (typeof name === 'string') return Object.hasOwn(entities, name) ? (entities[name] ?? whole) : whole;
    const code = typeof decimal === 'string' ? Number(decimal) : parseInt(String(hex), 16);
    return code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff) ? '\uFFFD' : String.fromCodePoint(code);
  });
