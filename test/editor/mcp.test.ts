// Scene: servers of the Model Context Protocol – the reference servers over stdio, another one's over HTTP – asked about,
// called, killed in a call, started again; and what is secret in their configuration is nowhere.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { MCPMock } from '@copilotkit/aimock';
import type { Route } from 'playwright-core';
import { expect, test } from 'vitest';
import { setupMcpServers } from '../../scripts/setup-mcp.mjs';
import { reply } from '../model-server/index.js';
import { type Editor, eventually } from './bench/index.js';
import { kill } from './bench/processes.js';
import { filesBelow, type LogOnDisk, ofType, onlyLog } from './log-on-disk.js';
import { startOAuthServer } from '../unit/host/mcp/oauth-server.js';
import { type Person } from './person.js';
import { told, withScriptedModel } from './scripted.js';

const typed = 'input-7c1f0e9d2b4a6855';
const literal = 'literal-93ab77cd10ef4421';
const ofHeader = 'header-5566aa77bb88cc99';

const holding = (folder: string, text: string): string[] =>
  filesBelow(folder).filter((file) => existsSync(file) && readFileSync(file).includes(text));

const processOf = (editor: Editor, server: string): number | undefined =>
  editor.processes().find(({ command }) => command.includes(server) && !command.includes('supervisor'))?.pid;

const results = (log: LogOnDisk) =>
  ofType(log, 'message').flatMap(({ parts }) => (parts ?? []).filter(({ type }) => type === 'tool_result'));

/** What a server of VS Code's does with the ports of its machine; the one under test has none of it. */
async function proxied(route: Route): Promise<void> {
  const { pathname, search } = new URL(route.request().url());
  const [, port = '', rest = ''] = /^\/proxy\/(\d+)(\/.*)$/.exec(pathname) ?? [];
  const answer = await fetch(`http://127.0.0.1:${port}${rest}${search}`, { redirect: 'manual' });
  const to = answer.headers.get('location');
  // A page that goes on by itself: what is redirected would not come by here again.
  const goOn = `<script>location.href = ${JSON.stringify(to)}</script>`;
  await route.fulfill({ contentType: 'text/html', body: to === null ? await answer.text() : goOn });
}

/** The list that the menu of the chat opens. */
async function openServers(person: Person): Promise<void> {
  await person.at('session-menu').click();
  await person.chat.getByRole('menuitem', { name: 'MCP Servers…' }).click();
}

