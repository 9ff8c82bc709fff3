// Calls that wait for a decision: several at once, while somebody types, out of sight, and when they are overtaken.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { gate, reply } from '../model-server/index.js';
import { eventually } from './bench/index.js';
import { ofType, onlyLog } from './log-on-disk.js';
import { Person, personAt, reloaded } from './person.js';
import { told, withScriptedModel } from './scripted.js';

const write = (file: string, content: string) => ({ name: 'write', args: { path: file, content } });
const run = (command: string) => ({ name: 'run', args: { command } });

test('F4 F6 F8: three calls at once while somebody types; then out of sight', () =>
  withScriptedModel({}, async ({ editor, server, person: first }) => {
    let person = first;
    const { keyboard } = editor.page;
    const file = (name: string) => path.join(editor.workspace, name);
    const log = () => onlyLog(editor.storage());
    const decisions = () => ofType(log(), 'approval_decision').map(({ decision }) => decision);
    const answers = () => ofType(log(), 'message').filter(({ role }) => role === 'tool');
    const three = [write('a.txt', 'a\n'), run('echo ran > ran.txt'), write('b.txt', 'b\n')];

    // The cards come while keys are pressed: focus, text and decision stay with the person.
    const held = gate();
    server.script(() => held.released.then(() => reply.calls(three)));
    await person.send('Do three things');
    await server.request(1);
    await person.composer.focus();
    const letters = 'abcdefghijklmnopqrstuvwxyz ';
    let typed = '';
    for (let after = 0; after < 30;) {
      const letter = letters[typed.length % letters.length] ?? '';
      await keyboard.type(letter);
      typed += letter;
      if (typed.length === 10) held.release();
      if ((await person.approval().count()) > 0) after += 1;
    }
    await person.run('waiting');
    expect(await person.approval().count()).toBe(3);
    expect(await person.composer.evaluate((field) => field === document.activeElement)).toBe(true);
    expect(await person.composer.inputValue()).toBe(typed);
    await editor.screenshot('three');
    await keyboard.press('Enter');
    await person.at('problem').filter({ hasText: 'waits for your decision' }).waitFor();
    expect(await person.composer.inputValue()).toBe(typed);
    expect(decisions()).toEqual([]);
    expect(server.requests).toHaveLength(1);

    // One is changed and approved, one denied with words, one answered by a message.
    const change = person.approval().filter({ hasText: 'Create a.txt' });
    await change.locator('[data-testid="edit-input"]').click();
    const edited = change.locator('[data-testid="edited-input"]');
    await edited.fill('mine');
    await edited.press('Enter');
    await keyboard.type('and more');
    expect(decisions()).toEqual([]);
    await editor.screenshot('edited');
    await person.decide('approve', 'Create a.txt');
    await person.tool('write', 'ok').waitFor();
    expect(readFileSync(file('a.txt'), 'utf8')).toBe('mine\nand more');
    expect(ofType(log(), 'approval_decision')[0]).toMatchObject({
      edited_input: { path: 'a.txt', content: 'mine\nand more' },
    });
    const card = person.approval().filter({ hasText: 'echo ran' });
    await card.getByRole('textbox').fill('use printf instead');
    await person.decide('deny', 'echo ran');
    await person.approval('deny').waitFor();
    await person.composer.fill('');
    await person.composer.fill('Leave the rest');
    server.enqueue(reply.text('I leave it.'));
    expect(await person.at('send').innerText()).toBe('Deny and Send');
    // Begun while the cards stand: Enter does what the button says.
    await person.composer.press('Enter');
    await person.says('I leave it.');
    await person.run('idle');
    expect(decisions()).toEqual(['allow', 'deny', 'replied']);
    expect(answers()).toHaveLength(3);
    expect(existsSync(file('ran.txt')) || existsSync(file('b.txt'))).toBe(false);
    const request = told(server, 2).slice(1);
    expect(request.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'tool', 'tool', 'user']);
    expect(request[2]?.text).toContain('The person changed the input before it ran');
    expect(request[3]?.text).toContain('use printf instead');
    expect(request[4]?.text).toContain('replied instead');
    expect(request[5]?.text).toContain('Leave the rest');

    // Those that are dismissed get one result each; the model hears of it with the next prompt.
    server.enqueue(reply.calls([run('echo one > ran.txt'), run('echo two > ran.txt')]));
    await person.send('Run two');
    await person.approval().nth(1).waitFor();
    await person.decide('dismiss');
    await person.run('idle');
    expect(decisions().slice(3)).toEqual(['abandoned', 'abandoned']);
    expect(answers()).toHaveLength(5);
    expect(server.requests).toHaveLength(3);
    await editor.screenshot('dismissed');

    // Out of sight: status bar, badge and notification say it, and a click brings there.
    const later = gate();
    server.script(() => later.released.then(() => reply.calls([run('echo seen > ran.txt')])));
    await person.send('Run when nobody looks');
    await server.request(4);
    expect(told(server, 4).filter(({ text }) => text.includes('person dismissed'))).toHaveLength(2);
    await editor.page
      .locator('.part.activitybar')
      .getByRole('tab', { name: /^Explorer/ })
      .click();
    later.release();
    const item = await editor.statusBar('Bough: waiting');
    await editor.notification('asks before it goes on: Run echo seen').waitFor();
    await editor.page.locator('.part.activitybar .badge-content').filter({ hasText: /^1$/ }).waitFor();
    await editor.screenshot('hidden');
    await item.click();
    const view = { name: /^Bough/, selected: true };
    await editor.page.locator('.part.activitybar').getByRole('tab', view).waitFor();
    person = await personAt(editor);
    await person.approval().waitFor();
    await eventually(
      () => person.chat.locator('section.approval').evaluate((element) => element === document.activeElement),
      { what: 'the focus is on the card' },
    );
    server.enqueue(reply.text('Seen.'));
    await person.decide('approve');
    await person.says('Seen.');
    expect(readFileSync(file('ran.txt'), 'utf8')).toBe('seen\n');
    await editor.statusBar('Bough: idle');

    // Nor is one forgotten whose session is not even open: after a reload with another one in front.
    server.enqueue(reply.calls([run('echo later > later.txt')]), reply.text('Later it was.'));
    await person.send('Run it when I am back');
    await person.approval().waitFor();
    await editor.runCommand('Bough: New Session');
    person = await personAt(editor);
    await eventually(async () => (await person.at('message').count()) === 0, { what: 'an empty chat' });
    await editor.reload();
    person = await personAt(editor);
    expect(await person.approval().count()).toBe(0);
    const badge = editor.page.locator('.part.activitybar .badge-content').filter({ hasText: /^1$/ });
    await badge.waitFor();
    await editor.screenshot('not-open');
    await (await editor.statusBar('Bough: waiting')).click();
    person = await personAt(editor);
    await person.approval().waitFor();
    await person.decide('approve');
    await person.says('Later it was.');
    await editor.statusBar('Bough: idle');
    await badge.waitFor({ state: 'detached' });
    expect(readFileSync(file('later.txt'), 'utf8')).toBe('later\n');
  }));

