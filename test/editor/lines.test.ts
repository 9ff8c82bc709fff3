// What becomes of lines: one is edited while no server answers, a part of one is told by a summary, one is compacted twice.
import { expect, test } from 'vitest';
import { reply } from '../model-server/index.js';
import { eventually } from './bench/index.js';
import { caller, run } from './caller.js';
import { logsBelow, ofType, onlyLog } from './log-on-disk.js';
import { type Person, personAt, reloaded } from './person.js';
import { told, withScriptedModel, type Scene } from './scripted.js';

const texts = async (person: Person) => (await person.transcript()).map(({ text }) => text);
const toldTo = (server: Scene['server'], request: number) =>
  told(server, request)
    .filter(({ role }) => role !== 'system')
    .map(({ text }) => text);

test('H1: message 2 of 5 edited while no server answers: the old line is whole, the new words are kept, both are reached', () =>
  withScriptedModel(
    { settings: { 'bough.retry.maxAttempts': 1, 'bough.retry.maxResumes': -1 } },
    async ({ editor, server, person: first }) => {
      let person = first;
      const numbers = ['One', 'Two', 'Three', 'Four', 'Five'];
      server.enqueue(...numbers.map((number) => reply.text(`Answer ${number}.`)));
      for (const number of numbers) await person.ask(`Prompt ${number}`, `Answer ${number}.`);
      const before = await person.transcript();
      const { bytes } = onlyLog(editor.storage());
      await server.close();

      const second = person.message('user').nth(1);
      await second.hover();
      await second.locator('[data-testid="edit-message"]').click();
      expect(await person.composer.inputValue()).toBe('Prompt Two');
      await person.composer.fill('The second, in other words');
      await person.at('edit-cancel').click();
      expect(await texts(person)).toEqual(before.map(({ text }) => text));
      await second.hover();
      await second.locator('[data-testid="edit-message"]').click();
      await person.composer.fill('The second, in other words');
      await person.at('send').click();
      await person.message('user').filter({ hasText: 'The second, in other words' }).waitFor();
      await eventually(() => ofType(onlyLog(editor.storage()), 'turn_end').at(-1)?.['status'] === 'failed', {
        what: 'a turn that failed',
      });
      await person.run('idle');
      // the edited prompt stands in place of the second, nothing is asked of anyone again, and it can be edited once more
      expect(await texts(person)).toEqual(['Prompt One', 'Answer One.', 'The second, in other words 2/2']);
      await editor.screenshot('no-server');
      await second.hover();
      await second.locator('[data-testid="edit-message"]').click();
      expect(await person.composer.inputValue()).toBe('The second, in other words');
      await person.at('edit-cancel').click();

      expect(onlyLog(editor.storage()).bytes.subarray(0, bytes.length).equals(bytes)).toBe(true);
      person = await reloaded(editor);
      await person.message('user').filter({ hasText: 'The second, in other words' }).waitFor();
      await person.at('branch-prev').first().click();
      await person.says('Answer Five.');
      expect((await person.transcript()).map(({ id }) => id)).toEqual(before.map(({ id }) => id));
    },
  ));

test('back to three of five, on from there, and forked: the copy has that line alone', () =>
  withScriptedModel({}, async ({ editor, server, person }) => {
    const numbers = ['one', 'two', 'three', 'four', 'five'];
    server.enqueue(...numbers.map((number) => reply.text(`Answer ${number}.`)), reply.text('Other four.'));
    for (const number of numbers) await person.ask(`Prompt ${number}`, `Answer ${number}.`);
    const answer = person.message('assistant').filter({ hasText: 'Answer three.' });
    await answer.hover();
    await answer.locator('[data-testid="branch-here"]').click();
    await person.message('user').filter({ hasText: 'Prompt four' }).waitFor({ state: 'detached' });
    await person.ask('Another four', 'Other four.');
    const line = numbers.slice(0, 3).flatMap((number) => [`Prompt ${number}`, `Answer ${number}.`]);
    expect(toldTo(server, 6)).toEqual([...line, 'Another four']);
    await editor.runCommand('Bough: Fork Session…');
    await editor.pick('From the end');
    const copy = await personAt(editor);
    await copy.at('session-title').filter({ hasText: 'fork' }).waitFor();
    await copy.says('Other four.');
    expect(await texts(copy)).toEqual([...line, 'Another four', 'Other four.']);
    expect(await copy.picker().count()).toBe(0);
    const logs = logsBelow(editor.storage());
    expect(logs).toHaveLength(2);
    expect(logs.map((log) => ofType(log, 'message').length).sort((a, b) => a - b)).toEqual([8, 12]);
  }));

