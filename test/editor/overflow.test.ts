// A conversation that is too long for its model although a summary was tried: what can be done is offered, and does it.
import { expect, test } from 'vitest';
import { reply } from '../model-server/index.js';
import { eventually } from './bench/index.js';
import { ofType, onlyLog } from './log-on-disk.js';
import { reloaded } from './person.js';
import { told, withScriptedModel } from './scripted.js';

const long = Array.from({ length: 900 }, (_, index) => `warning ${index}: a name is never used`).join('\n');
const tooLong = () => reply.error(400, { message: 'too many tokens', code: 'context_length_exceeded' });

test('E9: a turn that stays too long offers a larger model, leaving out outputs, and branching earlier', () =>
  withScriptedModel({ files: { 'build.log': long } }, async ({ editor, server, person: first }) => {
    let person = first;
    const failure = () => person.at('failure');
    server.enqueue(
      reply.text('I am ready.'),
      reply.calls([{ name: 'read', args: { path: 'build.log' } }]),
      tooLong(),
    );
    await person.ask('Are you there?', 'I am ready.');
    // The summary of what came before is refused as too long, too.
    server.enqueue(tooLong());
    await person.send('What does the log of the build say?');
    await failure().waitFor();
    await person.run('idle');
    for (const name of ['Select Model…', 'Leave Out Tool Outputs', 'Edit an Earlier Message…'])
      await failure().getByRole('button', { name }).waitFor();
    await editor.screenshot('too-long');

    // An earlier message of hers in the composer, to be sent otherwise; this line stays.
    await person.at('edit-earlier').click();
    await editor.pick(/Are you there/);
    await eventually(async () => (await person.composer.inputValue()) === 'Are you there?', {
      what: 'the earlier message is in the composer',
    });
    await person.at('edit-cancel').click();

    // What was read is told by its length, and the turn goes on.
    server.enqueue(reply.text('It warns of unused names.'));
    const asked = server.requests.length;
    await person.at('leave-out-outputs').click();
    await person.says('It warns of unused names.');
    await person.run('idle');
    const request = told(server, asked + 1);
    expect(request.filter(({ role }) => role === 'tool').map(({ text }) => text)).toEqual([
      expect.stringMatching(/^\[\d+ characters were left out here to make room\. read_result with id/),
    ]);
    expect(request.map(({ text }) => text)).toContain('What does the log of the build say?');
    expect(await failure().count()).toBe(0);
    expect(ofType(onlyLog(editor.storage()), 'compaction').at(-1)).toMatchObject({
      kind: 'prune',
      without_outputs: true,
    });
    await person.at('compaction').getByText('Left out what tools gave above').waitFor();
    await editor.screenshot('left-out');

    // It is so after a reload, and the conversation shows what was read.
    person = await reloaded(editor);
    await person.says('It warns of unused names.');
    server.enqueue(reply.text('Nine hundred.'));
    await person.ask('How many?', 'Nine hundred.');
    expect(JSON.stringify(told(server, asked + 2))).not.toContain('warning 7:');
    await person.tool('read').locator('[data-testid="tool-toggle"]').click();
    await person.chat.getByText('warning 7:').first().waitFor();
  }));