test('F1 F2: a card works once: after a reload, in two windows, never when its file or its line has changed', () =>
  withScriptedModel({ files: { 'a.txt': 'old\n' } }, async ({ editor, server, person: first }) => {
    let person = first;
    const file = (name: string) => path.join(editor.workspace, name);
    const log = () => onlyLog(editor.storage());
    const buttons = () => person.chat.locator('[data-testid="approve"]').count();
    const results = () => ofType(log(), 'message').filter(({ role }) => role === 'tool').length;

    // Two windows, both clicked.
    server.enqueue(reply.calls([run('echo once >> once.txt')]), reply.text('Ran.'));
    await person.send('Run it');
    await person.approval().waitFor();
    person = await reloaded(editor);
    await person.approval().waitFor();
    const window = await editor.secondWindow();
    await window.openBough();
    const other = new Person(editor, await window.chat());
    await other.approval().waitFor();
    await eventually(async () => (await other.at('approve').getAttribute('aria-disabled')) === 'false', {
      what: 'the card of the other window takes clicks',
    });
    await Promise.all([person.at('approve').dblclick(), other.at('approve').dblclick()]);
    await person.says('Ran.');
    await other.says('Ran.');
    await person.run('idle');
    expect(readFileSync(file('once.txt'), 'utf8')).toBe('once\n');
    expect(ofType(log(), 'approval_decision')).toHaveLength(1);
    expect(ofType(log(), 'tool_start')).toHaveLength(1);
    expect(await other.at('approve').count()).toBe(0);
    await window.page.close();

    // The file is another one by now.
    server.enqueue(reply.calls([write('a.txt', 'new\n')]), reply.text('Then not.'));
    await person.send('Write it');
    await person.approval().waitFor();
    writeFileSync(file('a.txt'), 'changed by hand\n');
    await person.decide('approve');
    await person.says('Then not.');
    await person.approval('expired').getByText('ask again').waitFor();
    expect(readFileSync(file('a.txt'), 'utf8')).toBe('changed by hand\n');
    expect(told(server, 4).at(-1)?.text).toMatch(/has changed since/);
    await editor.screenshot('file-changed');

    // Its turn was stopped.
    server.enqueue(reply.calls([run('echo late >> late.txt')]));
    await person.send('Run it later');
    await person.approval().waitFor();
    await person.at('stop').click();
    await person.run('idle');
    await person.approval('cancelled').waitFor();
    expect(await buttons()).toBe(0);

    // Another line was entered meanwhile, and left again.
    server.enqueue(reply.text('Another way.'));
    await person.message('user').last().hover();
    await person.message('user').last().locator('[data-testid="edit-message"]').click();
    await person.send('Do not run it');
    await person.says('Another way.');
    await person.run('idle');
    server.enqueue(reply.calls([run('echo branch >> late.txt')]));
    await person.send('Run it here');
    await person.approval().waitFor();
    await person.at('branch-prev').last().click();
    await person.pickerSays(1, 2);
    await person.at('branch-next').last().click();
    await person.approval('expired').nth(1).waitFor();
    expect(await buttons()).toBe(0);
    await editor.screenshot('expired');
    person = await reloaded(editor);
    await person.approval('expired').nth(1).waitFor();
    expect(await buttons()).toBe(0);
    expect(existsSync(file('late.txt'))).toBe(false);
    expect(results()).toBe(4);

    // An earlier prompt was sent in other words: that leads elsewhere, too, and nothing is asked.
    server.enqueue(reply.calls([run('echo edit >> late.txt')]), reply.text('Gone elsewhere.'));
    await person.send('Run it at last');
    await person.approval().waitFor();
    await person.editTo('Run it at last', 'Leave it', 'Gone elsewhere.');
    expect(ofType(log(), 'approval_decision').at(-1)).toMatchObject({ decision: 'expired' });
    expect(await person.at('problem').count()).toBe(0);
    expect(existsSync(file('late.txt'))).toBe(false);
    expect(ofType(log(), 'tool_start')).toHaveLength(1);
  }));
