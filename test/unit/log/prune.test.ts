import { appendFileSync } from 'node:fs';
import { mkdir, readFile, readdir, stat, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FileStore } from '../../../src/log/file-store.js';
import type { SessionLog } from '../../../src/log/store.js';
import type { Draft } from '../../../src/shared/notes.js';
import { headerLine, lines, messageLine, noteLine, putLog } from './lines.js';
import { assistant, makePlace, user, type Place } from './support.js';

let place: Place;
let store: FileStore;
beforeEach(async () => {
  place = await makePlace();
  store = place.store();
});
afterEach(() => place.dispose());

const DAY = 86_400_000;
const inSessions = (...names: string[]): string => path.join(place.folder, 'sessions', ...names);
const age = (file: string, days: number): Promise<void> => {
  const then = new Date(Date.now() - days * DAY);
  return utimes(file, then, then);
};
const goal = (status: string, blob: string, extra: object = {}): Draft => ({
  type: 'goal_update',
  goal_id: 'g',
  objective: 'Ship',
  status,
  iteration: 1,
  max_iterations: 20,
  evaluation: { blob },
  ...extra,
});
const withBlobs = async (): Promise<{ log: SessionLog; own: string; shared: string; loose: string }> => {
  const log = await store.create({ id: 's' });
  const own = await log.blobs.put('evaluation');
  const shared = await log.blobs.put('shared');
  const loose = await log.blobs.put('named by nothing');
  await log.append([
    { type: 'message', role: 'user', parts: [{ type: 'file', blob: shared, mime: 'text/plain', name: 'x' }] },
    goal('active', shared),
  ]);
  await log.append([goal('completed', own)]);
  return { log, own, shared, loose };
};