test('a part is told by a summary, read in full, and branched from; a line is compacted twice', () =>
  withScriptedModel({ extensions: [caller] }, async ({ editor, server, person }) => {
    const long = (about: string) => Array.from({ length: 300 }, (_, n) => `${about} ${n}`).join('\n\n');
    server.enqueue(
      reply.text('Oaks are trees.'),
      reply.text('Elms are trees.'),
      reply.text('Reeds are not.'),
    );
    await person.ask('What are oaks?', 'Oaks are trees.');
    await person.ask('What are elms?', 'Elms are trees.');
    await person.ask('What are reeds?', 'Reeds are not.');
    const ids = (await person.transcript()).map(({ id }) => id);

    server.enqueue(reply.text('Oaks and elms were named trees.'), reply.text('Two of three.'));
    await run(editor, 'bough.branch.collapse', ids[0], ids[3]);
    await editor.answer('');
    await person.at('branch-summary').waitFor();
    await person.run('idle');
    await person.ask('How many are trees?', 'Two of three.');
    const summed = toldTo(server, 5).join('\n');
    expect(summed).toContain('Oaks and elms were named trees.');
    expect(summed).not.toContain('Oaks are trees.');
    expect(summed).toContain('Reeds are not.');
    // for the person nothing went, and the summary can be read
    await person.message('assistant').filter({ hasText: 'Oaks are trees.' }).waitFor();
    await person.at('branch-summary').getByRole('button').first().click();
    await person.at('branch-summary').getByText('Oaks and elms were named trees.').waitFor();
    expect(await person.at('branch-summary').innerText()).toContain('4 messages, from “What are oaks?” on');
    await editor.screenshot('collapsed');

    // before it the model is told the messages themselves again
    await person.chat.getByRole('button', { name: 'Branch from Before It' }).click();
    await person.at('branch-summary').waitFor({ state: 'detached' });
    server.enqueue(reply.text('Two, still.'));
    await person.ask('And of all that was said?', 'Two, still.');
    const expanded = toldTo(server, 6).join('\n');
    expect(expanded).toContain('Oaks are trees.');
    expect(expanded).not.toContain('Oaks and elms were named trees.');
    await person.at('branch-prev').last().click();
    await person.at('branch-summary').waitFor();

    // inside of what it tells
    const inside = person.message('assistant').filter({ hasText: 'Oaks are trees.' });
    await inside.hover();
    await inside.locator('[data-testid="branch-here"]').click();
    await person.at('branch-summary').waitFor({ state: 'detached' });
    server.enqueue(reply.text(long('Acorn')));
    await person.ask('And acorns?', 'Acorn 299');
    expect(toldTo(server, 7)).toEqual(['What are oaks?', 'Oaks are trees.', 'And acorns?']);

    const compact = async (summary: string, times: number) => {
      server.enqueue(reply.text(summary));
      await editor.runCommand('Bough: Compact Conversation');
      await person
        .at('compaction')
        .nth(times - 1)
        .waitFor();
      await person.run('idle');
    };
    await compact('Acorns grow on oaks.', 1);
    server.enqueue(reply.text(long('Leaf')));
    await person.ask('And leaves?', 'Leaf 299');
    await compact('Acorns and leaves grow on oaks.', 2);
    // the second begins from the first
    expect(toldTo(server, 10).join('\n')).toContain('Acorns grow on oaks.');
    server.enqueue(reply.text('On oaks.'));
    await person.ask('Where do they grow?', 'On oaks.');
    const last = toldTo(server, 11).join('\n');
    expect(last).toContain('Acorns and leaves grow on oaks.');
    expect(last).not.toContain('Acorn 7');

    // above it everything is there, and the way back to before the first
    await person.message('assistant').filter({ hasText: 'Acorn 299' }).first().waitFor({ state: 'attached' });
    await person.at('compaction').first().getByRole('button').first().click();
    await person.chat.getByRole('button', { name: 'Branch from Before It' }).click();
    await person.at('compaction').first().waitFor({ state: 'detached' });
    server.enqueue(reply.text('With all of it.'));
    await person.ask('Once more?', 'With all of it.');
    expect(toldTo(server, 12).join('\n')).toContain('Acorn 7');
    expect(ofType(onlyLog(editor.storage()), 'compaction')).toHaveLength(2);
  }));
