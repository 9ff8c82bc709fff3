import fc from 'fast-check';
import type { Token, Tokens } from 'marked';
import { describe, expect, it } from 'vitest';
import { decodeEntities } from '../../webview/transcript/markdown/entities.js';
import { highlight, type Highlighted, languageOf } from '../../webview/transcript/markdown/highlight.js';
import { linkTarget } from '../../webview/transcript/markdown/link.js';
import { DEEPEST } from '../../webview/transcript/markdown/nesting.js';
import { parseMarkdown, StreamMarkdown } from '../../webview/transcript/markdown/stream.js';

/** What is seen of tokens: blank lines between blocks, and the raw text they keep, are not. */
function seen(tokens: readonly Token[]): unknown {
  return JSON.parse(
    JSON.stringify(
      tokens.filter(({ type }) => type !== 'space'),
      (key, value: unknown) => (key === 'raw' ? undefined : value),
    ),
  ) as unknown;
}

const lines = [
  '# Title',
  'A paragraph',
  'with *emphasis* and `code`',
  '',
  '',
  '- one',
  '- two',
  '  - nested',
  '  continued',
  '1. first',
  '1.5 is a number',
  '> quoted',
  '> - in a quote',
  'lazy',
  '```ts',
  'const a = 1;',
  '```',
  '~~~',
  '    indented',
  '| a | b |',
  '|---|---|',
  '| 1 | 2 |',
  '---',
  '===',
  '<div>',
  '</div>',
  '<!-- note',
  '-->',
  '[x]: https://example.com',
  'see [x] and [y][x]',
  '* * *',
  '- [x] done',
  '#',
  '#hash',
  '-',
  '```foo`bar',
  '\\# no',
  '![i](http://e.com/a.png)',
  '[a](b "c")',
  '**bold',
  'text**',
  '2) other',
  '   three spaces',
  '\tx',
  'a  ',
  'b\\',
];
const document = fc.array(fc.constantFrom(...lines), { maxLength: 14 }).map((parts) => parts.join('\n'));

