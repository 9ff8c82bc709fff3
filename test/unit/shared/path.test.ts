import { describe, expect, it } from 'vitest';
import { Outline } from '../../../src/shared/fold/outline.js';
import { rowsOf, type RunTag } from '../../../src/shared/fold/path.js';
import { INTERRUPTED_RESULT, LOST_RESULT, NOT_RUN_RESULT } from '../../../src/shared/fold/stand-in.js';
import type { Row, ToolCard } from '../../../src/shared/fold/types.js';
import { LogBuilder, call, placed, result, text } from './build.js';

function rows(log: LogBuilder, run: RunTag = 'idle', head?: string | null): Row[] {
  const fold = log.fold();
  const all = placed(log.entries);
  const line = fold.linePositions(head).flatMap((position) => all[position] ?? []);
  return rowsOf(line, fold.outline, fold.state(head), run);
}
const cards = (log: LogBuilder, run: RunTag = 'idle'): ToolCard[] =>
  rows(log, run).flatMap((row) => (row.kind === 'assistant' ? row.cards : []));
const states = (log: LogBuilder, run: RunTag = 'idle'): string[] => cards(log, run).map(({ state }) => state);

const turn = (): LogBuilder => new LogBuilder().user('u1').add({ type: 'turn_start', turn_id: 't1' });
const asking = (...ids: string[]): LogBuilder =>
  turn().assistant(
    'a1',
    ids.map((id) => call(id)),
    { turn_id: 't1' },
  );
const request = (id: string, call_id: string): Parameters<LogBuilder['add']>[0] => ({
  type: 'approval_request',
  id,
  call_id,
  tool: 'edit',
  summary: 'Edit a.ts',
  input_hash: 'h',
  targets: [],
  turn_id: 't1',
});
const decide = (
  request_id: string,
  decision: 'allow' | 'deny' | 'timeout',
  feedback?: string,
): Parameters<LogBuilder['add']>[0] => ({
  type: 'approval_decision',
  request_id,
  decision,
  feedback,
});

describe('rows', () => {
  it('are the entries of the path; results live in the cards of their calls', () => {
    const log = asking('c1').tool('r1', [result('c1', 'the file')]);
    log.add({ type: 'incomplete_output', id: 'i1', attempt_id: 'x', text: 'h', incomplete: true });
    log.add({
      type: 'compaction',
      id: 'k1',
      summary: 's',
      first_kept_entry_id: 'u1',
      tokens_before: 2,
      tokens_after: 1,
    });
    log.add({ type: 'branch_summary', id: 'b1', from_id: 'u1', summary: 's' });
    log.add({ type: 'skill_load', id: 's1', name: 'pdf', description: '', body: '' });
    log.add({ type: 'message', id: 'm1', role: 'system', parts: [text('be good')] });
    expect(rows(log).map(({ kind, entry }) => [kind, entry.id])).toEqual([
      ['user', 'u1'],
      ['assistant', 'a1'],
      ['incomplete', 'i1'],
      ['compaction', 'k1'],
      ['branch_summary', 'b1'],
      ['skill_load', 's1'],
      ['user', 'm1'],
    ]);
    expect(cards(log)).toMatchObject([{ state: 'ok', result: 'the file', result_id: 'r1' }]);
  });

  it('follow the head of the state, not that of the session', () => {
    const log = new LogBuilder().user('u1').assistant('a1').go('u1').assistant('a2');
    expect(rows(log, 'idle', 'a1').map(({ entry }) => entry.id)).toEqual(['u1', 'a1']);
    expect(rows(log, 'idle', null)).toEqual([]);
  });

  it('carry the picker of their fork', () => {
    const log = new LogBuilder().user('u1').assistant('a1').go('u1').assistant('a2');
    expect(rows(log).map(({ fork }) => fork?.index)).toEqual([undefined, 1]);
  });

  it('include a tool message only when it carries a picker', () => {
    const log = asking('c1')
      .tool('r1', [result('c1')])
      .go('a1')
      .user('u2')
      .go('r1');
    expect(rows(log).map(({ entry, fork }) => [entry.id, fork?.index])).toEqual([
      ['u1', undefined],
      ['a1', undefined],
      ['r1', 0],
    ]);
  });

  it('come from what bodies are there, and an index that is kept gives the same', () => {
    const log = asking('c1')
      .tool('r1', [result('c1')])
      .assistant('a2');
    const fold = log.fold();
    const last = placed(log.entries).slice(-2);
    expect(rowsOf(last, fold.outline, fold.state(), 'idle').map(({ entry }) => entry.id)).toEqual(['a2']);
    const all = placed(log.entries);
    expect(rowsOf(all, new Outline(fold.outline), fold.state(), 'idle')).toEqual(rows(log));
    expect(rowsOf(all, [], fold.state(), 'idle')).toEqual([]);
  });

  it('know nothing of a call whose answer is not there yet', () => {
    const log = asking('c1').tool('r1', [result('c1')]);
    const fold = log.fold();
    const partial = placed(log.entries).filter(({ entry }) => entry.id !== 'r1');
    const [, row] = rowsOf(partial, fold.outline, fold.state(), 'running');
    expect(row?.kind === 'assistant' && row.cards[0]?.state).toBe('unknown');
  });
});

