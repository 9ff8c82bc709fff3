/** Exports of real logs: what a reader finds in them, and that nothing in them can do anything. */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { Lexer } from 'marked';
import { parseFragment } from './parse-html.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { mapConversation } from '../../../../src/host/export/blocks.js';
import { exportBlobs } from '../../../../src/host/export/blobs.js';
import { readConversation } from '../../../../src/host/export/conversation.js';
import { writeHtml } from '../../../../src/host/export/html.js';
import { exportLines, newTally } from '../../../../src/host/export/log-lines.js';
import { writeMarkdown } from '../../../../src/host/export/markdown.js';
import { redactLine } from '../../../../src/host/export/redact-line.js';
import { collect, writeWhole } from '../../../../src/host/export/write-file.js';
import { createMemoryStore } from '../../../../src/log/memory-store.js';
import type { SessionLog } from '../../../../src/log/store.js';
import { BoughError } from '../../../../src/shared/failure.js';
import { redact } from '../../../../src/models/redact.js';
import { headerLine, lines, messageLine, putLog } from '../../log/lines.js';
import { assistant, makePlace, randomIds, realClock, user, type Place } from '../../log/support.js';

let place: Place;
beforeEach(async () => {
  place = await makePlace();
});
afterEach(() => place.dispose());

const KEY = 'sk-test-0123456789abcdefghij';
const clean = (text: string) => redact(text, []);
const opened = async (...given: (string | Buffer)[]): Promise<SessionLog> => {
  await putLog(place, 's', lines(...given));
  return place.store().open('s');
};
async function jsonl(log: SessionLog) {
  const tally = newTally();
  const bytes = await collect(exportLines(log, clean, tally));
  return { bytes: Buffer.from(bytes), text: Buffer.from(bytes).toString('utf8'), tally };
}
const markdown = async (log: SessionLog, title = 'Title') =>
  writeMarkdown(await readConversation(log, title));

