// Two lines beside each other: what was said on each from where they part, and what each made of the files.
import { expect, test } from 'vitest';
import { reply } from '../model-server/index.js';
import { eventually } from './bench/index.js';
import { onlyLog } from './log-on-disk.js';
import { withScriptedModel } from './scripted.js';

const writes = (file: string, content: string) =>
  reply.calls([{ name: 'write', args: { path: file, content } }]);

test('two branches are compared from the tree, and from the list of sessions', () =>
  withScriptedModel({ files: { 'plan.md': 'base\n' } }, async ({ editor, server, person }) => {
    await person.setMode('Accept edits', 'accept_edits');
    server.enqueue(
      reply.text('Ready.'),
      writes('plan.md', 'by train\n'),
      reply.text('The **train** it is.'),
      writes('plan.md', 'by car\n'),
      writes('car.md', 'rent one\n'),
      reply.text('The car it is.'),
    );
    await person.ask('Plan a trip', 'Ready.');
    await person.ask('Take the train', 'train it is.');
    await person.at('tree-toggle').click();
    await person.at('tree-node').filter({ hasText: 'Ready.' }).hover();
    await person
      .at('tree-node')
      .filter({ hasText: 'Ready.' })
      .getByRole('button', { name: 'Branch from here' })
      .click();
    await person.at('left-branch').waitFor();
    await person.ask('Take the car', 'The car it is.');
    const entries = onlyLog(editor.storage()).entries.length;

    // from the tree
    const compare = person.at('compare');
    const column = (side: string) =>
      person.chat.locator(`[data-testid="compare-column"][data-side="${side}"]`);
    await person.at('tree-node').filter({ hasText: 'The **train**' }).hover();
    await person
      .at('tree-node')
      .filter({ hasText: 'The **train**' })
      .getByRole('button', { name: 'Compare with the branch on show' })
      .click();
    await compare.getByText('Both go on from “Ready.”').waitFor();
    expect(await column('left').innerText()).toContain('The car it is.');
    expect(await column('left').innerText()).toContain('Wrote car.md');
    expect(await column('right').innerText()).toContain('The train it is.');
    expect(await compare.innerText()).not.toContain('Plan a trip');
    expect(await column('left').getAttribute('aria-label')).toContain('on show');
    await editor.screenshot('compared');
    await editor.page.keyboard.press('Escape');
    await compare.waitFor({ state: 'detached' });

    // the files in VS Code's own diff
    await person.at('tree-node').filter({ hasText: 'Take the train' }).click();
    await person.pickerSays(1, 2);
    const rows = async () => (await editor.sessionsTree()).filter(({ level }) => level === 2);
    await (await editor.row('Plan a trip')).locator.locator('.monaco-tl-twistie').click();
    await eventually(async () => (await rows()).length === 2, { what: 'two branches below the session' });
    await (await editor.row('Take the car')).locator.click({ button: 'right' });
    // A menu takes no click in its first moments.
    const item = editor.page.locator('.monaco-menu').getByText('Compare Branches…');
    await item.waitFor();
    await eventually(
      async () => {
        if ((await item.count()) > 0) await item.click({ timeout: 1_000 });
        return (await item.count()) === 0;
      },
      { what: 'the menu takes the click', interval: 200 },
    );
    await compare.getByText('2 files differ.').waitFor();
    expect(await column('left').innerText()).toContain('The train it is.');
    expect(await column('right').innerText()).toContain('The car it is.');
    await person.at('compare-all').click();
    const multi = editor.page.locator('.multiDiffEditor');
    await multi.getByText('car.md').first().waitFor();
    await multi.getByText('by train').waitFor();
    await multi.getByText('by car').waitFor();
    await editor.screenshot('files');
    await person.at('compare-file').filter({ hasText: 'plan.md' }).click();
    await editor.page.locator('.diffEditor, .monaco-diff-editor').getByText('by train').first().waitFor();

    // reading changed nothing but where the conversation is
    const added = onlyLog(editor.storage()).entries.slice(entries);
    expect(added.map(({ type }) => type)).toEqual(['head']);
    await column('right').getByRole('button', { name: 'Switch to This Branch' }).click();
    await person.says('The car it is.');
    await person.pickerSays(2, 2);
  }));
