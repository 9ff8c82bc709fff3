// The side bar and a tab are surfaces of their own: a new session in one leaves the other where it is, over a reload too.
import { expect, test } from 'vitest';
import { reply } from '../model-server/index.js';
import { eventually } from './bench/index.js';
import { logsBelow } from './log-on-disk.js';
import { Person, personAt } from './person.js';
import { withScriptedModel } from './scripted.js';

const isEmpty = (person: Person) =>
  eventually(async () => (await person.at('message').count()) === 0, { what: 'an empty chat' });

test('a new session changes the tab or the side bar, whichever it was asked for in', () =>
  withScriptedModel({}, async ({ editor, server, person: first }) => {
    let side = first;
    server.enqueue(reply.text('Oaks are trees.'));
    await side.ask('What are oaks?', 'Oaks are trees.');
    await editor.runCommand('Bough: Open Chat in Editor');
    let tab = new Person(editor, await editor.tab());
    await tab.says('Oaks are trees.');

    // In the tab: the side bar stays.
    await tab.composer.fill('/new');
    await tab.composer.press('Enter');
    await isEmpty(tab);
    await side.says('Oaks are trees.');

    // VS Code keeps what a tab says of itself seconds late; the reload is sooner.
    await editor.reload();
    tab = new Person(editor, await editor.tab());
    await isEmpty(tab);
    side = await personAt(editor);
    await side.says('Oaks are trees.');
    server.enqueue(reply.text('Elms are trees too.'));
    await tab.ask('What are elms?', 'Elms are trees too.');
    await editor.page.locator('.tab.active').filter({ hasText: 'What are elms?' }).waitFor();
    await editor.screenshot('tab-of-its-own');

    // From the palette, with the tab in front: again only the tab, and what was in it is in the list.
    await editor.runCommand('Bough: New Session');
    await isEmpty(tab);
    await side.says('Oaks are trees.');
    await editor.row('What are elms?');
    server.enqueue(reply.text('Ashes are trees.'));
    await tab.ask('What are ashes?', 'Ashes are trees.');

    // In the side bar, by its button and by its composer: the tab stays.
    await editor.page.getByRole('button', { name: 'New Session' }).first().click();
    await isEmpty(side);
    server.enqueue(reply.text('Reeds are grass.'));
    await side.ask('What are reeds?', 'Reeds are grass.');
    await side.composer.fill('/new');
    await side.composer.press('Enter');
    await isEmpty(side);
    await tab.says('Ashes are trees.');

    // Each is what it was after a reload.
    server.enqueue(reply.text('Moss is moss.'));
    await side.ask('What is moss?', 'Moss is moss.');
    await editor.reload();
    tab = new Person(editor, await editor.tab());
    await tab.says('Ashes are trees.');
    side = await personAt(editor);
    await side.says('Moss is moss.');
    expect(logsBelow(editor.storage())).toHaveLength(5);
  }));

test('a second window on the folder begins with the session of the first, and then each keeps its own', () =>
  withScriptedModel({}, async ({ editor, server, person: first }) => {
    server.enqueue(reply.text('Oaks are trees.'));
    await first.ask('What are oaks?', 'Oaks are trees.');
    const window = await editor.secondWindow();
    await window.openBough();
    let second = new Person(editor, await window.chat());
    await second.says('Oaks are trees.');
    await window.runCommand('Bough: New Session');
    await isEmpty(second);
    server.enqueue(reply.text('Elms are trees too.'));
    await second.ask('What are elms?', 'Elms are trees too.');

    await editor.reload();
    await (await personAt(editor)).says('Oaks are trees.');
    await window.reload();
    second = new Person(editor, await window.chat());
    await second.says('Elms are trees too.');
  }));
