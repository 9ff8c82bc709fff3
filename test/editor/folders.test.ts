// Which folder a session belongs to: none, several, one that was renamed; and which storage.
import { cpSync, mkdirSync, readFileSync, renameSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { reply } from '../model-server/index.js';
import { type Editor, eventually } from './bench/index.js';
import { type EditorWindow, openWindow } from './bench/window.js';
import { openWorkspaceFile } from './bench/workspace-file.js';
import { caller, run } from './caller.js';
import { filesBelow, logsBelow, onlyLog, readableByOthers } from './log-on-disk.js';
import { Person, personAt, reloaded } from './person.js';
import { providers, withScriptedModel } from './scripted.js';

/** Another window of the same VS Code, at `?<where>`. */
async function windowAt(editor: Editor, where: Record<string, string>): Promise<EditorWindow> {
  const url = `${editor.server.url}/?${new URLSearchParams(where).toString()}`;
  const evidence = path.dirname(await editor.screenshot('before'));
  return openWindow({ page: await editor.context.newPage(), url, evidence });
}

async function personIn(editor: Editor, window: EditorWindow): Promise<Person> {
  await window.openBough();
  return new Person(editor, await window.chat());
}

test('B7: a folder that was renamed on disk offers to link its sessions, and they are back', () =>
  withScriptedModel({ extensions: [caller] }, async ({ editor, server, person }) => {
    server.enqueue(reply.text('Good morning.'), reply.text('And good night.'), reply.text('Elsewhere.'));
    await person.send('Hello');
    await person.says('Good morning.');
    await person.run('idle');
    const log = onlyLog(editor.storage());

    const renamed = path.join(path.dirname(editor.workspace), 'renamed');
    renameSync(editor.workspace, renamed);
    const window = await windowAt(editor, { folder: renamed });
    const offer = window.notification('a folder that is not there any more');
    await offer.waitFor();
    const chat = await personIn(editor, window);
    await window.page.locator('.pane').getByRole('button', { name: 'Link to This Folder' }).waitFor();
    await window.screenshot('relink');
    await offer.getByRole('button', { name: 'Link to This Folder…' }).click();
    await (await window.row('Hello')).locator.click();
    await chat.says('Good morning.');
    await chat.send('Good night');
    await chat.says('And good night.');
    expect(onlyLog(editor.storage()).file).toBe(log.file);

    await window.reload();
    const again = await personIn(editor, window);
    await again.says('And good night.');
    await window.row('Hello');

    // Yet another folder has none of them, and can open them all the same.
    const other = path.join(path.dirname(editor.workspace), 'other');
    mkdirSync(other);
    const third = await windowAt(editor, { folder: other });
    const visitor = await personIn(editor, third);
    expect(await third.sessionsTree()).toEqual([]);
    await run(third, 'bough.session.otherFolders');
    await third.pick(/Hello/);
    await visitor.says('And good night.');
    await visitor.send('Still there?');
    await visitor.says('Elsewhere.');
    expect(onlyLog(editor.storage()).file).toBe(log.file);
  }));

test('B12 B9: a window of several folders shows the sessions of each, whichever comes and goes, and by whatever name it is opened; one without a folder has its own', () =>
  withScriptedModel({ extensions: [caller] }, async ({ editor, server, person }) => {
    server.enqueue(reply.text('One here.'), reply.text('Two here.'), reply.text('None here.'));
    await person.send('In the first');
    await person.says('One here.');
    await person.run('idle');

    const second = path.join(path.dirname(editor.workspace), 'second');
    mkdirSync(second);
    const alone = await windowAt(editor, { folder: second });
    const there = await personIn(editor, alone);
    await there.send('In the second');
    await there.says('Two here.');
    await there.run('idle');
    await alone.page.close();

    const file = path.join(path.dirname(editor.workspace), 'both.code-workspace');
    writeFileSync(file, JSON.stringify({ folders: [{ path: editor.workspace }, { path: second }] }));
    const both = await openWorkspaceFile(editor, file);
    const chat = await personIn(editor, both);
    await both.row('In the first');
    await (await both.row('In the second')).locator.click();
    await chat.says('Two here.');
    await both.screenshot('several-folders');
    writeFileSync(file, JSON.stringify({ folders: [{ path: second }] }));
    await both.rowGone('In the first');
    await both.row('In the second');
    writeFileSync(file, JSON.stringify({ folders: [{ path: second }, { path: editor.workspace }] }));
    await both.row('In the first');
    await both.row('In the second');
    await both.page.close();

    const link = path.join(path.dirname(editor.workspace), 'link');
    symlinkSync(editor.workspace, link);
    const linked = await windowAt(editor, { folder: link });
    await linked.openBough();
    await linked.row('In the first');
    await linked.page.close();

    const none = await windowAt(editor, { ew: 'true' });
    const nowhere = await personIn(editor, none);
    expect(await none.sessionsTree()).toEqual([]);
    await nowhere.send('Without a folder');
    await nowhere.says('None here.');
    await none.row('Without a folder');
    await eventually(() => logsBelow(editor.storage()).length === 3, { what: 'three logs' });

    // Of other folders the one that was worked in last comes first.
    const listed = async (): Promise<string[]> => {
      await run(none, 'bough.session.otherFolders');
      const rows = none.page.locator('.quick-input-widget:visible').getByRole('option', { name: /^In the / });
      await eventually(async () => (await rows.count()) === 2, { what: 'two sessions of other folders' });
      const found = await rows.evaluateAll((all) => all.map((row) => row.getAttribute('aria-label') ?? ''));
      await none.page.keyboard.press('Escape');
      await rows.first().waitFor({ state: 'hidden' });
      return found.map((label) => /^In the (\w+)/.exec(label)?.[1] ?? label);
    };
    expect(await listed()).toEqual(['second', 'first']);
    await none.screenshot('other-folders');
    const first = logsBelow(editor.storage()).find(({ bytes }) => bytes.includes('In the first'));
    const later = new Date(Date.now() + 60_000);
    utimesSync(first?.file ?? '', later, later);
    expect(await listed()).toEqual(['first', 'second']);

    const keys = logsBelow(editor.storage()).map((log) => path.basename(path.resolve(log.file, '../..')));
    expect(keys.sort().map((key) => key.replace(/-[0-9a-f]{16}$/, ''))).toEqual([
      'empty',
      'second',
      'workspace',
    ]);
  }));

test('sessions of another profile are listed and only read here; a fork of one goes on here, and copies go along to a new place', () =>
  withScriptedModel({ extensions: [caller] }, async ({ editor, server, person }) => {
    server.enqueue(reply.text('Good morning.'), reply.text('Not the same.'), reply.text('In the new place.'));
    await person.send('Hello');
    await person.says('Good morning.');
    await person.run('idle');
    const mine = onlyLog(editor.storage());
    const sibling = path.join(editor.userData, 'User/profiles/1a2b/globalStorage/bough.bough');
    cpSync(editor.storage(), sibling, { recursive: true });
    const theirs = path.join(sibling, path.relative(editor.storage(), mine.file));
    writeFileSync(
      theirs,
      mine.bytes.toString('utf8').replace('Hello', 'At work').replace('morning', 'evening'),
    );
    writeFileSync(
      path.join(editor.userData, 'User/globalStorage/storage.json'),
      JSON.stringify({ userDataProfiles: [{ location: '1a2b', name: 'Work' }] }),
    );
    const before = bytesBelow(sibling);

    await run(editor, 'bough.session.otherFolders');
    await editor.screenshot('profiles');
    await editor.pick(/At work.*profile “Work”/);
    await person.says('Good evening.');
    const notice = person.notice('read-only').filter({ hasText: 'the profile “Work”' });
    await notice.waitFor();
    expect(await person.composer.getAttribute('readonly')).not.toBeNull();
    await editor.screenshot('another-profile');
    await notice.getByRole('button', { name: 'Fork…' }).click();
    await editor.pick('From the end');
    await eventually(() => logsBelow(editor.storage()).length === 2, { what: 'a copy here' });
    await eventually(async () => (await person.notice('read-only').count()) === 0, { what: 'no notice' });
    await person.says('Good evening.');
    await person.send('Is it the same?');
    await person.says('Not the same.');
    await person.run('idle');
    expect(bytesBelow(sibling)).toEqual(before);
    expect(readFileSync(mine.file)).toEqual(mine.bytes);

    const place = path.join(path.dirname(editor.workspace), 'sessions');
    editor.setMachineSettings({ ...providers(server.url), 'bough.sessions.location': place });
    const offer = editor.notification(`Sessions are kept in ${place}`);
    await offer.waitFor();
    const here = logsBelow(editor.storage()).map(({ file, bytes }) => [path.basename(file), bytes]);
    await offer.getByRole('button', { name: 'Copy Sessions' }).click();
    await editor.notification('Sessions copied: 2').waitFor();
    await editor.screenshot('copied');
    expect(logsBelow(place).map(({ file, bytes }) => [path.basename(file), bytes])).toEqual(
      expect.arrayContaining(here),
    );
    expect(logsBelow(editor.storage())).toHaveLength(2);
    // The lock of a folder's own names is no part of a session.
    const left = /\/workspaces\/[^/]+\/sessions\/.*\.(lock|lease\.json|stream)$/;
    expect(filesBelow(place).filter((file) => left.test(file))).toEqual([]);
    expect(readableByOthers(place)).toEqual([]);

    const chat = await reloaded(editor);
    await (await editor.row('Hello')).locator.click();
    await chat.says('Good morning.');
    await chat.send('Are you there?');
    await chat.says('In the new place.');
    await chat.run('idle');
    expect(readFileSync(mine.file)).toEqual(mine.bytes);
    await run(editor, 'bough.session.otherFolders');
    await editor.pick(/Hello.*profile “Default”/);
    await chat.notice('read-only').filter({ hasText: 'the profile “Default”' }).waitFor();
    editor.setMachineSettings(providers(server.url));
    await editor.notification(`Sessions are kept in ${editor.storage()}`).waitFor();
    await reloaded(editor);
    await run(editor, 'bough.session.otherFolders');
    await editor.pick(new RegExp(`Hello.*${place}`));
    const again = await personAt(editor);
    await again.notice('read-only').filter({ hasText: place }).waitFor();
    await again.says('In the new place.');

    // A drive that is not connected now is named, not left out; nobody has to see it for ever.
    renameSync(place, `${place}.away`);
    await run(editor, 'bough.session.otherFolders');
    await editor.pick(/is not there now/);
    await editor.confirm('Forget This Place');
    await eventually(
      () => !readFileSync(path.join(editor.storage(), 'roots.json'), 'utf8').includes(`"roots":["${place}"`),
      { what: 'the place is forgotten' },
    );
    await run(editor, 'bough.session.otherFolders');
    await editor.page.getByPlaceholder('There are no sessions of other folders').waitFor();
    expect(logsBelow(`${place}.away`).length).toBeGreaterThan(1);
  }));

/** Every file with what is in it. */
const bytesBelow = (folder: string): Record<string, string> =>
  Object.fromEntries(filesBelow(folder).map((file) => [file, readFileSync(file, 'base64')]));
