// Scene i: five sessions, as people handle them.
import { expect, test } from 'vitest';
import { reply } from '../model-server/index.js';
import { type Editor, eventually } from './bench/index.js';
import { logsBelow } from './log-on-disk.js';
import { personAt } from './person.js';
import { withScriptedModel } from './scripted.js';

const row = (editor: Editor, title: string) =>
  eventually(async () => (await editor.sessionsTree()).find((found) => found.title === title), {
    what: `a row "${title}"`,
  });
const described = (editor: Editor, title: string, description: string) =>
  eventually(
    async () =>
      (await editor.sessionsTree()).some(
        (found) => found.title === title && found.description === description,
      ),
    {
      what: `"${title}" is ${description}`,
    },
  );
const gone = (editor: Editor, title: string) =>
  eventually(async () => !(await editor.sessionsTree()).some((found) => found.title === title), {
    what: `no row "${title}"`,
  });

test('five sessions: new, rename, switch, open from the tree, delete and undo', () =>
  withScriptedModel(
    { settings: { 'bough.retry.maxAttempts': 1, 'bough.retry.maxResumes': -1 } },
    async ({ editor, server, person }) => {
      let chat = person;
      for (const name of ['Alder', 'Beech', 'Cedar', 'Douglas']) {
        server.enqueue(reply.text(`About ${name}.`));
        await chat.send(`Tell me about ${name}`);
        await chat.says(`About ${name}.`);
        await chat.run('idle');
        await editor.runCommand('Bough: New Session');
        chat = await personAt(editor);
        await eventually(async () => (await chat.at('message').count()) === 0, { what: 'an empty chat' });
      }
      // The fifth goes on running while another is shown.
      const held = reply.hold(['Elm is '], ['a tree.']);
      server.enqueue(held);
      await chat.send('Tell me about Elm');
      await held.reached;
      await described(editor, 'Tell me about Elm', 'running');
      await editor.screenshot('tree');

      await (await row(editor, 'Tell me about Beech')).locator.click();
      chat = await personAt(editor);
      await chat.says('About Beech.');
      await editor.runCommand('Bough: Rename Session…');
      await editor.answer('The beech');
      await row(editor, 'The beech');
      await eventually(async () => (await chat.at('session-title').innerText()).includes('The beech'), {
        what: 'the new title',
      });

      await editor.runCommand('Bough: Switch Session…');
      await editor.pick(/Tell me about Cedar/);
      chat = await personAt(editor);
      await chat.says('About Cedar.');

      held.release();
      await described(editor, 'Tell me about Elm', '');
      await (await row(editor, 'Tell me about Elm')).locator.click();
      chat = await personAt(editor);
      await chat.says('Elm is a tree.');

      server.enqueue(reply.calls([{ name: 'write', args: { path: 'x.txt', content: 'x' } }]));
      await chat.send('Write x');
      await described(editor, 'Tell me about Elm', 'waiting');
      await chat.decide('deny');
      await described(editor, 'Tell me about Elm', 'incomplete'); // the script has no more replies: that turn fails

      await editor.runCommand('Bough: Switch Session…');
      await editor.pick(/Tell me about Alder/);
      chat = await personAt(editor);
      await chat.says('About Alder.');
      const before = logsBelow(editor.storage()).length;
      await editor.runCommand('Bough: Delete Session…');
      await editor.confirm('Delete');
      await gone(editor, 'Tell me about Alder');
      expect(logsBelow(editor.storage()).length).toBe(before - 1);
      await editor.notification('Alder').getByRole('button', { name: 'Undo' }).click();
      await (await row(editor, 'Tell me about Alder')).locator.click();
      chat = await personAt(editor);
      await chat.says('About Alder.');
      expect(logsBelow(editor.storage()).length).toBe(before);
    },
  ));