describe('an export as JSONL', () => {
  it('is the log byte for byte: all lines, unknown types, damaged lines, numbers as they were written', async () => {
    const strange = `{ "type" : "future_x","id":"f1","parent_id":"a","timestamp":"t","n":1.0,"big":12345678901234567890 }`;
    const damaged = Buffer.concat([
      Buffer.from('{"type":"mess'),
      Buffer.alloc(300),
      Buffer.from([0xff, 0xfe]),
    ]);
    const log = await opened(
      headerLine('s'),
      messageLine('a', null),
      strange,
      damaged,
      messageLine('b', 'a'),
      messageLine('c', 'a'),
    );
    const { bytes, tally } = await jsonl(log);
    expect(bytes.equals(await readFile(place.log('s')))).toBe(true);
    expect(tally).toMatchObject({ lines: 6, redacted: 0 });
  });

  it('H11: takes keys out of the strings that hold one and leaves all other bytes', async () => {
    const line = `{"type":"message","id":"a","parent_id":null,"timestamp":"t","role":"user","n":1.0,"parts":[{"type":"text","text":"export OPENAI=${KEY}\\nand \\u2028 on"}]}`;
    const log = await opened(headerLine('s'), line, messageLine('b', 'a'));
    const { text, tally } = await jsonl(log);
    expect(text).not.toContain('sk-test-0123');
    expect(text.split('\n')[1]).toBe(line.replace(KEY, '[redacted]'));
    expect(text.split('\n')[2]).toBe(messageLine('b', 'a'));
    expect(tally.redacted).toBe(1);
  });

  it('of a session in memory has the same entries, those of one batch on one line', async () => {
    const store = createMemoryStore({ clock: realClock, ids: randomIds, producer: 'bough/test' });
    const log = await store.create({ id: 'm' });
    await log.append([user('One'), { type: 'turn_start', turn_id: 'T' }]);
    await log.append([assistant('Two')]);
    const { text } = await jsonl(log);
    const read = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
    expect(read).toMatchObject([
      { type: 'session', id: 'm' },
      [{ type: 'message' }, { type: 'turn_start' }],
      { type: 'message', role: 'assistant' },
    ]);
  });

  it('brings the blobs it names along, but none that holds a key', async () => {
    const log = await place.store().create({ id: 's' });
    const [long, secret] = [await log.blobs.put('long text'), await log.blobs.put(`KEY=${KEY}`)];
    const result = (blob: string, call_id: string) => ({
      type: 'tool_result' as const,
      ...{ call_id, name: 'run', content: '', is_error: false, blob },
    });
    await log.append([{ type: 'message', role: 'tool', parts: [result(long, 'c1'), result(secret, 'c2')] }]);
    const { tally } = await jsonl(log);
    const put = new Map<string, string>();
    const told = await exportBlobs(log.blobs, tally.hashes, {
      clean,
      put: async (hash, bytes) => void put.set(hash, new TextDecoder().decode(bytes)),
    });
    expect(told).toEqual({ written: 1, left: 1, unread: [] });
    expect([...put]).toEqual([[long, 'long text']]);
  });

  it('one damaged attachment is named and keeps nobody from the others', async () => {
    const log = await place.store().create({ id: 's' });
    const [bad, good] = [await log.blobs.put('damaged later'), await log.blobs.put('good')];
    const get = (hash: string) =>
      hash === bad
        ? Promise.reject(new BoughError('LogDamaged', 'Its bytes are others.'))
        : log.blobs.get(hash);
    const put: string[] = [];
    const told = await exportBlobs({ get, has: (hash) => log.blobs.has(hash) }, new Set([bad, good]), {
      clean,
      put: (hash) => Promise.resolve(void put.push(hash)),
    });
    expect(told).toEqual({ written: 1, left: 0, unread: [bad] });
    expect(put).toEqual([good]);
    const full = () => Promise.reject(new BoughError('StorageFailure', 'The disk is full.'));
    await expect(exportBlobs(log.blobs, new Set([good]), { clean, put: full })).rejects.toThrow('full');
  });

  it.each([
    ['characters', 'x'.repeat(16 << 20)],
    ['escapes', '\n"\\'.repeat(3 << 20)],
  ])('takes keys out of a string of 16 MB of %s', (_, long) => {
    const hide = (text: string) => text.replaceAll(KEY, '***');
    const line = (key: string) => `{ "a\\\\" : ${JSON.stringify(long + key)},"n":1.0 }`;
    const same = redactLine(line(''), hide) === line('');
    const isRedacted = redactLine(line(KEY), hide) === line('***');
    // Compared outside of expect: a difference of 16 MB is nothing to print.
    expect([same, isRedacted]).toEqual([true, true]);
  });

  it('takes its place whole: a write that fails leaves what was there, and nothing beside it', async () => {
    const file = path.join(place.folder, 'out.jsonl');
    async function* good() {
      yield new TextEncoder().encode('one\n');
      yield new TextEncoder().encode('two\n');
    }
    async function* bad() {
      yield new TextEncoder().encode('half');
      throw new Error('the source broke');
    }
    expect(await writeWhole(file, good())).toBe(8);
    await expect(writeWhole(file, bad())).rejects.toThrow('the source broke');
    expect(await readFile(file, 'utf8')).toBe('one\ntwo\n');
    expect((await readdir(place.folder)).filter((name) => name.includes('out'))).toEqual(['out.jsonl']);
  });
});

/** A conversation with everything in it. */
async function rich(): Promise<SessionLog> {
  const log = await place.store().create({ id: 'rich', title: 'Fix it' });
  const image = await log.blobs.put(new Uint8Array([1, 2, 3]));
  const [first] = await log.append([
    {
      type: 'message',
      role: 'user',
      parts: [
        { type: 'text', text: 'Look at <this>' },
        { type: 'text', text: '[The person named this file: src/app.ts]' },
        { type: 'image', blob: image, mime: 'image/png', name: 'screen.png' },
      ],
      origin: 'person',
    },
    { type: 'turn_start', turn_id: 'T' },
  ]);
  await log.append([
    {
      type: 'retry_start',
      ...{ turn_id: 'T', kind: 'retry', step: 1, attempt_id: 'A', attempt: 1, max_attempts: 4 },
      ...{ delay_ms: 1000, due_at: '2026-01-01T00:00:00.000Z', error: 'The server is overloaded' },
    },
  ]);
  await log.append([
    {
      type: 'message',
      role: 'assistant',
      parts: [
        { type: 'reasoning', text: 'Let me think' },
        { type: 'text', text: 'I look.' },
        { type: 'tool_call', call_id: 'c1', name: 'read', input: { path: 'src/app.ts' } },
      ],
      turn_id: 'T',
    },
  ]);
  await log.append([
    {
      type: 'message',
      role: 'tool',
      parts: [{ type: 'tool_result', call_id: 'c1', name: 'read', content: 'a ``` b', is_error: false }],
      turn_id: 'T',
    },
  ]);
  await log.append([
    {
      type: 'incomplete_output',
      ...{ attempt_id: 'A2', text: 'Half an ans', incomplete: true, reason: 'connection', turn_id: 'T' },
    },
    { type: 'turn_end', turn_id: 'T', steps: 1, status: 'failed', error: 'The connection was lost' },
  ]);
  await log.append([{ type: 'label', target_id: first?.id ?? '', label: 'The start' }]);
  return log;
}

