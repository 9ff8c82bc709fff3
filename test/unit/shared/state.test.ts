import { describe, expect, it } from 'vitest';
import { LogBuilder, call, result, text } from './build.js';

const retry = (more: object = {}): Parameters<LogBuilder['add']>[0] => ({
  type: 'retry_start',
  kind: 'retry',
  step: 1,
  attempt_id: 'x1',
  attempt: 2,
  max_attempts: 4,
  delay_ms: 2000,
  due_at: '2026-01-01T00:00:02Z',
  error: '429',
  ...more,
});
const resume = (resumeCount: number): Parameters<LogBuilder['add']>[0] => ({
  type: 'resume_start',
  step: 1,
  resume: resumeCount,
  max_resumes: 5,
  delay_ms: 5000,
  due_at: '2026-01-01T00:00:05Z',
  error: 'reset',
});
const request = (id: string, call_id: string, more: object = {}): Parameters<LogBuilder['add']>[0] => ({
  type: 'approval_request',
  id,
  call_id,
  tool: 'edit',
  summary: `Edit for ${call_id}`,
  input_hash: 'h',
  targets: [{ path: 'a.ts', hash: null }],
  risk: 'write',
  ...more,
});
const decide = (request_id: string, decision: 'allow' | 'deny'): Parameters<LogBuilder['add']>[0] => ({
  type: 'approval_decision',
  request_id,
  decision,
});
const usage = (total_tokens: number, more: object = {}): Parameters<LogBuilder['add']>[0] => ({
  type: 'usage',
  input_tokens: total_tokens - 1,
  output_tokens: 1,
  total_tokens,
  purpose: 'step',
  ...more,
});
const turn = (id = 't1'): LogBuilder => new LogBuilder().user('u1').add({ type: 'turn_start', turn_id: id });
const end = (turn_id = 't1'): Parameters<LogBuilder['add']>[0] => ({
  type: 'turn_end',
  turn_id,
  steps: 1,
  status: 'completed',
});

describe('the head', () => {
  it('is the last head note or conversation entry, whichever is later', () => {
    const log = new LogBuilder().user('u1').assistant('a1');
    expect(log.fold().head).toBe('a1');
    expect(log.go('u1').fold().head).toBe('u1');
    expect(log.user('u2').fold().head).toBe('u2');
    expect(log.go(null).fold().head).toBeNull();
    expect(log.add({ type: 'session_info', name: 'n' }).fold().head).toBeNull();
  });

  it('stays when a head note names nothing that is there', () => {
    expect(new LogBuilder().user('u1').go('lost').fold().head).toBe('u1');
  });
});

describe('notes along the path', () => {
  const choose = (model_id: string): Parameters<LogBuilder['add']>[0] => ({
    type: 'model_change',
    provider: 'p',
    model_id,
  });
  const todo = (title: string): Parameters<LogBuilder['add']>[0] => ({
    type: 'todo_update',
    items: [{ id: '1', title, status: 'pending' }],
  });

  it('H9: what is changed after going back belongs to the new line only', () => {
    const log = new LogBuilder()
      .user('u1')
      .add(todo('old'))
      .assistant('a1')
      .add(todo('end'))
      .go('u1')
      .add(todo('new'));
    log.assistant('a2');
    const fold = log.fold();
    expect(fold.state('a1').todos[0]?.title).toBe('end');
    expect(fold.state('a2').todos[0]?.title).toBe('new');
    expect(fold.state('u1').todos[0]?.title).toBe('new');
  });

  it('with parent null count for roots that come later', () => {
    const log = new LogBuilder().add(choose('one')).user('u1').go(null).add(choose('two')).user('u2');
    const fold = log.fold();
    expect(fold.state('u1').model?.model_id).toBe('one');
    expect(fold.state('u2').model?.model_id).toBe('two');
    expect(fold.state(null).model?.model_id).toBe('two');
  });

  it('on an entry that is not there count nowhere', () => {
    const log = new LogBuilder().add({ ...choose('lost'), parent_id: 'ghost' }).user('u1');
    log.add({ ...choose('lost'), parent_id: 'ghost' });
    expect(log.fold().state().model).toBeNull();
    expect(log.fold().linePositions()).toEqual([1]);
  });

  it('bind the agent', () => {
    expect(
      new LogBuilder().add({ type: 'agent_bind', agent_id: 'plan' }).user('u1').fold().state().agent_id,
    ).toBe('plan');
  });
});

