// MCP servers that hang, while they start and in a call: shown, waited for only a while, and started again by the person.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { reply } from '../model-server/index.js';
import { program } from '../unit/host/mcp/fake-server.js';
import { eventually } from './bench/index.js';
import { told, withScriptedModel } from './scripted.js';

/** As long as this file is there, a server that begins takes all and answers nothing. */
const mute = 'mute';
const hanging = `if (require('node:fs').existsSync(process.argv[2])) setInterval(() => 0, 1000); else {${program}}`;

test('a server that hangs holds up no turn for long, is shown, and works once it is started again', () =>
  withScriptedModel({ files: { [mute]: '' } }, async ({ editor, server, person }) => {
    const script = path.join(editor.userData, 'hanging.cjs');
    const flag = path.join(editor.workspace, mute);
    writeFileSync(script, hanging);
    const own = path.join(editor.userData, 'User/mcp.json');
    mkdirSync(path.dirname(own), { recursive: true });
    const servers = {
      slow: { command: 'node', args: [script, flag] },
      good: { command: 'node', args: [script, 'no-such-file'] },
    };
    writeFileSync(own, JSON.stringify({ servers }));
    const names = () =>
      (server.requests.at(-1)?.body.tools ?? [])
        .map((tool) => tool.function.name)
        .filter((name) => /^mcp_/.test(name));
    const call = (name: string, args: object = {}) => reply.calls([{ name: `mcp_slow_${name}`, args }]);
    const result = () => told(server, server.requests.length).findLast(({ role }) => role === 'tool')?.text;
    const pids = () =>
      editor
        .processes()
        .flatMap(({ pid, command }) => (/node .*hanging\.cjs .*\/mute$/.test(command) ? [pid] : []));
    const list = async () => {
      await person.at('session-menu').click();
      await person.chat.getByRole('menuitem', { name: 'MCP Servers…' }).click();
    };
    const row = (name: RegExp) => editor.page.locator('.quick-input-widget').getByRole('option', { name });
    const hasKeyboard = () =>
      eventually(() => person.chat.locator('body').evaluate(() => document.hasFocus()), {
        what: 'the keyboard is in the chat again',
      });
    /** The keyboard is back in the chat as soon as that is chosen, however long the server takes. */
    const restart = async (state: RegExp) => {
      await list();
      await editor.pick(state);
      await editor.pick('Restart');
      await hasKeyboard();
    };

    // While it starts: a prompt waits for a while and goes on without it, the next one does not wait at all.
    server.enqueue(reply.text('Without it.'), reply.text('And again.'));
    await person.send('First');
    await person.says('Without it.', 60_000);
    await person.run('idle');
    expect(names().sort()).toEqual(['mcp_good_die', 'mcp_good_echo', 'mcp_good_hang']);
    await person.ask('Second', 'And again.');
    await list();
    await row(/^slow, starting/).waitFor();
    await row(/^good, running · tools: 3/).waitFor();
    await editor.screenshot('starting');
    await editor.page.keyboard.press('Escape');
    const [first] = pids();
    expect(first).toBeDefined();
    await restart(/^slow, starting/);
    await eventually(() => pids().length === 1 && !pids().includes(first ?? 0), { what: 'another, as deaf' });
    rmSync(flag);
    // It may have begun only just now.
    await restart(/^slow, (starting|running)/);
    await eventually(
      async () => {
        // The list says how each is when it opens.
        await list();
        await row(/^good, running/).waitFor();
        const runs = await row(/^slow, running · tools: 3/).isVisible();
        await editor.page.keyboard.press('Escape');
        await hasKeyboard();
        return runs;
      },
      { what: 'the server runs' },
    );
    expect(pids()).toHaveLength(1);
    expect(pids()).not.toContain(first);

    // In a call: the card runs until the person starts the server again, then the turn goes on with what became of it.
    server.enqueue(call('hang'), call('echo', { word: 'back' }), reply.text('It is back.'));
    await person.send('Hang');
    await person.decide('approve', /hang/);
    await person.tool('mcp_slow_hang', 'running').waitFor();
    await editor.screenshot('in-a-call');
    await restart(/^slow, running/);
    await person.tool('mcp_slow_hang', 'error').waitFor();
    expect(await eventually(result, { what: 'the model is told' })).toMatch(
      /^The MCP server "slow" was lost during the call of hang: .* What the call did is not known\./,
    );
    await person.decide('approve', /back/);
    await person.says('It is back.');
    await person.run('idle');
    expect(result()).toContain('"word":"back"');

    // Or until Stop: the server is left as it is.
    const [running] = pids();
    server.enqueue(call('hang'));
    await person.send('Hang again');
    await person.decide('approve', /hang/);
    await person.tool('mcp_slow_hang', 'running').waitFor();
    await person.at('stop').click();
    await person.run('idle');
    expect(pids()).toEqual([running]);
    server.enqueue(call('echo', { word: 'still' }), reply.text('Still here.'));
    await person.send('And now');
    await person.decide('approve', /still/);
    await person.says('Still here.');
    await person.run('idle');
  }));
