// What the list of sessions says while there are none: no folder, no model, no session, a folder that is not trusted or was
// renamed. Each says what to do, and its button does it.
import { renameSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { reply, startModelServer } from '../model-server/index.js';
import { type Editor, eventually, withEditor } from './bench/index.js';
import { quickInput } from './bench/quick-input.js';
import { sessionsPane } from './bench/sessions-tree.js';
import { type EditorWindow, openWindow } from './bench/window.js';
import { onlyLog } from './log-on-disk.js';
import { personAt } from './person.js';
import { providers } from './scripted.js';

async function windowAt(editor: Editor, where: Record<string, string>): Promise<EditorWindow> {
  const url = `${editor.server.url}/?${new URLSearchParams(where).toString()}`;
  const evidence = path.dirname(await editor.screenshot('before'));
  const window = await openWindow({ page: await editor.context.newPage(), url, evidence });
  await window.openBough();
  return window;
}

test('the list says that there is no session and no model, then none, then what became of a renamed folder', async () => {
  const server = await startModelServer();
  try {
    await withEditor({}, async (editor) => {
      const person = await personAt(editor);
      const pane = sessionsPane(editor.page);
      const says = (text: string) => pane.getByText(text).waitFor();
      await editor.sessionsTree();
      await says('There are no sessions in this folder yet');
      await says('No model of your own is chosen');
      await editor.screenshot('no-model');
      await pane.getByRole('button', { name: 'Select Model' }).click();
      await quickInput(editor.page)
        .getByRole('option', { name: /Connect to a server/ })
        .waitFor();
      await editor.page.keyboard.press('Escape');

      // VS Code may miss a change of the file: then it is saved once more, as a person would.
      const { 'bough.providers': known, ...rest } = providers(server.url);
      const second = { kind: 'openai-compatible', baseUrl: server.url };
      const settings = { ...rest, 'bough.providers': { ...known, second } };
      editor.setMachineSettings(settings);
      await eventually(
        async () => {
          const isSaid = (await pane.getByText('No model of your own').count()) > 0;
          if (isSaid) editor.setMachineSettings(settings);
          return !isSaid;
        },
        { timeout: 40_000, interval: 8_000, what: 'there is a model' },
      );
      await says('There are no sessions in this folder yet');
      await editor.screenshot('no-sessions');

      // A server that is in trouble is not missing from the models without a word, and is asked again.
      server.models(reply.status(500));
      await editor.runCommand('Bough: Select Model…');
      const option = (hasText: string) => quickInput(editor.page).getByRole('option').filter({ hasText });
      await option('"second" cannot answer just now (500)').waitFor();
      await editor.screenshot('models-in-trouble');
      server.models(['large']);
      await option('Ask again').click();
      await option('second/large').waitFor();
      await editor.page.keyboard.press('Escape');

      server.enqueue(reply.text('Good morning.'));
      await person.ask('Hello', 'Good morning.');
      await editor.row('Hello');
      expect(await pane.getByText('There are no sessions').count()).toBe(0);
      const log = onlyLog(editor.storage());

      const nowhere = await windowAt(editor, { ew: 'true' });
      await nowhere.sessionsTree();
      await sessionsPane(nowhere.page).getByText('Bough works on a folder').waitFor();
      await sessionsPane(nowhere.page).getByRole('button', { name: 'Open Folder' }).waitFor();
      await nowhere.screenshot('no-folder');
      await nowhere.page.close();

      const renamed = path.join(path.dirname(editor.workspace), 'renamed');
      renameSync(editor.workspace, renamed);
      const there = await windowAt(editor, { folder: renamed });
      await there.sessionsTree();
      await sessionsPane(there.page).getByRole('button', { name: 'Link to This Folder' }).click();
      await there.pick(/^workspace/);
      await there.row('Hello');
      expect(onlyLog(editor.storage()).file).toBe(log.file);
    });
  } finally {
    await server.close();
  }
});

test('in a folder that is not trusted the list says what Bough does not do there, and the way to trust it', () =>
  withEditor({ restricted: true }, async (editor) => {
    await personAt(editor);
    await editor.sessionsTree();
    const pane = sessionsPane(editor.page);
    await pane.getByText('This folder is not trusted').waitFor();
    await editor.screenshot('untrusted');
    await pane.getByRole('button', { name: 'Manage Workspace Trust' }).click();
    await editor.page.locator('.workspace-trust-editor').waitFor();
  }));
