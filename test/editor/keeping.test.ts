// What is kept, and where: archived sessions, sessions without a file, and who may read what we write.
import { readFileSync, utimesSync } from 'node:fs';
import { expect, test } from 'vitest';
import { reply } from '../model-server/index.js';
import { call, caller, run } from './caller.js';
import { eventually, type Editor } from './bench/index.js';
import { filesBelow, logsBelow, onlyLog, readableByOthers } from './log-on-disk.js';
import { personAt, reloaded } from './person.js';
import { providers, withScriptedModel } from './scripted.js';

/** Every file of ours with what is in it, but for the cache of the list. */
const written = (editor: Editor) =>
  filesBelow(editor.storage())
    .filter((file) => !file.includes('/cache/'))
    .map((file) => `${file}: ${readFileSync(file, 'base64')}`);

test('an archived session says so, takes nothing more, stays listed, and comes back', () =>
  withScriptedModel({ extensions: [caller] }, async ({ editor, server, person }) => {
    server.enqueue(reply.text('Good morning.'), reply.text('And good night.'));
    await person.send('Hello');
    await person.says('Good morning.');
    await person.run('idle');

    const row = await editor.row('Hello');
    await row.locator.hover();
    await row.locator.getByRole('button', { name: 'Archive Session' }).click();
    await editor.row('Hello', 'archived');
    await person.notice('read-only').filter({ hasText: 'archived' }).waitFor();
    expect(await person.composer.getAttribute('readonly')).not.toBeNull();
    await editor.screenshot('archived');

    await run(editor, 'bough.session.filter');
    await editor.pick('Without archived');
    await editor.rowGone('Hello');
    await run(editor, 'bough.session.filter');
    await editor.pick('Archived only');
    await editor.row('Hello', 'archived');
    await editor.screenshot('filtered');
    await editor.runCommand('Bough: New Session');
    await eventually(async () => (await person.at('message').count()) === 0, { what: 'an empty chat' });
    await editor.runCommand('Bough: Switch Session…');
    await editor.pick(/Hello/);
    await person.says('Good morning.');

    await person.notice('read-only').getByRole('button', { name: 'Unarchive' }).click();
    await eventually(async () => (await person.notice('read-only').count()) === 0, { what: 'no notice' });
    await run(editor, 'bough.session.filter');
    await editor.answer('no such words');
    await editor.rowGone('Hello');
    await (await editor.row('None', 'Show All')).locator.click();
    await editor.row('Hello', '');
    await run(editor, 'bough.session.search', 'ell');
    await editor.row('Hello', '');
    await run(editor, 'bough.session.filter');
    await editor.pick('All sessions');
    await editor.row('Hello', '');
    await person.send('Good night');
    await person.says('And good night.');
    expect(logsBelow(editor.storage())).toHaveLength(1);
  }));

test('a session without a file works like any other, and leaves nothing behind', () =>
  withScriptedModel({ extensions: [caller] }, async ({ editor, server, person }) => {
    server.enqueue(reply.text('Good morning.'));
    await person.send('Hello');
    await person.says('Good morning.');
    await person.run('idle');
    await editor.row('Hello');
    const before = written(editor);

    await run(editor, 'bough.session.newEphemeral');
    await person.at('ephemeral').waitFor();
    server.enqueue(
      reply.calls([{ name: 'write', args: { path: 'note.txt', content: 'kept\n' } }]),
      reply.text('Written.'),
    );
    await person.send('Write a note');
    await person.decide('approve');
    await person.says('Written.');
    await person.run('idle');
    await person.composer.fill('not sent yet');
    await editor.row('Write a note', 'not kept in a file');
    await editor.screenshot('ephemeral');
    await (await editor.row('Hello')).locator.click();
    await person.says('Good morning.');
    expect(await person.at('ephemeral').count()).toBe(0);
    await (await editor.row('Write a note')).locator.click();
    await person.says('Written.');
    await eventually(async () => (await person.composer.inputValue()) === 'not sent yet', {
      what: 'the draft',
    });
    expect(written(editor)).toEqual(before);

    const chat = await reloaded(editor);
    await chat.says('Good morning.');
    await editor.rowGone('Write a note');
    await editor.runCommand('Bough: New Session');
    await eventually(async () => (await chat.at('message').count()) === 0, { what: 'an empty chat' });
    await run(editor, 'bough.session.continueLast');
    await chat.says('Good morning.');
  }));

