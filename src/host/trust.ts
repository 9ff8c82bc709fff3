/** Restricted Mode: past sessions can be read, and a run that is there can be stopped; nothing is sent and nothing runs. */
import type { AgentSession } from '../agent/types.js';
import type { Failure } from '../shared/failure.js';
import type { Intent } from '../shared/protocol.js';

export function underTrust(agent: AgentSession, isTrusted: () => boolean): AgentSession {
  return {
    ...agent,
    dispatch: (intent, expectedHead) => {
      if (!isTrusted() && needsTrust(intent)) return Promise.resolve(restricted);
      return expectedHead === undefined ? agent.dispatch(intent) : agent.dispatch(intent, expectedHead);
    },
    // What crashed is kept and a due wait goes on only where it may.
    recover: () => (isTrusted() ? agent.recover() : Promise.resolve()),
  };
}

function needsTrust(intent: Intent): boolean {
  switch (intent.type) {
    case 'send':
    case 'continue':
    case 'try_again':
    case 'retry_now':
    case 'release_queue':
      return true;
    case 'decide':
      return intent.decision === 'allow';
    case 'stop':
    case 'retry_cancel':
    case 'leave':
    case 'navigate':
    case 'drop_queued':
      return false;
  }
}

const restricted: Failure = {
  kind: 'refused',
  message:
    'This window is in Restricted Mode: Bough can show past sessions, but sends nothing and runs nothing. Trust the workspace to go on.',
  transient: false,
  code: 'Untrusted',
};