test('a server of the folder starts after a yes, is asked about, survives being killed, and tells no secret', async () => {
  const { everything } = await setupMcpServers();
  const configuration = {
    inputs: [{ type: 'promptString', id: 'token', description: 'The token', password: true }],
    servers: {
      everything: {
        command: 'node',
        args: [everything, 'stdio'],
        env: { THE_TOKEN: '${input:token}', CLIENT_SECRET: literal, PLAIN: 'shown' },
      },
    },
  };
  const files = { 'a.txt': 'a\n', '.vscode/mcp.json': JSON.stringify(configuration, null, 2) };
  await withScriptedModel({ files }, async ({ editor, server, person }) => {
    const call = (name: string, args: object = {}) => reply.calls([{ name: `mcp_everything_${name}`, args }]);
    const names = () => (server.requests.at(-1)?.body.tools ?? []).map((tool) => tool.function.name);

    // Nothing runs before the person said yes, and a prompt does not wait for that.
    server.enqueue(reply.text('Without it.'));
    await person.ask('First', 'Without it.');
    expect(names().filter((name) => name.startsWith('mcp_'))).toEqual([]);
    expect(processOf(editor, 'server-everything')).toBeUndefined();
    await editor
      .notification('names MCP servers that Bough may start')
      .getByRole('button', { name: 'Review…' })
      .click();
    await editor.pick(/^everything/);
    await editor.page.locator('.monaco-dialog-box').filter({ hasText: 'CLIENT_SECRET' }).waitFor();
    await editor.screenshot('asked');
    await editor.confirm('Start');
    await editor.answer(typed);
    await eventually(() => processOf(editor, 'server-everything'), { what: 'the server runs' });

    server.enqueue(call('echo', { message: 'good morning' }), reply.text('It echoed.'));
    await person.send('Echo');
    await person.approval().filter({ hasText: 'Call echo of the MCP server "everything"' }).waitFor();
    await person.approval().filter({ hasText: 'good morning' }).waitFor();
    await editor.screenshot('approval');
    await person.decide('approve');
    await person.says('It echoed.');
    await person.run('idle');
    expect(names()).toEqual(
      expect.arrayContaining(['read', 'mcp_everything_echo', 'mcp_everything_get-sum']),
    );
    expect(told(server, server.requests.length).at(-1)?.text).toContain('good morning');

    // Its environment, with what is secret in it; "always" is for this tool of this server.
    server.enqueue(call('get-env'), call('get-env'), call('get-sum', { a: 2, b: 3 }), reply.text('Looked.'));
    await person.send('Print the environment');
    await person.decide('always', /get-env/);
    await person.decide('approve', /get-sum/);
    await person.says('Looked.');
    await person.run('idle');
    const [, first, again, sum] = results(onlyLog(editor.storage()));
    for (const env of [first, again]) expect(env?.content).toContain('"PLAIN": "shown"');
    expect(first?.content).toMatch(/"THE_TOKEN": "\[redacted\]"/);
    expect(first?.content).toMatch(/"CLIENT_SECRET": "\[redacted\]"/);
    expect(sum?.content).toContain('5');
    for (const request of server.requests)
      for (const word of [typed, literal]) expect(request.text).not.toContain(word);

    // A picture goes to the model beside its result, and into the log as a blob.
    server.enqueue(call('get-tiny-image'), reply.text('Seen.'));
    await person.send('Show me');
    await person.decide('approve', /get-tiny-image/);
    await person.says('Seen.');
    await person.run('idle');
    expect(server.requests.at(-1)?.text).toContain('data:image/png;base64,');

    // Killed in a call: an error that names it, and the next call starts it again.
    server.enqueue(
      call('trigger-long-running-operation', { duration: 600, steps: 600 }),
      call('echo', { message: 'back again' }),
      reply.text('It is back.'),
    );
    await person.send('Work for long');
    await person.decide('approve', /long-running/);
    const long = 'mcp_everything_trigger-long-running-operation';
    // The first sign of progress comes from the call itself.
    await person.tool(long, 'running').filter({ hasText: '1 of 600' }).waitFor();
    const pid = processOf(editor, 'server-everything');
    if (pid !== undefined) kill(pid);
    await person.tool(long, 'error').filter({ hasText: 'The MCP server "everything" was lost' }).waitFor();
    await person.decide('approve', /back again/);
    await person.says('It is back.');
    await person.run('idle');
    expect(processOf(editor, 'server-everything')).not.toBe(pid);

    // Stop ends a call, not the server.
    server.enqueue(call('trigger-long-running-operation', { duration: 600, steps: 600 }));
    await person.send('Work for long again');
    await person.decide('approve', /long-running/);
    await person.tool(long, 'running').filter({ hasText: '1 of 600' }).waitFor();
    await person.at('stop').click();
    await person.run('idle');
    expect(processOf(editor, 'server-everything')).toBeDefined();

    await openServers(person);
    await editor.pick(/^everything, running/);
    await editor.screenshot('actions');
    await editor.pick('Stop');
    await eventually(() => processOf(editor, 'server-everything') === undefined, {
      what: 'the server is gone',
    });

    // Another configuration of that name is asked about again, and offers nothing before.
    configuration.servers.everything.args.push('more');
    writeFileSync(path.join(editor.workspace, '.vscode/mcp.json'), JSON.stringify(configuration));
    server.enqueue(reply.text('Without it again.'));
    await person.ask('And now', 'Without it again.');
    expect(names().filter((name) => name.startsWith('mcp_'))).toEqual([]);
    await editor.notification('names MCP servers that Bough may start').waitFor();

    // VS Code itself keeps a copy of the configuration file.
    const others = (file: string) => !file.includes('/caches/CachedConfigurations/');
    for (const word of [typed, literal]) expect(holding(editor.userData, word).filter(others)).toEqual([]);
    // The log of the window is there, and tells of the server.
    expect(holding(editor.userData, 'MCP server everything: runs, with').length).toBeGreaterThan(0);
  });
});

