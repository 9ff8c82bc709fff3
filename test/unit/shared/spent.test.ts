import { describe, expect, it } from 'vitest';
import { spendingOf, spentByTurn, tellSpent } from '../../../src/shared/fold/spent.js';
import type { Row } from '../../../src/shared/fold/types.js';
import type { Entry, NoteOf } from '../../../src/shared/notes.js';
import { LogBuilder } from './build.js';

const usage = (turn_id: string, total_tokens: number, more: object = {}): { entry: NoteOf<'usage'> } => ({
  entry: {
    ...{ type: 'usage', id: `${turn_id}${String(total_tokens)}`, parent_id: null, timestamp: '', turn_id },
    ...{ input_tokens: total_tokens, output_tokens: 0, total_tokens, purpose: 'step' },
    ...more,
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
      usage('a', 10, { cost: 0.5 }),
      usage('b', 5, { cost: 0.1 }),
      usage('a', 20, { cost: 0.25 }),
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
      expect.objectContaining({ requests: 2, tokens: 30, cost: 0.75, unpriced: 0 }),
      undefined,
    ]);
  });

  it('is not told while the turn goes on', () => {
    expect(spentByTurn([start('a'), usage('a', 10, { cost: 0.5 })]).size).toBe(0);
  });

  it('has its requests one by one with their steps, those too whose price nobody knows', () => {
    const step = (step: number, attempt_id: string): { entry: Entry } => ({
      entry: {
        ...{ type: 'step_start', id: attempt_id, parent_id: null, timestamp: '', turn_id: 'a' },
        ...{ step, attempt_id },
      },
    });
    const spent = spentByTurn([
      start('a'),
      step(1, 'x'),
      usage('a', 10, { attempt_id: 'x' }),
      usage('a', 7, { purpose: 'summary' }),
      step(2, 'y'),
      usage('a', 20, { attempt_id: 'y', cost: 0.5 }),
      end('a'),
    ]).get('a');
    expect(spent).toMatchObject({ requests: 3, tokens: 37, cost: 0.5, unpriced: 2 });
    expect(spent?.each.map(({ usage, step }) => [usage.purpose, step])).toEqual([
      ['step', 1],
      ['summary', undefined],
      ['step', 2],
    ]);
  });

  it('is not told while a part of the turn is not loaded', () => {
    expect(spentByTurn([usage('a', 10, { cost: 0.5 }), end('a')]).size).toBe(0);
  });
});

describe('what a branch took', () => {
  const log = new LogBuilder()
    .user('u1')
    .assistant('a1')
    .add(usage('t1', 10, { cost: 0.5, parent_id: 'a1' }).entry)
    .go('u1')
    .assistant('a2');
  log.add(usage('t2', 30, { parent_id: 'a2' }).entry);
  const line = (head: string) =>
    log
      .fold()
      .linePositions(head)
      .map((position) => ({ entry: log.entries[position] as Entry }));

  it('counts each request of its line once, and none of other lines', () => {
    expect(spendingOf(line('a1'))).toEqual({ requests: 1, tokens: 10, cost: 0.5, unpriced: 0 });
    expect(spendingOf(line('a2'))).toEqual({ requests: 1, tokens: 30, cost: 0, unpriced: 1 });
  });
});
