// The list of sessions is what lies in the folder, whatever its cache says, and a file that cannot be read stays where it is.
import {
  chmodSync,
  copyFileSync,
  existsSync,
  lstatSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { reply } from '../model-server/index.js';
import { eventually } from './bench/index.js';
import { logsBelow, onlyLog } from './log-on-disk.js';
import { personAt, reloaded } from './person.js';
import { twoSessions, withScriptedModel } from './scripted.js';

/** Root reads every file there is, but not this one. */
const WRITE_ONLY = '/sys/bus/platform/drivers_probe';

/** From now on nobody reads the file; the function it gives puts it back. */
function makeUnreadable(file: string): () => void {
  if (process.getuid?.() !== 0) {
    chmodSync(file, 0o000);
    return () => chmodSync(file, 0o600);
  }
  renameSync(file, `${file}.aside`);
  symlinkSync(WRITE_ONLY, file);
  return () => renameSync(`${file}.aside`, file);
}

test('B10 B13 B15: the list is complete when its index is gone, garbled or stale, and however old a session is', () =>
  withScriptedModel({}, async ({ editor, server, person }) => {
    let chat = await twoSessions({ editor, server, person }, [
      ['Alder', 'Alder is a tree.'],
      ['Beech', 'Beech is a tree.'],
    ]);
    const [alder] = logsBelow(editor.storage());
    if (!alder) throw new Error('no log');
    const index = path.join(path.dirname(alder.file), '../cache/index.json');
    await eventually(() => existsSync(index), { what: 'an index' });

    rmSync(index);
    copyFileSync(alder.file, path.join(path.dirname(alder.file), 'dropped-in.jsonl'));
    const old = new Date(Date.now() - 400 * 86_400_000);
    const saidThen = alder.bytes
      .toString('utf8')
      .replaceAll(/"timestamp":"[^"]+"/g, `"timestamp":"${old.toISOString()}"`);
    writeFileSync(alder.file, saidThen);
    utimesSync(alder.file, old, old);
    chat = await reloaded(editor);
    for (const title of ['Alder', 'Beech', 'Older']) await editor.row(title);
    const all = async () =>
      (await editor.sessionsTree()).filter(({ title }) => /^(Alder|Beech)$/.test(title)).length;
    expect(await all()).toBe(3);

    writeFileSync(index, '{"version":1,"rows":{"');
    await reloaded(editor);
    await eventually(async () => (await all()) === 3, { what: 'three rows with a garbled index' });

    const { version, rows } = JSON.parse(readFileSync(index, 'utf8')) as {
      version: number;
      rows: Record<string, { summary: Record<string, unknown> }>;
    };
    const [[name, row] = ['', undefined], ...others] = Object.entries(rows);
    const ghost = { ...row, summary: { ...row?.summary, id: 'ghost', title: 'Ghost' } };
    writeFileSync(
      index,
      JSON.stringify({ version, rows: { ...Object.fromEntries(others.slice(1)), ghost } }),
    );
    expect(name).not.toBe('');
    chat = await reloaded(editor);
    await eventually(async () => (await all()) === 3, { what: 'three rows with a stale index' });
    // B10: what the list knows and the folder lacks is missing, which is said and not concluded from.
    await editor.row('Ghost', 'not found here');
    await editor.screenshot('list');
    await chat.says('Beech is a tree.');
    await (await editor.row('Ghost')).locator.click();
    const away = chat.notice('read-only').filter({ hasText: 'not found here' });
    await away.getByRole('button', { name: 'Reopen' }).waitFor();
    await editor.row('Ghost', 'not found here');
    await editor.screenshot('missing');
    await away.getByRole('button', { name: 'Delete from List' }).click();
    await editor.confirm('Delete from List');
    await editor.rowGone('Ghost');
  }));

test('B11: a log that cannot be read has a row that says so, and clicking it deletes nothing', () =>
  withScriptedModel({}, async ({ editor, server, person }) => {
    server.enqueue(reply.text('Good morning.'));
    await person.send('Hello');
    await person.says('Good morning.');
    await person.run('idle');
    await editor.row('Hello', '');
    await editor.runCommand('Bough: New Session');
    await eventually(async () => (await person.at('message').count()) === 0, { what: 'an empty chat' });
    const { file, bytes } = onlyLog(editor.storage());

    const putBack = makeUnreadable(file);
    await reloaded(editor);
    const row = await editor.row('Hello', 'damaged');
    await row.locator.click();
    const chat = await personAt(editor);
    await chat.notice('read-only').waitFor();
    expect(await chat.notice('read-only').innerText()).toContain(file);
    await editor.screenshot('unreadable-row');
    expect(lstatSync(file)).toBeTruthy();
    await editor.row('Hello', 'damaged');

    putBack();
    await chat.notice('read-only').getByRole('button', { name: 'Reopen' }).click();
    await chat.says('Good morning.');
    await editor.row('Hello', '');
    expect(readFileSync(file)).toEqual(bytes);
  }));

test('B10: where the files are gone and only their index is left, nothing is in the way', () =>
  withScriptedModel({}, async ({ editor, server, person }) => {
    server.enqueue(reply.text('Good morning.'), reply.text('Still here.'));
    await person.send('Hello');
    await person.says('Good morning.');
    await person.run('idle');
    const { file } = onlyLog(editor.storage());
    await editor.row('Hello');
    rmSync(path.dirname(file), { recursive: true });
    const chat = await reloaded(editor);
    await eventually(async () => (await chat.at('message').count()) === 0, { what: 'an empty chat' });
    expect(await chat.at('notice').count()).toBe(0);
    await chat.send('Are you there?');
    await chat.says('Still here.');
    await editor.row('Hello', 'not found here');
    await editor.row('Are you there?');
  }));
