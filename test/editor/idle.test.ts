// A Bough that nobody uses does nothing: twenty sessions, none of which runs, and no timer that will wake the host.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { eventually, withEditor } from './bench/index.js';
import { onlyLog } from './log-on-disk.js';
import { writeManyLogs } from './many-logs.js';
import { personAt, reloaded } from './person.js';

const timers = fileURLToPath(new URL('./extensions/timers', import.meta.url));
/** One that looks every few seconds has looked again by then. */
const QUIET_MS = 20_000;

interface Timers {
  changed: number;
  waiting: string[];
}

test('an idle window with twenty sessions has no timer of ours, and begins none', async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'bough-timers-'));
  const file = path.join(folder, 'timers.json');
  const seen = () => JSON.parse(readFileSync(file, 'utf8')) as Timers;
  try {
    await withEditor({ extensions: [timers], env: { BOUGH_TIMERS: file } }, async (editor) => {
      const person = await personAt(editor);
      await person.send('Hello');
      await eventually(() => seen().waiting.length > 0, {
        what: 'a timer of ours is seen while a turn runs',
      });
      await person.message('assistant').first().waitFor();
      await person.run('idle');
      writeManyLogs(path.dirname(onlyLog(editor.storage()).file), 19, Date.now() / 1_000 - 3_600);

      const again = await reloaded(editor);
      await again.message('user').filter({ hasText: 'Hello' }).waitFor();
      await editor.row('Session 0', 'damaged');
      let last: Timers | undefined;
      await eventually(() => (last = seen()).waiting.length === 0 && Date.now() - last.changed > QUIET_MS, {
        timeout: 3 * QUIET_MS,
        what: 'no timer waits, and none was begun for a while',
      }).catch((error: unknown) => expect.soft(last?.waiting, String(error)).toEqual([]));
      expect(Date.now() - seen().changed).toBeGreaterThan(QUIET_MS);
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
