import { existsSync } from 'node:fs';
import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createNodeFiles } from '../../../src/log/node-files.js';
import { setAsideFragment } from '../../../src/log/tail.js';
import { FaultyFiles } from './faulty-files.js';
import { bytesOf, damageOf, headerLine, joined, lines, messageLine, pathTexts, putLog } from './lines.js';
import { assistant, makePlace, user, type Place } from './support.js';

let place: Place;
beforeEach(async () => {
  place = await makePlace();
});
afterEach(() => place.dispose());

const whole = lines(headerLine('s'), messageLine('a', null));
const damagedFile = (): string => place.log('s').replace(/jsonl$/, 'damaged');
const damagedText = async (): Promise<string> => (await readFile(damagedFile())).toString('latin1');

/** Opens, appends one prompt, reopens: what is there then. */
async function goOn(): Promise<{ texts: string[]; damage: string[] }> {
  const log = await place.store().open('s');
  await log.append([user('new')]);
  await log.close();
  const again = await place.store().open('s');
  return { texts: await pathTexts(again), damage: damageOf(again) };
}

describe('the end of a log that a crash left', () => {
  it('A3: a record cut short is set aside before the first append, and nothing is glued to it', async () => {
    const fragment = '{"type":"message"';
    await putLog(place, 's', joined(whole, fragment));
    const log = await place.store().open('s');
    expect(damageOf(log)).toEqual(['torn-tail in line 3']);
    await log.append([user('new')]);
    expect(log.damage).toEqual([
      {
        kind: 'torn-tail',
        line: 3,
        reason: `the last record was cut short (17 bytes); moved to ${damagedFile()}`,
        moved: true,
      },
    ]);
    expect(await pathTexts(log)).toEqual(['a', 'new']);
    expect(await damagedText()).toMatch(
      /^\{"offset":\d+,"bytes":17,"timestamp":"[^"]+"\}\n\{"type":"message"\n$/,
    );
    const again = await place.store().open('s');
    expect([await pathTexts(again), damageOf(again)]).toEqual([['a', 'new'], []]);
    expect((await bytesOf(place.log('s'))).subarray(0, whole.length)).toEqual(whole);
  });

  it('A3: a whole record that lacks its newline is kept and gets one', async () => {
    await putLog(place, 's', joined(whole, messageLine('b', 'a')));
    const log = await place.store().open('s');
    expect([await pathTexts(log), log.damage]).toEqual([['a', 'b'], []]);
    expect(await goOn()).toEqual({ texts: ['a', 'b', 'new'], damage: [] });
    expect((await bytesOf(place.log('s'))).toString()).toContain(`${messageLine('b', 'a')}\n`);
  });

  it('A3: a header that lacks its newline is kept and gets one', async () => {
    await putLog(place, 's', Buffer.from(headerLine('s', { title: 'T' })));
    expect(await goOn()).toEqual({ texts: ['new'], damage: [] });
    expect((await place.store().open('s')).header.title).toBe('T');
  });

  it.each([1, 2, 3, 30])(
    'A3: a batch that was cut is not there at all, also when its last entry is whole (%d bytes before the end)',
    async (short) => {
      const batch = `[${messageLine('b', 'a')},${messageLine('c', 'b')}]\n`;
      const whole = lines(headerLine('s'), messageLine('a', null));
      await putLog(place, 's', joined(whole, batch.slice(0, -short)));
      const log = await place.store().open('s');
      if (short === 1) expect(await pathTexts(log)).toEqual(['a', 'b', 'c']);
      else {
        expect([await pathTexts(log), damageOf(log)]).toEqual([['a'], ['torn-tail in line 3']]);
        await log.append([user('d')]);
        expect(await pathTexts(await place.store().open('s'))).toEqual(['a', 'd']);
      }
    },
  );

  it('A3: a tail cut inside a character is set aside byte for byte', async () => {
    const fragment = joined('{"type":"message","t":"', new Uint8Array([0xe4, 0xbf]));
    await putLog(place, 's', joined(whole, fragment));
    expect(await goOn()).toEqual({ texts: ['a', 'new'], damage: [] });
    expect((await readFile(damagedFile())).includes(fragment)).toBe(true);
  });

  it('sets NUL bytes at the end aside, and keeps a record they follow', async () => {
    await putLog(place, 's', joined(whole, new Uint8Array(40)));
    expect(await goOn()).toEqual({ texts: ['a', 'new'], damage: [] });
    expect(await damagedText()).toContain('\0'.repeat(40));
    await writeFile(place.log('s'), joined(whole, messageLine('b', 'a'), new Uint8Array(40)));
    expect(await goOn()).toEqual({ texts: ['a', 'b', 'new'], damage: ['unreadable-line in line 3'] });
  });

  it('makes a header anew for a file that held only the beginning of one', async () => {
    await putLog(place, 's', Buffer.from('{"type":"sess'));
    expect(await goOn()).toEqual({ texts: ['new'], damage: [] });
    expect((await bytesOf(place.log('s'))).toString()).toMatch(/^\{"type":"session","version":4,"id":"s",/);
    expect(await damagedText()).toContain('{"type":"sess');
  });

  it('changes nothing on disk when it is only looked at', async () => {
    const bytes = joined(whole, '{"type":"mess');
    await putLog(place, 's', bytes);
    for (let round = 0; round < 3; round++) {
      const store = place.store();
      const log = await store.open('s');
      await log.path();
      await store.list();
      await log.close();
    }
    expect(await bytesOf(place.log('s'))).toEqual(bytes);
    await expect(readFile(damagedFile())).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('sets two fragments aside that were cut at the same place, and the same one only once', async () => {
    await putLog(place, 's', joined(whole, 'first'));
    const files = new FaultyFiles(createNodeFiles());
    files.faults = [{ call: 'file.truncate', path: '.jsonl', errno: 'EIO', times: 1 }];
    const log = await place.store({ files }).open('s');
    await expect(log.append([user('x')])).rejects.toMatchObject({ code: 'StorageFailure' });
    expect(await damagedText()).toMatch(/first\n$/);
    await log.append([user('x')]);
    expect((await damagedText()).match(/first/g)).toHaveLength(1);
    await writeFile(place.log('s'), joined(whole, 'other'));
    expect(await goOn()).toMatchObject({ texts: ['a', 'new'] });
    expect((await damagedText()).match(/"offset"/g)).toHaveLength(2);
    expect(await damagedText()).toMatch(/first\n.*\nother\n$/);
  });

  it.each(['ENOSPC', 'EACCES'])('cuts nothing off while it cannot be set aside (%s)', async (errno) => {
    const bytes = joined(whole, 'torn');
    await putLog(place, 's', bytes);
    const files = new FaultyFiles(createNodeFiles());
    files.faults = [
      errno === 'EACCES'
        ? { call: 'open', path: '.damaged', errno }
        : { call: 'file.write', path: '.damaged', errno, bytes: 9 },
    ];
    const log = await place.store({ files }).open('s');
    await expect(log.append([user('x')])).rejects.toMatchObject({
      code: 'StorageFailure',
      data: { errno, path: damagedFile() },
    });
    expect(await bytesOf(place.log('s'))).toEqual(bytes);
    files.heal();
    await log.append([user('x')]);
    expect(await pathTexts(log)).toEqual(['a', 'x']);
    expect(await damagedText()).toMatch(/^\{"offset":\d+,"bytes":4,"timestamp":"[^"]+"\}\ntorn\n$/);
  });

  it('survives a sidecar that makes no sense', async () => {
    await putLog(place, 's', joined(whole, 'torn'));
    await writeFile(damagedFile(), 'what is this\n{"offset":1,"bytes":999999,"timestamp":"x"}\n');
    expect(await goOn()).toMatchObject({ texts: ['a', 'new'] });
    expect(await damagedText()).toMatch(/^what is this\n.*\n\{"offset":\d+,"bytes":4.*\ntorn\n$/);
  });

  it('does not cut off what another process wrote meanwhile', async () => {
    await putLog(place, 's', joined(whole, messageLine('b', 'a').slice(0, 20)));
    const log = await place.store().open('s');
    await appendFile(place.log('s'), `${messageLine('b', 'a').slice(20)}\n`);
    await log.append([user('c')]);
    expect([await pathTexts(log), log.damage]).toEqual([['a', 'b', 'c'], []]);
  });

  it('never cuts off what another window repaired and appended, however long that is', async () => {
    await putLog(place, 's', whole);
    const measured = await place.store().open('s');
    await measured.append([user('mine')]);
    await measured.close();
    const added = (await bytesOf(place.log('s'))).length - whole.length;

    await putLog(place, 's', joined(whole, '{'.padEnd(added, 'x')));
    const one = await place.store().open('s');
    const two = await place.store().open('s');
    expect([damageOf(one), damageOf(two)]).toEqual([['torn-tail in line 3'], ['torn-tail in line 3']]);
    await one.append([user('mine')]);
    await one.close();
    expect((await bytesOf(place.log('s'))).length).toBe(whole.length + added);
    await two.append([assistant('re')]);
    expect([await pathTexts(two), two.damage.map(({ kind }) => kind)]).toEqual([['a', 'mine', 're'], []]);
    await two.close();
    expect(await pathTexts(await place.store().open('s'))).toEqual(['a', 'mine', 're']);
    expect((await damagedText()).match(/"offset"/g)).toHaveLength(1);
  });

  it('sets nothing aside that has a whole record in it', async () => {
    const file = await putLog(place, 's', joined(whole, 'torn'));
    const record = `${messageLine('b', 'a')}\n`;
    await writeFile(file, joined(whole, record));
    const files = createNodeFiles();
    const log = await files.open(file, 'append');
    const fragment = { offset: whole.length, end: whole.length + record.length };
    const where = { files, logPath: file, damagedPath: damagedFile(), now: '2026-01-01T00:00:00Z' };
    await expect(setAsideFragment(log, fragment, where)).rejects.toMatchObject({
      code: 'SessionConflict',
      data: { path: file },
    });
    await log.close();
    expect(await bytesOf(file)).toEqual(joined(whole, record));
    expect(existsSync(damagedFile())).toBe(false);
  });

  it('A4: a fragment that an earlier append was glued to loses only itself', async () => {
    await putLog(
      place,
      's',
      lines(
        headerLine('s'),
        messageLine('a', null),
        messageLine('b', 'a').slice(0, 30) + messageLine('c', 'b'),
      ),
    );
    const log = await place.store().open('s');
    expect(await pathTexts(log)).toEqual(['a', 'c']);
    expect(damageOf(log).sort()).toEqual(['missing-parent in line 3', 'unreadable-line in line 3']);
  });
});
