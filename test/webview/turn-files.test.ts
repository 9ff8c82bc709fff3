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
  expect([...turnFilesOf(rows)]).toEqual([['c', { turn_id: 'one', paths: ['a.ts', 'b.ts'] }]]);
  expect(turnFilesOf(rows)).toBe(turnFilesOf(rows));
});
