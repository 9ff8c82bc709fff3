// Scene l: a model that another extension provides.
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { withEditor } from './bench/index.js';
import { ofType, onlyLog } from './log-on-disk.js';
import { personAt, reloaded } from './person.js';

const extension = fileURLToPath(new URL('extensions/model', import.meta.url));

test('a vscode.lm model, chosen in the picker, answers with one tool call', () =>
  withEditor({ files: { 'seed.txt': 'sunflower\n' }, extensions: [extension] }, async (editor) => {
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
    const again = await reloaded(editor);
    await again
      .at('model-picker')
      .filter({ hasText: /Parrot/ })
      .waitFor();
  }));
