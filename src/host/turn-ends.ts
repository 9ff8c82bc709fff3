/** Tells how a turn ends, whoever ends it: its run, the person while it waits, another window, or the session's own end. */
import type { AgentEvent, AgentSession } from '../agent/types.js';
import type { Disposable } from '../ports.js';
import type { Failure } from '../shared/failure.js';

/** How a turn ended, as far as the log may not say it. */
export type TurnEnd = Omit<Extract<AgentEvent, { type: 'turn_end' }>, 'type' | 'turn_id'>;

/** `place`: the entry that was the head when its end was written. */
type Ended = TurnEnd & { place?: string };

export interface Ends extends Disposable {
  /** Resolves with how this turn ended, also when it ended before it was asked for. */
  of(turn: string): Promise<Ended>;
}

export function watchEnds(agent: AgentSession): Ends {
  const ended = new Map<string, Ended>();
  const places = new Map<string, string>();
  let waiting: { turn: string; resolve: (end: Ended) => void } | undefined;
  const end = (turn: string, how: TurnEnd): void => {
    const place = places.get(turn);
    const known = place === undefined ? how : { ...how, place };
    ended.set(turn, known);
    if (waiting?.turn === turn) waiting.resolve(known);
  };
  const listening = agent.on((event) => {
    if (event.type === 'turn_end') end(event.turn_id, event);
  });
  // A turn that waits is no run: dismissed, left or replaced, it ends by what is written alone, here or in another window.
  const written = agent.log.onAppend((placed) => {
    for (const { entry } of placed) {
      if (entry.type !== 'turn_end') continue;
      if (entry.parent_id !== null) places.set(entry.turn_id, entry.parent_id);
      if (agent.run() === 'idle') end(entry.turn_id, { failure: entry.failure ?? null });
    }
  });
  // A session that is closed or deleted ends no turn any more.
  const closing = agent.log.onAccess((access) => {
    if (access.mode !== 'stale' && access.mode !== 'poisoned') return;
    const failure: Failure = {
      kind: 'storage',
      message: access.message,
      transient: false,
      code: 'SessionStale',
    };
    waiting?.resolve({ failure });
  });
  return {
    of: (turn) => {
      const known = ended.get(turn);
      if (known !== undefined) return Promise.resolve(known);
      return new Promise((resolve) => (waiting = { turn, resolve }));
    },
    dispose: () => {
      listening.dispose();
      written.dispose();
      closing.dispose();
    },
  };
}
