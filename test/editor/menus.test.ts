// The menus of the session, of messages and of the tree's nodes, and a comparison that moves to an editor tab.
import { expect, test } from 'vitest';
import { reply } from '../model-server/index.js';
import { eventually } from './bench/index.js';
import { Person } from './person.js';
import { told, withScriptedModel } from './scripted.js';

test('undo, branch, edit, copy, label, compare, collapse and fork from the menus of a session', () =>
  withScriptedModel({}, async ({ editor, server, person }) => {
    const { page } = editor;
    server.enqueue(
      reply.text('First answer.'),
      reply.text('Second answer.'),
      reply.text('Third answer.'),
      reply.text('The other third.'),
    );
    await person.ask('First prompt', 'First answer.');
    await person.ask('Second prompt', 'Second answer.');
    await person.ask('Third prompt', 'Third answer.');
    const node = (words: string) => person.at('tree-node').filter({ hasText: words });
    const answer = (words: string) => person.message('assistant').filter({ hasText: words });

    // the last turn undone: the way back is offered and gone, and the prompt is not lost
    await person.at('session-menu').click();
    await person.chat.getByRole('menuitem', { name: 'Undo Last Turn' }).click();
    await person.at('left-branch').getByText('The turn was undone').waitFor();
    await eventually(async () => (await person.composer.inputValue()) === 'Third prompt', {
      what: 'the prompt is back in the composer',
    });
    expect(await answer('Third answer.').count()).toBe(0);
    await editor.screenshot('undone');
    await person.at('left-back').click();
    await person.says('Third answer.');
    await person.composer.fill('');

    // branch from the second answer, by the menu of its row
    await editor.choose(answer('Second answer.'), 'Branch from Here');
    await eventually(async () => (await answer('Third answer.').count()) === 0, {
      what: 'the line ends at the second answer',
    });
    await person.ask('Another third', 'The other third.');
    await editor.screenshot('branched');

    // copy and edit; what is edited stays as it was until it is sent
    await editor.choose(person.message('user').filter({ hasText: 'Second prompt' }), 'Edit Message');
    await eventually(async () => (await person.composer.inputValue()) === 'Second prompt', {
      what: 'the prompt is in the composer',
    });
    await person.at('edit-cancel').click();
    await editor.choose(answer('The other third.'), 'Copy Message');
    await person.composer.click();
    await page.keyboard.press('ControlOrMeta+V');
    await eventually(async () => (await person.composer.inputValue()) === 'The other third.', {
      what: 'the answer is in the clipboard',
    });
    await person.composer.fill('');

    // a node of another line: a label, a comparison, and the way there
    await person.at('tree-toggle').click();
    await editor.choose(node('Third answer.'), 'Label…');
    const input = page.locator('.quick-input-widget:visible input');
    await input.fill('the first try');
    await page.keyboard.press('Enter');
    await person.at('tree').getByText('the first try').waitFor();
    await editor.choose(node('Third answer.'), 'Compare Branches…');
    const column = (on: Person, side: string) =>
      on.chat.locator(`[data-testid="compare-column"][data-side="${side}"]`);
    await column(person, 'right').getByText('Third answer.').waitFor();
    await column(person, 'left').getByText('The other third.').waitFor();

    // the comparison in an editor tab, and the panel as it was
    await person.at('compare-in-editor').click();
    const tab = new Person(editor, await editor.tab());
    await column(tab, 'right').getByText('Third answer.').waitFor();
    await column(tab, 'left').getByText('The other third.').waitFor();
    await editor.screenshot('compared-in-tab');
    await person.at('compare').waitFor({ state: 'detached' });
    await tab.at('compare-close').click();
    await page.keyboard.press('ControlOrMeta+F4');

    // by keyboard, on the node with the focus
    await person.at('tree').focus();
    await page.keyboard.press('Home');
    await editor.choose(undefined, 'Branch from Here');
    await eventually(async () => (await answer('First answer.').count()) === 0, {
      what: 'the line ends at the first prompt',
    });
    await editor.choose(node('The other third.'), 'Go to Branch');
    await person.says('The other third.');

    // a part is told by a summary from here on
    server.enqueue(reply.text('Two things were asked.'), reply.text('As said.'));
    await editor.choose(
      person.message('user').filter({ hasText: 'First prompt' }),
      'Replace a Part by a Summary…',
    );
    const rows = page.locator('.quick-input-widget:visible').getByRole('option');
    await rows.filter({ hasText: 'Second answer.' }).click();
    await input.fill('');
    await page.keyboard.press('Enter');
    await person.at('branch-summary').waitFor();
    await person.run('idle');
    await person.ask('And then?', 'As said.');
    const asked = JSON.stringify(told(server, server.requests.length));
    expect(asked).toContain('Two things were asked.');
    expect(asked).not.toContain('Second prompt');

    // a session of its own, up to here
    await editor.choose(answer('The other third.'), 'Fork Session…');
    await editor.pick('Up to here');
    await eventually(async () => (await person.at('session-title').innerText()).startsWith('Fork of'), {
      what: 'the fork is shown',
    });
    await person.says('The other third.');
    expect(await answer('As said.').count()).toBe(0);
  }));
