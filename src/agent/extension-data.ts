/** What other extensions keep with a conversation: notes on its line, so that each branch has its own. */
import type { Failure } from '../shared/failure.js';
import { underLease, type Core } from './core.js';
import { refused } from './failures.js';

/** Ours: a note of it decides, for one, what runs without a card. */
const OURS = /^bough(\.|$)/;

export const isOurs = (ext_type: string): boolean => OURS.test(ext_type);

/** In the gate. */
export function addExtensionData(core: Core, ext_type: string, data: unknown): Promise<void | Failure> {
  if (ext_type.trim() === '' || isOurs(ext_type)) {
    return Promise.resolve(
      refused(
        'InvalidArgument',
        `"${ext_type}" cannot name data of another extension. Begin it with the extension’s own id.`,
      ),
    );
  }
  return underLease(core, async () => void (await core.append([{ type: 'extension_data', ext_type, data }])));
}
