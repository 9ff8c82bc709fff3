// Scene g: Stop keeps what came; no bad end of a stream is ever taken for a good one.
import { expect, test } from 'vitest';
import { reply } from '../model-server/index.js';
import { eventually } from './bench/index.js';
import { ofType, onlyLog } from './log-on-disk.js';
import { withScriptedModel } from './scripted.js';

test('D5 D14: Stop in mid-stream keeps the text, and the composer is usable at once', () =>
  withScriptedModel({}, async ({ editor, server, person }) => {
    const held = reply.hold(['one ', 'two ', 'three']);
    server.enqueue(held, reply.text('Fine.'));
    await person.send('Count');
    await held.reached;
    await person.chat.getByText('one two three').waitFor();
    await person.run('running');
    await person.at('stop').click();
    await person.incomplete('stopped').waitFor();
    await person.chat.getByText('one two three').waitFor();
    expect(await server.requests[0]?.closed).toBe(true);
    await person.run('idle');
    await editor.screenshot('stopped');
    await person.send('Go on then');
    await person.says('Fine.');
    await person.run('idle');
    const log = onlyLog(editor.storage());
    expect(ofType(log, 'incomplete_output')).toEqual([
      expect.objectContaining({ text: 'one two three', reason: 'stopped' }),
    ]);
    expect(ofType(log, 'turn_end').map(({ status }) => status)).toEqual(['stopped', 'completed']);
    expect(server.requests[1]?.text).not.toContain('one two three');
  }));

test('D1 D3 D6: a stream that ends badly is a failure with a sentence, never an answer', () =>
  withScriptedModel(
    { settings: { 'bough.retry.maxAttempts': 1, 'bough.retry.maxResumes': -1 } },
    async ({ editor, server, person }) => {
      const bad = [
        [
          'an error inside the stream',
          reply.errorInStream(['half '], {
            message: 'You exceeded your current quota',
            code: 'insufficient_quota',
          }),
        ],
        ['a page instead of a stream', reply.html()],
        ['a stream without its end', reply.unfinished(['half an ', 'answer'])],
        ['an empty stream', reply.empty()],
        ['a broken connection', reply.cut(['half'])],
      ] as const;
      let turns = 0;
      for (const [what, answer] of bad) {
        server.enqueue(answer);
        await person.send(`Try ${what}`);
        turns += 1;
        await eventually(() => ofType(onlyLog(editor.storage()), 'turn_end').length === turns, {
          what: `a turn_end after ${what}`,
        });
        await person.run('idle');
        const end = ofType(onlyLog(editor.storage()), 'turn_end').at(-1);
        expect(end, what).toMatchObject({ status: 'failed' });
        await editor.screenshot(what.replaceAll(' ', '-'));
      }
      const log = onlyLog(editor.storage());
      expect(ofType(log, 'message').filter(({ role }) => role === 'assistant')).toEqual([]);
      expect(ofType(log, 'incomplete_output').map(({ text }) => text)).toEqual([
        'half ',
        'half an answer',
        'half',
      ]);
      for (const kept of ['half an answer']) await person.chat.getByText(kept).first().waitFor();
    },
  ));
