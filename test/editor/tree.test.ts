// A conversation with three lines: each is reached from the tree, named, left with a summary, and made shorter for the
// model while nothing of it is lost.
import { expect, test } from 'vitest';
import { reply } from '../model-server/index.js';
import { eventually } from './bench/index.js';
import { ofType, onlyLog } from './log-on-disk.js';
import { type Person, reloaded } from './person.js';
import { told, withScriptedModel } from './scripted.js';

const node = (person: Person, words: string) => person.at('tree-node').filter({ hasText: words });

test('three lines in the tree: reached, labelled, told of and compacted', () =>
  withScriptedModel({}, async ({ editor, server, person: first }) => {
    let person = first;
    const long = (about: string) => Array.from({ length: 300 }, (_, n) => `${about} ${n}`).join('\n\n');
    server.enqueue(
      reply.text(long('Plan')),
      reply.text(`It takes nine hours.\n\n${long('Station')}`),
      reply.text('By car it takes seven.'),
      reply.text('On foot it takes a month.'),
    );
    await person.ask('Plan the trip', 'Plan 299');
    await person.ask('By train', 'nine hours');
    await person.editTo('By train', 'By car', 'seven');
    await person.editTo('By car', 'On foot', 'a month');

    // each leaf is reached from the tree, and the way there is kept
    await person.at('tree-toggle').click();
    await person.at('tree').waitFor();
    expect(await person.at('tree-node').count()).toBe(8);
    await editor.screenshot('tree');
    for (const [leaf, index] of [
      ['nine hours', 1],
      ['seven', 2],
      ['a month', 3],
    ] as const) {
      await node(person, leaf).click();
      await person.says(leaf);
      await person.pickerSays(index, 3);
    }

    // a place of another line comes into sight, far as it is from where that line ends
    await node(person, 'By train').click();
    const prompt = person.message('user').filter({ hasText: 'By train' });
    const isInSight = (rows: Element[]) =>
      rows.some((row) => {
        const { top, bottom } = row.getBoundingClientRect();
        return top > 0 && bottom < window.innerHeight;
      });
    await eventually(() => prompt.evaluateAll(isInSight), { what: 'the prompt is in sight' });
    await person.pickerSays(1, 3);

    // a name for it
    await node(person, 'nine hours').hover();
    await node(person, 'nine hours').getByRole('button', { name: 'Label' }).click();
    await editor.page.keyboard.type('slow but calm');
    await editor.page.keyboard.press('Enter');
    await person.at('tree').getByText('slow but calm').waitFor();

    person = await reloaded(editor);
    await person.says('nine hours');
    await person.at('tree-toggle').click();
    await person.at('tree').getByText('slow but calm').waitFor();

    // leaving with a summary
    await node(person, 'seven').click();
    await person.says('seven');
    server.enqueue(reply.text('The train was found slow but calm.'), reply.text('Agreed.'));
    await person.at('left-summary').click();
    await person.at('branch-summary').waitFor();
    await person.run('idle');
    await person.ask('So the car?', 'Agreed.');
    expect(JSON.stringify(told(server, 6))).toContain('The train was found slow but calm.');
    expect(JSON.stringify(told(server, 6))).not.toContain('nine hours');

    // shorter for the model, whole for the person
    server.enqueue(reply.text('A trip is planned; the car wins.'), reply.text('Seven hours, as said.'));
    await person.at('session-menu').click();
    await person.chat.getByRole('menuitem', { name: 'Compact Conversation…' }).click();
    await editor.page.locator('.quick-input-widget:visible input').fill('the means of travel');
    await editor.page.keyboard.press('Enter');
    await person.at('compaction').waitFor();
    await person.run('idle');
    expect(JSON.stringify(told(server, 7))).toContain('the means of travel');
    await person.ask('How long again?', 'as said');
    expect(JSON.stringify(told(server, 8))).toContain('A trip is planned; the car wins.');
    expect(JSON.stringify(told(server, 8))).not.toContain('Plan 7');
    await editor.screenshot('compacted');
    await person.message('assistant').filter({ hasText: 'Plan 299' }).first().waitFor({ state: 'attached' });

    // from before the compaction
    await person.at('compaction').getByRole('button').first().click();
    await person.chat.getByRole('button', { name: 'Branch from Before It' }).click();
    await person.says('Agreed.');
    server.enqueue(reply.text('With everything in view.'));
    await person.ask('And with all of it?', 'With everything in view.');
    expect(JSON.stringify(told(server, 9))).toContain('Plan 7');

    const log = onlyLog(editor.storage());
    expect(ofType(log, 'compaction')).toHaveLength(1);
    expect(ofType(log, 'branch_summary')).toHaveLength(1);
    expect(ofType(log, 'usage').filter(({ purpose }) => purpose === 'summary')).toHaveLength(2);
  }));
