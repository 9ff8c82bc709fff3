// What becomes of lines: one is edited while no server answers, a part of one is told by a summary, one is compacted twice
// and read above that.
import type { Locator } from 'playwright-core';
import { expect, test } from 'vitest';
import { reply } from '../model-server/index.js';
import { eventually } from './bench/index.js';
import { caller, run } from './caller.js';
import { logsBelow, ofType, onlyLog } from './log-on-disk.js';
import { type Person, personAt, reloaded } from './person.js';
import { told, withScriptedModel, type Scene } from './scripted.js';

/** What was said, without what a turn took. */
const texts = async (person: Person) =>
  (await person.transcript()).map(({ text }) => text.replace(/ This turn took [\d,]+ tokens$/, ''));
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
      expect(await person.transcript()).toEqual(before);
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

test('a part is told by a summary, read in full, and branched from', () =>
  withScriptedModel({ extensions: [caller] }, async ({ editor, server, person }) => {
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
    server.enqueue(reply.text('Oaks bear them.'));
    await person.ask('And acorns?', 'Oaks bear them.');
    expect(toldTo(server, 7)).toEqual(['What are oaks?', 'Oaks are trees.', 'And acorns?']);
  }));

/** Whether all of it lies within what is seen of the conversation. */
const isInSight = (row: Locator) =>
  row.evaluateAll((elements) =>
    elements.some((element) => {
      const seen = element.closest('[data-testid="transcript"]')?.getBoundingClientRect();
      const { top, bottom } = element.getBoundingClientRect();
      return seen !== undefined && top >= seen.top && bottom <= seen.bottom;
    }),
  );

/** Turns the wheel over the conversation until the row is in sight. */
async function wheelTo(person: Person, row: Locator, way: 'up' | 'down'): Promise<void> {
  await person.at('transcript').hover();
  await eventually(
    async () => {
      if (await isInSight(row)) return true;
      await person.editor.page.mouse.wheel(0, way === 'up' ? -350 : 350);
      return false;
    },
    { interval: 30, what: 'the wheel brings it into sight' },
  );
}

test('E11: a line compacted twice is read by the wheel up to its first words, and branched from before the second and the first', () =>
  withScriptedModel({}, async ({ editor, server, person }) => {
    const long = (about: string) => Array.from({ length: 300 }, (_, n) => `${about} ${n}`).join('\n\n');
    const compact = async (summary: string) => {
      server.enqueue(reply.text(summary));
      await editor.runCommand('Bough: Compact Conversation');
      await eventually(() => idOf(summary) !== '', { what: 'the compaction is on disk' });
      await divider(summary).waitFor();
      await person.run('idle');
    };
    const divider = (summary: string) =>
      person.chat.locator(`[data-entry-id="${idOf(summary)}"] [data-testid="compaction"]`);
    const idOf = (summary: string) =>
      ofType(onlyLog(editor.storage()), 'compaction').find((entry) => entry['summary'] === summary)?.id ?? '';
    const [oaks, leaves] = ['Oaks are trees.', 'Oaks are trees and have leaves.'];
    server.enqueue(reply.text(long('Oak')), reply.text('Small nuts.'));
    await person.ask('What are oaks?', 'Oak 299');
    await person.ask('What of acorns?', 'Small nuts.');
    await compact(oaks);
    server.enqueue(reply.text(long('Leaf')), reply.text('On oaks.'));
    await person.ask('And leaves?', 'Leaf 299');
    await person.ask('Where do they grow?', 'On oaks.');
    await compact(leaves);
    // the second begins from the first
    expect(toldTo(server, 6).join('\n')).toContain(oaks);
    server.enqueue(reply.text('In summer.'));
    await person.ask('Are they green?', 'In summer.');
    const last = toldTo(server, 7).join('\n');
    expect(last).toContain(leaves);
    expect(last).not.toMatch(/Oak 7|Leaf 7/);
    const { bytes } = onlyLog(editor.storage());

    // above both everything is there
    const firstWords = person.message('user').filter({ hasText: 'What are oaks?' });
    expect(await isInSight(firstWords)).toBe(false);
    await wheelTo(person, divider(leaves), 'up');
    await wheelTo(person, divider(oaks), 'up');
    await wheelTo(person, firstWords, 'up');
    await editor.screenshot('above-both');

    const before = async (summary: string) => {
      await divider(summary).getByRole('button').first().click();
      await person.chat.getByRole('button', { name: 'Branch from Before It' }).click();
      await divider(summary).waitFor({ state: 'detached' });
    };
    // before the second the first still stands for what is above it
    await wheelTo(person, divider(leaves), 'down');
    await before(leaves);
    server.enqueue(reply.text('With the leaves.'));
    await person.ask('Once more?', 'With the leaves.');
    const second = toldTo(server, 8).join('\n');
    expect(second).toContain('Leaf 7');
    expect(second).toContain(oaks);
    expect(second).not.toContain('Oak 7');

    // before the first it is told as it was
    await wheelTo(person, divider(oaks), 'up');
    await before(oaks);
    server.enqueue(reply.text('With all of it.'));
    await person.ask('And now?', 'With all of it.');
    expect(toldTo(server, 9)).toEqual([
      'What are oaks?',
      expect.stringContaining('Oak 7'),
      'What of acorns?',
      'Small nuts.',
      'And now?',
    ]);

    // the line that was compacted twice is as it was
    const log = onlyLog(editor.storage());
    expect(log.bytes.subarray(0, bytes.length).equals(bytes)).toBe(true);
    expect(ofType(log, 'compaction')).toHaveLength(2);
    await editor.runCommand('Bough: Switch Session…');
    await editor.pick(/Are they green\?/);
    await person.says('In summer.');
    await divider(leaves).waitFor();
  }));
