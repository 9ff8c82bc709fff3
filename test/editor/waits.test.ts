// Waits and work that a reload meets half-way: each comes back as it was, and nothing is sent by itself before its time.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { reply } from '../model-server/index.js';
import { eventually } from './bench/index.js';
import { ofType, onlyLog } from './log-on-disk.js';
import { type Person, reloaded } from './person.js';
import { withScriptedModel } from './scripted.js';

const settings = {
  'bough.retry.initialDelay': 120_000,
  'bough.retry.maxDelay': 120_000,
  'bough.retry.maxElapsed': 600_000,
  'bough.retry.resumeInitialDelay': 120_000,
  'bough.retry.resumeMaxDelay': 120_000,
};

const twoModels = (url: string) => ({
  'bough.providers': {
    scripted: { kind: 'openai-compatible', baseUrl: url, models: [{ id: 'model-1' }, { id: 'model-2' }] },
  },
  'bough.model': 'scripted/model-1',
});

/** What the indicator says, which no reload may change. */
async function waitOf(person: Person, kind: string): Promise<(string | null)[]> {
  const indicator = person.retry(kind);
  await indicator.waitFor();
  return Promise.all(['data-attempt', 'data-max', 'data-due-at'].map((name) => indicator.getAttribute(name)));
}

test('E4: a retry, a resume and a parked wait survive a reload; each can be skipped, left to another model or ended', () =>
  withScriptedModel({ settings }, async ({ editor, server, person: first }) => {
    let person = first;
    const row = (description: string) =>
      eventually(
        async () => (await editor.sessionsTree()).some((found) => found.description === description),
        {
          what: `the row is ${description}`,
        },
      );
    editor.setMachineSettings(twoModels(server.url));

    // A retry: why, which attempt, how long.
    server.enqueue(reply.status(529));
    await person.send('Are you there?');
    const retry = await waitOf(person, 'retry');
    expect(retry.slice(0, 2)).toEqual(['1', '4']);
    await person.retry().getByText('attempt 2 of 4').waitFor();
    await editor.statusBar('Bough: retrying');
    await row('retrying');
    person = await reloaded(editor);
    expect(await waitOf(person, 'retry')).toEqual(retry);
    await person.run('retrying');
    await editor.statusBar('Bough: retrying');
    await editor.screenshot('retry');
    expect(server.requests).toHaveLength(1);
    server.enqueue(reply.cut(['Half an ', 'answer']));
    await person.at('retry-now').click();

    // A resume, of the same step; what came before leaves the view, and can be unfolded while it waits.
    const resume = await waitOf(person, 'resume');
    expect(resume.slice(0, 2)).toEqual(['1', '5']);
    await person.retry().getByText('restart 1 of 5').waitFor();
    await eventually(async () => (await person.chat.getByText('Half an answer').count()) === 0, {
      what: 'the text of the step that starts over is gone',
    });
    person = await reloaded(editor);
    await person.at('dropped-text').locator('[data-testid="earlier-toggle"]').click();
    await person.at('dropped-text').filter({ hasText: 'Half an answer' }).waitFor();
    expect(await waitOf(person, 'resume')).toEqual(resume);
    await editor.screenshot('resume');
    expect(server.requests).toHaveLength(2);
    // Another model takes over, in this turn.
    server.enqueue(reply.status(429, { 'retry-after': '3600' }));
    await person.at('switch-model').click();
    await editor.pick(/model-2/);

    // Parked, since the server asks for an hour: nothing is sent before, by whatever way.
    const parked = await waitOf(person, 'parked');
    expect(server.requests[2]?.body.model).toBe('model-2');
    await editor.statusBar('Bough: parked');
    person = await reloaded(editor);
    expect(await waitOf(person, 'parked')).toEqual(parked);
    await person.run('parked');
    await editor.statusBar('Bough: parked');
    await row('waiting');
    expect(await person.at('retry-now').getAttribute('aria-disabled')).toBe('true');
    await editor.screenshot('parked');
    server.enqueue(reply.text('Here I am.'));
    await person.at('switch-model').click();
    await editor.pick(/model-1/);
    await person.says('Here I am.');
    await person.run('idle');
    expect(server.requests.map(({ body }) => body.model)).toEqual([
      'model-1',
      'model-1',
      'model-2',
      'model-1',
    ]);
    const log = onlyLog(editor.storage());
    expect(ofType(log, 'turn_end').map(({ status }) => status)).toEqual(['completed']);
    expect(new Set(ofType(log, 'step_start').map(({ step }) => step))).toEqual(new Set([1]));

    // Cancel ends the turn, and what no retry can mend is not retried.
    server.enqueue(reply.status(529));
    await person.send('Once more');
    await person.retry('retry').waitFor();
    await person.at('retry-cancel').click();
    await person.run('idle');
    // So does one of a step that had begun to answer: what broke off is not said to be stopped alone.
    server.enqueue(reply.cut(['Half of ', 'it']));
    await person.send('And again');
    await person.retry('resume').waitFor();
    await person.at('retry-cancel').click();
    await person.run('idle');
    await person.incomplete('stopped').getByText('the answer broke off, then you cancelled').waitFor();
    server.enqueue(reply.error(401, { message: 'Incorrect API key provided', code: 'invalid_api_key' }));
    await person.send('With a wrong key');
    await person.at('failure').filter({ hasText: /key/i }).waitFor();
    await person.run('idle');
    expect(await person.retry().count()).toBe(0);
    expect(server.requests).toHaveLength(7);
  }));

test('D15: a reload while a command runs ends it and says so; the turn goes on when the person wants it', () =>
  withScriptedModel({}, async ({ editor, server, person: first }) => {
    let person = first;
    const pids = path.join(editor.workspace, 'pids');
    const command = 'sleep 876543 & echo $! >> pids; echo $$ >> pids; wait';
    server.enqueue(reply.calls([{ name: 'run', args: { command } }]));
    await person.send('Run something long');
    await person.decide('approve');
    await person.tool('run', 'running').waitFor();
    const started = await eventually(
      () => {
        const found = existsSync(pids) ? readFileSync(pids, 'utf8').trim().split('\n') : [];
        return found.length === 2 ? found : undefined;
      },
      { what: 'the command runs' },
    );
    person = await reloaded(editor);
    await eventually(() => started.every((pid) => !existsSync(`/proc/${pid}`)), {
      what: 'no process of the command lives',
    });
    await person.at('turn-interrupted').waitFor();
    await person.run('idle');
    await editor.screenshot('command');
    expect(server.requests).toHaveLength(1);
    await person.at('turn-leave').click();
    await person.at('turn-left').waitFor();
    expect(await person.at('turn-interrupted').count()).toBe(0);
    await editor.screenshot('left');
    person = await reloaded(editor);
    await person.at('turn-left').waitFor();
    server.enqueue(reply.text('It was ended.'));
    await person.at('turn-continue').click();
    await person.says('It was ended.');
    const results = server.requests[1]?.body.messages.filter(({ role }) => role === 'tool') ?? [];
    expect(results).toHaveLength(1);
    expect(ofType(onlyLog(editor.storage()), 'tool_start')).toHaveLength(1);
  }));
