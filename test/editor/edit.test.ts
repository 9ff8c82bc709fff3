// Scenes b and c: an edit that waits for a person; what is outside the folder stays outside.
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { reply } from '../model-server/index.js';
import { eventually } from './bench/index.js';
import { openFile } from './bench/quick-input.js';
import { ofType, onlyLog, readableByOthers, types } from './log-on-disk.js';
import { reloaded, sameTranscript } from './person.js';
import { told, withScriptedModel } from './scripted.js';

const before = 'export const greeting = "hello";\n';
const after = 'export const greeting = "good morning";\n';

test('an approved edit changes the file, can be undone, and survives a reload', () =>
  withScriptedModel({ files: { 'src/greet.ts': before } }, async ({ editor, server, person }) => {
    const file = path.join(editor.workspace, 'src/greet.ts');
    const edits = [{ old_text: '"hello"', new_text: '"good morning"' }];
    server.enqueue(
      reply.calls([{ name: 'read', args: { path: 'src/greet.ts' } }], { text: 'Let me look.' }),
      reply.calls([{ name: 'edit', args: { path: 'src/greet.ts', edits } }]),
      reply.text('Done: ', 'the greeting is friendlier.'),
    );
    await person.send('Make the greeting friendlier');
    await person.tool('read', 'ok').waitFor();
    await person.approval().waitFor();
    await person.run('waiting');
    await editor.statusBar('Bough: waiting');
    expect(readFileSync(file, 'utf8')).toBe(before);
    await editor.screenshot('approval');

    await person.decide('approve');
    await person.tool('edit', 'ok').waitFor();
    await person.says('the greeting is friendlier');
    await person.run('idle');
    expect(readFileSync(file, 'utf8')).toBe(after);
    expect(await editor.page.locator('.tab.dirty').count()).toBe(0);
    await editor.screenshot('edited');

    const log = onlyLog(editor.storage());
    expect(types(log)).toEqual(
      expect.arrayContaining([
        'approval_request',
        'approval_decision',
        'tool_start',
        'files_changed',
        'usage',
        'step_end',
      ]),
    );
    expect(log.header).toMatchObject({ type: 'session', version: 4 });
    expect(log.entries[0]).toMatchObject({ type: 'message', role: 'user', parent_id: null });
    expect(log.entries[1]).toMatchObject({ type: 'turn_start' });
    expect(ofType(log, 'approval_decision')[0]).toMatchObject({ decision: 'allow' });
    const results = log.entries
      .flatMap(({ parts }) => parts ?? [])
      .filter(({ type }) => type === 'tool_result');
    expect(results.map(({ name, is_error }) => [name, is_error])).toEqual([
      ['read', false],
      ['edit', false],
    ]);
    expect(ofType(log, 'turn_end')[0]).toMatchObject({ status: 'completed', steps: 3 });
    expect(readableByOthers(editor.storage())).toEqual([]);

    await open(editor.page, 'greet.ts');
    await editor.runCommand('Undo');
    await editor.page.locator('.editor-instance .view-lines').filter({ hasText: '"hello"' }).waitFor();
    await editor.page.keyboard.press('ControlOrMeta+S');
    await eventually(() => readFileSync(file, 'utf8') === before, { what: 'the old text is on disk' });

    const shown = await person.transcript();
    const again = await reloaded(editor);
    await again.says('the greeting is friendlier');
    sameTranscript(await again.transcript(), shown);
    server.enqueue(reply.text('You are welcome.'));
    await again.send('Thanks');
    await again.says('You are welcome.');
    const history = told(server, 4);
    expect(history.map(({ role }) => role)).toEqual([
      'system',
      'user',
      'assistant',
      'tool',
      'assistant',
      'tool',
      'assistant',
      'user',
    ]);
    expect(history.at(-1)?.text).toContain('Thanks');
  }));

test('a denied edit leaves the file alone, and the model is told', () =>
  withScriptedModel({ files: { 'src/greet.ts': before } }, async ({ editor, server, person }) => {
    server.enqueue(
      reply.calls([
        { name: 'edit', args: { path: 'src/greet.ts', edits: [{ old_text: 'hello', new_text: 'bye' }] } },
      ]),
      reply.text('Then I leave it.'),
    );
    await person.send('Say bye');
    await person.decide('deny');
    await person.says('Then I leave it.');
    await person.run('idle');
    await person.tool('edit', 'denied').waitFor();
    expect(readFileSync(path.join(editor.workspace, 'src/greet.ts'), 'utf8')).toBe(before);
    expect(told(server, 2).at(-1)).toMatchObject({
      role: 'tool',
      text: expect.stringMatching(/denied|declined|did not allow/i) as string,
    });
    const log = onlyLog(editor.storage());
    expect(ofType(log, 'approval_decision')).toEqual([expect.objectContaining({ decision: 'deny' })]);
    expect(ofType(log, 'turn_end')).toEqual([expect.objectContaining({ status: 'completed' })]);
  }));

test('what lies outside the folder is refused without a card', () =>
  withScriptedModel({ files: { 'a.txt': 'inside\n' } }, async ({ editor, server, person }) => {
    const outside = path.join(path.dirname(editor.workspace), 'outside.txt');
    writeFileSync(outside, 'secret\n');
    symlinkSync(outside, path.join(editor.workspace, 'link.txt'));
    server.enqueue(
      reply.calls([
        { name: 'read', args: { path: outside } },
        { name: 'read', args: { path: '../../../etc/hostname' } },
        { name: 'read', args: { path: 'link.txt' } },
        { name: 'write', args: { path: '../out.txt', content: 'x' } },
        { name: 'write', args: { path: 'link.txt', content: 'x' } },
      ]),
      reply.text('I may not.'),
    );
    await person.send('Read things you should not');
    await person.says('I may not.');
    await person.run('idle');
    expect(await person.at('approval').count()).toBe(0);
    const log = onlyLog(editor.storage());
    const results = log.entries
      .flatMap(({ parts }) => parts ?? [])
      .filter(({ type }) => type === 'tool_result');
    expect(results.map(({ is_error }) => is_error)).toEqual([true, true, true, true, true]);
    expect(log.bytes.toString('utf8')).not.toContain('secret');
    expect(readFileSync(outside, 'utf8')).toBe('secret\n');
  }));

async function open(page: Page, name: string): Promise<void> {
  await openFile(page, name);
  await page.locator('.editor-instance .view-lines').filter({ hasText: 'greeting' }).click();
}
