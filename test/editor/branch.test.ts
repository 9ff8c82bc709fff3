// Scene d: another way to ask, and nothing lost.
import { expect, test } from 'vitest';
import { reply } from '../model-server/index.js';
import { ofType, onlyLog } from './log-on-disk.js';
import { reloaded, sameTranscript } from './person.js';
import { told, withScriptedModel } from './scripted.js';

test('editing the first prompt makes a sibling; both lines stay whole', () =>
  withScriptedModel({}, async ({ editor, server, person }) => {
    server.enqueue(reply.text('Answer one.'), reply.text('More of one.'), reply.text('Answer two.'));
    await person.send('First question');
    await person.says('Answer one.');
    await person.run('idle');
    await person.send('And then?');
    await person.says('More of one.');
    await person.run('idle');
    const first = await person.transcript();
    const size = onlyLog(editor.storage()).bytes.length;

    await person.message('user').first().hover();
    await person.message('user').first().locator('[data-testid="edit-message"]').click();
    expect(await person.composer.inputValue()).toBe('First question');
    expect(await person.composer.getAttribute('data-editing')).toBe(first[0]?.id);
    await person.composer.fill('Second question');
    await person.at('send').click();
    await person.says('Answer two.');
    await person.run('idle');
    await person.pickerSays(2, 2);
    await editor.screenshot('two-of-two');
    expect(told(server, 3).filter(({ role }) => role !== 'system')).toEqual([
      { role: 'user', text: expect.stringContaining('Second question') as string },
    ]);
    const second = await person.transcript();
    expect(second.map(({ role }) => role)).toEqual(['user', 'assistant']);

    await person.at('branch-prev').first().click();
    await person.says('More of one.');
    await person.pickerSays(1, 2);
    // The picker is part of the first row now; the words are the same.
    const old = await person.transcript();
    expect(old.map(({ id }) => id)).toEqual(first.map(({ id }) => id));
    expect(old.slice(1)).toEqual(first.slice(1));

    const again = await reloaded(editor);
    await again.says('More of one.');
    sameTranscript(await again.transcript(), old);
    await again.pickerSays(1, 2);
    await again.at('branch-next').first().click();
    await again.says('Answer two.');
    sameTranscript(await again.transcript(), second);

    const log = onlyLog(editor.storage());
    expect(log.bytes.length).toBeGreaterThan(size);
    expect(ofType(log, 'message').filter(({ role }) => role === 'user')).toHaveLength(3);
    expect(ofType(log, 'head').length).toBeGreaterThanOrEqual(3);
  }));
