import { describe, expect, it } from 'vitest';
import { waitsOf } from '../../../src/shared/fold/waited.js';
import { LogBuilder, placed } from './build.js';

type Shape = Parameters<LogBuilder['add']>[0];

const turn_id = 't1';
const step: Shape = { type: 'step_start', turn_id, step: 1, attempt_id: 'a' };
const retry = (more: object = {}): Shape => ({
  type: 'retry_start',
  kind: 'retry',
  turn_id,
  step: 1,
  attempt_id: 'a',
  attempt: 1,
  max_attempts: 4,
  delay_ms: 9_000,
  due_at: '',
  error: 'Too many requests.',
  ...more,
});
const retryEnd: Shape = { type: 'retry_end', turn_id, success: false, attempt: 1 };
const resume: Shape = {
  type: 'resume_start',
  turn_id,
  step: 1,
  resume: 1,
  max_resumes: 5,
  delay_ms: 9_000,
  due_at: '',
  error: 'It broke off.',
};
const end = (status: 'completed' | 'failed' | 'stopped'): Shape => ({
  type: 'turn_end',
  turn_id,
  steps: 1,
  status,
});
const begun = (): LogBuilder =>
  new LogBuilder().user('u1', 'go', { turn_id }).add({ type: 'turn_start', turn_id }, step);
const waits = (log: LogBuilder) => Object.fromEntries(waitsOf(placed(log.entries)));

// An entry of the builder comes a second after the one before it.
describe('E4: what was waited for', () => {
  it('stands with the answer that came, with how long, how often and why', () => {
    const log = begun().add(
      retry({ server_hint: true }),
      step,
      retryEnd,
      retry({ error: 'Overloaded.' }),
      step,
    );
    log.add({ ...retryEnd, success: true }).assistant('a1', [], { turn_id });
    log.add(end('completed'));
    expect(waits(log)).toEqual({
      a1: {
        ms: 2_000,
        requests: 3,
        asked_ms: 1_000,
        late_ms: 0,
        images: 0,
        isCancelled: false,
        reasons: ['Too many requests.', 'Overloaded.'],
      },
    });
  });

  it('tells what the server asked for from what was waited, and neither from the time nobody waited', () => {
    const log = begun().add(retry({ server_hint: true, hint_ms: 400, delay_ms: 500 }), step, retryEnd);
    log.add(retry({ kind: 'parked', server_hint: true, hint_ms: 1_000, delay_ms: 1_000 }));
    // What the log says of a time when Bough did not run is nothing: the next request comes so much later.
    for (let second = 1; second < 20; second += 1) log.add({ type: 'label', target_id: 'u1', label: 'x' });
    log.add(step, retryEnd).assistant('a1', [], { turn_id });
    expect(waits(log)).toMatchObject({ a1: { ms: 1_500, asked_ms: 1_400, late_ms: 19_500 } });
  });

  it('each answer has its own', () => {
    const log = begun().add(retry(), step).assistant('a1', [], { turn_id });
    log.add(step, resume, step).assistant('a2', [], { turn_id });
    log.add(step).assistant('a3', [], { turn_id });
    expect(waits(log)).toMatchObject({
      a1: { requests: 2, reasons: ['Too many requests.'] },
      a2: { requests: 2, reasons: ['It broke off.'] },
    });
    expect(Object.keys(waits(log))).toEqual(['a1', 'a2']);
  });

  it('stands with the text that was left, and says that the person ended the wait', () => {
    const log = begun().add(resume, step, resume);
    log.add({ type: 'incomplete_output', id: 'i1', turn_id, attempt_id: 'a', text: 'h', incomplete: true });
    log.add(end('stopped'));
    expect(waits(log)).toMatchObject({ i1: { requests: 2, isCancelled: true } });
  });

  it('stands with the prompt when nothing came, also of a turn that was opened again on it', () => {
    const log = begun().add(retry(), retryEnd, end('stopped'));
    expect(waits(log)).toMatchObject({ u1: { requests: 1, isCancelled: true } });
    log.add({ type: 'turn_start', turn_id: 't2', retries: turn_id });
    log.add(retry({ turn_id: 't2' }), { ...step, turn_id: 't2' }, { ...end('failed'), turn_id: 't2' });
    expect(waits(log)).toMatchObject({ u1: { requests: 2, isCancelled: false } });
  });

  it('counts the images that were left out', () => {
    const log = begun()
      .add(retry({ without_images: ['x', 'y'] }), step)
      .assistant('a1', [], { turn_id });
    expect(waits(log)).toMatchObject({ a1: { images: 2 } });
  });

  it('is nothing while it goes on, nor where nothing was waited for', () => {
    expect(waits(begun().add(retry()))).toEqual({});
    expect(waits(begun().add(retry(), step))).toEqual({});
    expect(waits(begun().assistant('a1', [], { turn_id }).add(end('completed')))).toEqual({});
  });

  it('goes by what was planned when the clock was set back', () => {
    const log = begun().add(retry(), step).assistant('a1', [], { turn_id });
    const [, , , start] = log.entries;
    if (start === undefined) throw new Error('no wait');
    start.timestamp = '2099-01-01T00:00:00.000Z';
    expect(waits(log)).toMatchObject({ a1: { ms: 9_000 } });
  });
});
