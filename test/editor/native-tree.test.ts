// The list of sessions shows each end of a line below its session: named, marked, reached from here, from the pickers, from
// the drawn tree and from the palette, after a reload too.
import path from 'node:path';
import { expect, test } from 'vitest';
import { reply } from '../model-server/index.js';
import { type Editor, eventually } from './bench/index.js';
import { sessionsPane } from './bench/sessions-tree.js';
import { branchRows, type Leaf, reachEach, shownIds } from './leaves.js';
import { onlyLog } from './log-on-disk.js';
import { writeBranchedLog, writeManyLogs } from './many-logs.js';
import { reloaded } from './person.js';
import { withScriptedModel } from './scripted.js';

async function expand(editor: Editor): Promise<void> {
  const row = await editor.row('Plan a trip');
  if (row.expanded !== true) await row.locator.locator('.monaco-tl-twistie').click();
}

test('H2: branches at three places: each leaf is reached from list, picker, tree and palette, before and after a reload', () =>
  withScriptedModel({}, async ({ editor, server, person: first }) => {
    let person = first;
    server.enqueue(
      reply.text('Where to?'),
      reply.text('North by train.'),
      reply.text('North by car.'),
      reply.text('South then.'),
      reply.text('Elsewhere.'),
    );
    await person.ask('Plan a trip', 'Where to?');
    await person.ask('To the north', 'North by train.');
    const leaves: Leaf[] = [];
    const ended = async (name: string, answer: string) => {
      leaves.push({ name, answer, ids: await shownIds(person) });
    };
    // Two answers to one prompt are told apart by how they end.
    await ended('To the north, North by train.', 'North by train.');
    // another answer, another second prompt, another first one
    await person.message('assistant').last().hover();
    await person.at('try-again').last().click();
    await person.says('North by car.');
    await person.run('idle');
    await ended('To the north, North by car.', 'North by car.');
    await person.editTo('To the north', 'To the south', 'South then.');
    await ended('To the south', 'South then.');
    await person.editTo('Plan a trip', 'Plan a party', 'Elsewhere.');
    await ended('Plan a party', 'Elsewhere.');

    const check = async () => {
      await expand(editor);
      await eventually(async () => (await branchRows(editor)).length === 4, {
        what: 'four branches in the list',
      });
      // newest first
      expect((await branchRows(editor)).map(({ title }) => title)).toEqual(
        leaves.map(({ name }) => name.split(',')[0]).reverse(),
      );
      await reachEach(person, leaves);
    };
    await check();
    await editor.screenshot('branches');
    person = await reloaded(editor);
    await check();
    await person.at('tree-toggle').click();
    await person.at('tree-node').filter({ hasText: 'North by train.' }).click();
    await person.says('North by train.');

    // a name, given in the list once it has come to rest, is there at once
    await eventually(
      async () =>
        (await branchRows(editor)).some(({ name }) =>
          name.startsWith('To the north, North by train., shown'),
        ),
      { what: 'the list shows the line that was gone to last' },
    );
    const row = (await branchRows(editor)).find(({ title }) => title === 'To the south');
    const asked = editor.page.locator('.quick-input-widget:visible .quick-input-box input');
    // A row that was just read anew takes no command, and says so.
    await eventually(
      async () => {
        await row?.locator.hover();
        await row?.locator.getByRole('button', { name: 'Label…' }).click({ timeout: 2_000 });
        await asked.waitFor({ timeout: 3_000 });
        return true;
      },
      { what: 'a name is asked for' },
    );
    await editor.answer('the warm one');
    const named = await editor.row('the warm one');
    expect(named.name).toContain('2 messages of its own');
    await person.at('tree').getByText('the warm one').waitFor();
    await editor.screenshot('named');

    // while a turn runs the head stays, and stopping it first is offered where one asked from
    const held = reply.hold(['Half of it']);
    server.enqueue(held);
    await person.send('Go on');
    await held.reached;
    await sessionsPane(editor.page).locator('.monaco-list-row[aria-label^="Plan a party"]').click();
    const offer = editor.notification('A turn is running here.');
    await offer.getByRole('button', { name: 'Stop and Switch' }).waitFor();
    expect(await person.at('message').filter({ hasText: 'Go on' }).count()).toBe(1);
    await editor.screenshot('stop-and-switch');
    await offer.getByRole('button', { name: 'Stop and Switch' }).click();
    await person.says('Elsewhere.');
    await person.run('idle');
    await person.message('user').filter({ hasText: 'Go on' }).waitFor({ state: 'detached' });
  }));

test('a long list comes in pages, and so do the branches of one session, by keyboard too', () =>
  withScriptedModel({}, async ({ editor, server, person: first }) => {
    server.enqueue(reply.text('Hello.'));
    await first.ask('Hello', 'Hello.');
    const folder = path.dirname(onlyLog(editor.storage()).file);
    writeManyLogs(folder, 60, Date.now() / 1_000 - 3_600);
    writeBranchedLog(folder, 'many-ways', 25);
    const person = await reloaded(editor);
    await (await editor.row('Way 0')).locator.click();
    await person.message('user').filter({ hasText: 'Way 24' }).waitFor();

    /** The row that has the keyboard's focus. */
    const focused = () =>
      sessionsPane(editor.page)
        .locator('.monaco-list-row.focused')
        .evaluateAll((rows) => rows.map((row) => row.getAttribute('aria-label') ?? '').join());
    const isOn = (name: string) =>
      eventually(async () => (await focused()).startsWith(name), { what: `"${name}" has the focus` });
    /** Key by key to the row of this name. */
    const walkTo = (name: string, key: string) =>
      eventually(
        async () => {
          if ((await focused()).startsWith(name)) return true;
          await editor.page.keyboard.press(key);
          return false;
        },
        { interval: 50, what: `"${name}" has the focus` },
      );
    // the keyboard goes to the list with what unfolds the row
    await (await editor.row('Way 0')).locator.locator('.monaco-tl-twistie').click();
    await editor.row('Way 24');
    await walkTo('Show More Branches (5)', 'ArrowDown');
    await editor.screenshot('more-branches');
    await editor.page.keyboard.press('Enter');
    // newest first: it goes on where the newest twenty ended
    await isOn('Way 4');
    await walkTo('Way 0', 'ArrowDown');

    await editor.page.keyboard.press('End');
    await isOn('Show More');
    await editor.page.keyboard.press('Enter');
    await isOn('Session 48');
    await editor.page.keyboard.press('End');
    await isOn('Session 59');
    await editor.screenshot('more-sessions');
  }));
