// A log that a crash, a full disk or another program damaged: what can be read is here, it is said, and nothing is lost.
import { existsSync, readFileSync, renameSync, truncateSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { reply } from '../model-server/index.js';
import { eventually } from './bench/index.js';
import { onlyLog } from './log-on-disk.js';
import { reloaded } from './person.js';
import { withScriptedModel } from './scripted.js';

test('A3 A6: with its first line garbled and its last one torn the session is all here, says so, and goes on', () =>
  withScriptedModel({}, async ({ editor, server, person }) => {
    server.enqueue(reply.text('Good morning.'), reply.text('And good night.'), reply.text('Still here.'));
    await person.send('Hello');
    await person.says('Good morning.');
    await person.send('Good night');
    await person.says('And good night.');
    await person.run('idle');
    const { file, bytes } = onlyLog(editor.storage());
    const body = bytes.subarray(bytes.indexOf(0x0a));
    const torn = Buffer.concat([Buffer.from('{"type":"message","t":"'), Buffer.from([0xe4, 0xbf])]);
    const damaged = Buffer.concat([Buffer.from('{"type":"sess'), body, torn]);
    writeFileSync(file, damaged);

    const chat = await reloaded(editor);
    await chat.says('And good night.');
    expect(await chat.at('message').count()).toBe(4);
    const notice = chat.notice('damaged');
    await notice.filter({ hasText: 'cut off' }).filter({ hasText: 'first line' }).waitFor();
    await editor.row('Hello', 'damaged');
    await editor.screenshot('damaged');
    expect(readFileSync(file)).toEqual(damaged);

    await chat.send('Are you there?');
    await chat.says('Still here.');
    await chat.run('idle');
    const after = readFileSync(file);
    const kept = damaged.subarray(0, damaged.length - torn.length);
    expect(after.subarray(0, kept.length)).toEqual(kept);
    expect(after.includes(torn)).toBe(false);
    const aside = readFileSync(file.replace(/\.jsonl$/, '.damaged'));
    expect(aside.includes(torn) || aside.includes(torn.toString('base64'))).toBe(true);

    // Now its first line is as it was, and one in the middle is not.
    const lines = after.toString('utf8').split('\n');
    const bad = lines.length - 2;
    const garbled = [bytes.subarray(0, bytes.indexOf(0x0a)).toString('utf8'), ...lines.slice(1)];
    garbled.splice(bad - 1, 0, `{"type":"mess${'\0'.repeat(300)}`);
    writeFileSync(file, garbled.join('\n'));
    const again = await reloaded(editor);
    await again.says('Still here.');
    expect(await again.at('message').count()).toBe(6);
    await again.notice('damaged').getByRole('button', { name: 'Reveal Log' }).click();
    await editor.statusBar(new RegExp(`^Ln ${bad}, Col 1\\b`));
    await editor.screenshot('revealed');
    expect(readFileSync(file, 'utf8')).toBe(garbled.join('\n'));
  }));

test('A9: when what was written is not there any more, that is noticed with the next prompt, which stays', () =>
  withScriptedModel({}, async ({ editor, server, person }) => {
    server.enqueue(reply.text('Good morning.'), reply.text('And good night.'));
    await person.send('Hello');
    await person.says('Good morning.');
    await person.run('idle');
    const begun = onlyLog(editor.storage()).bytes.length;
    await person.send('Good night');
    await person.says('And good night.');
    await person.run('idle');
    const { file } = onlyLog(editor.storage());
    await person.composer.fill('Once more');

    // Before the next look at the file, so that it is the prompt that meets it.
    const host = await editor.extensionHostPid();
    process.kill(host, 'SIGSTOP');
    truncateSync(file, begun);
    await person.at('send').click();
    process.kill(host, 'SIGCONT');
    await person.notice('conflict').waitFor();
    await person.notice('damaged').filter({ hasText: 'became shorter' }).waitFor();
    expect(await person.composer.inputValue()).toBe('Once more');
    expect(server.requests).toHaveLength(2);
    await editor.screenshot('lost-writes');

    server.enqueue(reply.text('From what is here.'));
    await person.chat.getByRole('button', { name: 'Keep as a Branch' }).click();
    await person.says('From what is here.');
    await eventually(async () => (await person.notice('conflict').count()) === 0, { what: 'no conflict' });
    expect(existsSync(file)).toBe(true);
    await person.message('user').filter({ hasText: 'Once more' }).waitFor();
    expect(readFileSync(file).length).toBeGreaterThan(begun);

    // Taken away altogether, and put back: what was shown is shown all the while.
    await person.run('idle');
    const away = `${file}.away`;
    renameSync(file, away);
    const gone = person.notice('stale').filter({ hasText: 'not there any more' });
    await gone.waitFor();
    await gone.getByRole('button', { name: 'Export…' }).waitFor();
    await gone.getByRole('button', { name: 'Reopen' }).click();
    await person.chat.getByText('is still missing').waitFor();
    await person.says('From what is here.');
    await editor.screenshot('file-gone');
    renameSync(away, file);
    await gone.getByRole('button', { name: 'Reopen' }).click();
    await eventually(async () => (await person.notice('stale').count()) === 0, { what: 'no notice' });
    await person.says('From what is here.');
  }));
