// A view comes and goes, and shows other sessions: what was typed, what is queued and what streams stays what it is.
import path from 'node:path';
import { expect, test } from 'vitest';
import { gate, part, reply } from '../model-server/index.js';
import { type Editor, eventually } from './bench/index.js';
import { openFile } from './bench/quick-input.js';
import { logsBelow, ofType, onlyLog } from './log-on-disk.js';
import { writeLongLog } from './many-logs.js';
import { type Person, personAt, reloaded, sameTranscript, type Shown } from './person.js';
import { twoSessions, withScriptedModel } from './scripted.js';

const holds = (person: Person, text: string) =>
  eventually(async () => (await person.composer.inputValue()) === text, {
    what: `the composer holds “${text}”`,
  });

const queued = (person: Person) => person.at('queue-item').locator('.text').allInnerTexts();

/** To the session of this name, by the list. */
async function goTo(editor: Editor, title: string, words: string): Promise<Person> {
  await (await editor.row(title)).locator.click();
  const person = await personAt(editor);
  await person.message('user').filter({ hasText: words }).first().waitFor();
  return person;
}

test('G11 G12: over a switch of sessions and a reload each keeps what was typed and what is queued, and sends it once', () =>
  withScriptedModel({}, async (scene) => {
    const { editor, server } = scene;
    await twoSessions(scene, [
      ['What are oaks?', 'Oaks are trees.'],
      ['What are reeds?', 'Reeds are grass.'],
    ]);
    const toOaks = () => goTo(editor, 'What are oaks?', 'What are oaks?');
    const toReeds = () => goTo(editor, 'What are reeds?', 'What are reeds?');
    const prompts = () =>
      logsBelow(editor.storage()).map((log) =>
        ofType(log, 'message')
          .filter(({ role }) => role === 'user')
          .map(({ parts }) => parts?.[0]?.text),
      );
    const queue = async (person: Person, text: string) => {
      await person.composer.fill(text);
      await person.composer.press('Enter');
      await holds(person, '');
      await person.at('queue-item').filter({ hasText: text }).waitFor();
    };

    // two are queued, a third is being written, and another session is shown
    let person = await toOaks();
    const held = reply.hold(['Some ', 'of '], ['it.']);
    server.enqueue(held, reply.text('In autumn.'), reply.text('In spring.'));
    await person.send('How do they live?');
    await held.reached;
    await queue(person, 'When do they lose leaves?');
    await queue(person, 'When do they get them?');
    await person.composer.fill('half a thought of oaks');
    person = await toReeds();
    await holds(person, '');
    expect(await queued(person)).toEqual([]);
    await person.composer.fill('half a thought of reeds');
    held.release();
    const oaks = [
      'What are oaks?',
      'How do they live?',
      'When do they lose leaves?',
      'When do they get them?',
    ];
    await eventually(() => prompts().some((said) => said.join() === oaks.join()), {
      what: 'both are sent where they were queued',
    });
    expect(await person.message('user').count()).toBe(1);

    // each has its own words, at once and after a reload
    person = await toOaks();
    await person.says('In spring.');
    await person.run('idle');
    await holds(person, 'half a thought of oaks');
    person = await reloaded(editor);
    await person.says('In spring.');
    await holds(person, 'half a thought of oaks');
    person = await toReeds();
    await holds(person, 'half a thought of reeds');

    // what a stop held waits through a switch too, until it is released
    person = await toOaks();
    const endless = reply.hold(['Endless ']);
    server.enqueue(endless);
    await person.send('Go on');
    await endless.reached;
    await queue(person, 'And elms?');
    await queue(person, 'And ashes?');
    await person.at('stop').click();
    await person.run('idle');
    await toReeds();
    person = await toOaks();
    expect(await queued(person)).toEqual(['And elms?', 'And ashes?']);
    await editor.screenshot('held');
    server.enqueue(reply.text('They too.'), reply.text('As well.'));
    await person.chat.getByRole('button', { name: 'Send Now' }).click();
    await person.says('As well.');
    await person.run('idle');
    expect(prompts().sort((one, other) => other.length - one.length)).toEqual([
      [...oaks, 'Go on', 'And elms?', 'And ashes?'],
      ['What are reeds?'],
    ]);
    expect(server.requests).toHaveLength(8);
  }));

test('G3 G4: at the end of 5 000 messages an answer streams on while editors change, the view is killed and hidden', () =>
  withScriptedModel(
    { files: { 'a.txt': 'the first file\n', 'b.txt': 'the second file\n' } },
    async ({ editor, server, person: first }) => {
      server.enqueue(reply.text('Hello.'));
      await first.ask('Hello', 'Hello.');
      writeLongLog(path.dirname(onlyLog(editor.storage()).file), 'the-long-one', 5_000);
      await reloaded(editor);
      let person = await goTo(editor, 'Prompt 1', 'Prompt 4999');
      await openFile(editor.page, 'a.txt');
      await openFile(editor.page, 'b.txt');
      await editor.openBough();

      const gates = [gate(), gate(), gate(), gate()] as const;
      const pieces = ['One. ', 'Two. ', 'Three. ', 'Four. ', 'Five.'];
      server.enqueue(
        reply.stream(
          part.role(),
          ...pieces.map((piece, at) => [
            ...part.text(piece),
            ...(gates[at] === undefined ? [] : [part.gate(gates[at])]),
          ]),
          part.finish('stop'),
          part.usage(),
          part.done(),
        ),
      );
      await person.send('Count');
      const says = (count: number) => person.chat.getByText(pieces.slice(0, count).join('').trim()).waitFor();
      const few = async () => {
        expect(await person.at('message').count()).toBeLessThan(100);
        await holds(person, 'typed meanwhile');
      };
      await gates[0].reached;
      await says(1);
      await person.composer.fill('typed meanwhile');

      // another editor is active, again and again
      const tab = (name: string) => editor.page.locator('.tabs-container').getByRole('tab', { name });
      for (const name of ['a.txt', 'b.txt', 'a.txt', 'b.txt']) {
        await tab(name).click();
        await editor.page.locator('.tab.active').filter({ hasText: name }).waitFor();
      }
      gates[0].release();
      await says(2);
      await few();

      // the document of the view is thrown away
      const shown = await person.transcript();
      await person.chat.locator('body').evaluate((body) => body.setAttribute('data-before', ''));
      await editor.runCommand('Developer: Reload Webviews');
      await eventually(async () => (await (await editor.chat()).locator('body[data-before]').count()) === 0, {
        what: 'the document of before is gone',
      });
      person = await personAt(editor);
      await says(2);
      await few();
      gates[1].release();
      await says(3);

      // and hidden, while more comes
      await editor.page
        .locator('.part.activitybar')
        .getByRole('tab', { name: /^Explorer/ })
        .click();
      await editor.page.locator('.explorer-folders-view').waitFor();
      gates[2].release();
      await gates[3].reached;
      person = await personAt(editor);
      await says(4);
      await few();
      gates[3].release();
      await person.says('One. Two. Three. Four. Five.');
      await person.run('idle');
      await holds(person, 'typed meanwhile');
      // How many rows above are drawn is the view's to choose.
      const lastPrompts = (rows: readonly Shown[]) => rows.filter(({ role }) => role === 'user').slice(-5);
      sameTranscript(lastPrompts(await person.transcript()), lastPrompts(shown));
      await editor.screenshot('whole');
      expect(server.requests).toHaveLength(2);
    },
  ));