describe('pruning', () => {
  it('B15: deletes nothing by age on its own, however old it is', async () => {
    for (const id of ['a', 'b']) {
      await putLog(place, id, lines(headerLine(id), messageLine('m', null)));
      await age(place.log(id), 400);
    }
    const fresh = place.store();
    expect((await fresh.list()).sessions).toHaveLength(2);
    await (await fresh.open('a')).append([user('more')]);
    await fresh.close();
    expect((await place.store().list()).sessions).toHaveLength(2);
  });

  it('B15: leaves no ghost of what it was told to delete', async () => {
    const log = await store.create({ id: 'old' });
    await log.blobs.put('bytes');
    await log.append([user('a')]);
    await log.close();
    await age(place.log('old'), 400);
    await putLog(place, 'young', lines(headerLine('young'), messageLine('m', null)));
    await store.list();
    const report = await store.prune({ sessionIdle: 30 * DAY });
    expect(report.sessions).toMatchObject([{ id: 'old' }]);
    expect((await store.list()).sessions.map(({ id }) => id)).toEqual(['young']);
    expect((await readdir(inSessions())).filter((name) => name.startsWith('old'))).toEqual([]);
    expect(await readdir(path.join(place.folder, 'trash'))).toMatchObject([expect.stringMatching(/^old\./)]);
    expect((await place.store().list()).sessions.map(({ id }) => id)).toEqual(['young']);
    expect(await place.store().summary('old')).toBe(undefined);
  });

  it('never takes a session that is open, however old it is', async () => {
    for (const id of ['open', 'old']) {
      await putLog(place, id, lines(headerLine(id), messageLine('m', null)));
      await age(place.log(id), 400);
    }
    const isOpen = (id: string): boolean => id === 'open';
    for (const dryRun of [true, false]) {
      const report = await store.prune({ sessionIdle: DAY }, { isOpen, dryRun });
      expect(report.sessions).toMatchObject([{ id: 'old' }]);
      expect(report.kept).toEqual([{ session: 'open', reason: 'It is open.' }]);
    }
    expect((await store.list()).sessions.map(({ id }) => id)).toEqual(['open']);
  });

  it('reads what is nested beyond all measure', async () => {
    const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
    const ended = noteLine('goal_update', 'g', 'm', {
      ...{
        goal_id: 'g',
        objective: 'Ship',
        status: 'completed',
        iteration: 1,
        max_iterations: 2,
        evaluation: 0,
      },
    }).replace('"evaluation":0', `"evaluation":${deep}`);
    await putLog(place, 's', lines(headerLine('s'), messageLine('m', null), ended));
    expect((await store.prune({ completedGoalAge: 1 })).goals).toMatchObject([
      { session: 's', goal_id: 'g' },
    ]);
  });

  it('removes the blobs of a completed goal that nothing else names, and says so in the session', async () => {
    const { log, own, shared } = await withBlobs();
    expect((await store.prune({ completedGoalAge: DAY })).goals).toEqual([]);
    await log.append([goal('completed', own)]);
    const dry = await store.prune({ completedGoalAge: 1 }, { dryRun: true });
    expect(await log.blobs.has(own)).toBe(true);
    const done = await store.prune({ completedGoalAge: 1 });
    expect(done).toEqual(dry);
    expect(done.goals).toEqual([{ session: 's', goal_id: 'g', bytes: 'evaluation'.length }]);
    expect([await log.blobs.has(own), await log.blobs.has(shared)]).toEqual([false, true]);
    const last = (await log.since(log.position - 1))[0]?.entry;
    expect(last).toMatchObject({ type: 'goal_update', goal_id: 'g', status: 'pruned', objective: 'Ship' });
    expect((await store.prune({ completedGoalAge: 1 })).goals).toEqual([]);
  });

  describe('of a conversation that has a goal on several lines', () => {
    /** Completed on a line that was left; what is told of it stands in a blob. */
    const branched = async (): Promise<{ log: SessionLog; fork: string; other: string; blob: string }> => {
      const log = await store.create({ id: 's' });
      const blob = await log.blobs.put('evaluation');
      await log.append([user('a'), goal('active', blob)]);
      const [fork] = await log.append([assistant('b')]);
      const [other] = await log.append([assistant('c'), goal('completed', blob)]);
      await log.append([{ type: 'head', entry_id: fork?.id ?? null }, user('another way')]);
      return { log, fork: fork?.id ?? '', other: other?.id ?? '', blob };
    };
    const pruneIdle = async (log: SessionLog) => {
      await log.append([{ type: 'label', target_id: log.head ?? '', label: 'here' }]);
      await store.close();
      await age(place.log('s'), 400);
      const { sessions, kept } = await place.store().prune({ sessionIdle: DAY });
      return { sessions: sessions.map(({ id }) => id), kept };
    };
    const carrying = { session: 's', reason: 'It carries a goal that is not completed.' };

    it('keeps the session while it is active on the line on show, though another line completed it', async () => {
      const { log } = await branched();
      expect(log.state().goal?.status).toBe('active');
      expect(await pruneIdle(log)).toEqual({ sessions: [], kept: [carrying] });
    });

    it('keeps the session while it is active on any line', async () => {
      const { log, other } = await branched();
      await log.append([{ type: 'head', entry_id: other }]);
      expect(log.state().goal?.status).toBe('completed');
      expect(await pruneIdle(log)).toEqual({ sessions: [], kept: [carrying] });
    });

    it('keeps the session while it is active where somebody went back to and said nothing yet', async () => {
      const log = await store.create({ id: 's' });
      const [a] = await log.append([user('a')]);
      const [b] = await log.append([assistant('b')]);
      await log.append([{ type: 'head', entry_id: a?.id ?? null }, goal('active', '0'.repeat(64))]);
      await log.append([{ type: 'head', entry_id: b?.id ?? null }]);
      expect(await pruneIdle(log)).toEqual({ sessions: [], kept: [carrying] });
    });

    it('takes the session when every line has completed it', async () => {
      const { log } = await branched();
      await log.append([goal('completed', '0'.repeat(64))]);
      expect(await pruneIdle(log)).toEqual({ sessions: ['s'], kept: [] });
    });

    it('prunes it from no line while one is at work on it', async () => {
      const { log, other, blob } = await branched();
      for (const head of [log.head, other]) {
        await log.append([{ type: 'head', entry_id: head }]);
        expect((await store.prune({ completedGoalAge: 1 })).goals).toEqual([]);
        expect(log.head).toBe(head);
      }
      expect([await log.blobs.has(blob), (await log.since(0)).length]).toEqual([true, 9]);
    });

    it('leaves it alone when somebody took it up while it was looked at', async () => {
      const { log, own } = await withBlobs();
      const isOpen = (): boolean => {
        const again = { goal_id: 'g', objective: 'Ship', status: 'active', iteration: 1, max_iterations: 20 };
        appendFileSync(place.log('s'), lines(noteLine('goal_update', 'again', log.head, again)));
        return false;
      };
      const { goals, kept } = await store.prune({ completedGoalAge: 1 }, { isOpen });
      expect({ goals, kept }).toEqual({
        goals: [],
        kept: [{ session: 's', reason: 'It was written to just now.' }],
      });
      expect([await log.blobs.has(own), log.state().goal?.status]).toEqual([true, 'active']);
    });

    it('prunes it where it is completed, and leaves alone what another goal names', async () => {
      const log = await store.create({ id: 's' });
      const [own, both] = [await log.blobs.put('own'), await log.blobs.put('both')];
      await log.append([user('a')]);
      await log.append([goal('active', own), goal('completed', both)]);
      await log.append([goal('paused', both, { goal_id: 'next' })]);
      await expect
        .poll(() => store.prune({ completedGoalAge: 1 }))
        .toMatchObject({ goals: [{ goal_id: 'g' }] });
      expect([await log.blobs.has(own), await log.blobs.has(both)]).toEqual([false, true]);
      expect(log.state().goal).toMatchObject({ goal_id: 'next', status: 'paused' });
    });
  });

  it('removes old blobs that no entry names, and side files of no session, but no draft', async () => {
    const { log, own, shared, loose } = await withBlobs();
    await mkdir(inSessions('gone'));
    await writeFile(inSessions('gone', '0'.repeat(64)), 'left');
    await writeFile(inSessions('gone.stream'), 'left');
    await mkdir(inSessions('new'));
    await writeFile(inSessions('new', 'draft.json'), '{}');
    const files = [
      inSessions('s', loose),
      inSessions('s', own),
      inSessions('gone', '0'.repeat(64)),
      inSessions('gone.stream'),
      inSessions('new', 'draft.json'),
    ];
    // The goal's own and the draft are no left-overs; what is too young is counted, on trial and in earnest.
    for (const dryRun of [true, false])
      expect(await store.prune({ detachedResultAge: DAY }, { dryRun })).toMatchObject({
        results: [],
        young: 3,
      });
    // Who did not ask for left-overs hears nothing of them.
    expect((await store.prune({ sessionIdle: DAY })).young).toBe(undefined);
    for (const file of files) await age(file, 2);
    const { results, bytes, young } = await store.prune({ detachedResultAge: DAY });
    expect(young).toBe(undefined);
    expect(results.map(({ session, file }) => `${session} ${file}`).sort()).toEqual(
      [`gone ${'0'.repeat(64)}`, 'gone gone.stream', `s ${loose}`].sort(),
    );
    expect(bytes).toBe(results.reduce((sum, one) => sum + one.bytes, 0));
    expect([await log.blobs.has(own), await log.blobs.has(shared), await log.blobs.has(loose)]).toEqual([
      true,
      true,
      false,
    ]);
    await stat(inSessions('new', 'draft.json'));
    await expect(stat(inSessions('gone'))).rejects.toThrow('ENOENT');
  });

  it('keeps a session that somebody wrote to while it looked', async () => {
    for (const id of ['a', 'b']) {
      await putLog(place, id, lines(headerLine(id), messageLine('m', null)));
      await age(place.log(id), 9);
    }
    const isOpen = (id: string): boolean => {
      if (id === 'a') appendFileSync(place.log(id), lines(messageLine('n', 'm')));
      return false;
    };
    const report = await store.prune({ sessionIdle: DAY }, { isOpen });
    expect(report.sessions).toMatchObject([{ id: 'b' }]);
    expect(report.kept).toEqual([{ session: 'a', reason: 'It was written to just now.' }]);
    expect((await store.list()).sessions.map(({ id }) => id)).toEqual(['a']);
  });

  it('keeps a session that it cannot read, and says why', async () => {
    await mkdir(inSessions('s.jsonl'), { recursive: true });
    await putLog(place, 'old', lines(headerLine('old'), messageLine('m', null)));
    await age(place.log('old'), 9);
    expect((await store.prune({ sessionIdle: DAY })).sessions).toMatchObject([{ id: 'old' }]);
    await stat(inSessions('s.jsonl'));
  });

  it.each([
    [5, 'written by a newer Bough'],
    [2, 'of a format that Bough does not know'],
  ])('keeps a session of format %i, and all that lies beside it, and says why', async (version, reason) => {
    const goals = [{ id: 'x', state: 'running' }];
    const kept = lines(
      headerLine('s', { version }),
      messageLine('m', null),
      noteLine('goal_update', 'g', 'm', { goals }),
    );
    await putLog(place, 's', kept);
    await mkdir(inSessions('s'));
    const blob = inSessions('s', '0'.repeat(64));
    await writeFile(blob, 'named in a way that is not known here');
    for (const file of [blob, place.log('s')]) await age(file, 400);
    const report = await store.prune({ sessionIdle: DAY, completedGoalAge: DAY, detachedResultAge: DAY });
    expect(report).toMatchObject({
      ...{ sessions: [], goals: [], results: [] },
      kept: [{ session: 's', reason: expect.stringContaining(reason) as string }],
    });
    expect((await readFile(place.log('s'))).equals(kept)).toBe(true);
    await stat(blob);
  });
});
