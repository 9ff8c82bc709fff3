// Compactions nobody asked for go on to their end with the turn they belong to; of one that a reload meets half-way nothing
// is there, and nothing of what it was to shorten is lost.
import { expect, test } from 'vitest';
import { part, reply } from '../model-server/index.js';
import { eventually } from './bench/index.js';
import { ofType, onlyLog, types } from './log-on-disk.js';
import { reloaded } from './person.js';
import { providers, told, withScriptedModel } from './scripted.js';

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

test('a full window is made room in before the next request, one that a server refuses as too long after it: the turn goes on', () =>
  withScriptedModel({}, async ({ editor, server, person: first }) => {
    let person = first;
    const { 'bough.providers': known, ...settings } = providers(server.url);
    const models = [{ id: 'model-1', contextWindow: 60_000 }];
    editor.setMachineSettings({
      ...settings,
      'bough.providers': { scripted: { ...known.scripted, models } },
    });
    const lines = (about: string) => Array.from({ length: 300 }, (_, n) => `${about} ${n}`).join('\n\n');
    const meterSays = (words: string) =>
      eventually(async () => (await person.at('meter').innerText()) === words, {
        what: `the meter says ${words}`,
      });
    const full = { prompt_tokens: 57_000, completion_tokens: 900, total_tokens: 57_900 };
    server.enqueue(
      reply.stream(part.text(lines('Plan')), part.finish('stop'), part.usage(full), part.done()),
    );
    await person.ask('Plan the trip', 'Plan 299');
    await meterSays('97 %');

    // above the limit: first the summary, then the prompt, and nothing is asked of the person
    server.enqueue(reply.text('A trip was planned.'), reply.text(`By train.\n\n${lines('Station')}`));
    await person.ask('How?', 'Station 299');
    await person.at('compaction').waitFor();
    expect(server.requests).toHaveLength(3);
    expect(JSON.stringify(told(server, 2))).toContain('Plan 7');
    const shorter = JSON.stringify(told(server, 3));
    expect(shorter).toContain('A trip was planned.');
    expect(shorter).toContain('How?');
    expect(shorter).not.toContain('Plan 7');
    await meterSays('0 %');
    await editor.screenshot('automatic');

    // refused as too long: the same turn is asked once more, shorter
    server.enqueue(
      reply.error(400, { message: 'too long', code: 'context_length_exceeded' }),
      reply.text('A trip by train was planned, with its stations.'),
      reply.text('Nine hours.'),
    );
    await person.ask('And how long?', 'Nine hours.');
    await person.at('compaction').nth(1).waitFor();
    expect(server.requests).toHaveLength(6);
    expect(JSON.stringify(told(server, 4))).toContain('Station 7');
    const again = told(server, 6);
    expect(JSON.stringify(again)).toContain('A trip by train was planned');
    expect(JSON.stringify(again)).not.toContain('Station 7');
    expect(again.filter(({ text }) => text.includes('And how long?'))).toHaveLength(1);
    expect(await person.at('failure').count()).toBe(0);
    const log = onlyLog(editor.storage());
    expect(ofType(log, 'turn_end').map(({ status }) => status)).toEqual([
      'completed',
      'completed',
      'completed',
    ]);
    expect(ofType(log, 'overflow_recovery')).toMatchObject([
      { applied: true, reason: 'refused-as-too-long' },
    ]);

    // and after a reload all of it is there to read
    const before = await person.transcript();
    person = await reloaded(editor);
    await person.says('Nine hours.');
    expect(await person.at('compaction').count()).toBe(2);
    expect((await person.transcript()).map(({ id }) => id)).toEqual(before.map(({ id }) => id));
    await editor.screenshot('recovered');
  }));
