/**
 * Where a message comes from and which conversation it belongs to. A chat surface has a delivery id,
 * `platform:channel[:t:thread][:u:user]`; a scope collapses it to the session it talks to. Segments never hold a colon
 * (it is percent-encoded). An id of another shape, and those of `cli` and `sub`, are opaque: they are left alone.
 */

/** `channel`: all who talk in a channel share a session; `thread`: each thread has one; `user`: each person has. */
export const sessionScopes = ['channel', 'thread', 'user'] as const;
export type SessionScope = (typeof sessionScopes)[number];

/** What a platform wants otherwise than the rest. */
export interface PlatformPolicy {
  scope?: SessionScope;
  /**
   * By which id `active.json` finds the session of a surface: the scoped one (default), or the whole delivery id, with the
   * sender where it names no user.
   */
  activeEntry?: 'effective' | 'delivery';
}

export interface Delivery {
  platform: string;
  channel: string;
  thread?: string;
  user?: string;
}

const OPAQUE = new Set(['cli', 'sub']);
/** Editors show one conversation in each place. */
const OWN_POLICIES: ReadonlyMap<string, PlatformPolicy> = new Map([
  ['vscode', { scope: 'thread' }],
  ['chat', { scope: 'thread' }],
]);

const encode = (segment: string): string => segment.replace(/[%:]/g, encodeURIComponent);

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    // Not ours: a percent sign that begins no code stands for itself.
    return segment;
  }
}

/** An unknown word means `channel`. */
export const scopeOf = (word: unknown): SessionScope =>
  sessionScopes.find((scope) => scope === word) ?? 'channel';

/** The finest id of a place: what a platform sends its answers to. Empty when there is no platform or channel. */
export function deliveryId({ platform, channel, thread, user }: Delivery): string {
  if (platform === '' || channel === '') return '';
  const place = [encode(platform), encode(channel)];
  if (thread !== undefined && thread !== '') place.push('t', encode(thread));
  if (user !== undefined && user !== '') place.push('u', encode(user));
  return place.join(':');
}

/** The segments of a delivery id, with the sender where it names no user; undefined when it is opaque. */
export function parseDelivery(id: string, sender?: string): Delivery | undefined {
  const [platform = '', channel = '', ...rest] = id.split(':');
  if (platform === '' || channel === '' || OPAQUE.has(platform)) return undefined;
  const found: Delivery = { platform: decode(platform), channel: decode(channel) };
  for (const [key, name] of [
    ['t', 'thread'],
    ['u', 'user'],
  ] as const) {
    if (rest[0] !== key) continue;
    const [, value = ''] = rest.splice(0, 2);
    if (value === '') return undefined;
    found[name] = decode(value);
  }
  if (rest.length > 0) return undefined;
  if (found.user === undefined && sender !== undefined && sender !== '') found.user = sender;
  return found;
}

/** The id of the session that a place talks to. */
export function effectiveId(id: string, scope: SessionScope, sender?: string): string {
  const delivery = parseDelivery(id, sender);
  if (delivery === undefined) return id;
  const { platform, channel, thread, user } = delivery;
  switch (scope) {
    case 'channel':
      return deliveryId({ platform, channel });
    case 'thread':
      return deliveryId({ platform, channel, ...(thread === undefined ? {} : { thread }) });
    case 'user':
      return deliveryId({ platform, channel, ...(user === undefined ? {} : { user }) });
  }
}

/** Platform and first segment: the same for every scope, so that a channel keeps its folder however it is split. */
export const workspaceKeyOf = (id: string): string => id.split(':').slice(0, 2).join(':');

/** The session of the n-th subagent of that name. */
export const subagentId = (parent: string, agent: string, n: number): string =>
  `sub:${parent}:${encode(agent)}:${String(n)}`;

/** The session that a subagent's was made for; undefined for all others. */
export const parentSessionOf = (id: string): string | undefined => /^sub:(.+):[^:]+:\d+$/.exec(id)?.[1];

/** How deep a session stands below the person's: 0 for those that are no subagent's. */
export const levelOf = (id: string): number => (/^(?:sub:)*/.exec(id)?.[0] ?? '').length / 'sub:'.length;

/** Policies of platforms: ours, and those that were registered; what was registered last counts. */
export class PlatformPolicies {
  readonly #registered = new Map<string, PlatformPolicy[]>();

  /** Returns what takes it back. */
  register(platform: string, policy: PlatformPolicy): () => void {
    const { scope } = policy;
    // Whoever registers is not held to our types.
    const own = { ...policy, ...(scope === undefined ? {} : { scope: scopeOf(scope) }) };
    const all = this.#registered.get(platform) ?? [];
    this.#registered.set(platform, [...all, own]);
    return () => {
      const left = (this.#registered.get(platform) ?? []).filter((one) => one !== own);
      this.#registered.set(platform, left);
    };
  }

  of(platform: string): PlatformPolicy {
    return { ...OWN_POLICIES.get(platform), ...this.#registered.get(platform)?.at(-1) };
  }

  /**
   * The session a place talks to, and the key under which a fresh one takes its place. `fallback` is the scope of
   * platforms that say nothing.
   */
  route(
    id: string,
    options: { sender?: string; fallback?: SessionScope } = {},
  ): { session: string; entry: string } {
    const { sender, fallback = 'channel' } = options;
    const delivery = parseDelivery(id, sender);
    const { scope = fallback, activeEntry = 'effective' } = this.of(delivery?.platform ?? '');
    const session = effectiveId(id, scope, sender);
    const whole = delivery === undefined ? id : deliveryId(delivery);
    return { session, entry: activeEntry === 'delivery' ? whole : session };
  }
}
