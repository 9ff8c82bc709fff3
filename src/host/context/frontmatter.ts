/**
 * The head of a Markdown file between two lines of dashes, as far as it is plain: names with a text, quoted or over
 * several lines. What else YAML can say is left out and does no harm; without a head all of the file is body.
 */
export interface FrontMatter {
  /** By name in lower case. */
  fields: ReadonlyMap<string, string>;
  body: string;
}

export function readFrontMatter(text: string): FrontMatter {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  const end =
    lines[0]?.trimEnd() === '---'
      ? lines.findIndex((line, at) => at > 0 && /^(---|\.\.\.)\s*$/.test(line))
      : -1;
  if (end < 0) return { fields: new Map(), body: lines.join('\n') };
  return { fields: fieldsOf(lines.slice(1, end)), body: lines.slice(end + 1).join('\n') };
}

function fieldsOf(lines: readonly string[]): Map<string, string> {
  const fields = new Map<string, string>();
  for (let at = 0; at < lines.length; at++) {
    const [, name, value = ''] = /^([\w-]+):(?:\s+(.*)|\s*)$/s.exec(lines[at] ?? '') ?? [];
    if (name === undefined) continue;
    const more: string[] = [];
    while (/^(\s|$)/.test(lines[at + 1] ?? 'x')) more.push(lines[++at]?.trim() ?? '');
    fields.set(name.toLowerCase(), valueOf(value.trim(), more));
  }
  return fields;
}

/** `more`: the indented lines below it. */
function valueOf(value: string, more: readonly string[]): string {
  const [, block] = /^([>|])[+-]?\d?$/.exec(value) ?? [];
  if (block !== undefined) return more.join(block === '|' ? '\n' : ' ').trim();
  const whole = [value, ...more].join(' ').trim();
  const [, quoted] = /^"((?:[^"\\]|\\.)*)"(?:\s+#.*)?$/.exec(whole) ?? [];
  if (quoted !== undefined) return quoted.replace(/\\(["\\/])/g, '$1');
  const [, single] = /^'((?:[^']|'')*)'(?:\s+#.*)?$/.exec(whole) ?? [];
  if (single !== undefined) return single.replaceAll("''", "'");
  // Not by one expression: over a long run of spaces that would take the square of its length.
  const comment = whole.search(/\s#/);
  return comment < 0 ? whole : whole.slice(0, comment).trimEnd();
}

/** No more of a text is looked at for one line of it. */
const LONGEST_LOOK = 100_000;

/** One line of at most this many characters. */
export function oneLine(text: string, most: number): string {
  const line = [...text.slice(0, LONGEST_LOOK).replace(/\s+/g, ' ').trim()];
  return line.length <= most ? line.join('') : `${line.slice(0, most - 1).join('')}…`;
}
