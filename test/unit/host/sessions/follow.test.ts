import { describe, expect, it } from 'vitest';
import { followOthers } from '../../../../src/host/sessions/follow.js';
import type { HostSession } from '../../../../src/host/sessions/session.js';
import type { RunState } from '../../../../src/shared/protocol.js';
import { FakeClock } from '../../agent/fake-clock.js';

function session(
  id: string,
  run: RunState,
  looks: string[],
  file: string | undefined = `/${id}`,
): HostSession {
  const log = {
    id,
    file,
    catchUp: () => Promise.resolve(void looks.push(id)),
    holder: () => Promise.resolve(null),
  };
  return {
    agent: { log, run: () => run },
    takeHolder: () => Promise.resolve(),
  } as unknown as HostSession;
}

describe('what other windows append', () => {
  it('is looked for once a second, in sessions on show that rest here', async () => {
    const clock = new FakeClock();
    const looks: string[] = [];
    const all = [
      session('shown', 'idle', looks),
      session('asks', 'waiting', looks),
      session('hidden', 'idle', looks),
      session('works', 'running', looks),
    ];
    const following = followOthers({
      sessions: { all: () => all },
      chats: { isVisible: (id) => id !== 'hidden' },
      clock,
      onError: (error) => looks.push(String(error)),
    });
    await clock.advance(2_000);
    expect(looks).toEqual(['shown', 'asks', 'shown', 'asks']);
    following.dispose();
    await clock.advance(5_000);
    expect(looks).toHaveLength(4);
  });

  it('a look that fails is told once, and the next ones come', async () => {
    const clock = new FakeClock();
    const errors: unknown[] = [];
    const broken = session('one', 'idle', []);
    let looks = 0;
    broken.agent.log.catchUp = () => Promise.reject(new Error(++looks < 3 ? 'gone' : 'locked'));
    followOthers({
      sessions: { all: () => [broken] },
      chats: { isVisible: () => true },
      clock,
      onError: (error) => errors.push(error),
    });
    await clock.advance(3_000);
    expect(errors).toMatchObject([{ message: 'gone' }, { message: 'locked' }]);
  });
});
