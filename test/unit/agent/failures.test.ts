import { describe, expect, it } from 'vitest';
import { failureOf as valueOf } from '../../../src/agent/failures.js';
import { stored } from '../../../src/log/storage.js';
import { BoughError } from '../../../src/shared/failure.js';
import { failureOf, openBench } from './bench.js';
import { text } from './fake-model.js';

const broken = (code: string): Promise<never> =>
  Promise.reject(Object.assign(new Error('it failed'), { code }));

const thrownBy = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('what is offered when the disk fails', () => {
  it.each(['read', 'look at', 'list', 'read the stream journal'])(
    'to %s: the session is opened anew, for nothing is left to be saved',
    async (doing) => {
      const error = await thrownBy(stored(doing, '/data/a.jsonl', () => broken('EIO')));
      expect(valueOf(error)).toMatchObject({ kind: 'storage', detail: 'EIO', action: 'reopen' });
    },
  );

  it.each(['write to', 'create', 'lock', 'keep an attachment in'])(
    'to %s: it can be saved again',
    async (doing) => {
      const error = await thrownBy(stored(doing, '/data/a.jsonl', () => broken('ENOSPC')));
      expect(valueOf(error)).toMatchObject({ kind: 'storage', detail: 'ENOSPC', action: 'save-again' });
    },
  );

  it('does not offer to save in a log that refuses every write', () => {
    const error = new BoughError('StorageFailure', 'Nothing more is written to this session.');
    expect(valueOf(error)).toMatchObject({ action: 'reopen' });
  });

  it('offers Save Again for a prompt that a full disk refused', async () => {
    const bench = await openBench({ script: [text('never')] });
    bench.process.isDiskFull = true;
    expect(failureOf(await bench.send('hi'))).toMatchObject({ code: 'StorageFailure', action: 'save-again' });
    expect(bench.model.asked).toEqual([]);
  });
});
