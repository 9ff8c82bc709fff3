// What runs without a card: the mode of a session and what was allowed for it, across reloads and branches.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { reply } from '../model-server/index.js';
import { eventually } from './bench/index.js';
import { filesBelow, ofType, onlyLog } from './log-on-disk.js';
import { reloaded } from './person.js';
import { told, withScriptedModel } from './scripted.js';

const write = (content: string) => ({ name: 'write', args: { path: 'a.txt', content } });
const run = (command: string) => ({ name: 'run', args: { command } });

test('F7 F10: after a reload the mode shown is the mode in force, with what was allowed for the session and no more', () =>
  withScriptedModel({ files: { 'a.txt': 'old\n' } }, async ({ editor, server, person: first }) => {
    let person = first;
    const text = () => readFileSync(path.join(editor.workspace, 'a.txt'), 'utf8');
    const requests = () => ofType(onlyLog(editor.storage()), 'approval_request').length;
    const system = (request: number) => told(server, request)[0]?.text ?? '';
    const modes = ['Dark Modern', 'Light Modern', 'Dark High Contrast'] as const;
    await person.modeIs('ask');
    for (const theme of modes) {
      await editor.setTheme(theme);
      await person.at('mode-picker').getByRole('button').click();
      await editor.screenshot(`menu-${theme.replaceAll(' ', '-')}`);
      await person.at('mode-picker').getByRole('button').click();
    }

    // Edits run, commands are asked about.
    await person.setMode('Accept edits', 'accept_edits');
    server.enqueue(reply.calls([write('one\n'), run('echo one')]), reply.text('First done.'));
    await person.send('Change it and say one');
    await person.approval().waitFor();
    await person.run('waiting');
    expect(text()).toBe('one\n');
    expect(requests()).toBe(1);
    expect(system(1)).toMatch(/mode: accept edits/i);
    await eventually(
      async () => {
        await person.chat.getByRole('button', { name: 'Approve for longer' }).click({ timeout: 1_000 });
        await person.chat.getByRole('menuitem', { name: 'For This Session' }).click({ timeout: 1_000 });
        return true;
      },
      { what: 'the card takes "for this session"' },
    );
    await person.says('First done.');
    await person.run('idle');

    person = await reloaded(editor);
    await person.modeIs('accept_edits');
    server.enqueue(
      reply.calls([write('two\n'), run('echo two'), run('printf three')]),
      reply.text('Second done.'),
    );
    await person.send('Again, and more');
    await person.approval().waitFor();
    await person.run('waiting');
    expect(text()).toBe('two\n');
    expect(requests()).toBe(2);
    expect(await person.approval().innerText()).toContain('printf three');
    await person.decide('deny');
    await person.says('Second done.');
    await person.run('idle');

    // Nothing is changed or run, nothing is asked; the model is told why.
    await person.setMode('Read only', 'read_only');
    server.enqueue(reply.calls([write('three\n'), run('echo three')]), reply.text('I only looked.'));
    await person.send('Once more');
    await person.says('I only looked.');
    await person.run('idle');
    expect(text()).toBe('two\n');
    expect(requests()).toBe(2);
    expect(system(5)).toMatch(/mode: read only/i);
    const results = told(server, 6).filter(({ role }) => role === 'tool');
    expect(results.slice(-2).map(({ text: said }) => said)).toEqual([
      expect.stringMatching(/read-only mode/),
      expect.stringMatching(/read-only mode/),
    ]);
    await editor.screenshot('read-only');

    // Auto asks nobody: edits run, and what was allowed for the session; the rest is refused and the model told so.
    await person.setMode('Auto within rules', 'auto');
    server.enqueue(
      reply.calls([write('auto\n'), run('echo auto'), run('printf no')]),
      reply.text('As far as I may.'),
    );
    await person.send('On your own');
    await person.says('As far as I may.');
    await person.run('idle');
    expect(text()).toBe('auto\n');
    expect(requests()).toBe(2);
    expect(system(7)).toMatch(/mode: auto/i);
    expect(told(server, 8).at(-1)?.text).toMatch(/no rule of the person allows/);
    await editor.screenshot('auto');
    person = await reloaded(editor);
    await person.modeIs('auto');
    await person.setMode('Plan', 'read_only');
    server.enqueue(reply.calls([write('three\n')]), reply.text('A plan.'));
    await person.ask('Plan it', 'A plan.');
    expect(text()).toBe('auto\n');

    // A line that began in a freer mode is entered in the one in force, and so after a reload.
    server.enqueue(reply.calls([write('four\n')]), reply.text('Not here either.'));
    await person.message('user').first().hover();
    await person.message('user').first().locator('[data-testid="edit-message"]').click();
    await person.send('Change it on another line');
    await person.says('Not here either.');
    await person.run('idle');
    expect(text()).toBe('auto\n');
    person = await reloaded(editor);
    await person.modeIs('read_only');

    // Accepted edits do not hold for files that make something run; a rule keeps a pattern, and no secret of a command.
    await person.setMode('Accept edits', 'accept_edits');
    const before = requests();
    const task = { name: 'write', args: { path: '.vscode/tasks.json', content: '{}\n' } };
    server.enqueue(reply.calls([task, run('PGPASSWORD=hunter2 true one')]), reply.text('Both done.'));
    await person.send('Set it up');
    await person.approval().nth(1).waitFor();
    expect(existsSync(path.join(editor.workspace, '.vscode/tasks.json'))).toBe(false);
    await person.decide('approve', 'tasks.json');
    await person.decide('always', 'hunter2');
    await person.says('Both done.');
    await person.run('idle');
    expect(requests()).toBe(before + 2);
    server.enqueue(reply.calls([run('PGPASSWORD=hunter3 true two')]), reply.text('Not asked.'));
    await person.send('And again');
    await person.says('Not asked.');
    await person.run('idle');
    expect(requests()).toBe(before + 2);
    const settings = filesBelow(editor.userData).filter((file) => path.basename(file) === 'settings.json');
    const rules = settings.map((file) => readFileSync(file, 'utf8')).join('\n');
    expect(rules).toContain('PGPASSWORD=*');
    expect(rules).not.toContain('hunter');
  }));
