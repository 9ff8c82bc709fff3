// What a person sees of servers and models that behave badly, beyond waits and broken connections.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { part, reply } from '../model-server/index.js';
import { ofType, onlyLog } from './log-on-disk.js';
import { told, withScriptedModel } from './scripted.js';

const settings = {
  'bough.request.idleTimeout': 1_000,
  'bough.retry.initialDelay': 300,
  'bough.retry.maxAttempts': 2,
  'bough.retry.maxResumes': 1,
  'bough.retry.resumeInitialDelay': 300,
  'bough.retry.resumeMaxDelay': 300,
};

test('D10 D11 D12 F9 C14 E2 E5 E8: torn characters, silence, a long call, an endless command, cut arguments, endless limits, the same error again', () =>
  withScriptedModel({ settings }, async ({ editor, server, person }) => {
    const file = (name: string) => path.join(editor.workspace, name);
    const log = () => onlyLog(editor.storage());
    const gaps = (from: number) =>
      server.requests.slice(from).flatMap(({ at }, n, all) => (n === 0 ? [] : [at - (all[n - 1]?.at ?? 0)]));

    // One byte at a time, and an emoji in two halves.
    const text = reply.text('修正🔥 ', '\ud83d', '\udd25 é – done.');
    server.enqueue(reply.chopped(text, 1));
    await person.send('Say it in one-byte pieces');
    await person.says('修正🔥 🔥 é – done.');
    await person.run('idle');

    // Silence in the middle of an answer: said, and begun again.
    server.enqueue(reply.stall(['Half of it']), reply.text('All of it.'));
    await person.send('Fall silent');
    await person.says('All of it.');
    await person.run('idle');
    await person.at('waited').getByRole('button').click();
    await person.at('waited').getByText('sent nothing for 1 second').waitFor();
    expect(await person.chat.getByText('Half of it').count()).toBe(0);

    // A call of 400 KB in small pieces, while somebody types.
    const content = 'a line of the file that is written\n'.repeat(11_500);
    server.enqueue(
      reply.calls([{ name: 'write', args: { path: 'long.txt', content }, fragment: 20 }]),
      reply.text('Written.'),
    );
    await person.send('Write a long file');
    await person.composer.focus();
    await editor.page.keyboard.type('typed meanwhile');
    await person.approval().waitFor({ timeout: 60_000 });
    expect(await person.composer.inputValue()).toBe('typed meanwhile');
    await person.composer.fill('');
    await person.decide('approve');
    await person.says('Written.');
    await person.run('idle');
    expect(readFileSync(file('long.txt'), 'utf8')).toBe(content);

    // A command that never ends is ended by itself: the turn goes on.
    server.enqueue(
      reply.calls([{ name: 'run', args: { command: 'echo begun; exec sleep 765431' } }]),
      reply.text('Without it, then.'),
    );
    await person.send('Run what never ends');
    await person.decide('approve');
    await person.tool('run', 'running').getByText('begun').first().waitFor();
    await editor.screenshot('running');
    await person.at('end-call').click();
    await person.says('Without it, then.');
    await person.run('idle');
    expect(told(server, server.requests.length).at(-1)?.text).toMatch(/begun.*ended this call by hand/s);

    // Arguments that were cut are never run, and the model is told.
    const cut = { name: 'write', raw: '{"path":"cut.txt","content":"xx' };
    server.enqueue(reply.calls([cut], { finish: 'length' }), reply.text('I see.'));
    await person.send('Write it cut');
    await person.says('I see.');
    await person.tool('write', 'error').waitFor();
    await person.run('idle');
    expect(existsSync(file('cut.txt'))).toBe(false);
    expect(told(server, server.requests.length).at(-1)?.text).toMatch(/not run/);

    // Limits without end, with waits that say nothing: bounded, and never a storm.
    const before = server.requests.length;
    for (const wait of ['abc', '-1', '0', 'Wed, 21 Oct 2015 07:28:00 GMT'])
      server.enqueue(reply.error(429, { message: 'slow down' }, { 'retry-after': wait }));
    await person.send('Go on for ever');
    await person.at('failure').filter({ hasText: 'slow down' }).waitFor({ timeout: 30_000 });
    await person.run('idle');
    expect(server.requests).toHaveLength(before + 4);
    for (const gap of gaps(before)) expect(gap).toBeGreaterThanOrEqual(250);
    await person.at('waited').last().getByText('4 requests').waitFor();

    // The same failing call: the third time the turn ends and asks.
    const failing = reply.calls([{ name: 'read', args: { path: 'nowhere.txt' } }]);
    server.enqueue(failing, failing, failing);
    const asked = server.requests.length;
    await person.send('Read what is not there');
    await person.at('failure').filter({ hasText: 'failed 3 times in the same way' }).waitFor();
    await person.run('idle');
    expect(server.requests).toHaveLength(asked + 3);
    await editor.screenshot('same-error');
    expect(ofType(log(), 'turn_end').at(-1)).toMatchObject({ status: 'failed' });

    // And after all of that it simply goes on.
    server.enqueue(
      reply.stream(part.text('Still ', 'here.'), part.finish('stop'), part.usage(), part.break()),
    );
    await person.send('Are you there?');
    await person.says('Still here.');
    await person.run('idle');
    expect(await person.incomplete().count()).toBe(0);
    expect(ofType(log(), 'turn_end').at(-1)).toMatchObject({ status: 'completed' });
  }));
