import { describe, expect, it } from 'vitest';
import { spentByTurn, tellSpent } from '../../../src/shared/fold/spent.js';
import type { Row } from '../../../src/shared/fold/types.js';
import type { Entry } from '../../../src/shared/notes.js';

const usage = (turn_id: string, total_tokens: number, cost?: number): { entry: Entry } => ({
  entry: {
    ...{ type: 'usage', id: `${turn_id}${String(total_tokens)}`, parent_id: null, timestamp: '', turn_id },
    ...{ input_tokens: total_tokens, output_tokens: 0, total_tokens, purpose: 'step' },
    ...(cost === undefined ? {} : { cost }),
  },
});
const start = (turn_id: string): { entry: Entry } => ({
  entry: { type: 'turn_start', id: `start ${turn_id}`, parent_id: null, timestamp: '', turn_id },
});
const end = (turn_id: string): { entry: Entry } => ({
  entry: {
    ...{ type: 'turn_end', id: `end ${turn_id}`, parent_id: null, timestamp: '', turn_id },
    ...{ steps: 1, status: 'completed' },
  },
});
const row = (id: string, turn_id: string, kind: 'user' | 'assistant'): Row =>
  ({ kind, entry: { id, turn_id, type: 'message' }, cards: [] }) as unknown as Row;

describe('the cost of a turn', () => {
  it('is the sum of its requests, told at its last row once it is over', () => {
    const spent = spentByTurn([
      start('a'),
      start('b'),
      usage('a', 10, 0.5),
      usage('b', 5, 0.1),
      usage('a', 20, 0.25),
      end('a'),
      end('b'),
    ]);
    const rows = [
      row('1', 'a', 'user'),
      row('2', 'a', 'assistant'),
      row('3', 'a', 'assistant'),
      row('4', 'b', 'user'),
    ];
    tellSpent(rows, spent);
    expect(rows.map(({ spent: told }) => told)).toEqual([
      undefined,
      undefined,
      { tokens: 30, cost: 0.75 },
      undefined,
    ]);
  });

  it('is not told while the turn goes on, nor when nobody knows it', () => {
    expect(spentByTurn([start('a'), usage('a', 10, 0.5)]).size).toBe(0);
    expect(spentByTurn([start('a'), usage('a', 10), end('a')]).size).toBe(0);
  });

  it('is not told while a part of the turn is not loaded', () => {
    expect(spentByTurn([usage('a', 10, 0.5), end('a')]).size).toBe(0);
  });
});
