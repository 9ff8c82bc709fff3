// Scene h: the extension host dies, or the window is reloaded, in the middle of something.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { reply } from '../model-server/index.js';
import { eventually } from './bench/index.js';
import { ofType, onlyLog } from './log-on-disk.js';
import { personAt, reloaded } from './person.js';
import { withScriptedModel } from './scripted.js';

/** Text that streams for longer than the journal's second: all but the last second must be there afterwards. */
const early = 'The first words, said well before the end. ';

test('D5: kill -9 in mid-stream keeps the prompt and the text; Continue completes the turn', () =>
  withScriptedModel({}, async ({ editor, server, person }) => {
    const held = reply.hold([early, 'Then some more.']);
    server.enqueue(held);
    await person.send('Tell me a story');
    await held.reached;
    await person.chat.getByText('Then some more.').waitFor();
    await eventually(() => streamed(editor.storage()).includes(early.trim()), {
      timeout: 3_000,
      what: 'the journal has the text',
    });
    await editor.killExtensionHost();

    const again = await personAt(editor);
    await again.incomplete('crash').waitFor({ timeout: 40_000 });
    await again.message('user').filter({ hasText: 'Tell me a story' }).waitFor();
    await again.chat.getByText('said well before the end').waitFor();
    await again.at('turn-continue').first().waitFor();
    await again.at('turn-again').first().waitFor();
    await editor.screenshot('after-crash');
    expect(server.requests).toHaveLength(1); // nothing is sent by itself
    server.enqueue(reply.text('The whole story.'));
    await again.at('turn-continue').first().click();
    await again.says('The whole story.');
    await again.run('idle');
    expect(server.requests[1]?.text).not.toContain('said well before');
    const log = onlyLog(editor.storage());
    expect(ofType(log, 'incomplete_output')).toEqual([expect.objectContaining({ reason: 'crash' })]);
    expect(ofType(log, 'turn_end').at(-1)).toMatchObject({ status: 'completed' });
  }));

test('C1 D15: kill -9 in the middle of a command leaves no process, and an unknown outcome that is told', () =>
  withScriptedModel({}, async ({ editor, server, person }) => {
    server.enqueue(
      reply.calls([{ name: 'run', args: { command: 'echo $$ > pid; echo started; sleep 987654 & wait' } }]),
    );
    await person.send('Run something long');
    await person.decide('approve');
    const file = path.join(editor.workspace, 'pid');
    await eventually(() => existsSync(file) && readFileSync(file, 'utf8').trim() !== '', {
      what: 'the command runs',
    });
    await person.tool('run', 'running').waitFor();
    await editor.screenshot('running-command');
    const shell = Number(readFileSync(file, 'utf8'));
    expect(commandsAlive()).not.toEqual([]);
    await editor.killExtensionHost();
    await eventually(() => commandsAlive().length === 0 && !existsSync(`/proc/${shell}`), {
      timeout: 2_000,
      what: 'no process of the command lives two seconds later',
    });

    const again = await personAt(editor);
    await again.at('turn-interrupted').waitFor({ timeout: 40_000 });
    await editor.screenshot('command-interrupted');
    server.enqueue(reply.text('It was cut off.'));
    await again.at('turn-continue').first().click();
    await again.says('It was cut off.');
    const results = server.requests[1]?.body.messages.filter(({ role }) => role === 'tool') ?? [];
    expect(results).toHaveLength(1);
    expect(String(results[0]?.content)).toMatch(/interrupted/i);
    await again.run('idle');
    expect(ofType(onlyLog(editor.storage()), 'session_recovery')).toHaveLength(1);
  }));

test('F1: kill -9 while an approval waits: the card is there again and works, once', () =>
  withScriptedModel({ files: { 'a.txt': 'old\n' } }, async ({ editor, server, person }) => {
    server.enqueue(reply.calls([{ name: 'write', args: { path: 'a.txt', content: 'new\n' } }]));
    await person.send('Write it');
    await person.approval().waitFor();
    await editor.killExtensionHost();

    const again = await personAt(editor);
    await again.approval().waitFor({ timeout: 40_000 });
    await again.run('waiting');
    expect(readFileSync(path.join(editor.workspace, 'a.txt'), 'utf8')).toBe('old\n');
    server.enqueue(reply.text('Written.'));
    await again.decide('approve');
    await again.says('Written.');
    await again.run('idle');
    expect(readFileSync(path.join(editor.workspace, 'a.txt'), 'utf8')).toBe('new\n');
    const log = onlyLog(editor.storage());
    expect(ofType(log, 'approval_decision')).toHaveLength(1);
    expect(ofType(log, 'tool_start')).toHaveLength(1);
    expect(ofType(log, 'message').filter(({ role }) => role === 'tool')).toHaveLength(1);
  }));

test('D5 D8: a reload in mid-stream is reason closed, and nothing is sent by itself', () =>
  withScriptedModel({}, async ({ editor, server, person }) => {
    const held = reply.hold(['Half of ', 'a thought']);
    server.enqueue(held);
    await person.send('Think');
    await held.reached;
    await person.chat.getByText('Half of a thought').waitFor();
    const again = await reloaded(editor);
    await again.incomplete('closed').waitFor();
    await again.chat.getByText('Half of a thought').waitFor();
    await again.at('turn-continue').first().waitFor();
    expect(server.requests).toHaveLength(1);
    await editor.screenshot('closed');
    server.enqueue(reply.text('A whole thought.'));
    await again.at('turn-continue').first().click();
    await again.says('A whole thought.');
  }));

test('F1: a reload while an approval waits keeps the card', () =>
  withScriptedModel({ files: { 'a.txt': 'old\n' } }, async ({ editor, server, person }) => {
    server.enqueue(
      reply.calls([{ name: 'write', args: { path: 'a.txt', content: 'new\n' } }]),
      reply.text('Left alone.'),
    );
    await person.send('Write it');
    await person.approval().waitFor();
    const again = await reloaded(editor);
    await again.approval().waitFor();
    await again.decide('deny');
    await again.says('Left alone.');
    expect(readFileSync(path.join(editor.workspace, 'a.txt'), 'utf8')).toBe('old\n');
  }));

function streamed(storage: string): string {
  const journal = onlyLog(storage).file.replace(/\.jsonl$/, '.stream');
  return existsSync(journal) ? readFileSync(journal, 'utf8') : '';
}

/** Processes of the command of this file, whoever their parent is now. */
function commandsAlive(): string[] {
  return processes().filter((command) => command.includes('sleep 987654'));
}

function processes(): string[] {
  return listProc().map((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').join(' ');
    } catch (error) {
      // It ended between listing and reading.
      if (
        (error as NodeJS.ErrnoException).code === 'ENOENT' ||
        (error as NodeJS.ErrnoException).code === 'ESRCH'
      )
        return '';
      throw error;
    }
  });
}

const listProc = (): string[] => readdirSync('/proc').filter((name) => /^\d+$/.test(name));
