// Scene l: a model that another extension provides, and a tool that a third one registered.
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { withEditor } from './bench/index.js';
import { ofType, onlyLog } from './log-on-disk.js';
import { personAt, reloaded } from './person.js';

const extensions = ['model', 'tool'].map((name) =>
  fileURLToPath(new URL(`extensions/${name}`, import.meta.url)),
);

test('a vscode.lm model, chosen in the picker, answers with one tool call, then with one of a tool of another extension', () =>
  withEditor({ files: { 'seed.txt': 'sunflower\n' }, extensions }, async (editor) => {
    const person = await personAt(editor);
    await person.at('model-picker').click();
    await editor.pick(/Parrot/);
    await person
      .at('model-picker')
      .filter({ hasText: /Parrot/ })
      .waitFor();
    await person.send('What does the seed say?');
    await person.tool('read', 'ok').waitFor();
    await person.says(/Parrot read:.*sunflower/s);
    await person.run('idle');
    await editor.screenshot('answered');
    expect(ofType(onlyLog(editor.storage()), 'model_change')).toHaveLength(1);

    // Asked about like ours, by its title and whose it is; what fails in it is told.
    await person.send('What is the weather in Oslo?');
    await person.approval().filter({ hasText: 'Call Weather of bough-tests.tool-of-tests' }).waitFor();
    await editor.screenshot('tool');
    await person.decide('approve');
    await person.says('Parrot read: Rain in Oslo.');
    await person.message('assistant').filter({ hasText: 'Take a coat.' }).waitFor();
    await person.run('idle');
    await person.send('And the weather in Atlantis?');
    await person.decide('approve');
    await person.tool('tests_weather', 'error').waitFor();
    await person.says(/Parrot read: .*there is no such place/);
    await person.run('idle');

    // Left out when the person does not want it.
    await person.at('session-menu').click();
    await person.chat.getByRole('menuitem', { name: 'Tools of Extensions…' }).click();
    const list = editor.page.locator('.quick-input-widget');
    await list.locator('.monaco-list-row').filter({ hasText: 'Tells the weather' }).click();
    await editor.screenshot('tools');
    await list.getByRole('button', { name: 'OK' }).click();
    await person.send('The weather in Bergen?');
    await person.says('Parrot has no tests_weather.');
    await person.run('idle');
    expect(await person.tool('tests_weather').count()).toBe(2);

    const again = await reloaded(editor);
    await again
      .at('model-picker')
      .filter({ hasText: /Parrot/ })
      .waitFor();
  }));
