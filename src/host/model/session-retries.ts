/**
 * How requests of one session are sent again, as the extension wants it that opened the session: over the settings, until
 * the window closes. Nothing of it is on disk.
 */
import { defaultPolicy, effectivePolicy } from '../../agent/retry.js';
import type { AgentSettings, RetryPolicy } from '../../agent/types.js';
import { BoughError } from '../../shared/failure.js';

export class SessionRetries {
  readonly #given = new Map<string, Partial<RetryPolicy>>();

  /** In place of what was given for it before. */
  set(session: string, policy: Partial<RetryPolicy>): void {
    this.#given.set(session, policy);
  }

  /** The settings as they count for this session. */
  over(session: string, settings: AgentSettings): AgentSettings {
    const given = this.#given.get(session);
    return given === undefined
      ? settings
      : { ...settings, retry: effectivePolicy({ ...settings.retry, ...given }) };
  }
}

/** Other extensions are not held to our types. @throws BoughError InvalidArgument that names what is wrong */
export function givenPolicy(given: unknown): Partial<RetryPolicy> {
  if (typeof given !== 'object' || given === null) throw wrong('is no object');
  for (const [name, value] of Object.entries(given)) {
    if (!Object.hasOwn(defaultPolicy, name)) throw wrong(`has no ${name}`);
    if (typeof value !== 'number' || Number.isNaN(value)) throw wrong(`has a ${name} that is no number`);
  }
  return { ...given };
}

const wrong = (what: string): BoughError =>
  new BoughError(
    'InvalidArgument',
    `A retry policy ${what}; it may have ${Object.keys(defaultPolicy).join(', ')}.`,
  );
