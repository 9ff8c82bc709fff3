// Work the model does by itself: a to-do list it goes on with, a task given to an agent of its own, whose cards wait in its
// own session, and the end it declares.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { reply } from '../model-server/index.js';
import { eventually } from './bench/index.js';
import { reloaded } from './person.js';
import { told, withScriptedModel } from './scripted.js';

const call = (name: string, args: object) => reply.calls([{ name, args }]);
const todo = (status: string) => call('todo', { items: [{ title: 'Write the note', status }] });

test('a turn goes on until its list is done; a subagent works in a session of its own, below its parent', () =>
  withScriptedModel({ files: { 'notes.txt': 'one\n' } }, async ({ editor, server, person: first }) => {
    let person = first;
    // 1. It stops with something left on its list, and is told so each time, in sight.
    server.enqueue(
      todo('pending'),
      reply.text('I have a plan.'),
      reply.text('A good plan.'),
      todo('done'),
      reply.text('Now it is done.'),
    );
    await person.ask('Work by a list', 'Now it is done.');
    const continued = person.message('user').filter({ hasText: 'Continued by itself' });
    await eventually(async () => (await continued.count()) === 2, {
      what: 'both continuations are in sight',
    });
    expect(told(server, 3).at(-1)).toMatchObject({ role: 'user' });
    expect(told(server, 3).at(-1)?.text).toContain('Not done yet: Write the note.');

    // 2. A subagent: what it wants to do waits for the person in its own session.
    server.enqueue(
      call('subagent', { task: 'Add a second line to notes.txt.', agent: 'writer' }),
      call('write', { path: 'notes.txt', content: 'one\ntwo\n' }),
    );
    await person.send('Hand it over');
    await person.tool('subagent', 'running').filter({ hasText: 'Waits for you' }).waitFor();
    const parentRow = await editor.row('Work by a list');
    if (parentRow.expanded !== true) await parentRow.locator.locator('.monaco-tl-twistie').click();
    const row = await editor.row('Add a second line to notes.txt.');
    expect(row.level).toBe(2);
    expect(row.description).toBe('waiting');
    await person.tool('subagent').hover();
    await person.at('open-subagent').click();
    await person.message('user').filter({ hasText: 'Given by another agent' }).waitFor();
    server.enqueue(
      call('finish', { status: 'completed', summary: 'There are **two** lines now.' }),
      reply.text('The writer is done.'),
    );
    await person.decide('approve', 'notes.txt');
    await person.says('There are two lines now.');
    await person.run('idle');
    expect(readFileSync(path.join(editor.workspace, 'notes.txt'), 'utf8')).toBe('one\ntwo\n');

    // 3. Back in the parent: what came of it, after a reload too.
    await person.chat.getByRole('button', { name: 'Open its session' }).click();
    await person.says('The writer is done.');
    await person.run('idle');
    person = await reloaded(editor);
    await person.says('The writer is done.');
    await person.tool('subagent', 'ok').filter({ hasText: 'writer' }).waitFor();
    const parent = told(server, server.requests.length).at(-1);
    expect(parent).toMatchObject({ role: 'tool' });
    expect(parent?.text).toContain('There are **two** lines now.');

    // 4. Stop ends both.
    server.enqueue(call('subagent', { task: 'Wait for ever.' }), call('run', { command: 'sleep 600' }));
    await person.send('Again');
    await person.tool('subagent', 'running').filter({ hasText: 'Waits for you' }).waitFor();
    await person.at('stop').click();
    await person.run('idle');
    await eventually(
      async () => (await editor.sessionsTree()).every(({ description }) => description !== 'waiting'),
      { what: 'the subagent waits no more' },
    );

    // 5. One that works beside the turn: its report comes into the turn, once.
    server.enqueue(
      reply.calls([
        { name: 'subagent', args: { task: 'Look up the tax.', agent: 'scout', background: true } },
        { name: 'run', args: { command: 'echo go' } },
      ]),
      reply.text('Seven percent.'),
      reply.text('So it is seven.'),
    );
    await person.send('Look it up beside');
    await person.at('queue-item').filter({ hasText: 'Seven percent.' }).waitFor();
    await person.tool('subagent', 'ok').filter({ hasText: 'went on in the background' }).waitFor();
    await editor.screenshot('report-waits');
    await person.decide('approve', 'echo go');
    await person.says('So it is seven.');
    await person.run('idle');
    await person.message('user').filter({ hasText: 'Reported by another agent' }).waitFor();
    expect(await person.at('queue-item').count()).toBe(0);
    const all = told(server, server.requests.length);
    expect(all.filter(({ text }) => text.includes('Seven percent.'))).toHaveLength(1);
  }));