describe('session-wide notes', () => {
  it('name, archive, tag and label the session whatever the path', () => {
    const log = new LogBuilder()
      .user('u1')
      .add({ type: 'session_info', name: 'One', tags: ['x'] })
      .assistant('a1');
    log
      .add({ type: 'label', target_id: 'a1', label: 'good' })
      .add({ type: 'label', target_id: 'u1', label: 'bad' });
    log
      .go('u1')
      .add({ type: 'session_info', archived: true })
      .add({ type: 'label', target_id: 'u1', label: null });
    for (const head of ['u1', 'a1', null]) {
      const state = log.fold().state(head);
      expect(state).toMatchObject({ name: 'One', archived: true, tags: ['x'], labels: { a1: 'good' } });
      expect(Object.keys(state.labels)).toEqual(['a1']);
    }
    expect(log.add({ type: 'session_info', name: ' ' }).fold().state().name).toBeNull();
  });

  it('keep labels on odd ids apart from the object they stand in', () => {
    const state = new LogBuilder().add({ type: 'label', target_id: '__proto__', label: 'x' }).fold().state();
    expect(Object.entries(state.labels)).toEqual([['__proto__', 'x']]);
  });

  it('G12: a queued item is gone once a message proves that it was sent, on whatever branch', () => {
    const items = ['q1', 'q2'].map((id) => ({ id, mode: 'queue' as const, text: id }));
    const log = new LogBuilder().user('u1').add({ type: 'queue_update', items, held: true });
    expect(log.fold().state()).toMatchObject({ queue: items, queue_held: true });
    log.user('u2', 'q1', { queue_item_id: 'q1' }).go('u1');
    expect(
      log
        .fold()
        .state()
        .queue.map(({ id }) => id),
    ).toEqual(['q2']);
    expect(log.add({ type: 'queue_update', items: [] }).fold().state()).toMatchObject({
      queue: [],
      queue_held: false,
    });
  });

  it('E14: usage is summed over the file, the meter shows the last step of the path', () => {
    const log = new LogBuilder()
      .user('u1')
      .assistant('a1')
      .add(usage(10, { cost: 0.5 }))
      .go('u1')
      .assistant('a2');
    log.add(usage(30, { cost: 0.25 })).add(usage(5, { purpose: 'summary' }));
    const fold = log.fold();
    expect(fold.state('a1').usage).toEqual(fold.state('a2').usage);
    expect(fold.state().usage).toEqual({ input_tokens: 42, output_tokens: 3, total_tokens: 45, cost: 0.75 });
    expect(fold.state('a1').last_usage?.total_tokens).toBe(10);
    expect(fold.state('a2').last_usage?.total_tokens).toBe(30);
  });
});

