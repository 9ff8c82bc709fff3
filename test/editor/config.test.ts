// Bad configuration: one sentence that says what to change, and a button that opens the place.
import { expect, test } from 'vitest';
import { reply, startModelServer } from '../model-server/index.js';
import { withEditor } from './bench/index.js';
import { personAt } from './person.js';

const openai = (baseUrl: string, models = [{ id: 'model-1' }]) => ({
  kind: 'openai-compatible',
  baseUrl,
  models,
});

test('each mistake in the settings says what to change', async () => {
  const server = await startModelServer();
  const closed = await startModelServer();
  await closed.close();
  try {
    const settings = { 'bough.retry.maxAttempts': 1, 'bough.retry.maxResumes': -1 };
    await withEditor({ settings, machineSettings: { 'bough.model': 'nobody/model-1' } }, async (editor) => {
      const person = await personAt(editor);
      const complains = async (text: RegExp, button: RegExp) => {
        await person.chat.getByText(text).first().waitFor();
        await person.chat.getByRole('button', { name: button }).first().waitFor();
      };
      await person.composer.fill('Hello');
      await person.at('send').click();
      await complains(/nobody/, /settings/i);
      await editor.screenshot('unknown-provider');

      editor.setMachineSettings({
        'bough.providers': { local: openai(server.url) },
        'bough.model': 'local/model-2',
      });
      server.script(({ body }) =>
        body.model === 'model-2'
          ? reply.error(404, { message: 'The model `model-2` does not exist', code: 'model_not_found' })
          : reply.error(401, { message: 'Incorrect API key provided', code: 'invalid_api_key' }),
      );
      await person.composer.fill('Hello again');
      await person.at('send').click();
      await complains(/model-2/, /model/i);
      await editor.screenshot('no-such-model');

      editor.setMachineSettings({
        'bough.providers': { local: openai(server.url) },
        'bough.model': 'local/model-1',
      });
      await person.composer.fill('And again');
      await person.at('send').click();
      await complains(/key/i, /key/i);
      await editor.screenshot('wrong-key');

      editor.setMachineSettings({
        'bough.providers': { local: openai(closed.url) },
        'bough.model': 'local/model-1',
      });
      await person.composer.fill('Once more');
      await person.at('send').click();
      await complains(/refused|reach/i, /settings/i);
      await editor.screenshot('refused');
      await person.chat
        .getByRole('button', { name: /settings/i })
        .last()
        .click();
      await editor.page
        .locator('.settings-editor, .monaco-editor[data-uri*="settings.json"]')
        .first()
        .waitFor();
      expect(editor.policyViolations()).toEqual([]);
    });
  } finally {
    await server.close();
  }
});
