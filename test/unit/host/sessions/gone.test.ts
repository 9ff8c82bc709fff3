/** The log of a session on show is taken away from the disk: nothing of what is in memory is let go of. */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { copyCommands, type CopyCommandParts } from '../../../../src/host/commands/copies.js';
import { collect } from '../../../../src/host/export/write-file.js';
import { exportLines, newTally } from '../../../../src/host/export/log-lines.js';
import { readConversation } from '../../../../src/host/export/conversation.js';
import { writeMarkdown } from '../../../../src/host/export/markdown.js';
import { catchUpUnlessGone, placesOf } from '../../../../src/host/sessions/gone.js';
import type { HostSession } from '../../../../src/host/sessions/session.js';
import { text } from '../../agent/fake-model.js';
import { headerLine, lines, messageLine, noteLine, putLog } from '../../log/lines.js';
import { makePlace, type Place } from '../../log/support.js';
import { makeWorld, send, type World } from '../world.js';

vi.mock('vscode', () => ({ l10n: { t: (words: string) => words } }));

let place: Place;
let world: World;
let session: HostSession;
let file: string;
let bytes: Buffer;
beforeEach(async () => {
  place = await makePlace();
  const store = place.store();
  world = makeWorld([text('Yes.')], {}, () => store);
  session = await world.sessions.open('one');
  session.agent.log.show();
  await session.agent.dispatch(send('Is it so?'));
  await session.agent.settled();
  file = session.agent.log.file ?? '';
  bytes = await readFile(file);
  await rm(file);
});
afterEach(() => place.dispose());

it('it can be exported, the last answer too, as the log itself or as a conversation', async () => {
  const { log } = session.agent;
  await catchUpUnlessGone(log);
  expect(log.access).toMatchObject({ mode: 'stale', isGone: true });
  expect(JSON.stringify(await log.path())).toContain('Yes.');
  const exported = await collect(exportLines(log, (words) => words, newTally()));
  const parsed = (lines: string): unknown[] =>
    lines
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
  expect(parsed(Buffer.from(exported).toString())).toEqual(parsed(bytes.toString()));
});

it('opening it again keeps what is on show until the file is back', async () => {
  await expect(world.sessions.reopen('one')).rejects.toMatchObject({
    code: 'SessionNotFound',
    message: expect.stringContaining('is still missing') as string,
  });
  expect(world.sessions.peek('one')).toBe(session);
  expect(session.title()).toBe('Is it so?');
  expect(session.mayRest).toBe(false);
  expect(session.status().notices).toMatchObject([
    { kind: 'stale', actions: [{ label: 'Export…' }, { label: 'Reopen' }] },
  ]);
  await writeFile(file, bytes);
  const fresh = await world.sessions.reopen('one');
  expect(fresh.agent.log.access).toEqual({ mode: 'write' });
  expect(JSON.stringify(await fresh.agent.log.path())).toContain('Yes.');
});

it('what is not in memory is named in its place, and the rest is exported', async () => {
  const long = (at: number) => `${String(at)} ${'x'.repeat(900_000)}`;
  const records = Array.from({ length: 7 }, (_, at) =>
    messageLine(`m${String(at)}`, at === 0 ? null : `m${String(at - 1)}`, long(at)),
  );
  const named = noteLine('session_info', 'n', null, { name: 'Mine' });
  const path = await putLog(place, 'two', lines(headerLine('two'), named, ...records));
  const { log } = (await world.sessions.open('two')).agent;
  log.show();
  await log.path();
  await rm(path);
  await catchUpUnlessGone(log);
  const tally = newTally();
  const exported = Buffer.from(await collect(exportLines(log, (words) => words, tally))).toString();
  expect(placesOf(tally.lost)).toBe('1–4');
  const [header, lost, ...rest] = exported.trim().split('\n');
  expect(JSON.parse(header ?? '')).toMatchObject({ type: 'session', id: 'two' });
  expect(lost).toMatch(/^What stood here could not be had .* entry 1–4 of the log \(m0 "0 x.*", m1 "1 x/);
  expect(rest.map((line) => (JSON.parse(line) as { id: string }).id)).toEqual(['m3', 'm4', 'm5', 'm6']);
  const file = await putLog(place, 'three', Buffer.from(exported));
  const again = await place.store().open('three');
  expect(again.file).toBe(file);
  expect(again.damage.map(({ kind, line }) => [kind, line])).toEqual([
    ['unreadable-line', 2],
    ['missing-parent', 3],
  ]);
  expect(await again.path()).toHaveLength(4);
  const read = await readConversation(log, 'Two');
  expect(read.lost).toEqual(tally.lost);
  const written = writeMarkdown(read);
  expect(written).toContain('could not be had any more: 1–4.');
  expect(written).toContain(
    "Entry 2 could not be had any more, since the session's file is gone. It begins:",
  );
  expect(written).toContain(long(3));
});

it('a fork names the export as the way', async () => {
  const parts = { targets: {}, sessions: world.sessions } as unknown as CopyCommandParts;
  const forked = copyCommands(parts)['bough.session.fork']('one', session.agent.log.head ?? '');
  await expect(forked).rejects.toThrow('Export Session…');
});
