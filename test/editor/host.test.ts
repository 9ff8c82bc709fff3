// What the host adds around a conversation: tabs, keys, a second window, remembered approvals, the API.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { reply } from '../model-server/index.js';
import { eventually } from './bench/index.js';
import { filesBelow } from './log-on-disk.js';
import { Person, reloaded } from './person.js';
import { withScriptedModel } from './scripted.js';

const caller = path.join(import.meta.dirname, 'extensions/caller');

test('a chat in a tab comes back after a reload; a key in the settings is moved and sent as before', () =>
  withScriptedModel({}, async ({ editor, server, person }) => {
    server.enqueue(reply.text('Good morning.'), reply.text('And good night.'));
    await person.send('Hello');
    await person.says('Good morning.');
    await editor.runCommand('Bough: Open Chat in Editor');
    const tab = new Person(editor, await editor.tab());
    await tab.send('Good night');
    await tab.says('And good night.');
    await person.says('And good night.');

    const again = await reloaded(editor);
    const restored = new Person(editor, await editor.tab());
    await restored.says('And good night.');
    expect(await restored.transcript()).toEqual(await again.transcript());
    await editor.screenshot('tab');

    const provider = { kind: 'openai-compatible', baseUrl: server.url, models: [{ id: 'model-1' }] };
    const secrets = { apiKey: 'sk-very-secret', headers: { 'X-Token': 'tok-secret', 'X-Title': 'Bough' } };
    editor.setMachineSettings({ 'bough.providers': { scripted: { ...provider, ...secrets } } });
    const settings = path.join(editor.userData, 'Machine/settings.json');
    // VS Code empties the file before it writes it.
    const isMoved = (text: string) => text.includes('X-Title') && !text.includes('secret');
    await eventually(() => isMoved(readFileSync(settings, 'utf8')), { what: 'the key is moved' });
    server.enqueue(reply.text('Still here.'));
    await again.send('And now?');
    await again.says('Still here.');
    const { headers } = server.requests.at(-1) ?? {};
    expect(headers).toMatchObject({
      authorization: 'Bearer sk-very-secret',
      'x-token': 'tok-secret',
      'x-title': 'Bough',
    });
    const written = [...filesBelow(editor.storage()), ...filesBelow(path.join(editor.userData, 'logs'))];
    expect(written.filter((file) => /sk-very-secret|tok-secret/.test(readFileSync(file, 'utf8')))).toEqual(
      [],
    );
  }));

test('a second window follows and decides; Always is remembered; another extension asks', () =>
  withScriptedModel({ extensions: [caller] }, async ({ editor, server, person }) => {
    server.enqueue(reply.calls([{ name: 'run', args: { command: 'echo one' } }]));
    await person.send('Run it');
    await person.approval().waitFor();
    const window = await editor.secondWindow();
    await window.openBough();
    const other = new Person(editor, await window.chat());
    await other.approval().waitFor();
    server.enqueue(reply.calls([{ name: 'run', args: { command: 'echo two' } }]), reply.text('Both ran.'));
    const always = other.approval().locator('[data-testid="always"]');
    await eventually(async () => (await always.getAttribute('aria-disabled')) === 'false', {
      what: 'the card takes a click',
    });
    await always.click();
    await other.says('Both ran.');
    const settings = readFileSync(path.join(editor.userData, 'Machine/settings.json'), 'utf8');
    expect(JSON.parse(settings)).toMatchObject({
      'bough.approval.rules': [{ tool: 'run', pattern: 'echo *' }],
    });
    await editor.page.bringToFront();
    await person.says('Both ran.');
    await editor.screenshot('followed');

    server.enqueue(reply.text('Hello, caller.'));
    await editor.runCommand('Caller: Ask Bough');
    const told = editor.notification('Bough says');
    await told.waitFor();
    expect(JSON.parse((await told.innerText()).replace(/^[^{]*|[^}]*$/g, ''))).toEqual({
      text: 'Hello, caller.',
      roles: ['user', 'assistant'],
      incomplete: false,
      title: 'Say hello',
      ended: true,
    });
  }));