test('B18: nobody else can read what we write, through edits, forks, archiving and deleting', () =>
  withScriptedModel({ extensions: [caller] }, async ({ editor, server, person }) => {
    server.enqueue(
      reply.calls([{ name: 'write', args: { path: 'a.txt', content: 'a\n' } }]),
      reply.text('Written.'),
      reply.text('Second.'),
    );
    await person.send('Write a');
    await person.decide('approve');
    await person.says('Written.');
    await person.run('idle');
    await person.composer.fill('a draft');
    const { header } = onlyLog(editor.storage());
    await editor.runCommand('Bough: Fork Session…');
    await editor.pick('From the end');
    await eventually(() => logsBelow(editor.storage()).length === 2, { what: 'a copy' });
    const chat = await personAt(editor);
    // Both conversations say the same: what is written before the copy is shown goes on in the other one.
    await eventually(async () => (await chat.at('session-title').innerText()).startsWith('Fork of'), {
      what: 'the copy is shown',
    });
    await chat.send('Go on in the copy');
    await chat.says('Second.');
    await chat.run('idle');
    await run(editor, 'bough.session.archive', header['id']);
    await editor.row('Write a', 'archived');
    await editor.runCommand('Bough: Delete Session…');
    await editor.confirm('Delete');
    await eventually(() => logsBelow(editor.storage()).length === 1, { what: 'one log' });
    expect(filesBelow(editor.storage()).length).toBeGreaterThan(5);
    expect(readableByOthers(editor.storage())).toEqual([]);
  }));

test('B15: what is old goes only once a retention is set, to the trash, and with a word; no ghost of it stays', () =>
  withScriptedModel({}, async ({ editor, server, person }) => {
    server.enqueue(reply.text('Alder is a tree.'), reply.text('Beech is a tree.'));
    await person.send('Alder');
    await person.says('Alder is a tree.');
    await person.run('idle');
    await editor.runCommand('Bough: New Session');
    await eventually(async () => (await person.at('message').count()) === 0, { what: 'an empty chat' });
    await person.send('Beech');
    await person.says('Beech is a tree.');
    await person.run('idle');
    const [alder] = logsBelow(editor.storage());
    if (!alder) throw new Error('no log');
    const old = new Date(Date.now() - 400 * 86_400_000);
    utimesSync(alder.file, old, old);
    await reloaded(editor);
    await editor.row('Alder');
    await editor.row('Beech');
    expect(logsBelow(editor.storage())).toHaveLength(2);

    editor.setMachineSettings({ ...providers(server.url), 'bough.retention.sessionIdle': 30 });
    await reloaded(editor);
    await editor.notification('As the retention settings say, these were deleted: 1 session').waitFor();
    await editor.screenshot('retention');
    await editor.rowGone('Alder');
    await editor.row('Beech');
    const left = filesBelow(editor.storage()).filter((file) => file.endsWith('.jsonl'));
    expect(left.filter((file) => file.includes('/trash/')).map((file) => readFileSync(file))).toEqual([
      alder.bytes,
    ]);
    await reloaded(editor);
    await editor.row('Beech');
    expect((await editor.sessionsTree()).map(({ title }) => title)).toEqual(['Beech']);
  }));

test.each([
  ['beyond sessions.maxOpen', { 'bough.sessions.maxOpen': 1, 'bough.sessions.idleAfter': 0 }],
  ['after sessions.idleAfter', { 'bough.sessions.maxOpen': 8, 'bough.sessions.idleAfter': 1_000 }],
])('sessions are let go of when they rest %s, and are whole when they are opened again', (_, settings) =>
  withScriptedModel({ extensions: [caller], settings }, async ({ editor, server, person }) => {
    server.enqueue(reply.text('Alder is a tree.'), reply.text('Beech is a tree.'), reply.text('So it is.'));
    await person.send('Alder');
    await person.says('Alder is a tree.');
    await person.run('idle');
    const { header } = onlyLog(editor.storage());
    await editor.runCommand('Bough: New Session');
    await eventually(async () => (await person.at('message').count()) === 0, { what: 'an empty chat' });
    await person.send('Beech');
    await person.says('Beech is a tree.');
    await person.run('idle');

    /** Those that would stay because they are open. */
    const open = async () => {
      const told = await call(editor, 'prune', { sessionIdle: 1 }, { dryRun: true });
      return (await told.innerText()).replace(/\s+/g, ' ').split('It is open.').length - 1;
    };
    await eventually(async () => (await open()) === 1, {
      timeout: 60_000,
      interval: 2_000,
      what: 'one session is open',
    });
    await (await editor.row('Alder')).locator.click();
    await person.says('Alder is a tree.');
    await person.send('Is it?');
    await person.says('So it is.');
    await person.run('idle');
    const log = logsBelow(editor.storage()).find((one) => one.header['id'] === header['id']);
    expect(log?.entries.filter(({ type }) => type === 'message')).toHaveLength(4);
  }),
);
