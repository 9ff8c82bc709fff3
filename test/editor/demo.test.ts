// Scene a: a newcomer without a key.
import { expect, test } from 'vitest';
import { withEditor } from './bench/index.js';
import { onlyLog, types } from './log-on-disk.js';
import { personAt } from './person.js';

test('without a key the demo model answers from the real files', () =>
  withEditor(
    { files: { 'readme.md': '# Larch\n\nCounts trees.\n', 'src/count.ts': 'export const count = 3;\n' } },
    async (editor) => {
      let clicks = 0;
      const person = await personAt(editor); // one click, on the activity bar
      clicks += 1;
      await person.composer.fill('what is in this folder?');
      await person.at('send').click();
      clicks += 1;
      await person.tool('list', 'ok').first().waitFor();
      await person.tool('read', 'ok').first().waitFor();
      await person.run('idle', 60_000);
      await person.says(/readme\.md/);
      await person.says(/src/);
      await person.says(/demo/i);
      await editor.screenshot('answered');
      expect(clicks).toBeLessThan(5);
      expect(types(onlyLog(editor.storage()))).toEqual(
        expect.arrayContaining(['message', 'turn_start', 'step_start', 'step_end', 'turn_end']),
      );
      expect(editor.policyViolations()).toEqual([]);
    },
  ));

test('/demo rate-limit shows a wait that the server asked for, and then answers', () =>
  withEditor({}, async (editor) => {
    const person = await personAt(editor);
    await person.send('/demo rate-limit');
    await person.retry('retry').waitFor();
    await editor.screenshot('rate-limit');
    await person.run('idle', 60_000);
    await person.message('assistant').first().waitFor();
    await person.send('/demo edit');
    await person.decide('approve');
    await person.tool('edit', 'ok').waitFor();
    await person.run('idle', 60_000);
    await editor.screenshot('edited');
  }));
