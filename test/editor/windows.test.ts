// Two windows on one folder: one writes, the other follows, says so, and goes on when the first is gone.
import { expect, test } from 'vitest';
import { reply } from '../model-server/index.js';
import { eventually } from './bench/index.js';
import { onlyLog } from './log-on-disk.js';
import { Person, personAt, type Shown } from './person.js';
import { withScriptedModel } from './scripted.js';

const gone = (person: Person, kind: string) =>
  eventually(async () => (await person.notice(kind).count()) === 0, { what: `no notice "${kind}"` });

/** Both show the same once the follower has caught up. */
const sameInBoth = async (one: Person, other: Person): Promise<Shown[]> => {
  await eventually(
    async () => JSON.stringify(await one.transcript()) === JSON.stringify(await other.transcript()),
    { what: 'the same conversation in both windows' },
  );
  return one.transcript();
};

test('B1: one window writes, the other follows live and says so, and goes on once the first is closed', () =>
  withScriptedModel({}, async ({ editor, server, person }) => {
    server.enqueue(reply.text('Good morning.'));
    await person.send('Hello');
    await person.says('Good morning.');
    await person.run('idle');
    const window = await editor.secondWindow();
    await window.openBough();
    const other = new Person(editor, await window.chat());
    await other.says('Good morning.');
    expect(await other.notice('read-only').count()).toBe(0);

    const held = reply.hold(['One, '], ['two, three.']);
    server.enqueue(held);
    await person.send('Count');
    await held.reached;
    await other
      .notice('read-only')
      .filter({ hasText: /Another window works .*process \d+/ })
      .waitFor();
    await other.message('user').filter({ hasText: 'Count' }).waitFor();
    await other.composer.fill('Count backwards');
    await other.at('send').click();
    await other.at('problem').waitFor();
    expect(await other.composer.inputValue()).toBe('Count backwards');
    const working = other.notice('read-only');
    await working.getByRole('button', { name: 'Show the whole notice' }).click();
    await working.getByText('You can go on here as soon as it is done').waitFor();
    const offered = await working.getByRole('button').allInnerTexts();
    expect(offered.filter((name) => name !== '')).toEqual(['Fork…']);
    await window.screenshot('follows');
    held.release();
    await other.says('One, two, three.');
    await gone(other, 'read-only');
    await eventually(async () => (await other.at('problem').count()) === 0, {
      what: 'nothing in the way is told of once the other window is done',
    });
    expect(await other.composer.inputValue()).toBe('Count backwards');
    expect(await sameInBoth(person, other)).toHaveLength(4);
    expect(server.requests).toHaveLength(2);

    server.enqueue(reply.text('Three, two, one.'));
    await other.send('Count backwards');
    await other.says('Three, two, one.');
    await person.says('Three, two, one.');

    const cut = reply.hold(['For'], ['ever.']);
    server.enqueue(cut);
    await person.send('Once more');
    await cut.reached;
    await other.notice('read-only').waitFor();
    await editor.page.close();
    await other.incomplete('closed').waitFor();
    await gone(other, 'read-only');
    await other.at('turn-continue').first().waitFor();
    await window.screenshot('taken-over');
    server.enqueue(reply.text('I have it now.'));
    await other.send('Go on here');
    await other.says('I have it now.');
    const { entries } = onlyLog(editor.storage());
    expect(entries.filter(({ type, role }) => type === 'message' && role === 'user')).toHaveLength(5);
  }));

test('B1: the list of one window shows what another one does, without a click', () =>
  withScriptedModel({}, async ({ editor, server, person }) => {
    server.enqueue(reply.text('Good morning.'));
    await person.ask('Hello', 'Good morning.');
    const window = await editor.secondWindow();
    await window.openBough();
    await window.row('Hello');
    await editor.runCommand('Bough: New Session');
    const fresh = await personAt(editor);
    await eventually(async () => (await fresh.at('message').count()) === 0, { what: 'an empty chat' });
    const held = reply.hold(['One, '], ['two, three.']);
    server.enqueue(held);
    await fresh.send('Count');
    await held.reached;
    await window.row('Count', 'running');
    held.release();
    await fresh.says('One, two, three.');
    await window.row('Count', '');
    await window.screenshot('list-of-the-other');
    expect((await window.sessionsTree()).map(({ title }) => title)).toEqual(['Count', 'Hello']);
  }));

test('B1: a prompt that another window was faster than stays, and can be kept as a branch', () =>
  withScriptedModel({}, async ({ editor, server, person }) => {
    server.enqueue(reply.text('Good morning.'));
    await person.send('Hello');
    await person.says('Good morning.');
    await person.run('idle');
    const window = await editor.secondWindow();
    await window.openBough();
    const other = new Person(editor, await window.chat());
    await other.says('Good morning.');
    await other.composer.fill('What about Beech?');

    // The second window sees nothing of what the first one does.
    const slow = await editor.extensionHostPid();
    process.kill(slow, 'SIGSTOP');
    server.enqueue(reply.text('Alder is a tree.'));
    await person.send('What about Alder?');
    await person.says('Alder is a tree.');
    await person.run('idle');
    await other.at('send').click();
    process.kill(slow, 'SIGCONT');

    await other.notice('conflict').waitFor();
    expect(await other.composer.inputValue()).toBe('What about Beech?');
    await other.says('Alder is a tree.');
    expect(server.requests).toHaveLength(2);
    await window.screenshot('conflict');
    server.enqueue(reply.text('Beech is a tree.'));
    await other.notice('conflict').getByRole('button', { name: 'Keep as a Branch' }).click();
    await other.says('Beech is a tree.');
    await other.pickerSays(2, 2);
    await gone(other, 'conflict');
    expect(await other.composer.inputValue()).toBe('');
    await person.pickerSays(2, 2);
    await sameInBoth(person, other);
    const asked = server.requests[2]?.body.messages.map(({ content }) => JSON.stringify(content)).join();
    expect(asked).toContain('Beech');
    expect(asked).not.toContain('Alder');
  }));
