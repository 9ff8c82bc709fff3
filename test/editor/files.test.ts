// Session files as files: forked, opened from elsewhere, verified, pruned.
import { readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { reply } from '../model-server/index.js';
import { eventually } from './bench/index.js';
import { call, caller, run } from './caller.js';
import { logsBelow, onlyLog, readLog } from './log-on-disk.js';
import { personAt, reloaded } from './person.js';
import { twoSessions, withScriptedModel } from './scripted.js';

test('H4: a fork ends where it was told to, goes on in its own file, and remembers where it came from', () =>
  withScriptedModel({}, async ({ editor, server, person }) => {
    server.enqueue(reply.text('Good morning.'), reply.text('And good night.'), reply.text('In the copy.'));
    await person.send('Hello');
    await person.says('Good morning.');
    await person.send('Good night');
    await person.says('And good night.');
    await person.run('idle');
    const original = onlyLog(editor.storage());

    await editor.runCommand('Bough: Fork Session…');
    await editor.pick('Before “Good night”');
    await eventually(() => logsBelow(editor.storage()).length === 2, { what: 'a copy' });
    const chat = await personAt(editor);
    await eventually(async () => (await chat.at('message').count()) === 2, { what: 'half the conversation' });
    await chat.send('Another way');
    await chat.says('In the copy.');
    await chat.run('idle');
    await editor.screenshot('fork');
    expect(readFileSync(original.file)).toEqual(original.bytes);
    const copy = logsBelow(editor.storage()).find(({ file }) => file !== original.file);
    expect(copy?.header).toMatchObject({ parent_session_id: original.header['id'] });
    expect(
      server.requests[2]?.body.messages.map(({ content }) => JSON.stringify(content)).join(),
    ).not.toContain('Good night');
    const again = await reloaded(editor);
    await again.says('In the copy.');
  }));

const kit = [
  { type: 'session', version: 3, id: 'a'.repeat(32), timestamp: '2026-01-05T09:00:00Z', cwd: '/w/p' },
  {
    ...{ type: 'message', id: 'aa01aa01aa01aa01', timestamp: '2026-01-05T09:00:01Z', role: 'user' },
    parts: [{ type: 'text', data: { text: 'Where do oaks grow?' } }],
  },
  {
    ...{ type: 'message', id: 'aa02aa02aa02aa02', parent_id: 'aa01aa01aa01aa01', role: 'assistant' },
    ...{ timestamp: '2026-01-05T09:00:02Z', parts: [{ type: 'text', data: { text: 'In forests.' } }] },
  },
];

const newer = [
  { type: 'session', version: 99, id: 'from-tomorrow', timestamp: '2026-01-05T09:00:00Z' },
  {
    ...{ type: 'message', id: 'bb01bb01bb01bb01', parent_id: null, timestamp: '2026-01-05T09:00:01Z' },
    ...{ role: 'user', parts: [{ type: 'text', text: 'What will be?' }] },
  },
  { type: 'future_x', id: 'bb02bb02bb02bb02', parent_id: 'bb01bb01bb01bb01', blob: { k: 1 } },
];

test('A10 A11: a log of an older format goes on as a copy; one of a newer format is read-only and stays as it is', () =>
  withScriptedModel({ extensions: [caller] }, async ({ editor, server, person }) => {
    const write = (name: string, lines: readonly object[]): string => {
      const file = path.join(editor.workspace, name);
      writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
      return file;
    };
    const old = write('kit.jsonl', kit);
    const before = readFileSync(old);
    await run(editor, 'bough.session.openFile', old);
    await person.says('In forests.');
    await person.notice('read-only').filter({ hasText: 'format 3' }).waitFor();
    expect(await person.composer.getAttribute('readonly')).not.toBeNull();
    await editor.screenshot('version-3');
    await person.notice('read-only').getByRole('button', { name: 'Continue as a Copy' }).click();
    await eventually(async () => (await person.notice('read-only').count()) === 0, { what: 'no notice' });
    await person.says('In forests.');
    server.enqueue(reply.text('And in parks.'));
    await person.send('Where else?');
    await person.says('And in parks.');
    expect(readFileSync(old)).toEqual(before);
    expect(onlyLog(editor.storage()).header).toMatchObject({ version: 4 });

    const later = write('newer.jsonl', newer);
    const bytes = readFileSync(later);
    await run(editor, 'bough.session.openFile', later);
    await person.notice('newer').waitFor();
    await person.message('user').filter({ hasText: 'What will be?' }).waitFor();
    expect(await person.notice('newer').innerText()).toMatch(/newer Bough.*update/is);
    expect(await person.composer.getAttribute('readonly')).not.toBeNull();
    await editor.screenshot('newer');
    await editor.page.locator('.pane-header .description').filter({ hasText: 'newer.jsonl' }).waitFor();
    const again = await reloaded(editor);
    await again.notice('newer').waitFor();
    await again.message('user').filter({ hasText: 'What will be?' }).waitFor();
    expect(readFileSync(later)).toEqual(bytes);
  }));

test('files are verified in a report, mended without losing a byte, and deleted by age only after a look at what goes', () =>
  withScriptedModel({ extensions: [caller] }, async ({ editor, server, person }) => {
    await twoSessions({ editor, server, person }, [
      ['Alder', 'Alder is a tree.'],
      ['Beech', 'Beech is a tree.'],
    ]);
    const [alder] = logsBelow(editor.storage());
    if (!alder) throw new Error('no log');

    await editor.runCommand('Bough: Verify Session Files');
    await editor.notification('All session files are in order').waitFor();
    // VS Code shows three messages at a time: those that were read make room.
    const clear = () => editor.runCommand('Notifications: Clear All Notifications');
    await clear();
    const torn = '{"type":"message","id":"ffff';
    writeFileSync(alder.file, `${alder.bytes.toString('utf8')}not JSON\n${torn}`);
    await editor.runCommand('Bough: Verify Session Files');
    const report = editor.page.locator('.editor-instance .view-lines');
    await eventually(async () => /line\s\d+:/.test(await report.innerText()), { what: 'a report' });
    const offer = editor.notification('not in order').last();
    await offer.waitFor();
    await editor.screenshot('report');
    await offer.getByRole('button', { name: 'Repair' }).click();
    await editor.notification('Mended').waitFor();
    await editor.screenshot('mended');
    await clear();
    const mended = readFileSync(alder.file, 'utf8');
    expect(mended.startsWith(`${alder.bytes.toString('utf8')}not JSON\n`)).toBe(true);
    const aside = readFileSync(alder.file.replace(/\.jsonl$/, '.damaged'), 'utf8');
    expect(`${mended}${aside}`).toContain(torn);

    writeFileSync(alder.file, alder.bytes);
    const old = new Date(Date.now() - 60 * 86_400_000);
    utimesSync(alder.file, old, old);
    await run(editor, 'bough.session.prune', { sessionIdle: 1000 * 86_400_000 });
    await editor.notification('There is nothing to delete').waitFor();
    await run(editor, 'bough.session.prune', { sessionIdle: 30 * 86_400_000 });
    const dialog = editor.page.locator('.monaco-dialog-box');
    await dialog.getByText(/Delete 1 session, [\d.]+ (bytes|KB)/).waitFor();
    expect(await dialog.innerText()).toContain('Alder');
    await editor.screenshot('prune');
    expect(logsBelow(editor.storage())).toHaveLength(2);
    await editor.confirm('Delete');
    await editor.notification('Deleted: 1 session').waitFor();
    await editor.rowGone('Alder');
    await editor.row('Beech');
    expect(onlyLog(editor.storage()).file).not.toBe(alder.file);
    await editor.notification('Deleted: 1 session').getByRole('button', { name: 'Undo' }).click();
    await editor.row('Alder');
    expect(readFileSync(alder.file)).toEqual(alder.bytes);
  }));

test('each of several deletions can be undone, by its message or from the trash; a file that is no session is left alone', () =>
  withScriptedModel({ extensions: [caller] }, async ({ editor, server, person }) => {
    await twoSessions({ editor, server, person }, [
      ['Alder', 'Alder is a tree.'],
      ['Alder', 'Alder is a wood.'],
    ]);
    const logs = () => logsBelow(editor.storage());
    const ids = logs().map(({ header }) => header['id']);
    for (const id of ids) {
      await run(editor, 'bough.session.delete', id);
      await editor.page.locator('.monaco-dialog-box').getByText('7 days').waitFor();
      await editor.confirm('Delete');
      await editor.page.locator('.monaco-dialog-box').waitFor({ state: 'hidden' });
    }
    const told = editor.notification('Deleted “Alder”');
    await eventually(async () => (await told.count()) === 2, { what: 'both can be undone' });
    await editor.screenshot('deleted');
    await told.first().getByRole('button', { name: 'Undo' }).click();
    await eventually(() => logs().length === 1, { what: 'one is back' });
    await run(editor, 'bough.session.restore');
    await editor.pick(/Alder/);
    await eventually(() => logs().length === 2, { what: 'both are back' });

    const file = path.join(editor.workspace, 'story.jsonl');
    const prose = 'Once upon a time\nthere was a tree';
    writeFileSync(file, prose);
    for (const command of ['bough.session.import', 'bough.session.openFile']) {
      await run(editor, command, file);
      await editor.notification('story.jsonl is no session log').first().waitFor();
    }
    expect(readFileSync(file, 'utf8')).toBe(prose);
    expect(readdirSync(editor.workspace).filter((name) => name.startsWith('story'))).toEqual(['story.jsonl']);
    writeFileSync(file, `${logs()[0]?.bytes.toString('utf8') ?? ''}garbage\n`);
    await run(editor, 'bough.session.import', file);
    await editor.notification('1 line left out as damaged').waitFor();
    expect(logs()).toHaveLength(3);
  }));

test('another extension lists, forks, archives, prunes and deletes sessions, and opens one without a file', () =>
  withScriptedModel({ extensions: [caller] }, async ({ editor, server, person }) => {
    server.enqueue(reply.text('Good morning.'));
    await person.send('Hello');
    await person.says('Good morning.');
    await person.run('idle');
    const { header, file } = onlyLog(editor.storage());
    const id = String(header['id']);
    const said = async (name: string, ...args: unknown[]) =>
      (await (await call(editor, name, ...args)).innerText()).replace(/\s+/g, ' ');
    expect(await said('listSessions')).toContain(id);
    expect(await said('listAllSessions')).toContain('"title":"Hello"');
    expect(await said('fork', id)).toContain('"path"');
    await eventually(() => logsBelow(editor.storage()).length === 2, { what: 'a copy' });
    expect(readLog(file).entries.length).toBeGreaterThan(2);
    expect(await said('archive', id)).toContain('null');
    await editor.row('Hello', 'archived');
    expect(await said('prune', { sessionIdle: -1 })).toContain('InvalidArgument');
    expect(await said('open', { ephemeral: true })).not.toContain('"path"');
    expect(await said('deleteSession', id)).toContain('null');
    await eventually(() => logsBelow(editor.storage()).length === 1, { what: 'one log' });
    await call(editor, 'open', { path: path.join(editor.workspace, 'missing.jsonl') });
    await editor.notification('API open failed').waitFor();
  }));
