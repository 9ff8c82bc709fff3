import { describe, expect, it } from 'vitest';
import type { BackgroundCall } from '../../../src/ports.js';
import { call, noSession, prepare, refusal } from './call.js';
import { fakeWorkspace } from './fake-workspace.js';

describe('ask', () => {
  const question = { question: 'Which port?', options: ['80', '8080'] };

  it('is always put to the person, and gives what they said', async () => {
    expect(await prepare(fakeWorkspace(), 'ask', question)).toMatchObject({
      sentence: 'Which port?',
      risk: 'read',
      isAlwaysAsked: true,
      targets: [],
    });
    expect(await call(fakeWorkspace(), 'ask', question, { said: ' 8080 ' })).toEqual({
      content: '8080',
      is_error: false,
      outcome: '8080',
    });
  });

  it('takes no answer for the person’s', async () => {
    expect(await call(fakeWorkspace(), 'ask', question)).toMatchObject({ is_error: true });
    expect(await refusal(fakeWorkspace(), 'ask', { ...question, answer: '80' })).toContain('answer');
    expect(await refusal(fakeWorkspace(), 'ask', { question: ' ' })).toContain('must not be blank');
  });
});

describe('background', () => {
  const running = (): { one: BackgroundCall; over: (text: string) => void; ended: () => boolean } => {
    let text: string | null = null;
    let isEnded = false;
    let finish = (): void => undefined;
    const ended = new Promise<void>((resolve) => (finish = resolve));
    const over = (result: string): void => {
      text = result;
      finish();
    };
    return {
      one: {
        get isRunning() {
          return text === null;
        },
        read: () => text ?? 'so far\n',
        ended,
        end: () => {
          isEnded = true;
          over('[Stopped.]');
        },
      },
      over,
      ended: () => isEnded,
    };
  };
  const session = (one: BackgroundCall) => ({
    session: { ...noSession, background: (id: string) => (id === 'c1' ? one : undefined) },
  });

  it('reads, waits for the end, and ends', async () => {
    const { one, over, ended } = running();
    expect(await call(fakeWorkspace(), 'background', { id: 'c1' }, session(one))).toEqual({
      content: 'so far\n\n[It is still running.]',
      is_error: false,
      outcome: 'still running',
    });
    const waiting = call(fakeWorkspace(), 'background', { id: 'c1', action: 'wait' }, session(one));
    over('all of it');
    expect(await waiting).toMatchObject({ content: 'all of it', outcome: 'over' });
    const other = running();
    expect(
      await call(fakeWorkspace(), 'background', { id: 'c1', action: 'end' }, session(other.one)),
    ).toMatchObject({ content: '[Stopped.]' });
    expect([ended(), other.ended()]).toEqual([false, true]);
  });

  it('waits no longer than it is told, or than the turn goes on, and says what it does not know', async () => {
    const { one } = running();
    const wait = { id: 'c1', action: 'wait' };
    expect(await call(fakeWorkspace(), 'background', { ...wait, timeout_ms: 1 }, session(one))).toMatchObject(
      { outcome: 'still running' },
    );
    const stopped = { ...session(one), signal: AbortSignal.abort() };
    expect(await call(fakeWorkspace(), 'background', wait, stopped)).toMatchObject({
      outcome: 'still running',
    });
    expect(await call(fakeWorkspace(), 'background', { id: 'c2' }, session(one))).toMatchObject({
      is_error: true,
      content: expect.stringContaining('Nothing is known by "c2"') as string,
    });
  });
});
