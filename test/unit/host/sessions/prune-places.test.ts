import { describe, expect, it } from 'vitest';
import { troubleOf } from '../../../../src/host/errors.js';
import { pruneEach } from '../../../../src/host/sessions/prune-places.js';
import type { PruneReport } from '../../../../src/log/upkeep.js';
import { BoughError } from '../../../../src/shared/failure.js';

const nothing: PruneReport = { sessions: [], goals: [], results: [], bytes: 0, kept: [] };
const one: PruneReport = {
  ...nothing,
  sessions: [{ id: 'a', title: 'Alder', updated: 0, bytes: 1500 }],
  bytes: 1500,
};
const down = () =>
  Promise.reject(new BoughError('StorageFailure', 'The disk is full.', { op: 'write', errno: 'ENOSPC' }));
const failed = async (places: Promise<PruneReport>[], isDry?: boolean): Promise<unknown> => {
  try {
    return await pruneEach(places, isDry);
  } catch (error) {
    return error;
  }
};

describe('deleting by age in several places', () => {
  it('gives the report of each, in their order', async () => {
    expect(await pruneEach([Promise.resolve(nothing), Promise.resolve(one)])).toEqual([nothing, one]);
  });

  it('says with a failure what was deleted in another place, though that takes longer', async () => {
    const failing: Promise<PruneReport> = down();
    const slow = failing.catch(() => Promise.resolve(one));
    expect(await failed([failing, slow])).toMatchObject({
      ...{ name: 'BoughError', code: 'StorageFailure', data: { errno: 'ENOSPC' } },
      message: 'The disk is full. Deleted all the same: 1 session, 1.5 KB.',
    });
  });

  it('says each reason once when several fail', async () => {
    const other = () => Promise.reject(new BoughError('Locked', 'It is in use.'));
    expect(await failed([down(), down(), other(), Promise.resolve(one)])).toMatchObject({
      message: 'The disk is full. It is in use. Deleted all the same: 1 session, 1.5 KB.',
    });
  });

  it('fails as the place did where nothing was deleted, or it was only asked what would be', async () => {
    const failure = { message: 'The disk is full.' };
    expect(await failed([Promise.resolve(nothing), down()])).toMatchObject(failure);
    expect(await failed([Promise.resolve(one), down()], true)).toMatchObject(failure);
  });

  it('says what was deleted before it was cancelled, and nothing of a cancellation by itself', async () => {
    const cancelled = () => Promise.reject(new DOMException('Aborted', 'AbortError'));
    expect(troubleOf(await failed([Promise.resolve(nothing), cancelled()]), 'Deleting')).toEqual({
      kind: 'cancelled',
    });
    expect(troubleOf(await failed([Promise.resolve(one), cancelled()]), 'Deleting')).toMatchObject({
      kind: 'expected',
      failure: { message: 'Deleting was cancelled. Deleted all the same: 1 session, 1.5 KB.' },
    });
  });
});
