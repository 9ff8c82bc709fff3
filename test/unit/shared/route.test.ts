import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  deliveryId,
  effectiveId,
  parseDelivery,
  PlatformPolicies,
  scopeOf,
  sessionScopes,
  subagentId,
  workspaceKeyOf,
} from '../../../src/shared/route.js';

const full = 'slack:C001:t:1712345678.9:u:U456';
const segment = fc.string({ minLength: 1, unit: 'grapheme' }).filter((text) => text.isWellFormed());
const places = fc
  .record(
    { platform: segment, channel: segment, thread: segment, user: segment },
    { requiredKeys: ['platform', 'channel'] },
  )
  .filter(({ platform }) => platform !== 'cli' && platform !== 'sub');

describe('delivery ids', () => {
  it('are built and read again, whatever the segments hold', () => {
    fc.assert(
      fc.property(places, (place) => {
        const id = deliveryId(place);
        expect(parseDelivery(id)).toEqual(place);
        expect(id.split(':').length).toBe(2 + 2 * (Object.keys(place).length - 2));
      }),
    );
  });

  it.each([
    [{ platform: 'slack', channel: 'C001' }, 'slack:C001'],
    [{ platform: 'slack', channel: 'C001', thread: '1712345678.9' }, 'slack:C001:t:1712345678.9'],
    [{ platform: 'slack', channel: 'C001', thread: '1712345678.9', user: 'U456' }, full],
    [{ platform: 'mail', channel: 'a:b%', user: '' }, 'mail:a%3Ab%25'],
    [{ platform: '', channel: 'C001' }, ''],
  ])('%j', (place, id) => {
    expect(deliveryId(place)).toBe(id);
  });

  it('a missing user is the sender, one that is there stays', () => {
    expect(parseDelivery('slack:C001', 'U1')?.user).toBe('U1');
    expect(parseDelivery(full, 'U1')?.user).toBe('U456');
  });

  it.each([
    '',
    'slack',
    'slack:',
    ':C001',
    'cli:default',
    'sub:a:b:1',
    'slack:C1:U456',
    'slack:C1:t:',
    'slack:C1:u:a:t:b',
  ])('"%s" is opaque: left alone in every scope', (id) => {
    expect(parseDelivery(id, 'U1')).toBeUndefined();
    for (const scope of sessionScopes) expect(effectiveId(id, scope, 'U1')).toBe(id);
  });
});

describe('scopes', () => {
  it.each([
    ['channel', 'slack:C001'],
    ['thread', 'slack:C001:t:1712345678.9'],
    ['user', 'slack:C001:u:U456'],
  ] as const)('%s', (scope, id) => {
    expect(effectiveId(full, scope)).toBe(id);
  });

  it('a user’s session needs a user; without one it is the channel’s', () => {
    expect(effectiveId('slack:C001', 'user', 'U1')).toBe('slack:C001:u:U1');
    expect(effectiveId('slack:C001', 'user')).toBe('slack:C001');
  });

  it('none changes the workspace key, and applying one twice is applying it once', () => {
    fc.assert(
      fc.property(places, fc.constantFrom(...sessionScopes), (place, scope) => {
        const id = deliveryId(place);
        const once = effectiveId(id, scope);
        expect(workspaceKeyOf(once)).toBe(workspaceKeyOf(id));
        expect(effectiveId(once, scope)).toBe(once);
      }),
    );
  });

  it.each([
    ['slack:C123ABC', 'slack:C123ABC'],
    ['slack:C123ABC:U456', 'slack:C123ABC'],
    ['slack:C123ABC:t:171234.56', 'slack:C123ABC'],
    ['cli:default', 'cli:default'],
    ['', ''],
  ])('the workspace key of "%s"', (id, key) => {
    expect(workspaceKeyOf(id)).toBe(key);
  });

  it('an unknown word means channel', () => {
    expect([scopeOf('thread'), scopeOf('planet'), scopeOf(undefined)]).toEqual([
      'thread',
      'channel',
      'channel',
    ]);
  });

  it('a subagent has an id of its own that no scope touches', () => {
    const id = subagentId('slack:C001', 'review:er', 2);
    expect(id).toBe('sub:slack:C001:review%3Aer:2');
    expect(new PlatformPolicies().route(id).session).toBe(id);
  });
});

describe('policies of platforms', () => {
  it('editors have a session for each place, others one for the channel', () => {
    const policies = new PlatformPolicies();
    expect(policies.route('vscode:key:t:2')).toEqual({ session: 'vscode:key:t:2', entry: 'vscode:key:t:2' });
    expect(policies.route(full)).toEqual({ session: 'slack:C001', entry: 'slack:C001' });
    expect(policies.route(full, { fallback: 'user' }).session).toBe('slack:C001:u:U456');
  });

  it('what is registered counts until it is taken back', () => {
    const policies = new PlatformPolicies();
    const undo = policies.register('slack', { scope: 'thread', activeEntry: 'delivery' });
    expect(policies.route(full)).toEqual({ session: 'slack:C001:t:1712345678.9', entry: full });
    const second = policies.register('slack', { scope: 'user' });
    expect(policies.route(full).session).toBe('slack:C001:u:U456');
    undo();
    second();
    expect(policies.route(full).session).toBe('slack:C001');
  });

  it('an unknown scope means channel, whatever the setting says', () => {
    const policies = new PlatformPolicies();
    for (const scope of ['planet', '', null, 3]) {
      policies.register('slack', { scope: scope as never });
      expect(policies.route(full, { fallback: 'user' })).toEqual({
        session: 'slack:C001',
        entry: 'slack:C001',
      });
    }
  });

  it('a whole delivery id has its sender: each of those who talk in a place has a surface', () => {
    const policies = new PlatformPolicies();
    policies.register('slack', { activeEntry: 'delivery' });
    const entryOf = (id: string, sender?: string) =>
      policies.route(id, sender === undefined ? {} : { sender }).entry;
    expect(entryOf('slack:C001', 'U1')).toBe('slack:C001:u:U1');
    expect(entryOf('slack:C001:t:17', 'U:2')).toBe('slack:C001:t:17:u:U%3A2');
    expect(entryOf(full, 'U1')).toBe(full);
    expect(entryOf('slack:C001')).toBe('slack:C001');
    expect(entryOf('slack:C001:U456', 'U1')).toBe('slack:C001:U456');
  });
});
