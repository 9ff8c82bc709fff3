// Which files a turn changed is told where the turn ends.
import { expect, it } from 'vitest';
import type { Row } from '../../src/shared/fold/types.js';
import { turnFilesOf } from '../../webview/transcript/turn-files.js';

const row = (id: string, turn_id: string | undefined, calls: [name: string, path: string, state: string][]) =>
  ({
    kind: 'assistant',
    entry: { type: 'message', id, ...(turn_id === undefined ? {} : { turn_id }) },
    cards: calls.map(([name, path, state]) => ({ call: { name, input: { path } }, state })),
  }) as unknown as Row;

it('names each file of a turn once, at its last entry, and only what was changed', () => {
  const rows = [
    row('a', 'one', [
      ['edit', 'a.ts', 'ok'],
      ['write', 'b.ts', 'ok'],
      ['edit', 'c.ts', 'error'],
    ]),
    row('b', 'one', [
      ['edit', 'a.ts', 'ok'],
      ['read', 'd.ts', 'ok'],
    ]),
    row('c', 'one', []),
    row('d', 'two', [['read', 'a.ts', 'ok']]),
    row('e', undefined, [['write', 'x.ts', 'ok']]),
  ];
  const one = { turn_id: 'one', paths: ['a.ts', 'b.ts'] };
  expect([...turnFilesOf(rows, false)]).toEqual([['c', { ...one, isWhole: true }]]);
  expect(turnFilesOf(rows, false)).toBe(turnFilesOf(rows, false));
});

it('says of which turn not all is here, whatever of it is', () => {
  const prompt = (origin?: 'steer') =>
    ({ kind: 'user', entry: { type: 'message', id: 'p', turn_id: 'one', origin } }) as unknown as Row;
  const rows = () => [row('a', 'one', []), row('b', 'two', [['write', 'b.ts', 'ok']])];
  const whole = ['b', { turn_id: 'two', paths: ['b.ts'], isWhole: true }];
  const cut = ['a', { turn_id: 'one', paths: [], isWhole: false }];
  expect([...turnFilesOf(rows(), true)]).toEqual([cut, whole]);
  expect([...turnFilesOf([prompt('steer'), ...rows()], true)]).toEqual([cut, whole]);
  expect([...turnFilesOf([prompt(), ...rows()], true)]).toEqual([whole]);
  expect([...turnFilesOf(rows(), false)]).toEqual([whole]);
});
