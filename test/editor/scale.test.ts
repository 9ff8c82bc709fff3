// Sizes that nobody plans for: a log of 100 MB with a line of 50 MB on a disk that takes its time, and a folder of 10 000
// logs of which 50 are damaged. The panel is there at once, says how far it is, and lets go of it when it is told to.
import { rmSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { type Editor, eventually, withEditor } from './bench/index.js';
import type { TreeRow } from './bench/sessions-tree.js';
import { findWebview } from './bench/webview.js';
import { onlyLog } from './log-on-disk.js';
import { writeBigLog, writeManyLogs } from './many-logs.js';
import { Person, personAt, reloaded } from './person.js';

const MB = 1_000_000;
const slowDisk = fileURLToPath(new URL('./extensions/slow-disk', import.meta.url));

/** The view of the side bar while its session is not on show. */
const waitingAt = async (editor: Editor, state: string): Promise<Person> =>
  new Person(
    editor,
    await findWebview(
      editor.page,
      `body[data-surface="view"]:not([data-ready]) [data-testid="opening"][data-state="${state}"]`,
    ),
  );

/** The list says how far it is, goes on, and lets go of it by its button. */
async function stopReading(editor: Editor): Promise<void> {
  const toast = editor.page.locator('.notification-list-item').filter({ hasText: 'Reading the sessions' });
  await toast.waitFor();
  const read = async () => Number(/(\d+) of \d+/.exec(await toast.innerText())?.[1]);
  const first = await read();
  await eventually(async () => (await read()) > first, { timeout: 60_000, what: 'the list is read on' });
  await editor.screenshot('reading');
  await toast.getByRole('button', { name: 'Cancel' }).click();
  await toast.waitFor({ state: 'detached' });
}

const unreadRow = (editor: Editor): Promise<TreeRow> =>
  eventually(
    async () => (await editor.sessionsTree()).find(({ title }) => /^\d+ sessions are not read$/.test(title)),
    { what: 'the row of what was not read' },
  );

/** What was left is in the list by its file's name, and can be opened. */
async function openUnread(editor: Editor): Promise<void> {
  await unreadRow(editor);
  await editor.screenshot('not-read');
  // Those that were read first may be the newest: all that are in sight.
  await editor.runCommand('Bough: Switch Session…');
  const box = editor.page.locator('.quick-input-widget:visible');
  await box.locator('.quick-input-box input').fill('many-');
  const left = box.getByRole('option', { name: /many-\d+, not read/ }).first();
  const name = /many-(\d+),/.exec((await left.getAttribute('aria-label')) ?? '')?.[1] ?? 'none';
  await left.click();
  const person = await personAt(editor);
  await person
    .message('user')
    .filter({ hasText: `Session ${name}` })
    .waitFor();
}

test('a log of 100 MB on a slow disk, and a list of 10 000: said, cancelled, tried again; nothing freezes', async () => {
  const control = path.join(os.tmpdir(), `bough-slow-${String(process.pid)}.json`);
  const slow = (path: string, ms: number) => writeFileSync(control, JSON.stringify({ path, ms }));
  try {
    await withEditor({ extensions: [slowDisk], env: { BOUGH_SLOW_DISK: control } }, async (editor) => {
      let person = await personAt(editor);
      await person.send('Hello');
      await person.message('assistant').first().waitFor();
      await person.run('idle');
      const folder = path.dirname(onlyLog(editor.storage()).file);
      const now = Date.now() / 1_000;
      slow('many-', 40);
      writeManyLogs(folder, 10_000, now - 3_600);
      const big = writeBigLog(folder, 'the-big-one', 100 * MB);
      const { size } = statSync(big);
      expect(size).toBeGreaterThan(95 * MB);

      person = await reloaded(editor);
      await person.message('user').filter({ hasText: 'Hello' }).waitFor();
      await stopReading(editor);
      await openUnread(editor);
      slow('', 0);
      await (await unreadRow(editor)).locator.click();
      await editor.row('Session 0', 'damaged');
      await editor.row('Session 1', '');
      const pages = (await editor.sessionsTree()).length;
      expect(pages).toBeLessThan(80);
      await editor.screenshot('ten-thousand');

      slow('the-big-one', 40);
      const row = await editor.row('The big one');
      await row.locator.click();
      person = await waitingAt(editor, 'opening');
      const bar = person.chat.getByRole('progressbar');
      const share = async () => Number(await bar.getAttribute('aria-valuenow'));
      const first = await share();
      await eventually(async () => (await share()) > first, { what: 'the log is read on' });
      await editor.screenshot('opening');
      await person.at('opening-cancel').click();
      person = await waitingAt(editor, 'cancelled');
      await person.chat.getByText('“The big one” is not open').waitFor();
      await editor.screenshot('cancelled');

      slow('', 0);
      const begin = performance.now();
      await person.at('opening-again').click();
      person = await personAt(editor);
      await person.says('The last words of the big one.');
      console.log(
        `figure: 100 MB with a line of 50 MB on show after ${(performance.now() - begin).toFixed(0)} ms`,
      );
      await person.message('assistant').filter({ hasText: 'The longest line begins.' }).waitFor();
      const drawn = await person.at('transcript').evaluate((element) => element.textContent?.length ?? 0);
      expect(drawn).toBeLessThan(MB);
      await editor.screenshot('big');
      expect(statSync(big).size).toBe(size);

      await (await editor.row('Session 1')).locator.click();
      person = await personAt(editor);
      await person.message('user').filter({ hasText: 'Session 1' }).waitFor();
    });
  } finally {
    rmSync(control, { force: true });
  }
});