describe('an export of the line that is shown', () => {
  it('has prompts, attachments by name, answers, tools, retries, what never ended, and names', async () => {
    const text = await markdown(await rich());
    const order = [
      '# Title',
      '## Prompt',
      'Look at <this>',
      '*Attached: src/app.ts*',
      '*Attached: screen.png*',
      '*Label: The start*',
      '*Tried again (2 of 4) after 1000 ms: The server is overloaded*',
      'Let me think',
      '## Answer',
      'I look.',
      '*Tool read (ok)*',
      '"path": "src/app.ts"',
      'a ``` b',
      '## Answer (incomplete)',
      'Half an ans',
      '*This answer never ended (connection).*',
      '*The turn failed: The connection was lost*',
    ];
    let at = -1;
    for (const words of order) {
      const next = text.indexOf(words, at + 1);
      expect(next, words).toBeGreaterThan(at);
      at = next;
    }
    // What holds a fence stands in a longer one.
    expect(text).toContain('````\na ``` b\n````');
  });

  it('is one line of the tree, and says how many there are and where they part', async () => {
    const log = await place.store().create({ id: 's' });
    const [root] = await log.append([user('First')]);
    await log.append([assistant('Old line')]);
    await log.append([{ type: 'head', entry_id: root?.id ?? '' }]);
    await log.append([assistant('New line')]);
    const text = await markdown(log);
    expect(text).toContain('New line');
    expect(text).toContain('one of 2 lines');
    expect(text).toContain('*Branch 2 of 2 from here. The others begin: "Old line"*');
    expect(text.match(/Old line/g)).toHaveLength(1);
  });

  it('A1: names the lines of the log that could not be read', async () => {
    const log = await opened(headerLine('s'), messageLine('a', null), '{"type":"mess', messageLine('b', 'a'));
    expect(await markdown(log)).toMatch(/> Line 3 of the log could not be read and is left out here: /);
  });

  it('H11: takes keys out and counts the texts', async () => {
    const log = await place.store().create({ id: 's' });
    await log.append([user(`My key is ${KEY}`)]);
    const { conversation, changed } = mapConversation(await readConversation(log, 'T'), clean);
    expect(changed).toBe(1);
    expect(writeMarkdown(conversation)).toContain('My key is [redacted]');
    expect(writeHtml(conversation)).not.toContain('0123456789');
  });

  it('has long results whole, and what an answer thought that never ended', async () => {
    const log = await place.store().create({ id: 's' });
    const [result, thought] = [await log.blobs.put('The whole result'), await log.blobs.put('All thoughts')];
    await log.append([
      {
        type: 'message',
        role: 'assistant',
        parts: [{ type: 'tool_call', call_id: 'c1', name: 'read', input: {} }],
      },
      {
        type: 'message',
        role: 'tool',
        parts: [
          {
            type: 'tool_result',
            ...{ call_id: 'c1', name: 'read', content: 'The wh…lt', is_error: false, blob: result },
          },
        ],
      },
      {
        type: 'incomplete_output',
        ...{ attempt_id: 'A2', text: 'Half', incomplete: true, reason: 'crash' },
        ...{ reasoning: 'All', reasoning_blob: thought },
        earlier: [{ attempt_id: 'A1', text: 'Before', reasoning: 'Thought before' }],
      },
    ]);
    const text = await markdown(log);
    for (const words of ['The whole result', 'All thoughts', 'Half', 'Before', 'Thought before'])
      expect(text).toContain(words);
  });

  it('lets nothing that stays open swallow what comes after it', async () => {
    const open = [
      '```js\nlet a;',
      '~~~~\n~~~',
      '```\n````js',
      '<!-- so',
      '<pre>\n\nx',
      '<script>',
      'a\n\n```',
    ];
    const closed = [
      '```\na\n```',
      '> ```\n> a',
      '- ```\n  a',
      '<!-- a -->',
      '    ```',
      '`` a ```',
      '<pre></pre>',
    ];
    for (const text of [...open, ...closed]) {
      const log = await place.store().create({ id: `s${String([...open, ...closed].indexOf(text))}` });
      await log.append([user(text), assistant(text), user('Later')]);
      const written = await markdown(log);
      const headings = new Lexer()
        .lex(written)
        .flatMap((one) => (one.type === 'heading' ? [one.raw.trim()] : []));
      expect(headings, text).toEqual(['# Title', '## Prompt', '## Answer', '## Prompt']);
      if (closed.includes(text)) expect(written).toContain(`${text}\n\n`);
    }
  });

  it('says so when a long text is not there any more, and keeps its beginning', async () => {
    const hash = 'ab'.repeat(32);
    const log = await place.store().create({ id: 's' });
    await log.append([
      {
        type: 'message',
        role: 'assistant',
        parts: [{ type: 'text', text: '', blob: hash, preview: 'It begins so' }],
      },
    ]);
    expect(await markdown(log)).toMatch(/It begins so\n\[The rest of this text could not be read/);
  });
});

describe('an export as HTML', () => {
  const hostile = [
    '<img src=x onerror=alert(1)>',
    '<script>alert(1)</script>',
    '</script></style></main><style>*{display:none}</style>',
    '[a](javascript:alert(1)) [b](command:workbench.action.quit) [c](data:text/html,x) [d](https://example.com/?a="b")',
    '![i](https://example.com/track.png)',
    '"><svg/onload=alert(1)>',
    '<a href="https://example.com" onclick="x">raw</a>',
    '`<b>code</b>`\n\n```html"><script>x</script>\n<script>y</script>\n```',
    '| <b>a</b> |\n|---|\n| [x](vbscript:y) |',
    '&lt;script&gt;alert(1)&lt;/script&gt;',
  ];

  it('G13: is one file with no script, no address that is loaded and no attribute that runs', async () => {
    const log = await place.store().create({ id: 's' });
    for (const text of hostile) await log.append([user(text), assistant(text)]);
    const html = writeHtml(await readConversation(log, '</title><script>x</script>'));
    const elements = parseFragment(html);
    const tags = new Set(elements.map(({ tag }) => tag));
    for (const tag of ['script', 'img', 'svg', 'iframe', 'link', 'object', 'form', 'base'])
      expect(tags.has(tag), tag).toBe(false);
    expect(elements.filter(({ tag }) => tag === 'style')).toHaveLength(1);
    for (const { tag, attributes } of elements) {
      const allowed =
        tag === 'meta' ? /^(charset|name|content|http-equiv)$/ : /^(href|rel|class|lang|start)$/;
      for (const [name, value] of attributes) {
        expect(name, `${tag} ${name}`).toMatch(allowed);
        if (name === 'href') expect(value).toMatch(/^(https?:\/\/|mailto:)/);
      }
    }
    expect(html).toContain("default-src 'none'");
  });

  it('reads as Markdown where a model wrote it, and as it was typed where a person did', async () => {
    const log = await place.store().create({ id: 's' });
    await log.append([
      user('**not bold**'),
      assistant('**bold** and\n\n1. one\n2. two\n\n| a |\n|---|\n| 1 |'),
    ]);
    const html = writeHtml(await readConversation(log, 'T'));
    expect(html).toContain('<div class="typed">**not bold**</div>');
    expect(html).toContain('<strong>bold</strong>');
    expect(html).toContain('<ol start="1"><li>');
    expect(html).toContain('<table><thead><tr><th>a</th>');
  });

  it('what is nested deeper than anybody reads stays as it was written', async () => {
    const log = await place.store().create({ id: 's' });
    await log.append([user('x'), assistant(`${'>'.repeat(20_000)} deep`)]);
    expect(writeHtml(await readConversation(log, 'T'))).toContain('deep');
  });
});
