/** The log of a session on show is taken away from the disk: nothing of what is in memory is let go of. */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { copyCommands, type CopyCommandParts } from '../../../../src/host/commands/copies.js';
import { collect } from '../../../../src/host/export/write-file.js';
import { exportLines, newTally } from '../../../../src/host/export/log-lines.js';
import { catchUpUnlessGone } from '../../../../src/host/sessions/gone.js';
import type { HostSession } from '../../../../src/host/sessions/session.js';
import { text } from '../../agent/fake-model.js';
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

it('a fork names the export as the way', async () => {
  const parts = { targets: {}, sessions: world.sessions } as unknown as CopyCommandParts;
  const forked = copyCommands(parts)['bough.session.fork']('one', session.agent.log.head ?? '');
  await expect(forked).rejects.toThrow('Export Session…');
});
