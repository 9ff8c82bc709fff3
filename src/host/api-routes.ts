/** Sessions of chat surfaces outside the editor: which one a place talks to, and a fresh one for that place alone. */
import type { PlatformPolicies } from '../shared/route.js';
import { scopeOf } from '../shared/route.js';
import { BoughError } from '../shared/failure.js';
import type { OpenRoute } from './api.js';
import type { ReadSetting } from './model/settings.js';

export interface RouteParts {
  policies: PlatformPolicies;
  /** `active.json` of this window's folder. */
  surfaces: {
    get(surface: string): Promise<string | undefined>;
    set(surface: string, session: string): Promise<void>;
  };
  readSetting: ReadSetting;
  freshId: () => string;
}

/** The id of the session; a fresh one replaces it for this place and touches no other. */
export async function routedSession(
  { policies, surfaces, readSetting, freshId }: RouteParts,
  { delivery, sender, fresh = false }: OpenRoute,
): Promise<string> {
  if (delivery.trim() === '' || delivery.trim() !== delivery) {
    throw new BoughError(
      'InvalidArgument',
      `"${delivery}" is no delivery id. Give platform:channel, with :t:thread and :u:user where there are any.`,
    );
  }
  const { session, entry } = policies.route(delivery, {
    fallback: scopeOf(readSetting('sessions.scope')),
    ...(sender === undefined ? {} : { sender }),
  });
  if (!fresh) return (await surfaces.get(entry)) ?? session;
  const id = freshId();
  await surfaces.set(entry, id);
  return id;
}
