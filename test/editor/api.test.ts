// What another extension does with Bough's public API, in the host where both run.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { reply } from '../model-server/index.js';
import { eventually, type EditorWindow } from './bench/index.js';
import { call, caller } from './caller.js';
import { logsBelow, ofType, onlyLog } from './log-on-disk.js';
import { told as toldModel, withScriptedModel } from './scripted.js';

const model = fileURLToPath(new URL('extensions/model', import.meta.url));
const other = 'bough-tests.model-of-tests';

/** What a call gave, as the notification has it. */
const telling =
  (window: EditorWindow) =>
  async (name: string, ...args: unknown[]): Promise<string> =>
    (await (await call(window, name, ...args)).innerText()).replace(/\s+/g, ' ');

test('another extension prompts, branches, names, replaces the history, is told what waits, and has sessions of its own', () =>
  withScriptedModel({ extensions: [caller, model] }, async ({ editor, server, person }) => {
    const told = telling(editor);

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

test('another extension brings a tool, hears what happens, goes about in the tree, summarizes, collapses, keeps data, dismisses and clears', () =>
  withScriptedModel(
    { extensions: [caller], settings: { 'bough.retry.initialDelay': 100 } },
    async ({ editor, server, person }) => {
      const told = telling(editor);
      const log = () => onlyLog(editor.storage());
      const messages = () => ofType(log(), 'message');
      const idOf = (role: string, index: number) =>
        messages().filter((message) => message.role === role)[index]?.id ?? '';
      const toolNames = () => (server.requests.at(-1)?.body.tools ?? []).map((tool) => tool.function.name);
      const shown = () => person.at('message').count();
      for (const event of ['onEntry', 'onRetry', 'onStepResume']) await told('listen', event);

      // A tool of its own is offered, called and answered like ours, until it is taken back.
      const tool = {
        name: 'caller_weather',
        description: 'Tells the weather of a place.',
        inputSchema: { type: 'object', properties: { place: { type: 'string' } } },
        risk: 'read',
      };
      await told('registerTool', tool);
      expect(await told('registerTool', tool)).toContain('failed: InvalidArgument');
      server.enqueue(
        reply.calls([{ name: 'caller_weather', args: { place: 'Oslo' } }]),
        reply.text('Rain there.'),
      );
      expect(await told('prompt', 'What is the weather?')).toContain('Rain there.');
      expect(toolNames()).toContain('caller_weather');
      expect(toldModel(server, 2).at(-1)?.text).toBe('It was asked {"place":"Oslo"}');
      await person.tool('caller_weather', 'ok').waitFor();
      const { id } = log().header;
      expect(await told('heard', 'onEntry')).toContain(
        `${String(id)} ${String(log().entries.length - 1)} turn_end`,
      );
      await told('dispose', 'caller_weather');

      // A wait before a request, and a step that begins again, are told of.
      server.enqueue(reply.status(503), reply.text('After a wait.'));
      expect(await told('prompt', 'Again')).toContain('After a wait.');
      expect(toolNames()).not.toContain('caller_weather');
      expect(await told('heard', 'onRetry')).toMatch(/heard: \["retry 1 in \d+ ms: .*503/);
      expect(await told('heard', 'onStepResume')).toContain('heard: []');
      server.enqueue(reply.cut(['Half of ']), reply.text('The whole of it.'));
      expect(await told('prompt', 'And more')).toContain('The whole of it.');
      expect(await told('heard', 'onStepResume')).toMatch(/heard: \["step 1, resume 1: \S/);

      // How the run is.
      const held = reply.hold(['Thinking'], [' done.']);
      server.enqueue(held);
      await person.send('Take your time');
      await held.reached;
      expect(await told('runState')).toContain('"running"');
      held.release();
      await person.says('Thinking done.');
      await person.run('idle');
      expect(await told('runState')).toContain('"idle"');

      // About in the tree, and to before the first message.
      const head = idOf('assistant', messages().filter(({ role }) => role === 'assistant').length - 1);
      await told('navigate', idOf('assistant', 1));
      await person.message('assistant').filter({ hasText: 'After a wait.' }).waitFor({ state: 'detached' });
      await told('navigate', null);
      await eventually(async () => (await shown()) === 0, { what: 'before the first message' });
      expect(await told('navigate', 'nowhere')).toContain('failed');
      await told('navigate', head);
      await person.says('Thinking done.');

      // A summary alone writes nothing; a collapse stands in the log and in place of what it tells of.
      const range = [idOf('user', 1), idOf('assistant', 2)] as const;
      const before = log().entries.length;
      server.enqueue(reply.text('They waited for a while.'));
      expect(await told('summarizeBranch', ...range)).toContain('They waited for a while.');
      expect(log().entries).toHaveLength(before);
      const asked = server.requests.length;
      const collapsed = /: "([^"]+)"/.exec(
        await told('collapseBranch', ...range, { summary: 'Waited.' }),
      )?.[1];
      expect(server.requests).toHaveLength(asked);
      expect(log().entries.find((entry) => entry.id === collapsed)).toBeDefined();
      server.enqueue(reply.text('I know.'));
      await person.ask('Do you remember?', 'I know.');
      const history = JSON.stringify(toldModel(server, server.requests.length));
      expect(history).toContain('Waited.');
      expect(history).not.toContain('After a wait.');

      // Data of its own goes with the line.
      await told('extensionData.add', 'test.caller.note', { seen: 1 });
      expect(await told('extensionData.get', 'test.caller.note')).toContain('[{"seen":1}]');
      await told('navigate', idOf('assistant', 1));
      expect(await told('extensionData.get', 'test.caller.note')).toContain(': []');
      expect(await told('extensionData.all')).toContain(': []');

      // What waits is closed: nothing runs and nothing is sent.
      server.enqueue(reply.calls([{ name: 'write', args: { path: 'never.txt', content: 'x' } }]));
      await person.send('Write it');
      await person.approval().waitFor();
      await person.run('waiting');
      const sent = server.requests.length;
      await told('dismiss');
      await person.run('idle');
      await person.approval().waitFor({ state: 'detached' });
      expect(server.requests).toHaveLength(sent);
      expect(ofType(log(), 'tool_start').map(({ name }) => name)).not.toContain('write');
      expect(existsSync(path.join(editor.workspace, 'never.txt'))).toBe(false);

      // Cleared: the chat begins anew, and the log keeps all.
      const kept = messages().length;
      await told('clear');
      await eventually(async () => (await shown()) === 0, { what: 'a conversation that begins anew' });
      expect(messages()).toHaveLength(kept);
      await editor.screenshot('cleared');

      // A platform whose members each have a session of their own, as long as the policy stands.
      const member = async (channel: string, sender: string) =>
        /"id":"([^"]+)"/.exec(await told('open', { route: { delivery: `irc:${channel}`, sender } }))?.[1];
      await told('registerPlatformPolicy', 'irc', { scope: 'user' });
      expect(await member('room', 'ann')).not.toBe(await member('room', 'bob'));
      await told('dispose', 'irc');
      const ann = await member('hall', 'ann');
      server.enqueue(reply.text('Welcome.'));
      await told('prompt', 'Hello');
      expect(await member('hall', 'bob')).toBe(ann);
    },
  ));
