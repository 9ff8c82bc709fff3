import { describe, expect, it } from 'vitest';
import type { Web, WebPage } from '../../../src/ports.js';
import { pageText } from '../../../src/tools/page-text.js';
import { call, prepare, refusal } from './call.js';
import { fakeWorkspace } from './fake-workspace.js';

const page = (over: Partial<WebPage> = {}): WebPage => ({
  url: 'https://example.com/a',
  status: 200,
  type: 'text/html',
  text: '<p>Hello</p>',
  isCut: false,
  ...over,
});
const opens = (over: Partial<WebPage> = {}, nearby: string | null = null): { web: Web } => ({
  web: { nearby: () => nearby, open: () => Promise.resolve(page(over)) },
});
const fetched = { url: 'https://example.com/a' };

describe('fetch', () => {
  it('is asked about each time, with the whole address and where it is when that is close by', async () => {
    expect(await prepare(fakeWorkspace(opens()), 'fetch', fetched)).toMatchObject({
      sentence: 'Fetch https://example.com/a',
      risk: 'net',
      isAlwaysAsked: true,
    });
    const near = fakeWorkspace(opens({}, 'on this computer'));
    expect(await prepare(near, 'fetch', { url: 'http://localhost:1/' })).toMatchObject({
      sentence: 'Fetch on this computer: http://localhost:1/',
    });
  });

  it.each(['file:///etc/passwd', 'ftp://a.b/c', 'command:quit', 'example.com', 'vscode://x/y'])(
    'refuses %s',
    async (url) => {
      expect(await refusal(fakeWorkspace(), 'fetch', { url })).toContain('is no web address');
    },
  );

  it('opens nothing where the folder is not trusted', async () => {
    const workspace = fakeWorkspace({ ...opens(), trusted: false });
    expect(await refusal(workspace, 'fetch', fetched)).toContain('does not open pages of the web');
  });

  it('refuses an address that holds a password', async () => {
    const said = await refusal(fakeWorkspace(), 'fetch', { url: 'https://me:secret@example.com/' });
    expect(said).toContain('password');
    expect(said).not.toContain('secret');
  });

  it('gives the text of a page, an error for what the server refuses, and says what is left out', async () => {
    expect(await call(fakeWorkspace(opens()), 'fetch', fetched)).toEqual({
      content: 'Hello',
      is_error: false,
      outcome: '5 characters',
    });
    const refused = await call(fakeWorkspace(opens({ status: 404 })), 'fetch', fetched);
    expect(refused).toMatchObject({ is_error: true, outcome: 'status 404' });
    const cut = await call(fakeWorkspace(opens({ isCut: true })), 'fetch', fetched);
    expect(cut.content).toContain('the rest was left out');
    const plain = opens({ type: 'application/json', text: '{"a": "<b>"}' });
    expect((await call(fakeWorkspace(plain), 'fetch', fetched)).content).toBe('{"a": "<b>"}');
  });
});

describe('the text of a page', () => {
  const text = (html: string): string => pageText(html, 'https://example.com/docs/a');

  it('leaves references that nobody knows as they are written', () => {
    expect(text('&constructor; &valueOf; &nothing; &amp;')).toBe('&constructor; &valueOf; &nothing; &');
  });

  it('has headings, lists, links and code as one reads them', () => {
    expect(
      text(`<!doctype html><html><head><title>A &amp; B</title><style>p { color: red }</style></head><body>
        <nav><a href="/">Home</a></nav><h1>Title</h1><p>One   two
        <a href="../b">three</a><br>four</p><ul><li>a</li><li>b</li></ul>
        <pre>if (x)
  y();</pre><script>alert(1)</script><!-- gone --></body></html>`),
    ).toBe('A & B\n\n# Title\n\nOne two three (https://example.com/b)\nfour\n\n- a\n- b\n\nif (x)\n  y();');
  });

  it('keeps no element, whatever it holds', () => {
    expect(
      text('<p title="a > b">x</p><img src=x onerror=alert(1)><a href="javascript:alert(1)">y</a>'),
    ).toBe('x\n\ny');
    expect(text('&lt;script&gt; &#65;&#x42; &unknown; &#xd800;')).toBe('<script> AB &unknown; \uFFFD');
    expect(text('<script>never closed')).toBe('');
  });

  it('reads quotes, comments and elements of others as what they are', () => {
    expect(text('<p>a<!-- <script> -->b<!-- never closed <p>c')).toBe('ab');
    expect(text('<script>"<!--"</script>a<SVG viewBox=">"><path></Svg >b<nav-bar>c</nav-bar>')).toBe('a bc');
    expect(text('a < b <i title="x>c</i> d <b>e</b>')).toBe('a < b c d e');
    expect(text('<pre>a  b   \n  c\t\n</pre>d')).toBe('a  b\n  c\n\nd');
  });

  const size = 2 * 1024 * 1024;
  const much = (piece: string): string => piece.repeat(size / piece.length);
  const said = (html: string): string => {
    const found = text(html);
    return found.length > 100 ? `${found.slice(0, 16)}… ${String(found.length)}` : found;
  };

  // Each of these keeps a reader who starts over at every `<` or blank busy for minutes to hours.
  it.each([
    ['<svg', `<svg<svg<svg<svg… ${String(size)}`],
    ['<title ', `<title <title <t… ${String(size - (size % 7) - 1)}`],
    ['<', `<<<<<<<<<<<<<<<<… ${String(size)}`],
    ['<!--', ''],
    ['<!doctype ', `<!doctype <!doct… ${String(size - (size % 10) - 1)}`],
    ['<script', `<script<script<s… ${String(size - (size % 7))}`],
    ['<script>', ''],
    ['<a "', `<a "<a "<a "<a "… ${String(size)}`],
    ['<a ">" ', '" " " " " " " " … 599185'],
    [`<a '"`, `<a '"<a '"<a '"<… ${String(size - (size % 5))}`],
    ['<a href=', `<a href=<a href=… ${String(size)}`],
    ['</title', `</title</title</… ${String(size - (size % 7))}`],
    ['<b>x', `xxxxxxxxxxxxxxxx… ${String(size / 4)}`],
    ['&a', `&a&a&a&a&a&a&a&a… ${String(size)}`],
  ])('2 MB of %s are done', (piece, expected) => {
    expect(said(much(piece))).toBe(expected);
  });

  it('2 MB of blanks in a line of code are done', () => {
    expect(text(`<pre>a${' '.repeat(size)}b</pre>`)).toHaveLength(size + 2);
    expect(text(`<pre>a${' '.repeat(size)}\nb</pre>`)).toBe('a\nb');
    expect(text(`<title>a</title${' '.repeat(size)}`)).toMatch(/^a<\/title/);
    expect(text(`<title>a${much('<title>')}`).slice(0, 3)).toBe('a');
  });

  it('makes no more of a page full of links than can be held', () => {
    const found = pageText('<a href=b>x</a>'.repeat(size / 16), `https://example.com/${'a'.repeat(4000)}/`);
    expect(found.length).toBeGreaterThan(size);
    expect(found.length).toBeLessThan(10 * 1024 * 1024);
  });
});
