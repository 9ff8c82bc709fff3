// Commands on lines that stand in menus alone: a summary to read, undo and beginning anew, an archived session that comes
// back, and whether files follow when one goes to another branch.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { reply } from '../model-server/index.js';
import { eventually } from './bench/index.js';
import { quickInput } from './bench/quick-input.js';
import { caller, run } from './caller.js';
import { branchRows } from './leaves.js';
import { ofType, onlyLog } from './log-on-disk.js';
import { told, withScriptedModel } from './scripted.js';

test('a part is summarised to be read, a turn undone, the conversation begun anew, an archived session unarchived', () =>
  withScriptedModel({ extensions: [caller] }, async ({ editor, server, person }) => {
    server.enqueue(reply.text('By train.'), reply.text('On Monday.'));
    await person.ask('How do we travel?', 'By train.');
    await person.ask('And when?', 'On Monday.');
    const log = () => onlyLog(editor.storage());
    const { bytes } = log();

    // What is summarised is shown in an editor, and nothing is written.
    server.enqueue(reply.text('They travel by train on Monday.'));
    await editor.choose(person.message('user').filter({ hasText: 'How do we travel?' }), 'Summarise a Part…');
    await editor.pick(/On Monday/);
    await editor.page.getByRole('tab', { name: /Summary of a branch/ }).waitFor();
    await editor.page.locator('.editor-instance').getByText('They travel by train on Monday.').waitFor();
    await editor.screenshot('summary');
    expect(JSON.stringify(told(server, 3))).toContain('How do we travel?');
    expect(log().bytes.equals(bytes)).toBe(true);

    await run(editor, 'bough.turn.undo');
    await person.at('left-branch').getByText('The turn was undone').waitFor();
    await eventually(async () => (await person.composer.inputValue()) === 'And when?', {
      what: 'the prompt is back in the composer',
    });
    expect(await person.message('user').count()).toBe(1);

    await run(editor, 'bough.session.clear');
    await eventually(async () => (await person.at('message').count()) === 0, { what: 'an empty chat' });
    expect(ofType(log(), 'head').at(-1)).toMatchObject({ entry_id: null });
    server.enqueue(reply.text('Hello again.'));
    await person.ask('Hello', 'Hello again.');
    // What was said stays: a line of the same session.
    expect(log().bytes.subarray(0, bytes.length).equals(bytes)).toBe(true);
    await person.pickerSays(2, 2);

    const id = log().header['id'];
    await run(editor, 'bough.session.archive', id);
    await person.notice('read-only').filter({ hasText: 'archived' }).waitFor();
    const [row] = await editor.sessionsTree();
    await editor.choose(row?.locator, 'Unarchive Session');
    await eventually(async () => (await person.notice('read-only').count()) === 0, { what: 'no notice' });
    server.enqueue(reply.text('Still here.'));
    await person.ask('Are you there?', 'Still here.');
  }));

test('H8: going to another branch from a menu asks whether files follow: not at all, the conversation only, or both', () =>
  withScriptedModel(
    { files: { 'plan.md': 'base\n' }, extensions: [caller] },
    async ({ editor, server, person }) => {
      const plan = path.join(editor.workspace, 'plan.md');
      const writes = (content: string) =>
        reply.calls([{ name: 'write', args: { path: 'plan.md', content } }]);
      const has = (wanted: string) =>
        eventually(() => existsSync(plan) && readFileSync(plan, 'utf8') === wanted, {
          what: `plan.md says ${wanted}`,
        });
      await person.setMode('Accept edits', 'accept_edits');
      server.enqueue(reply.text('Ready.'), writes('by train\n'), reply.text('The train it is.'));
      server.enqueue(writes('by car\n'), reply.text('The car it is.'));
      await person.ask('Plan a trip', 'Ready.');
      await person.ask('Take the train', 'The train it is.');
      await person.editTo('Take the train', 'Take the car', 'The car it is.');
      await has('by car\n');
      const question = quickInput(editor.page);
      const asked = () => question.getByRole('option', { name: /Conversation and Files/ }).waitFor();
      const goTo = async (title: string) => {
        await eventually(async () => (await branchRows(editor)).length === 2, { what: 'both branches' });
        const row = (await branchRows(editor)).find((one) => one.title === title);
        await editor.choose(row?.locator, 'Go to Branch');
      };
      const [session] = await editor.sessionsTree();
      if (session?.expanded !== true) await session?.locator.locator('.monaco-tl-twistie').click();

      // Who takes back the question goes nowhere.
      await goTo('Take the train');
      await asked();
      await question.getByText('plan.md').waitFor();
      await editor.screenshot('asked');
      await editor.page.keyboard.press('Escape');
      await eventually(async () => (await question.count()) === 0, { what: 'the question is gone' });
      await person.says('The car it is.');

      await goTo('Take the train');
      await asked();
      await editor.pick('Conversation Only');
      await person.says('The train it is.');
      expect(readFileSync(plan, 'utf8')).toBe('by car\n');

      // From a node of the drawn tree, with its files, which are shown first. Now they are as this line left them.
      await goTo('Take the car');
      await person.says('The car it is.');
      await person.at('tree-toggle').click();
      await editor.choose(person.at('tree-node').filter({ hasText: 'The train it is.' }), 'Go to Branch');
      await asked();
      await editor.pick('Conversation and Files');
      await person.says('The train it is.');
      const restore = editor.notification('Restore 1 file? plan.md.');
      await restore.waitFor();
      expect(readFileSync(plan, 'utf8')).toBe('by car\n');
      await restore.getByRole('button', { name: 'Restore 1 File' }).click();
      await has('by train\n');
      await editor.screenshot('followed');

      // And of no branch in particular: the person chooses it, then whether files follow.
      await run(editor, 'bough.branch.navigate');
      await editor.pick(/Take the car/);
      await asked();
      await editor.pick('Conversation Only');
      await person.says('The car it is.');
      expect(readFileSync(plan, 'utf8')).toBe('by train\n');
    },
  ));