describe('turns', () => {
  it('are open until a turn_end with their id stands anywhere in the file', () => {
    const log = turn().assistant('a1');
    expect(log.fold().state().turn).toMatchObject({ turn_id: 't1', message_id: 'u1' });
    log.go(null).add(end());
    expect(log.fold().state('a1').turn).toBeNull();
    expect(log.fold().turnEnded('t1')).toBe(true);
  });

  it('that were followed by another turn are not open again when that ends', () => {
    const log = turn('t1').assistant('a1').user('u2').add({ type: 'turn_start', turn_id: 't2' });
    expect(log.fold().state().turn?.turn_id).toBe('t2');
    expect(log.add(end('t2')).fold().state().turn).toBeNull();
  });

  it('count steps by their number, so that a restarted one counts once', () => {
    const step = (type: 'step_start' | 'step_end', count: number): Parameters<LogBuilder['add']>[0] => ({
      type,
      step: count,
      attempt_id: 'x',
    });
    const log = turn()
      .add(step('step_start', 1))
      .assistant('a1')
      .add(step('step_end', 1))
      .add(step('step_start', 2));
    log.add(resume(1)).add(step('step_start', 2));
    expect(log.fold().state().turn).toMatchObject({
      steps_started: 2,
      steps_ended: 1,
      open_step: { step: 2, attempt_id: 'x' },
      resumes: 1,
    });
    expect(log.add(step('step_end', 2)).fold().state().turn?.open_step).toBeNull();
  });

  it('take no note of an older turn for their own', () => {
    const log = turn('t1').assistant('a1').user('u2').add({ type: 'turn_start', turn_id: 't2' });
    log
      .add({ type: 'step_start', step: 7, attempt_id: 'x', turn_id: 't1' })
      .add({ ...retry(), turn_id: 't1' });
    expect(log.fold().state()).toMatchObject({ turn: { steps_started: 0 }, wait: null });
  });

  it('that continue answer the same message', () => {
    const log = turn('t1')
      .add({ type: 'incomplete_output', attempt_id: 'x', text: 'h', incomplete: true })
      .add(end('t1'));
    log.add({ type: 'turn_start', turn_id: 't2', continues: 't1' });
    expect(log.fold().state().turn).toMatchObject({ turn_id: 't2', message_id: 'u1', continues: 't1' });
  });
});

describe('waits', () => {
  it('are the last retry_start or resume_start that has no end', () => {
    const log = turn().add(retry({ server_hint: true }));
    expect(log.fold().state().wait).toEqual({
      kind: 'retry',
      note_id: log.entries.at(-1)?.id,
      turn_id: 't1',
      step: 1,
      attempt_id: 'x1',
      attempt: 2,
      max: 4,
      delay_ms: 2000,
      due_at: '2026-01-01T00:00:02Z',
      error: '429',
      server_hint: true,
      hint_ms: 2000,
    });
    expect(log.add({ type: 'retry_end', success: false, attempt: 2 }).fold().state().wait).toBeNull();
    expect(log.add(resume(3)).fold().state().wait).toMatchObject({
      kind: 'resume',
      attempt: 3,
      max: 5,
      server_hint: false,
    });
    expect(
      log
        .add(retry({ kind: 'parked' }))
        .fold()
        .state().wait?.kind,
    ).toBe('parked');
  });

  it.each([
    ['the step starts again', (log: LogBuilder) => log.add({ type: 'step_start', step: 1, attempt_id: 'y' })],
    ['an answer is there', (log: LogBuilder) => log.assistant('a1')],
    ['the turn ended', (log: LogBuilder) => log.add(end())],
    ['a new turn began', (log: LogBuilder) => log.add({ type: 'turn_start', turn_id: 't2' })],
  ])('are over when %s', (_, go) => {
    expect(
      go(turn().add(resume(1)))
        .fold()
        .state().wait,
    ).toBeNull();
  });

  it('stay when what was streamed is kept', () => {
    const log = turn().add(retry({ kind: 'parked' }));
    log.add({ type: 'incomplete_output', attempt_id: 'x1', text: 'h', incomplete: true, reason: 'closed' });
    expect(log.fold().state()).toMatchObject({ wait: { kind: 'parked' }, incomplete: true });
  });

  it('without an open turn are none', () => {
    expect(new LogBuilder().user('u1').add(retry()).fold().state().wait).toBeNull();
  });
});

