// Sessions that another extension keeps: they are chats like all others, and nothing of them is in a file of ours.
import { expect, test } from 'vitest';
import { reply } from '../model-server/index.js';
import { eventually } from './bench/index.js';
import { call, caller, useStore } from './caller.js';
import { filesBelow, logsBelow } from './log-on-disk.js';
import { withScriptedModel } from './scripted.js';

test('a session in the store of another extension is written there, survives its failures, and goes with the store', () =>
  withScriptedModel({ extensions: [caller] }, async ({ editor, server, person }) => {
    server.enqueue(reply.text('Good morning.'), reply.text('Back again.'));
    await useStore(editor, 'register');
    await call(editor, 'open', { show: true });
    await eventually(async () => (await person.at('message').count()) === 0, { what: 'an empty chat' });
    await person.send('Hello');
    await person.says('Good morning.');
    await person.run('idle');
    await editor.row('Hello');
    const [types = []] = Object.values(await useStore(editor, 'held'));
    expect(types.filter((type) => ['message', 'turn_start', 'turn_end'].includes(type))).toEqual([
      ...['message', 'turn_start', 'message', 'turn_end'],
    ]);
    expect(logsBelow(editor.storage())).toEqual([]);
    expect(filesBelow(editor.storage()).filter((file) => /\.(jsonl|stream)$/.test(file))).toEqual([]);

    await useStore(editor, 'break');
    await call(editor, 'prune', { sessionIdle: 0 });
    await editor.row('Some sessions cannot be listed');
    await person.composer.fill('Are you there?');
    await person.at('send').click();
    const notice = person.notice('not-saved');
    await notice.waitFor();
    expect(await notice.innerText()).toContain('the database is away');
    expect(await person.composer.inputValue()).toBe('Are you there?');
    expect(server.requests).toHaveLength(1);
    await editor.screenshot('store-broken');
    await useStore(editor, 'mend');
    await person.at('send').click();
    await person.says('Back again.');
    await person.run('idle');
    await editor.rowGone('Some sessions cannot be listed');
    await editor.row('Hello');
    const held = Object.values(await useStore(editor, 'held'));
    expect(held.map((entries) => entries.filter((type) => type === 'message').length)).toEqual([4]);

    await useStore(editor, 'dispose');
    await editor.rowGone('Hello');
    expect(logsBelow(editor.storage())).toEqual([]);
  }));
