// What a person does while Bough is at work: stop it, queue and steer, look elsewhere, reload at once.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { reply } from '../model-server/index.js';
import { eventually } from './bench/index.js';
import { logsBelow, ofType, onlyLog } from './log-on-disk.js';
import { type Person, personAt, reloaded } from './person.js';
import { told, withScriptedModel } from './scripted.js';

const noRetries = { 'bough.retry.maxAttempts': 1, 'bough.retry.maxResumes': -1 };

/** Types into the composer and presses a key: Enter queues while a turn runs, with Ctrl it steers. */
async function say(person: Person, text: string, key: 'Enter' | 'ControlOrMeta+Enter'): Promise<void> {
  await person.composer.fill(text);
  await person.composer.press(key);
  await eventually(async () => (await person.composer.inputValue()) === '', { what: `"${text}" is taken` });
}

const queued = (person: Person) => person.at('queue-item').locator('.text').allInnerTexts();

/** What the composers of all sessions hold, as it is on disk. */
const drafts = (storage: string): string =>
  readdirSync(storage, { recursive: true, encoding: 'utf8' })
    .filter((name) => path.basename(name) === 'draft.json')
    .map((name) => readFileSync(path.join(storage, name), 'utf8'))
    .join('\n');

test('D14 D15: Stop ends a command with all its processes, a card and a wait; nothing starts afterwards', () =>
  withScriptedModel(
    { settings: { 'bough.retry.initialDelay': 60_000, 'bough.retry.maxDelay': 60_000 } },
    async ({ editor, server, person }) => {
      const log = () => onlyLog(editor.storage());
      const ends = () => ofType(log(), 'turn_end').map(({ status }) => status);
      const pids = path.join(editor.workspace, 'pids');

      const command =
        'sh -c \'trap "" TERM; sleep 765432 & echo $! >> pids; wait\' & echo $! >> pids; echo $$ >> pids; wait';
      server.enqueue(
        reply.calls([
          { name: 'run', args: { command } },
          { name: 'run', args: { command: 'echo too late > late' } },
        ]),
      );
      await person.send('Run for ever');
      await person.decide('approve', 'sleep');
      await person.decide('approve', 'too late');
      const started = await eventually(
        () => {
          const found = existsSync(pids) ? readFileSync(pids, 'utf8').trim().split('\n') : [];
          return found.length === 3 ? found : undefined;
        },
        { what: 'the command runs' },
      );
      await person.at('stop').click();
      await person.run('idle');
      expect(ends()).toEqual(['stopped']);
      await eventually(() => started.every((pid) => !existsSync(`/proc/${pid}`)), {
        timeout: 3_000,
        what: 'no process of the command lives',
      });
      expect(existsSync(path.join(editor.workspace, 'late'))).toBe(false);
      expect(ofType(log(), 'message').filter(({ role }) => role === 'tool')).toHaveLength(2);
      await editor.screenshot('stopped-command');

      // A card.
      server.enqueue(reply.calls([{ name: 'run', args: { command: 'echo card > late' } }]));
      await person.send('Ask me');
      await person.approval().waitFor();
      await person.at('stop').click();
      await person.run('idle');
      await person.approval('cancelled').waitFor();

      // A wait, by the palette.
      server.enqueue(reply.status(503));
      await person.send('Wait for me');
      await person.retry('retry').waitFor();
      await editor.runCommand('Bough: Stop');
      await person.run('idle');
      expect(await person.retry().count()).toBe(0);
      expect(ends()).toEqual(['stopped', 'stopped', 'stopped']);
      expect(server.requests).toHaveLength(3);
      server.enqueue(reply.text('Free again.'));
      await person.send('Still there?');
      await person.says('Free again.');
      expect(existsSync(path.join(editor.workspace, 'late'))).toBe(false);
    },
  ));

