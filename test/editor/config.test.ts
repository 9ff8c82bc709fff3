// Bad configuration: one sentence that says what to change, and a button that opens the place.
import { expect, test } from 'vitest';
import { reply, startModelServer } from '../model-server/index.js';
import { eventually, withEditor } from './bench/index.js';
import { personAt } from './person.js';

/** Of a port that a server had and gave back, the system may have made another's meanwhile; this one it gives to nobody. */
const NOBODY = 'http://127.0.0.1:1/v1';

const openai = (baseUrl: string, models = [{ id: 'model-1' }]) => ({
  kind: 'openai-compatible',
  baseUrl,
  models,
});

test('each mistake in the settings says what to change', async () => {
  const server = await startModelServer();
  try {
    const settings = { 'bough.retry.maxAttempts': 1, 'bough.retry.maxResumes': -1 };
    await withEditor({ settings, machineSettings: { 'bough.model': 'nobody/model-1' } }, async (editor) => {
      const person = await personAt(editor);
      /** VS Code takes a moment to see a changed settings file: until then the old mistake is told, and one tries again. */
      const complains = async (prompt: string, text: RegExp, button: RegExp) => {
        await person.send(prompt);
        const told = person.at('failure').filter({ hasText: text });
        await eventually(
          async () => {
            await person.run('idle');
            if ((await told.count()) > 0) return true;
            await person.chat.getByRole('button', { name: 'Try Again' }).last().click({ timeout: 1_000 });
            return false;
          },
          { timeout: 30_000, interval: 500, what: `a complaint like ${String(text)}` },
        );
        await told.getByRole('button', { name: button }).first().waitFor();
      };
      await complains('Hello', /nobody/, /settings/i);
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
      await complains('Hello again', /model-2/, /model/i);
      await editor.screenshot('no-such-model');

      editor.setMachineSettings({
        'bough.providers': { local: openai(server.url) },
        'bough.model': 'local/model-1',
      });
      await complains('And again', /key/i, /key/i);
      await editor.screenshot('wrong-key');

      editor.setMachineSettings({
        'bough.providers': { local: openai(NOBODY) },
        'bough.model': 'local/model-1',
      });
      await complains('Once more', /refused|reach/i, /settings/i);
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
