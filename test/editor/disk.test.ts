// Scene j: the disk fills up under a running host, and is freed again.
import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { expect, test } from 'vitest';
import { reply } from '../model-server/index.js';
import { eventually } from './bench/index.js';
import { onlyLog } from './log-on-disk.js';
import { withScriptedModel } from './scripted.js';

/** No file of this process may grow past `bytes`: write fails with EFBIG, as a full disk fails with ENOSPC. */
const limitFiles = (pid: number, bytes: number | 'unlimited'): void => {
  execFileSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:unlimited`]);
};

test('A4 B6: a failed write is shown, stops the turn and loses nothing; later the session goes on', () =>
  withScriptedModel(
    { settings: { 'bough.retry.maxAttempts': 1, 'bough.retry.maxResumes': -1 } },
    async ({ editor, server, person }) => {
      server.enqueue(reply.text('Good morning.'));
      await person.send('Hello');
      await person.says('Good morning.');
      await person.run('idle');
      const whole = onlyLog(editor.storage());
      const host = await editor.extensionHostPid();

      limitFiles(host, statSync(whole.file).size + 40);
      await person.composer.fill('This will not fit on the disk');
      await person.at('send').click();
      await person.chat.locator('[data-testid="notice"][data-kind="not-saved"]').waitFor();
      await editor.screenshot('not-saved');
      expect(await person.composer.inputValue()).toBe('This will not fit on the disk');
      expect(server.requests).toHaveLength(1);
      expect(onlyLog(editor.storage()).bytes).toEqual(whole.bytes);

      limitFiles(host, 'unlimited');
      const held = reply.hold(['Now it fits, '], ['mostly.']);
      server.enqueue(held);
      await person.at('send').click();
      await held.reached;
      await person.chat.getByText('Now it fits,').waitFor();
      limitFiles(host, statSync(whole.file).size); // full again, in mid-turn
      held.release();
      await person.chat.locator('[data-testid="notice"][data-kind="not-saved"]').waitFor();
      await eventually(async () => (await person.chat.locator('body').getAttribute('data-run')) === 'idle', {
        what: 'the turn stops',
      });
      expect(server.requests).toHaveLength(2);

      limitFiles(host, 'unlimited');
      server.enqueue(reply.text('Space again.'));
      await person.send('And now?');
      await person.says('Space again.');
      await person.run('idle');
      expect(await person.chat.locator('[data-testid="notice"][data-kind="not-saved"]').count()).toBe(0);
      const log = onlyLog(editor.storage());
      expect(log.bytes.subarray(0, whole.bytes.length)).toEqual(whole.bytes);
    },
  ));
