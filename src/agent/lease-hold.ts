/** The session's one lease, shared by a run and the intents beside it: taken by the first, released by the last. */
import type { Lease, SessionLog } from '../log/store.js';
import type { Disposable } from '../ports.js';

export interface LeaseHold {
  /** Takes the lease and catches up, unless it is held already. @throws BoughError Locked with the holder */
  hold(signal?: AbortSignal): Promise<Disposable>;
  readonly isHeld: boolean;
}

export function createLeaseHold(log: SessionLog): LeaseHold {
  let holders = 0;
  let lease: Promise<Lease> | null = null;

  const release = (taken: Lease): void => {
    holders -= 1;
    if (holders > 0) return;
    lease = null;
    taken.dispose();
  };

  return {
    get isHeld(): boolean {
      return holders > 0;
    },
    async hold(signal?: AbortSignal): Promise<Disposable> {
      holders += 1;
      lease ??= log.acquire(signal);
      const mine = lease;
      try {
        const taken = await mine;
        let isOpen = true;
        return {
          dispose: () => {
            if (!isOpen) return;
            isOpen = false;
            release(taken);
          },
        };
      } catch (error) {
        holders -= 1;
        if (lease === mine) lease = null;
        throw error;
      }
    },
  };
}
