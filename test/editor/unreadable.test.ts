// A session whose log cannot be read: the chat can be used all the same, and the session comes back once it can be.
import { mkdirSync, renameSync, rmdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { reply } from '../model-server/index.js';
import { eventually } from './bench/index.js';
import { onlyLog } from './log-on-disk.js';
import { personAt, reloaded } from './person.js';
import { withScriptedModel } from './scripted.js';

test('a log that cannot be read is told with its path; a new session works, and it is back once it can be read', () =>
  withScriptedModel({}, async ({ editor, server, person }) => {
    server.enqueue(reply.text('Good morning.'));
    await person.send('Hello');
    await person.says('Good morning.');
    await person.run('idle');
    const { file, bytes } = onlyLog(editor.storage());

    renameSync(file, `${file}.aside`);
    mkdirSync(file); // as root no file is unreadable, but no folder is a file
    let again = await reloaded(editor);
    const notice = () => again.chat.locator('[data-testid="notice"][data-kind="read-only"]');
    await notice().waitFor();
    expect(await notice().innerText()).toContain(file);
    await editor.screenshot('unreadable');

    await editor.runCommand('Bough: New Session');
    again = await personAt(editor);
    await eventually(async () => (await notice().count()) === 0, { what: 'no notice in a new session' });
    server.enqueue(reply.text('Still here.'));
    await again.send('Are you there?');
    await again.says('Still here.');
    await again.run('idle');

    rmdirSync(file);
    renameSync(`${file}.aside`, file);
    await editor.runCommand('Bough: Switch Session…');
    await editor.pick(/Hello/);
    again = await personAt(editor);
    await again.says('Good morning.');
    expect(await notice().count()).toBe(0);
    expect(readFileSync(file)).toEqual(bytes);
  }));
