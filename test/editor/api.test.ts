// What another extension does with Bough's public API, in the host where both run.
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { reply } from '../model-server/index.js';
import { call, caller } from './caller.js';
import { logsBelow, ofType, onlyLog } from './log-on-disk.js';
import { withScriptedModel } from './scripted.js';

const model = fileURLToPath(new URL('extensions/model', import.meta.url));
const other = 'bough-tests.model-of-tests';

test('another extension prompts, branches, names, replaces the history, is told what waits, and has sessions of its own', () =>
  withScriptedModel({ extensions: [caller, model] }, async ({ editor, server, person }) => {
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

    // Each extension reaches its own sessions; the person sees all of them.
    const persons = String(log.header['id']);
    server.enqueue(reply.text('The elm is noted.'));
    const own = /"id":"([^"]+)"/.exec(await told('test.caller/open'))?.[1] ?? '';
    expect(await told('test.caller/prompt', 'Note the elm')).toContain('The elm is noted.');
    const owners = logsBelow(editor.storage()).map(({ header }) => [header['id'], header['owner']]);
    expect(owners).toEqual([
      [persons, undefined],
      [own, 'test.caller'],
    ]);
    const listed = await told('test.caller/listSessions');
    expect(listed).toContain(own);
    expect(listed).not.toContain(persons);
    expect(await told(`${other}/listAllSessions`)).toContain('listAllSessions: []');
    await told('test.caller/setTags', ['ci']);
    expect(await told('test.caller/findSessions', { tags: ['ci'] })).toContain(own);
    expect(await told('test.caller/findSessions', { tags: ['ci', 'other'] })).toContain('"sessions":[]');
    expect(await told('test.caller/runSummary')).toContain('"text":"The elm is noted."');
    expect(await told('test.caller/entries', { from: 1, limit: 1 })).toMatch(/"position":1,.*"turn_start"/);
    expect(await told('retryPolicy')).toContain('"maxAttempts":4');
    await told('test.caller/open', { session: own, retryPolicy: { maxAttempts: 1, maxResumes: -1 } });
    const asked = server.requests.length;
    server.enqueue(reply.status(503));
    expect(await told('test.caller/prompt', 'And the oak')).toContain('API test.caller/prompt failed');
    expect(server.requests.length - asked).toBe(1);
    for (const [name, id, ...args] of [
      [`${other}/open`, own, { session: own }],
      [`${other}/open`, persons, { session: persons }],
      [`${other}/deleteSession`, own, own],
      // What the panel shows is the person's.
      [`${other}/history`, persons],
    ] as const)
      expect(await told(name, ...args)).toContain(
        `AccessDenied The session ${id} does not belong to ${other}`,
      );
    expect(await told('nobody.there/listSessions')).toContain('InvalidArgument No extension "nobody.there"');
    expect(logsBelow(editor.storage())).toHaveLength(2);

    await editor.row('Trees');
    const { locator } = await editor.row('Note the elm');
    await locator.hover();
    await editor.page
      .locator('.monaco-hover')
      .filter({ hasText: 'Belongs to the extension test.caller' })
      .waitFor();
    await locator.click();
    await person.says('The elm is noted.');
  }));