test("the person's own servers: files, memory, two over HTTP of which one wants a sign-in, and one that cannot start", async () => {
  const { filesystem, memory } = await setupMcpServers();
  const mock = new MCPMock();
  mock.addTool({
    name: 'weather',
    description: 'The weather of a place',
    inputSchema: { type: 'object', properties: { place: { type: 'string' } } },
  });
  mock.onToolCall('weather', (args) => `Sunny: ${JSON.stringify(args)}`);
  const seen: (string | undefined)[] = [];
  const remote = createServer((request, response) => {
    seen.push(request.headers.authorization);
    void mock.handleRequest(request, response, '/');
  });
  await new Promise<void>((resolve) => remote.listen(0, '127.0.0.1', resolve));
  const oauth = await startOAuthServer();
  const url = `http://127.0.0.1:${(remote.address() as AddressInfo).port}/mcp`;
  try {
    await withScriptedModel(
      { files: { 'note.txt': 'from the folder\n' } },
      async ({ editor, server, person }) => {
        const own = path.join(editor.userData, 'User/mcp.json');
        mkdirSync(path.dirname(own), { recursive: true });
        const env = { MEMORY_FILE_PATH: path.join(editor.userData, 'memory.jsonl') };
        const servers = {
          files: { command: 'node', args: [filesystem, '${workspaceFolder}'] },
          memory: { command: 'node', args: [memory], env },
          remote: { type: 'http', url, headers: { Authorization: `Bearer ${ofHeader}` } },
          account: { type: 'http', url: oauth.url },
          broken: { command: 'no-such-program-anywhere' },
        };
        writeFileSync(own, `// Mine.\n${JSON.stringify({ servers })}`);
        const note = path.join(editor.workspace, 'note.txt');
        const entities = [{ name: 'Bough', entityType: 'tool', observations: ['branches'] }];
        server.enqueue(
          reply.calls([
            { name: 'mcp_files_read_text_file', args: { path: note } },
            { name: 'mcp_memory_create_entities', args: { entities } },
            { name: 'mcp_remote_weather', args: { place: 'Oslo' } },
            { name: 'mcp_remote_nowhere', args: {} },
          ]),
          reply.text('All three.'),
        );
        await person.send('Use them');
        await person.decide('approve', /read_text_file/);
        await person.decide('approve', /create_entities/);
        await person.decide('approve', /weather/);
        await person.says('All three.');
        await person.run('idle');
        const given = results(onlyLog(editor.storage()));
        const [read, remember, weather, unknown] = ['read_text_file', 'entities', 'weather', 'nowhere'].map(
          (part) => given.find(({ name }) => name?.endsWith(part)),
        );
        expect(read?.content).toContain('from the folder');
        expect(remember?.content).toContain('Bough');
        expect(weather?.content).toBe('Sunny: {"place":"Oslo"}');
        expect([read, remember, weather, unknown].map((result) => result?.is_error)).toEqual([
          false,
          false,
          false,
          true,
        ]);
        expect(new Set(seen)).toEqual(new Set([`Bearer ${ofHeader}`]));
        await editor.notification('The MCP server “broken” could not be started').waitFor();
        await openServers(person);
        const row = (name: RegExp) =>
          editor.page.locator('.quick-input-widget').getByRole('option', { name });
        await row(/^remote, running · tools: 1/).waitFor();
        await row(/^broken, could not be started.*no-such-program-anywhere/).waitFor();
        await editor.screenshot('servers');
        await editor.page.keyboard.press('Escape');

        // Nobody is sent to a sign-in before they said so, and where to is shown.
        expect(new Set(oauth.asked)).toEqual(new Set(['POST /mcp']));
        await editor.context.route(/\/proxy\/\d+\//, proxied);
        await editor
          .notification('The MCP server “account” wants you to sign in')
          .getByRole('button', { name: 'Sign In…' })
          .click();
        await editor.page.locator('.monaco-dialog-box').filter({ hasText: oauth.origin }).waitFor();
        await editor.screenshot('sign-in');
        await editor.confirm('Open Browser');
        await eventually(() => oauth.asked.includes('POST /token'), { what: 'the browser came back' });
        // As its page says. A page behind another is not drawn.
        for (const page of editor.context.pages().filter((page) => page !== editor.page)) {
          await page.getByText('You can close this page').waitFor();
          await page.close();
        }
        await openServers(person);
        await row(/^account, running · tools: 1/).waitFor();
        await editor.page.keyboard.press('Escape');
        server.enqueue(
          reply.calls([{ name: 'mcp_account_echo', args: { word: 'welcome' } }]),
          reply.text('Signed in.'),
        );
        await person.send('Use the account');
        await person.decide('approve', /welcome/);
        await person.says('Signed in.');
        await person.run('idle');
        expect(results(onlyLog(editor.storage())).at(-1)).toMatchObject({ is_error: false });
        expect(oauth.given.length).toBeGreaterThan(0);
        for (const token of oauth.given) expect(holding(editor.userData, token)).toEqual([]);

        // Signed out, it asks again.
        await openServers(person);
        await editor.pick(/^account, running/);
        await editor.pick('Sign Out');
        await openServers(person);
        await editor.pick(/^account, stopped/);
        await editor.pick('Start');
        await editor.notification('The MCP server “account” wants you to sign in').waitFor();
        expect(holding(editor.storage(), ofHeader)).toEqual([]);
        expect(holding(path.join(editor.userData, 'logs'), ofHeader)).toEqual([]);
      },
    );
  } finally {
    await new Promise((resolve) => remote.close(resolve));
    await oauth.close();
  }
});
