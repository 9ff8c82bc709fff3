// Files as people have them: other encodings and line ends, odd names, too big, binary, read-only, gone, twice the same name.
import { mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { reply } from '../model-server/index.js';
import { eventually } from './bench/index.js';
import { openFile } from './bench/quick-input.js';
import { openWorkspaceFile } from './bench/workspace-file.js';
import { Person } from './person.js';
import { told, withScriptedModel } from './scripted.js';

const odd = `it's "odd" & näm€ 🔥.txt`;
const wide = (text: string, isBigEndian: boolean): Buffer => {
  const bytes = Buffer.from(`\uFEFF${text}`, 'utf16le');
  return isBigEndian ? bytes.swap16() : bytes;
};
const read = (file: string) => ({ name: 'read', args: { path: file } });
const edit = (file: string, old_text = 'old', new_text = 'new') => ({
  name: 'edit',
  args: { path: file, edits: [{ old_text, new_text }] },
});
const settings = {
  'files.autoSave': 'off',
  'files.readonlyInclude': { '**/locked.txt': true },
  // A language whose files have another encoding.
  '[bat]': { 'files.encoding': 'windows1252' },
};

test('each kind of file is read and changed as it is, or it is said why not', () =>
  withScriptedModel({ folder: false, settings }, async ({ editor, server }) => {
    const [one, two] = ['one', 'two'].map((name) => path.join(editor.workspace, name)) as [string, string];
    const put = (folder: string, name: string, content: string | Buffer) =>
      writeFileSync(path.join(folder, name), content);
    const bytes = (name: string) => readFileSync(path.join(one, name));
    for (const folder of [one, two]) mkdirSync(folder);
    put(one, 'same.txt', 'old of one\n');
    put(two, 'same.txt', 'old of two\n');
    put(one, 'dirty.txt', 'old on disk\n');
    put(one, 'locked.txt', 'old\n');
    put(one, 'gone.txt', 'old\n');
    put(one, 'crlf.txt', 'old\r\nsecond\r\n');
    // The editor takes each of these for the end of a line.
    put(one, 'returns.txt', 'first\rold\nlast\r\n');
    put(one, 'little.txt', wide('old ä\r\n', false));
    put(one, 'big-end.txt', wide('old ä\n', true));
    put(one, 'latin.txt', Buffer.from('old ä\n', 'latin1'));
    put(one, 'latin.bat', Buffer.from('old ä\n', 'latin1'));
    put(one, 'data.bin', Buffer.from([1, 0, 2, 0]));
    put(one, odd, 'old 🔥\n');
    put(one, 'huge.log', '');
    truncateSync(path.join(one, 'huge.log'), 50 * 1024 * 1024);
    const file = path.join(editor.workspace, 'both.code-workspace');
    writeFileSync(file, JSON.stringify({ folders: [{ path: one }, { path: two }] }));
    const window = await openWorkspaceFile(editor, file);
    const { page } = window;

    // a buffer with unsaved changes
    await openFile(page, 'dirty.txt');
    await page.locator('.editor-instance .view-lines').filter({ hasText: 'old' }).click();
    await page.keyboard.press('ControlOrMeta+Home');
    await page.keyboard.type('typed ');
    await page.locator('.tab.dirty').filter({ hasText: 'dirty.txt' }).waitFor();

    await window.openBough();
    const person = new Person(editor, await window.chat());
    const results = (request: number, last: number) =>
      told(server, request)
        .filter(({ role }) => role === 'tool')
        .slice(-last)
        .map(({ text }) => text);

    // gone while its card waits
    server.enqueue(reply.calls([edit('one/gone.txt')]), reply.text('It is gone.'));
    await person.send('Change it');
    await person.approval().waitFor();
    await person.run('waiting');
    rmSync(path.join(one, 'gone.txt'));
    await person.decide('approve');
    await person.says('It is gone.');
    await person.run('idle');
    expect(results(2, 1)).toEqual([expect.stringMatching(/gone\.txt has changed since/)]);
    await person.approval('expired').or(person.tool('edit', 'denied')).first().waitFor();

    const names = ['crlf.txt', 'little.txt', 'big-end.txt', 'latin.bat', odd, 'dirty.txt'];
    const refused = ['latin.txt', 'data.bin', 'huge.log'];
    server.enqueue(
      reply.calls([...names, ...refused].map((name) => read(`one/${name}`))),
      reply.calls([read('same.txt'), read('one/same.txt'), read('two/same.txt')]),
      reply.text('All read.'),
    );
    await person.ask('Read them', 'All read.');
    expect(results(4, names.length + refused.length)).toEqual([
      'old\nsecond\n',
      'old ä\n',
      'old ä\n',
      'old ä\n',
      'old 🔥\n',
      expect.stringMatching(/^typed old on disk[^]*unsaved changes/),
      expect.stringMatching(/^old \uFFFD[^]*files\.encoding/),
      expect.stringContaining('is a binary file'),
      expect.stringContaining('50 MB, too much to read'),
    ]);
    expect(results(5, 3)).toEqual([expect.stringMatching(/one\/|two\//), 'old of one\n', 'old of two\n']);

    await person.setMode('Accept edits', 'accept_edits');
    server.enqueue(
      reply.calls([...names, ...refused, 'locked.txt'].map((name) => edit(`one/${name}`))),
      reply.calls([edit('two/same.txt'), edit(`one/${odd}`, '🔥', '🔦'), edit('one/returns.txt')]),
      reply.text('All changed.'),
    );
    await person.ask('Change them', 'All changed.');
    const changed = results(7, names.length + refused.length + 1);
    expect(changed).toEqual([
      ...names.slice(0, -1).map(() => expect.stringContaining('+1 −1') as string),
      expect.stringMatching(/\+1 −1[^]*NOT saved/),
      expect.stringContaining('not valid UTF-8'),
      expect.stringContaining('is a binary file'),
      expect.stringContaining('too much to read'),
      expect.stringMatching(/locked\.txt.*read-only/),
    ]);
    expect(results(8, 1)).toEqual([expect.stringContaining('Changed one/returns.txt')]);
    await window.screenshot('changed');
    expect(bytes('crlf.txt').toString()).toBe('new\r\nsecond\r\n');
    expect(bytes('little.txt')).toEqual(wide('new ä\r\n', false));
    expect(bytes('big-end.txt')).toEqual(wide('new ä\n', true));
    expect(bytes('returns.txt').toString().replaceAll('\r\n', '\n')).toBe('first\nnew\nlast\n');
    expect(bytes('latin.bat')).toEqual(Buffer.from('new ä\n', 'latin1'));
    expect(bytes('latin.txt')).toEqual(Buffer.from('old ä\n', 'latin1'));
    expect(bytes(odd).toString()).toBe('new 🔦\n');
    expect(bytes('dirty.txt').toString()).toBe('old on disk\n');
    expect(bytes('locked.txt').toString()).toBe('old\n');
    expect(bytes('same.txt').toString()).toBe('old of one\n');
    expect(readFileSync(path.join(two, 'same.txt'), 'utf8')).toBe('new of two\n');
    const lines = page.locator('.editor-instance .view-lines');
    await eventually(
      async () => (await lines.innerText()).replaceAll('\u00A0', ' ').includes('typed new on disk'),
      {
        what: 'the buffer shows both changes',
      },
    );
    expect(await page.locator('.tab.dirty').count()).toBe(1);
  }));
