/** Opens a turn in one batch that also closes what is still open: either all of it is in the log or nothing happened. */
import type { Draft, Entry } from '../shared/notes.js';
import type { Core } from './core.js';
import { closed } from './recover.js';
import { startRun } from './turn.js';

export interface Beginning {
  turn_id: string;
  /** Closes an interrupted or suspended turn; empty when none is open. */
  closing: readonly Draft[];
  batch: readonly Draft[];
}

/** In the gate. The run holds the lease from here. @throws BoughError when nothing was written */
export async function beginTurn(core: Core, { turn_id, closing, batch }: Beginning): Promise<Entry[]> {
  const lease = await core.lease.hold();
  let written: Entry[];
  try {
    written = await core.append([...closing, ...batch], { expectedHead: core.log.head });
    if (closing.length > 0) await closed(core);
  } catch (error) {
    lease.dispose();
    throw error;
  }
  startRun(core, turn_id, lease);
  return written;
}
