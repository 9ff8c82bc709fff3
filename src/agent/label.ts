/** Names for places in the tree: notes for the whole session, wherever the head is. */
import type { Failure } from '../shared/failure.js';
import { underLease, type Core } from './core.js';
import { refused } from './failures.js';
import type { Done } from './refusals.js';

/** In the gate. What has that name already is left alone. */
export async function setLabel(core: Core, target_id: string, label: string | null): Promise<Done | Failure> {
  if (!core.log.outline.some(([id]) => id === target_id)) {
    return refused('InvalidArgument', `There is no message "${target_id}" in this conversation.`);
  }
  return underLease(core, async () => {
    if ((core.log.state().labels[target_id] ?? null) === label) return {};
    await core.append([{ type: 'label', target_id, label }]);
    return {};
  });
}
