/**
 * Sessions of chat surfaces outside the editor: which one a place talks to, a fresh one for that place alone, and where the
 * answers of a turn go.
 */
import type { TurnTerms } from '../agent/turn-terms.js';
import { BoughError } from '../shared/failure.js';
import { deliveryId, parseDelivery, scopeOf, type PlatformPolicies } from '../shared/route.js';
import type { OpenRoute, PromptRoute, TurnRoute } from './api.js';
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
  checkDelivery(delivery);
  const { session, entry } = policies.route(delivery, {
    fallback: scopeOf(readSetting('sessions.scope')),
    ...(sender === undefined ? {} : { sender }),
  });
  if (!fresh) return (await surfaces.get(entry)) ?? session;
  const id = freshId();
  await surfaces.set(entry, id);
  return id;
}

/** Whoever calls is not held to our types. @throws BoughError InvalidArgument */
function checkDelivery(delivery: unknown): void {
  if (typeof delivery === 'string' && delivery.trim() !== '' && delivery.trim() === delivery) return;
  throw new BoughError(
    'InvalidArgument',
    `"${String(delivery)}" is no delivery id. Give platform:channel, with :t:thread and :u:user where there are any.`,
  );
}

/** What a turn keeps of where its prompt came from: the whole delivery id, never the id of the session it collapses to. */
export function routeTerms({ delivery, sender, replyTo }: PromptRoute): TurnTerms {
  checkDelivery(delivery);
  if (replyTo !== undefined && typeof replyTo !== 'string')
    throw new BoughError('InvalidArgument', 'replyTo of a route is no text.');
  const parsed = parseDelivery(delivery, sender);
  return {
    delivery: parsed === undefined ? delivery : deliveryId(parsed),
    ...(replyTo === undefined ? {} : { reply_to: replyTo }),
  };
}

export const routeOf = (terms: TurnTerms | undefined): TurnRoute | undefined =>
  terms?.delivery === undefined
    ? undefined
    : {
        delivery: terms.delivery,
        ...(terms.reply_to === undefined ? {} : { replyTo: terms.reply_to }),
      };
