// What Bough costs a real VS Code: when a window starts, and while nothing runs in it. Beside it stands the same window
// without Bough.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { type Editor, eventually, withEditor } from '../../editor/bench/index.js';
import { onlyLog } from '../../editor/log-on-disk.js';
import { writeManyLogs } from '../../editor/many-logs.js';
import { personAt } from '../../editor/person.js';
import { type Figure, table } from '../figures.js';

const STARTS = 3;
const SESSIONS = 20;
/** How long it is looked at while nobody does anything. */
const IDLE_MS = 20_000;
const TICKS_A_SECOND = 100;

const figures: Figure[] = [];
afterAll(() => console.log(`\n${table(figures)}\n`));

const megabytesOf = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${String(pid)}/status`, 'utf8'))?.[1]) / 1024;

/** Processor time of all its threads so far. */
function secondsOf(pid: number): number {
  const stat = readFileSync(`/proc/${String(pid)}/stat`, 'utf8');
  const [, , , , , , , , , , , user, system] = stat.slice(stat.lastIndexOf(')')).split(' ');
  return (Number(user) + Number(system)) / TICKS_A_SECOND;
}

/** Once what a start leaves to do is done: what the host takes then, of memory and of each second. */
async function idle(editor: Editor): Promise<{ megabytes: number; msASecond: number }> {
  const pid = await editor.extensionHostPid();
  await eventually(
    async () => {
      const before = secondsOf(pid);
      await wait(3_000);
      return secondsOf(pid) - before < 0.05;
    },
    { timeout: 120_000, what: 'the host has come to rest' },
  );
  const before = secondsOf(pid);
  await wait(IDLE_MS);
  const spent = secondsOf(pid) - before;
  return { megabytes: megabytesOf(pid), msASecond: (spent * 1_000) / (IDLE_MS / 1_000) };
}

test('a window starts, and is left alone', { timeout: 20 * 60_000 }, async () => {
  const none = mkdtempSync(path.join(os.tmpdir(), 'bough-none-'));
  let bare = { megabytes: 0, msASecond: 0 };
  try {
    const args = ['--extensions-dir', none];
    await withEditor({ scene: 'start-bare', args, expectBough: false }, async (editor) => {
      bare = await idle(editor);
      expect(await editor.page.getByRole('button', { name: /^Bough: / }).count()).toBe(0);
    });
  } finally {
    rmSync(none, { recursive: true, force: true });
  }
  await withEditor({ scene: 'start' }, async (editor) => {
    const person = await personAt(editor);
    await person.send('Hello');
    await person.message('assistant').first().waitFor();
    await person.run('idle');
    writeManyLogs(path.dirname(onlyLog(editor.storage()).file), SESSIONS - 1, Date.now() / 1_000 - 3_600);
    const activated: number[] = [];
    const shown: number[] = [];
    for (let start = 0; start < STARTS; start++) {
      const begin = performance.now();
      await editor.reload();
      await (await personAt(editor)).message('user').filter({ hasText: 'Hello' }).waitFor();
      shown.push(performance.now() - begin);
      activated.push(await editor.activationTime());
    }
    const ours = await idle(editor);
    expect((await editor.sessionsTree()).length).toBeGreaterThan(0);
    figures.push(
      { work: 'activation, as VS Code measures it', ours: activated, unit: 'ms' },
      { work: 'from Reload Window to the conversation on show', ours: shown, unit: 'ms' },
      {
        ...{
          work: `idle with ${String(SESSIONS)} sessions: memory of the extension host (beside one without Bough)`,
        },
        ...{ ours: [ours.megabytes], peer: [bare.megabytes], unit: 'MB', goal: '15 MB more at most' },
        note: `${(ours.megabytes - bare.megabytes).toFixed(1)} MB more, the view of the chat being open`,
      },
      {
        ...{ work: 'the same: processor time of a second', ours: [ours.msASecond], peer: [bare.msASecond] },
        ...{ unit: 'ms', goal: 'none more' },
      },
    );
  });
});
