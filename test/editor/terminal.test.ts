// The person's own terminal: a command runs there on request, what it printed goes along with an @, colours are colours.
import { expect, test } from 'vitest';
import { reply } from '../model-server/index.js';
import { eventually } from './bench/index.js';
import { ofType, onlyLog } from './log-on-disk.js';
import { told, withScriptedModel } from './scripted.js';

const run = (command: string, more: Record<string, unknown> = {}) =>
  reply.calls([{ name: 'run', args: { command, ...more } }]);

test('a command runs in the terminal on request, is stopped there and outlives nothing it should not; its text is mentioned; colours are drawn', () =>
  withScriptedModel(
    {
      // A plain shell of its own, whatever the account of the machine has.
      env: { SHELL: '/bin/bash' },
      // Rows that can be read.
      settings: {
        'terminal.integrated.defaultProfile.linux': 'bash',
        'terminal.integrated.gpuAcceleration': 'off',
      },
    },
    async ({ editor, server, person }) => {
      const results = () =>
        ofType(onlyLog(editor.storage()), 'message').flatMap(({ role, parts }) =>
          role === 'tool' ? (parts ?? []).flatMap((part) => ('content' in part ? [part] : [])) : [],
        );
      const terminals = editor.page.locator('.terminal-outer-container .xterm');

      // its variables stay there, as in any terminal of the person's
      server.enqueue(
        run(`MARK=here; printf '\\033[32mgreen\\033[0m %s\\n' "$(tty)"; (exit 3)`),
        reply.text('It said 3.'),
      );
      await person.send('Run it where I see it');
      await person.decide('run-in-terminal');
      await person.says('It said 3.', 60_000);
      await person.run('idle');
      await terminals.first().waitFor();
      expect(results()[0]).toMatchObject({ is_error: true });
      expect(results()[0]?.content).toMatch(
        /^green \/dev\/pts\/\d+\n\n\[It ran in the person's terminal "Bough"\.\]\n\[Exit code 3 after /,
      );
      expect(ofType(onlyLog(editor.storage()), 'approval_decision')).toMatchObject([
        { decision: 'allow', scope: 'once', place: 'terminal' },
      ]);
      const card = person.tool('run', 'error').first();
      expect(await card.innerText()).toMatch(/exit 3 · .* · in your terminal/);
      await card.getByTestId('tool-toggle').click();
      const green = card.locator('span', { hasText: /^green$/ }).last();
      await green.waitFor();
      expect(await green.evaluate((element) => getComputedStyle(element).color)).not.toBe(
        await card.evaluate((element) => getComputedStyle(element).color),
      );
      await editor.screenshot('ran');

      // the same terminal again, in which nothing runs
      server.enqueue(run('echo "it is $MARK"'), reply.text('Still there.'));
      await person.send('Look again');
      await person.decide('run-in-terminal');
      await person.says('Still there.', 60_000);
      await person.run('idle');
      expect(results()[1]).toMatchObject({ is_error: false });
      expect(results()[1]?.content).toMatch(/^it is here\n/);

      // what the person did there goes along, what still runs too
      const chip = person.at('draft-chip').filter({ hasText: 'read answer' });
      const name = async () => {
        await person.composer.fill('What is @term');
        await person.chat.getByRole('option', { name: /^Terminal/ }).click();
      };
      const rows = terminals.first().locator('.xterm-rows');
      await terminals.first().click();
      await editor.page.keyboard.type('read answer; echo "answer: $answer"\n');
      await eventually(
        async () => {
          await name();
          await chip.waitFor({ timeout: 2_000 });
          return true;
        },
        { what: 'VS Code told that the command began' },
      );
      await chip.getByRole('button', { name: /Remove/ }).click();
      await chip.waitFor({ state: 'detached' });
      await terminals.first().click();
      await editor.page.keyboard.type('forty-two\n');
      // Its end is told before the next prompt is drawn.
      await eventually(async () => /answer: forty-two\s[^]*#/.test(await rows.innerText()), {
        what: 'the terminal answers',
      });
      server.enqueue(reply.text('I see it.'));
      await name();
      await chip.waitFor();
      await person.composer.press('Enter');
      await person.says('I see it.');
      await person.run('idle');
      const asked = told(server, server.requests.length).findLast(({ role }) => role === 'user');
      expect(asked?.text).toMatch(
        /\$ read answer; echo "answer: \$answer"\n[^]*answer: forty-two\n\[It ended with exit code 0\.\]/,
      );

      // The menu of the terminal adds it too.
      await editor.choose(terminals.first(), 'Add to Bough Chat');
      await chip.waitFor();
      await editor.screenshot('from-the-menu');
      server.enqueue(reply.text('From the menu.'));
      await person.ask('And this', 'From the menu.');
      const added = told(server, server.requests.length).findLast(({ role }) => role === 'user');
      expect(added?.text).toMatch(/^And this[^]*\$ read answer; echo[^]*answer: forty-two/);

      // Stop is Ctrl+C there
      server.enqueue(run("trap 'echo told' INT; sleep 600; trap - INT"));
      await person.send('Wait long');
      await person.decide('run-in-terminal');
      await person.tool('run', 'running').waitFor();
      await eventually(() => editor.processes().some(({ command }) => /^sleep 600/.test(command)), {
        what: 'it runs',
      });
      await person.at('stop').click();
      await person.run('idle');
      await eventually(() => results().length === 3, { what: 'its result' });
      expect(results()[2]).toMatchObject({ is_error: true });
      expect(results()[2]?.content).toContain('[It was stopped: Ctrl+C was sent.]');
      await eventually(() => !editor.processes().some(({ command }) => /^sleep 600/.test(command)), {
        what: 'it is gone',
      });

      // a terminal that is closed ends the call, and says what is not known
      server.enqueue(run('sleep 601'), reply.text('You closed it.'));
      await person.send('Wait again');
      await person.decide('run-in-terminal');
      await eventually(() => editor.processes().some(({ command }) => /^sleep 601/.test(command)), {
        what: 'it runs',
      });
      await editor.runCommand('Terminal: Kill the Active Terminal Instance');
      await person.says('You closed it.', 60_000);
      await person.run('idle');
      expect(results()[3]?.content).toContain('how the command ended is not known');
      expect(await person.tool('run', 'error').last().innerText()).toContain('terminal closed');
      await editor.screenshot('closed');
    },
  ));