describe('cards of answered calls', () => {
  it('are ok or error as the result says', () => {
    const log = asking('c1', 'c2').tool('r1', [result('c1'), result('c2', 'no such file', true)]);
    expect(states(log)).toEqual(['ok', 'error']);
  });

  it('are denied with the decision and what was said', () => {
    const log = asking('c1', 'c2').add(request('q1', 'c1'), request('q2', 'c2'));
    log.add(decide('q1', 'deny', 'not this file'), decide('q1', 'allow'), decide('q2', 'timeout'));
    expect(states(log)).toEqual(['denied', 'denied']);
    log.tool('r1', [result('c1', 'Denied.', true)]).tool('r2', [result('c2', 'Nobody answered.', true)]);
    expect(cards(log)).toMatchObject([
      { state: 'denied', decision: 'deny', feedback: 'not this file', summary: 'Edit a.ts' },
      { state: 'denied', decision: 'timeout' },
    ]);
  });

  it('are interrupted or of unknown outcome when the result is a stand-in', () => {
    const log = asking('c1', 'c2').add({ type: 'tool_start', call_id: 'c1' });
    log.tool('r1', [
      result('c1', `${INTERRUPTED_RESULT} The file is unchanged.`, true),
      result('c2', NOT_RUN_RESULT, true),
    ]);
    expect(states(log)).toEqual(['unknown', 'interrupted']);
  });

  it('are of unknown outcome where the end of the file is lost, before it is repaired and after', () => {
    const log = asking('c1', 'c2').add(request('q2', 'c2'), decide('q2', 'deny'));
    const fold = log.fold();
    const torn = (turn_id: string) =>
      rowsOf(placed(log.entries), fold.outline, fold.state(), 'idle', turn_id).flatMap((row) =>
        row.kind === 'assistant' ? row.cards.map(({ state, isLost }) => [state, isLost]) : [],
      );
    expect(torn('t1')).toEqual([
      ['unknown', true],
      ['denied', undefined],
    ]);
    expect(torn('t0')[0]).toEqual(['interrupted', undefined]);
    log.tool('r1', [result('c1', LOST_RESULT, true)]);
    expect(cards(log)[0]).toMatchObject({ state: 'unknown', isLost: true });
  });

  it('take repeated ids in order', () => {
    const log = new LogBuilder()
      .user('u1')
      .assistant('a1', [call('c1')])
      .tool('r1', [result('c1', 'one')]);
    log.assistant('a2', [call('c1')]).tool('r2', [result('c1', 'two')]);
    expect(cards(log).map((card) => card.result)).toEqual(['one', 'two']);
  });
});

describe('cards of calls without a result', () => {
  it('run one at a time while the run is live', () => {
    const log = asking('c1', 'c2', 'c3');
    expect(states(log, 'running')).toEqual(['running', 'pending', 'pending']);
    log.add({ type: 'tool_start', call_id: 'c1' });
    expect(states(log, 'running')).toEqual(['running', 'pending', 'pending']);
    expect(states(log, 'stopping')).toEqual(['running', 'pending', 'pending']);
    log.tool('r1', [result('c1', 'one')]);
    expect(states(log, 'running')).toEqual(['ok', 'running', 'pending']);
    log.add({ type: 'tool_start', call_id: 'c2' }).tool('r2', [result('c2', 'two')]);
    expect(states(log, 'running')).toEqual(['ok', 'ok', 'running']);
  });

  it('F1: wait for the person, and those beside them for the others', () => {
    const log = asking('c1', 'c2', 'c3')
      .add(request('q1', 'c1'), request('q2', 'c2'))
      .add(decide('q2', 'allow'));
    expect(states(log, 'waiting')).toEqual(['pending', 'pending', 'pending']);
    expect(states(log, 'running')).toEqual(['pending', 'pending', 'running']);
    expect(states(log.add({ type: 'tool_start', call_id: 'c2' }), 'running')).toEqual([
      'pending',
      'running',
      'pending',
    ]);
  });

  it('are interrupted or of unknown outcome when nobody runs them', () => {
    const log = asking('c1', 'c2').add({ type: 'tool_start', call_id: 'c1' });
    expect(states(log)).toEqual(['unknown', 'interrupted']);
    expect(states(log.user('u2').add({ type: 'turn_start', turn_id: 't2' }), 'running')).toEqual([
      'unknown',
      'interrupted',
    ]);
  });

  it('F2: are not pending once their turn has ended', () => {
    const log = asking('c1').add(request('q1', 'c1'));
    log.add({ type: 'turn_end', turn_id: 't1', steps: 1, status: 'stopped' });
    expect(states(log, 'waiting')).toEqual(['interrupted']);
  });

  it('do not run when they were answered on another line', () => {
    const log = asking('c1')
      .tool('r1', [result('c1')])
      .go('a1');
    expect(states(log, 'running')).toEqual(['interrupted']);
  });
});