describe('calls and approvals', () => {
  const asked = (): LogBuilder => {
    const log = turn().assistant('a1', [call('c1', 'edit'), call('c2', 'run')], { turn_id: 't1' });
    return log.add(
      request('q1', 'c1', { turn_id: 't1' }),
      request('q2', 'c2', { turn_id: 't1', risk: undefined }),
    );
  };
  const statuses = (log: LogBuilder): string[] =>
    log
      .fold()
      .state()
      .open_calls.map(({ status }) => status);

  it('F1: a request without a decision is pending, with what its card shows', () => {
    const log = asked();
    expect(statuses(log)).toEqual(['pending', 'pending']);
    expect(log.fold().state().approvals[0]).toMatchObject({
      request_id: 'q1',
      call_id: 'c1',
      tool: 'edit',
      summary: 'Edit for c1',
      risk: 'write',
      input: { path: 'a.ts' },
      targets: [{ path: 'a.ts', hash: null }],
      proposal: [],
    });
    expect(log.fold().state().approvals[1]?.risk).toBe('run');
  });

  it('go from pending to allowed, started and answered, each on its own', () => {
    const log = asked().add(decide('q2', 'deny'), decide('q1', 'allow'));
    expect(statuses(log)).toEqual(['allowed', 'refused']);
    expect(statuses(log.add({ type: 'tool_start', call_id: 'c1' }))).toEqual(['started', 'refused']);
    log.tool('r1', [result('c1')]).tool('r2', [result('c2', 'denied', true)]);
    expect(statuses(log)).toEqual([]);
    expect(log.fold().state().approvals).toEqual([]);
  });

  it('the first decision in the file counts, wherever it stands', () => {
    const log = asked().go(null).add(decide('q1', 'deny')).go('a1').add(decide('q1', 'allow'));
    expect(log.fold().state().open_calls[0]).toMatchObject({
      status: 'refused',
      decision: { decision: 'deny' },
    });
  });

  it('F2: requests expire with their turn', () => {
    const log = asked().go(null).add(end()).go('a1');
    expect(log.fold().state().approvals).toEqual([]);
    expect(statuses(log)).toEqual(['refused', 'refused']);
  });

  it('a later request for a call replaces the earlier one', () => {
    const log = asked().add(request('q3', 'c1', { summary: 'again' }));
    expect(
      log
        .fold()
        .state()
        .approvals.map(({ request_id }) => request_id),
    ).toEqual(['q3', 'q2']);
  });

  it('a request whose call is not on the path is none', () => {
    expect(turn().add(request('q1', 'c9')).fold().state().approvals).toEqual([]);
  });

  it('a call that was answered on another line must not run again on this', () => {
    const log = asked()
      .add(decide('q1', 'allow'), { type: 'tool_start', call_id: 'c1' })
      .tool('r1', [result('c1')])
      .go('a1');
    expect(statuses(log)).toEqual(['answered', 'pending']);
  });

  it('a start counts for its call wherever it stands', () => {
    const log = asked()
      .tool('r1', [result('c1')])
      .add({ type: 'tool_start', call_id: 'c2' })
      .go('a1');
    expect(statuses(log)).toEqual(['answered', 'started']);
  });

  it('each result answers one call of its id', () => {
    const log = new LogBuilder()
      .user('u1')
      .assistant('a1', [call('c1')])
      .assistant('a2', [call('c1')]);
    log.tool('r1', [result('c1')]);
    expect(
      log
        .fold()
        .state()
        .open_calls.map(({ message_id }) => message_id),
    ).toEqual(['a2']);
    expect(
      log
        .tool('r2', [result('c1')])
        .fold()
        .state().open_calls,
    ).toEqual([]);
  });
});

describe('what the path ends in', () => {
  it('is incomplete while nothing follows the partial text', () => {
    const log = turn().add({
      type: 'incomplete_output',
      id: 'i',
      attempt_id: 'x',
      text: 'h',
      incomplete: true,
    });
    expect(log.fold().state().incomplete).toBe(true);
    expect(log.add({ type: 'turn_start', turn_id: 't2' }).fold().state().incomplete).toBe(true);
    expect(log.assistant('a1').fold().state().incomplete).toBe(false);
    expect(log.fold().state('i').incomplete).toBe(true);
  });

  it('is incomplete when the last turn failed, until another begins', () => {
    const failed = turn()
      .assistant('a1')
      .add({ ...end(), status: 'failed' } as Parameters<LogBuilder['add']>[0]);
    expect(failed.fold().state().incomplete).toBe(true);
    expect(failed.user('u2').add({ type: 'turn_start', turn_id: 't2' }).fold().state().incomplete).toBe(
      false,
    );
    expect(turn().assistant('a1').add(end()).fold().state().incomplete).toBe(false);
  });

  it('can be a single empty message', () => {
    expect(
      new LogBuilder()
        .add({ type: 'message', role: 'user', parts: [text('')] })
        .fold()
        .state().turn,
    ).toBeNull();
  });
});