test('G12 D5: what is queued is sent once, in order, whatever comes between: steer, stop, reload, failure', () =>
  withScriptedModel({ settings: noRetries }, async ({ editor, server, person: first }) => {
    let person = first;
    const prompts = () =>
      ofType(onlyLog(editor.storage()), 'message')
        .filter(({ role }) => role === 'user')
        .map(({ parts }) => parts?.[0]?.text);

    // Steered into the turn that runs; queued behind it.
    const held = reply.hold(['Working '], ['on it.']);
    server.enqueue(held, reply.text('As you say.'), reply.text('And two.'));
    await person.send('one');
    await held.reached;
    await say(person, 'two', 'Enter');
    await say(person, 'look left first', 'ControlOrMeta+Enter');
    expect(await queued(person)).toEqual(['two', 'look left first']);
    await editor.screenshot('queued');
    held.release();
    await person.says('And two.');
    await person.run('idle');
    expect(prompts()).toEqual(['one', 'look left first', 'two']);
    expect(await queued(person)).toEqual([]);

    // A stop holds them; a reload keeps them; one is changed where it stands, one is dropped.
    const endless = reply.hold(['Endless ']);
    server.enqueue(endless);
    await person.send('three');
    await endless.reached;
    for (const text of ['four', 'five', 'six']) await say(person, text, 'Enter');
    await person.at('stop').click();
    await person.run('idle');
    expect(await queued(person)).toEqual(['four', 'five', 'six']);
    person = await reloaded(editor);
    expect(await queued(person)).toEqual(['four', 'five', 'six']);
    await person.chat.getByText('Endless').first().waitFor();
    await person
      .at('queue-item')
      .filter({ hasText: 'five' })
      .getByRole('button', { name: /remove/i })
      .click();
    await eventually(async () => (await queued(person)).length === 2, { what: 'one is dropped' });
    await person.at('queue-edit').first().click();
    await person.at('queue-text').fill('four, but better');
    await editor.screenshot('held');
    await person.at('queue-text').press('Enter');
    await eventually(async () => (await queued(person))[0] === 'four, but better', {
      what: 'one is changed',
    });
    expect(server.requests).toHaveLength(4);

    // Released; a failure holds the rest again.
    server.enqueue(reply.error(400, { message: 'No.' }));
    await person.chat.getByRole('button', { name: 'Send Now' }).click();
    await person.at('failure').waitFor();
    await person.run('idle');
    expect(await queued(person)).toEqual(['six']);
    await editor.killExtensionHost();
    person = await personAt(editor);
    await person.at('queue-item').waitFor({ timeout: 40_000 });
    server.enqueue(reply.text('Six it is.'));
    await person.chat.getByRole('button', { name: 'Send Now' }).click();
    await person.says('Six it is.');
    await person.run('idle');
    expect(prompts()).toEqual(['one', 'look left first', 'two', 'three', 'four, but better', 'six']);
    expect(server.requests).toHaveLength(6);
  }));

test('D6 D7 D8: an error stands below what came; a run goes on unseen; a prompt that was sent is kept', () =>
  withScriptedModel({ settings: noRetries }, async ({ editor, server, person: first }) => {
    let person = first;
    server.enqueue(reply.cut(['An hour of ', 'visible work']));
    await person.send('Work');
    await person.incomplete('connection').waitFor();
    const text = await person.chat.getByText('An hour of visible work').boundingBox();
    const error = await person.at('failure').boundingBox();
    expect((text?.y ?? 0) + (text?.height ?? 0)).toBeLessThanOrEqual(error?.y ?? 0);

    // Another session while this one streams.
    const held = reply.hold(['Streaming '], ['to the end.']);
    server.enqueue(held);
    await person.send('Stream');
    await held.reached;
    await editor.runCommand('Bough: New Session');
    person = await personAt(editor);
    await eventually(async () => (await person.at('message').count()) === 0, { what: 'an empty chat' });
    await editor.statusBar('Bough: running');
    expect(await person.at('stop').count()).toBe(0);
    server.enqueue(reply.text('Meanwhile.'));
    await person.send('Another question');
    await person.says('Meanwhile.');
    held.release();
    await editor.statusBar('Bough: idle');
    await editor.runCommand('Bough: Switch Session…');
    await editor.pick(/Work/);
    person = await personAt(editor);
    await person.says('Streaming to the end.');
    expect(told(server, 3).at(-1)?.text).toBe('Another question');

    // Sent and reloaded in the same moment.
    server.script(() => new Promise(() => undefined));
    await person.composer.fill('Do not lose this');
    await eventually(() => drafts(editor.storage()).includes('Do not lose this'), {
      what: 'a draft on disk',
    });
    await person.at('send').click({ noWaitAfter: true });
    await editor.page.reload();
    await editor.statusBar(/^Bough: /, 60_000);
    person = await personAt(editor);
    // Whether it reached the extension in time or not: it is in the conversation, or still in the composer.
    await eventually(
      async () =>
        (await person.composer.inputValue()) === 'Do not lose this' ||
        (await person.message('user').filter({ hasText: 'Do not lose this' }).count()) > 0,
      { what: 'the prompt is there' },
    );
    const logs = logsBelow(editor.storage()).flatMap((log) => ofType(log, 'message'));
    const sent = logs.filter(({ parts }) => parts?.some(({ text: said }) => said === 'Do not lose this'));
    expect(sent).toHaveLength((await person.composer.inputValue()) === '' ? 1 : 0);
  }));
