// Waiting without sleeping: ask again until it holds.
import { setTimeout as delay } from 'node:timers/promises';

export interface Patience {
  readonly timeout?: number;
  readonly interval?: number;
  /** What was waited for, for the error. */
  readonly what?: string;
}

/** Calls `probe` until it returns something truthy (which is returned); an error thrown meanwhile counts as "not yet". */
export async function eventually<T>(
  probe: () => T | Promise<T>,
  { timeout = 20_000, interval = 50, what }: Patience = {},
): Promise<NonNullable<T>> {
  const end = Date.now() + timeout;
  for (;;) {
    const outcome = await attempt(probe);
    if (outcome.value) return outcome.value;
    if (Date.now() > end)
      throw new Error(`not within ${timeout} ms: ${what ?? probe.toString()}${lastly(outcome.error)}`, {
        cause: outcome.error,
      });
    await delay(interval);
  }
}

/** Of a run whose pictures are gone the line of the error is all there is. */
function lastly(error: unknown): string {
  return error instanceof Error ? ` (${error.message.split('\n', 1)[0] ?? ''})` : '';
}

async function attempt<T>(probe: () => T | Promise<T>): Promise<{ value?: T; error?: unknown }> {
  try {
    return { value: await probe() };
  } catch (error) {
    return { error };
  }
}
