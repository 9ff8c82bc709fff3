// What another extension does with Bough's public API, in the host where both run.
import { expect, test } from 'vitest';
import { reply } from '../model-server/index.js';
import { call, caller } from './caller.js';
import { ofType, onlyLog } from './log-on-disk.js';
import { withScriptedModel } from './scripted.js';

test('another extension prompts, branches, names, replaces the history, and is told what waits', () =>
  withScriptedModel({ extensions: [caller] }, async ({ editor, server, person }) => {
    /** What a call gave, as the notification has it. */
    const told = async (name: string, ...args: unknown[]): Promise<string> =>
      (await (await call(editor, name, ...args)).innerText()).replace(/\s+/g, ' ');

    expect(await told('branch', 'an entry')).toContain('API branch failed: NoSession');
    server.enqueue(reply.text('Alder is a tree.'), reply.text('Beech is one too.'));
    expect(await told('prompt', 'Tell me of the alder')).toContain('Alder is a tree.');
    await person.says('Alder is a tree.');
    const first = ofType(onlyLog(editor.storage()), 'message').at(-1)?.id ?? '';
    await told('prompt', 'And of the beech');
    await person.says('Beech is one too.');
    await told('setName', 'Trees');
    await person.at('session-title').filter({ hasText: 'Trees' }).waitFor();

    await told('branch', first);
    await person.message('assistant').filter({ hasText: 'Beech is one too.' }).waitFor({ state: 'detached' });
    await told('setHistory', [
      { role: 'user', parts: [{ type: 'text', text: 'What grows here?' }] },
      { role: 'assistant', parts: [{ type: 'text', text: 'Cedars.' }] },
    ]);
    await person.says('Cedars.');
    expect(await told('setHistory', [{ role: 'robot', parts: [] }])).toContain('InvalidArgument Message 1');

    server.enqueue(
      reply.calls([{ name: 'write', args: { path: 'cedar.txt', content: 'Cedar\n' } }]),
      reply.text('Written down.'),
    );
    await person.send('Write it down');
    await person.approval().waitFor();
    expect(await told('pendingApprovals')).toContain('cedar.txt');
    const waiting = ofType(onlyLog(editor.storage()), 'approval_request').at(-1)?.['call_id'];
    const resumed = await told('resume', [{ callId: waiting, decision: 'allow' }]);
    expect(resumed).toContain('Written down.');
    await person.run('idle');
    const log = onlyLog(editor.storage());
    expect(ofType(log, 'tool_start')).toHaveLength(1);
    expect(ofType(log, 'message').filter(({ role }) => role === 'user')).toHaveLength(4);
    await editor.screenshot('api');
  }));
