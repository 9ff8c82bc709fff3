/** Which agent of a caller's own a line is bound to: its answers are signed with it, and each branch has its own. */
import type { Failure } from '../shared/failure.js';
import { underLease, type Core } from './core.js';
import { refused } from './failures.js';

/** In the gate. Bound to it already, nothing is written. */
export function bindAgent(core: Core, agent_id: string): Promise<void | Failure> {
  if (agent_id === '' || agent_id !== agent_id.trim()) {
    return Promise.resolve(
      refused(
        'InvalidArgument',
        `"${agent_id}" cannot name an agent. Give an id that is not empty and has no space around it.`,
      ),
    );
  }
  return underLease(core, async () => {
    if (core.log.state().agent_id !== agent_id) await core.append([{ type: 'agent_bind', agent_id }]);
  });
}