describe('streaming Markdown', () => {
  it('gives after every delta what a full parse gives', () => {
    fc.assert(
      fc.property(
        document,
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 60 }),
        (text, steps) => {
          const stream = new StreamMarkdown();
          let at = 0;
          for (let index = 0; at < text.length; index += 1) {
            at += steps[index % steps.length] ?? 1;
            const prefix = text.slice(0, at);
            expect(seen(stream.update(prefix)), JSON.stringify(prefix)).toEqual(seen(parseMarkdown(prefix)));
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  it('does not parse again, or draw again, what is settled', () => {
    const stream = new StreamMarkdown();
    const blocks = Array.from({ length: 50 }, (_, index) => `Paragraph ${index} with **words**.`).join(
      '\n\n',
    );
    const before = stream.update(`${blocks}\n\n`);
    const after = stream.update(`${blocks}\n\nAnd one more`);
    const kept = before.slice(0, 90).filter((token, index) => after[index] === token);
    expect(kept).toHaveLength(90);
  });

  it('keeps of a block that grows all but its last words', () => {
    const stream = new StreamMarkdown();
    const within = (tokens: readonly Token[]) =>
      tokens.flatMap((token) => ('tokens' in token ? (token.tokens ?? []) : []));
    const before = within(stream.update('One *two* three `four` five **six** sev'));
    const after = within(stream.update('One *two* three `four` five **six** seven'));
    expect(after.map((token, index) => token === before[index])).toEqual([
      true,
      true,
      true,
      true,
      true,
      true,
      false,
    ]);

    const list = new StreamMarkdown();
    const items = (tokens: readonly Token[]): unknown[] =>
      tokens.flatMap((token) => (token.type === 'list' ? (token as Tokens.List).items : []));
    const [first] = items(list.update('- one\n- two\n- thr'));
    expect(items(list.update('- one\n- two\n- three'))[0]).toBe(first);
    expect(items(list.update('- one\n- two\n- three\n\n- four'))[0], 'now it is loose').not.toBe(first);
  });

  it('begins anew when the text is another one', () => {
    const stream = new StreamMarkdown();
    stream.update('# One\n\nText\n\nMore');
    expect(seen(stream.update('Other'))).toEqual(seen(parseMarkdown('Other')));
  });

  it('reads line ends of every kind, also cut between \\r and \\n', () => {
    const stream = new StreamMarkdown();
    const text = '# A\r\n\r\nb\rc\r\n\r\n- d\r\n';
    for (let at = 1; at <= text.length; at += 1) stream.update(text.slice(0, at));
    expect(seen(stream.update(text))).toEqual(seen(parseMarkdown('# A\n\nb\nc\n\n- d\n')));
  });
});

const rows = (line: string) => line.repeat(Math.ceil(120_000 / line.length));

describe('hostile Markdown', () => {
  it.each([
    ['digits', rows('12345\n')],
    ['blank lines', rows('\n')],
    ['rules', rows('----\n')],
    ['numbers and signs', rows('1. > - * + 2)\n')],
    ['brackets', rows('[x\n')],
  ])('reads 120 KB of %s in time that grows with their length alone', (_, text) => {
    const before = process.cpuUsage();
    new StreamMarkdown().update(text);
    const { user, system } = process.cpuUsage(before);
    // What grows with the square of the length takes minutes here.
    expect((user + system) / 1e6).toBeLessThan(15);
  });

  it.each([
    ['quotations', `${'> '.repeat(3000)}the core`],
    ['quotations without spaces', `${'>'.repeat(3000)}the core`],
    ['lists on one line', `${'- '.repeat(3000)}the core`],
    ['lists', Array.from({ length: 400 }, (_, level) => `${'  '.repeat(level)}- the core`).join('\n')],
    ['emphasis', `${'*a _b '.repeat(1500)}the core${' b_ a*'.repeat(1500)}`],
    ['struck out text', `${'~~a *b '.repeat(1500)}the core${' b* a~~'.repeat(1500)}`],
    ['link names', `${'['.repeat(1500)}the core${'](x)'.repeat(1500)}`],
  ])('keeps the text of deeply nested %s', (_, text) => {
    const tokens = new StreamMarkdown().update(text);
    const deepest = depthOf(tokens);
    expect(deepest).toBeLessThan(4 * DEEPEST);
    expect(JSON.stringify(tokens)).toContain('the core');
  });

  it('reads what is nested as deep as people write', () => {
    const text = Array.from({ length: 20 }, (_, level) => `${'  '.repeat(level)}- level ${level}`).join('\n');
    expect(depthOf(parseMarkdown(text))).toBeGreaterThan(20);
  });
});

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const own = 'type' in value ? 1 : 0;
  return own + Math.max(0, ...Object.values(value).map(depthOf));
}

describe('G13: where links may lead', () => {
  it('opens web pages and mails', () => {
    expect(linkTarget('https://example.com/a?b#c')).toEqual({
      kind: 'web',
      url: 'https://example.com/a?b#c',
    });
    expect(linkTarget('HTTP://EXAMPLE.COM')).toMatchObject({ kind: 'web' });
    expect(linkTarget('mailto:a@example.com')).toMatchObject({ kind: 'web' });
  });

  it('opens files of the workspace, at a line when one is named', () => {
    expect(linkTarget('src/a.ts')).toEqual({ kind: 'file', path: 'src/a.ts' });
    expect(linkTarget('src/a%20b.ts#L12-L14')).toEqual({ kind: 'file', path: 'src/a b.ts', line: 12 });
    expect(linkTarget('./src/a.ts:7:3')).toEqual({ kind: 'file', path: './src/a.ts', line: 7 });
  });

  it.each([
    'command:workbench.action.quit',
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    ' javascript:alert(1)',
    'java\nscript:alert(1)',
    'java&#115;cript:alert(1)',
    'data:text/html,<script>',
    'vbscript:x',
    'file:///etc/passwd',
    'vscode://x/y',
    'vscode-webview://a',
    'blob:x',
    '//evil.example/x',
    '/etc/passwd',
    '\\\\server\\share',
    'C:\\x',
    'c:/x',
    'http:',
    'https://',
    '#top',
    '',
    'a\u0000b',
    '%',
    'command%3Ax',
    'src\\..\\x',
  ])('keeps %j text', (href) => {
    expect(linkTarget(href)).toBeUndefined();
  });
});

describe('Markdown details', () => {
  it('shows the characters that references stand for, and leaves others as written', () => {
    expect(decodeEntities('a &amp; b &lt;c&gt; &#x1F600; &#65; &nope; &amp;lt;')).toBe(
      'a & b <c> 😀 A &nope; &lt;',
    );
    expect(decodeEntities('&#0; &#xD800; &#x110000; &toString;')).toBe('\uFFFD \uFFFD \uFFFD &toString;');
  });

  it('colours known languages and leaves others and very long code plain', () => {
    const flat = (nodes: Highlighted[]): string =>
      nodes.map((node) => (typeof node === 'string' ? node : flat(node.children))).join('');
    const code = 'const a = "<b>"; // end';
    const nodes = highlight(code, languageOf('ts {1,2}'));
    expect(nodes.some((node) => typeof node !== 'string' && node.classes === 'hljs-keyword')).toBe(true);
    expect(flat(nodes)).toBe(code);
    expect(highlight(code, languageOf('nobody-speaks-this'))).toEqual([code]);
    expect(highlight('x'.repeat(50_000), languageOf('ts'))).toHaveLength(1);
  });
});
