// Scenes e and f: waits that a person can see, and steps that begin again.
import { expect, test } from 'vitest';
import { reply } from '../model-server/index.js';
import { eventually } from './bench/index.js';
import { ofType, onlyLog } from './log-on-disk.js';
import { reloaded } from './person.js';
import { told, withScriptedModel } from './scripted.js';

test('E1 E4: a rate limit is shown with its reason and honoured, and leaves a line', () =>
  withScriptedModel({ settings: { 'bough.retry.initialDelay': 100 } }, async ({ editor, server, person }) => {
    const limited = reply.status(
      429,
      { 'retry-after': '2' },
      { error: { message: 'slow down', type: 'rate_limit_error' } },
    );
    server.enqueue(limited, limited, reply.text('Here I am.'));
    await person.send('Hello?');
    await person.retry('retry').waitFor();
    const indicator = person.retry('retry');
    expect(await indicator.getAttribute('data-attempt')).toMatch(/^[12]$/);
    expect(await indicator.getAttribute('data-max')).toBe('4');
    const due = Date.parse((await indicator.getAttribute('data-due-at')) ?? '');
    expect(due).toBeGreaterThan((server.requests[0]?.at ?? 0) + 1_500);
    await person.run('retrying');
    await editor.screenshot('rate-limited');
    await person.says('Here I am.', 30_000);
    await person.run('idle');
    expect(await person.at('waited').innerText()).toMatch(/^Waited \d+.s, as the server asked · 3 requests$/);
    const gaps = server.requests.slice(1).map(({ at }, n) => at - (server.requests[n]?.at ?? 0));
    expect(gaps).toHaveLength(2);
    for (const gap of gaps) expect(gap).toBeGreaterThanOrEqual(2_000);
    const log = onlyLog(editor.storage());
    expect(ofType(log, 'retry_start')).toHaveLength(2);
    expect(ofType(log, 'retry_end').at(-1)).toMatchObject({ success: true });
    expect(await person.retry().count()).toBe(0);
  }));

test('E4: Retry now skips our own backoff, Cancel ends the turn', () =>
  withScriptedModel(
    { settings: { 'bough.retry.initialDelay': 25_000 } },
    async ({ editor, server, person }) => {
      server.enqueue(reply.status(503), reply.text('Back again.'));
      await person.send('Are you there?');
      await person.retry('retry').waitFor();
      await person.at('retry-now').click();
      await person.says('Back again.', 10_000);
      const [first, second] = server.requests;
      expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(250);

      await person.run('idle');
      server.enqueue(reply.status(503));
      await person.send('And now?');
      await person.retry('retry').waitFor();
      await person.at('retry-cancel').click();
      await person.run('idle');
      expect(server.requests).toHaveLength(3);
      const log = onlyLog(editor.storage());
      expect(ofType(log, 'retry_end').at(-1)).toMatchObject({ success: false });
      expect(ofType(log, 'turn_end')).toHaveLength(2);
      await person
        .at('turn-stopped')
        .getByText(/Cancelled by you while it waited: .*503/)
        .waitFor();
      expect(await person.composer.isEnabled()).toBe(true);
    },
  ));

test('D1 D5 E7: a step that lost its connection begins again; at the end the last text stays, marked', () =>
  withScriptedModel(
    {
      settings: {
        'bough.retry.maxResumes': 2,
        'bough.retry.resumeInitialDelay': 400,
        'bough.retry.resumeMaxDelay': 800,
      },
    },
    async ({ editor, server, person }) => {
      server.enqueue(
        reply.cut(['alpha ', 'beta ', 'gamma']),
        reply.cut(['delta ', 'epsilon ', 'zeta']),
        reply.cut(['eta ', 'theta ', 'iota']),
      );
      await person.send('Tell me letters');
      await person.retry('resume').waitFor();
      const failed = person.message('assistant').filter({ hasText: 'alpha beta gamma' });
      await eventually(async () => (await failed.count()) === 0, { what: 'the failed text is gone' });
      await person.incomplete('connection').waitFor({ timeout: 30_000 });
      await person.chat.getByText('eta theta iota').waitFor();
      expect(await person.chat.getByText('delta epsilon').count()).toBe(0);
      await person.run('idle');
      await editor.screenshot('incomplete');

      const log = onlyLog(editor.storage());
      expect(ofType(log, 'resume_start')).toHaveLength(2);
      expect(new Set(ofType(log, 'step_start').map(({ step }) => step))).toEqual(new Set([1]));
      expect(ofType(log, 'incomplete_output')).toEqual([
        expect.objectContaining({ text: 'eta theta iota', incomplete: true, reason: 'connection' }),
      ]);
      expect(ofType(log, 'turn_end')).toEqual([expect.objectContaining({ status: 'failed' })]);

      const again = await reloaded(editor);
      await again.incomplete('connection').waitFor();
      await again.chat.getByText('eta theta iota').waitFor();
      server.enqueue(reply.text('All right.'));
      await again.send('Never mind');
      await again.says('All right.');
      for (const { text } of server.requests) expect(text).not.toMatch(/alpha|epsilon|theta/);
      expect(told(server, 4).at(-1)?.text).toContain('Never mind');
    },
  ));
