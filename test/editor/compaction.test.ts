// A compaction that a reload meets half-way: nothing of it is there, and nothing of what it was to shorten is lost.
import { expect, test } from 'vitest';
import { reply } from '../model-server/index.js';
import { ofType, onlyLog, types } from './log-on-disk.js';
import { reloaded } from './person.js';
import { told, withScriptedModel } from './scripted.js';

test('E10: a reload in the middle of a compaction leaves the conversation as it was, and a turn it belonged to interrupted', () =>
  withScriptedModel({}, async ({ editor, server, person: first }) => {
    let person = first;
    const long = Array.from({ length: 300 }, (_, n) => `Plan ${n}`).join('\n\n');
    server.enqueue(reply.text(long), reply.text('By train.'));
    await person.ask('Plan the trip', 'Plan 299');
    await person.ask('How?', 'By train.');

    // Asked for by the person: the log has not one byte of it.
    const before = onlyLog(editor.storage()).bytes;
    const half = reply.hold(['A trip is ']);
    server.enqueue(half);
    await editor.runCommand('Bough: Compact Conversation');
    await half.reached;
    person = await reloaded(editor);
    await person.says('By train.');
    await person.run('idle');
    expect(onlyLog(editor.storage()).bytes.equals(before)).toBe(true);
    expect(await person.at('compaction').count()).toBe(0);
    expect(await person.at('turn-interrupted').count()).toBe(0);
    await editor.screenshot('reloaded');

    // One that a turn needs, since the provider finds the request too long: the turn waits for the person.
    const again = reply.hold(['A trip is ']);
    server.enqueue(reply.error(400, { message: 'too long', code: 'context_length_exceeded' }), again);
    await person.send('And how long?');
    await again.reached;
    person = await reloaded(editor);
    await person.at('turn-interrupted').waitFor();
    await person.run('idle');
    expect(await person.at('compaction').count()).toBe(0);
    expect(server.requests).toHaveLength(5);
    const cut = onlyLog(editor.storage());
    expect(cut.bytes.subarray(0, before.length).equals(before)).toBe(true);
    expect(types(cut)).not.toContain('compaction');
    expect(types(cut)).not.toContain('incomplete_output');
    expect(ofType(cut, 'turn_end')).toHaveLength(2);
    await editor.screenshot('interrupted');

    // It goes on from there, with all of it.
    server.enqueue(reply.text('Nine hours.'));
    await person.at('turn-continue').click();
    await person.says('Nine hours.');
    await person.run('idle');
    expect(JSON.stringify(told(server, 6))).toContain('Plan 7');
    expect(told(server, 6).filter(({ text }) => text.includes('And how long?'))).toHaveLength(1);
    const log = onlyLog(editor.storage());
    expect(ofType(log, 'turn_end').map(({ status }) => status)).toEqual([
      'completed',
      'completed',
      'interrupted',
      'completed',
    ]);
    expect(ofType(log, 'compaction')).toEqual([]);
  }));
