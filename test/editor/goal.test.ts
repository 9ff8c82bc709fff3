// A goal: stated once, worked on turn after turn until an evaluation apart says that it is reached; paused, blocked, left by
// a crash, cleared. Nothing of it goes on unseen.
import { expect, test } from 'vitest';
import { reply } from '../model-server/index.js';
import { type Editor, eventually } from './bench/index.js';
import { ofType, onlyLog } from './log-on-disk.js';
import { Person, personAt } from './person.js';
import { told, withScriptedModel } from './scripted.js';

const verdict = (completed: boolean, reason: string, next_prompt = '') =>
  reply.text(JSON.stringify({ completed, reason, next_prompt }));

/** What was typed into the box behind /goal is the objective; the box that comes asks for the criteria. */
async function startGoal(editor: Editor, person: Person, objective: string, criteria: string): Promise<void> {
  await person.composer.fill(`/goal ${objective}`);
  await person.at('send').click();
  const box = editor.page.locator('.quick-input-widget:visible').filter({ hasText: 'How can one see' });
  await box.waitFor();
  await box.locator('input').fill(criteria);
  await box.locator('input').press('Enter');
  await box.waitFor({ state: 'hidden' });
}

const goalIs = (person: Person, status: string, iteration: number): Promise<void> =>
  person.chat
    .locator(`[data-testid="goal"][data-status="${status}"][data-iteration="${iteration}"]`)
    .waitFor({ timeout: 20_000 });

const press = (person: Person, name: string): Promise<void> =>
  person.at('goal').getByRole('button', { name, exact: true }).click();

const notes = (editor: Editor): string[] =>
  ofType(onlyLog(editor.storage()), 'goal_update').map(
    ({ status, iteration }) => `${String(status)} ${String(iteration)}`,
  );

test('a goal goes on until it is reached, pauses, outlives a crash, is blocked and tried again, and is cleared', () =>
  withScriptedModel({}, async ({ editor, server, person: first }) => {
    let person = first;
    // 1. Two iterations.
    server.enqueue(
      reply.text('The first half is done.'),
      verdict(false, 'The second half is missing.', 'Do the second half.'),
      reply.text('The second half is done.'),
      verdict(true, 'Both halves are there.'),
    );
    await startGoal(editor, person, 'Write both halves', 'Both halves are there');
    await goalIs(person, 'completed', 2);
    await person.run('idle');
    await person
      .at('goal-state')
      .filter({ hasText: 'Completed in iteration 2 of 20. Both halves are there.' })
      .waitFor();
    await person.at('goal-line').filter({ hasText: 'Goal: not yet – The second half is missing.' }).waitFor();
    expect(server.requests).toHaveLength(4);
    expect(told(server, 1).at(-1)?.text).toMatch(
      /^Write both halves\n\nIt is done when: Both halves are there/,
    );
    expect(told(server, 3).at(-1)?.text).toMatch(/^Do the second half\./);
    expect(notes(editor)).toEqual([
      'active 1',
      'active 1',
      'active 1',
      'active 2',
      'active 2',
      'completed 2',
    ]);
    await editor.screenshot('goal-completed');

    // 2. Pause stops what is under way, Resume goes on from there.
    await press(person, 'Clear');
    await person.at('goal').waitFor({ state: 'hidden' });
    const held = reply.hold(['I begin with ']);
    server.enqueue(held);
    await startGoal(editor, person, 'Write the end', '');
    await held.reached;
    await goalIs(person, 'active', 1);

    // Another window shows it, and drives nothing.
    const window = await editor.secondWindow();
    await window.openBough();
    const other = new Person(editor, await window.chat());
    await goalIs(other, 'active', 1);
    await other.at('goal-state').filter({ hasText: 'in another window' }).waitFor();
    await other.notice('read-only').filter({ hasText: 'Another window works' }).waitFor();
    await window.page.close();
    expect(server.requests).toHaveLength(5);

    await press(person, 'Pause');
    await goalIs(person, 'paused', 1);
    await person.run('idle');
    const cut = reply.hold(['The end is near ']);
    server.enqueue(cut);
    await press(person, 'Resume');
    await cut.reached;
    await goalIs(person, 'active', 1);
    const asked = server.requests.length;

    // 3. The host dies in the iteration: nothing is sent by itself.
    await editor.killExtensionHost();
    person = await personAt(editor);
    await goalIs(person, 'paused', 1);
    await person.at('goal-state').filter({ hasText: 'Bough was closed during iteration 1' }).waitFor();
    expect(server.requests).toHaveLength(asked);
    await editor.screenshot('goal-after-crash');

    // 4. It goes on; the model says what is in the way; Retry tries it again.
    server.enqueue(
      reply.calls([{ name: 'finish', args: { status: 'blocked', summary: 'The pen is missing.' } }]),
    );
    await press(person, 'Resume');
    await goalIs(person, 'blocked', 1);
    await person.at('goal-state').filter({ hasText: 'The pen is missing.' }).waitFor();
    server.enqueue(
      reply.text('The end is written.'),
      reply.text('It looks done.'),
      verdict(true, 'The end is there.'),
    );
    await press(person, 'Retry');
    await goalIs(person, 'completed', 1);
    await person.run('idle');
    expect(ofType(onlyLog(editor.storage()), 'retry_start')).toMatchObject([{ max_attempts: 2 }]);
    await press(person, 'Clear');
    await person.at('goal').waitFor({ state: 'hidden' });
    await eventually(() => Promise.resolve(notes(editor).at(-1) === 'pruned 1'), {
      what: 'it is cleared in the log',
    });
  }));
