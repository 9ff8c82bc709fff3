import { describe, expect, it } from 'vitest';
import { Keys, takeSecrets, type SecretStore } from '../../../../src/host/model/keys.js';

function memory(): SecretStore & { all: Map<string, string> } {
  const all = new Map<string, string>();
  return {
    all,
    get: (name) => Promise.resolve(all.get(name)),
    store: (name, value) => Promise.resolve(void all.set(name, value)),
    delete: (name) => Promise.resolve(void all.delete(name)),
  };
}
const make = () => {
  const store = memory();
  const hidden: string[] = [];
  return { store, hidden, keys: new Keys(store, (words) => hidden.push(...words)) };
};

describe('keys', () => {
  it('are given to the origin they were stored for, and to no other', async () => {
    const { keys } = make();
    await keys.set('a', { origin: 'https://api.example.com', key: 'sk-1' });
    expect(await keys.key('a', 'https://api.example.com')).toBe('sk-1');
    expect(await keys.key('a', 'https://evil.example.com')).toBeUndefined();
    expect(await keys.key('a', 'http://api.example.com')).toBeUndefined();
    expect(await keys.key('b', 'https://api.example.com')).toBeUndefined();
    expect(await keys.originOf('a')).toBe('https://api.example.com');
  });

  it('says for whom something is stored, until it is removed', async () => {
    const { keys } = make();
    await keys.set('b', { origin: 'https://one', key: 'k1' });
    await keys.set('c', { origin: 'https://two', headers: { 'x-api-key': 'h1' } });
    expect(await keys.stored(['a', 'b', 'c'])).toEqual(['b', 'c']);
    await keys.remove('b');
    expect(await keys.stored(['a', 'b', 'c'])).toEqual(['c']);
  });

  it('where the storage fails there are none for a list that goes on without, and that is said once', async () => {
    const said: unknown[] = [];
    const store = { ...memory(), get: () => Promise.reject(new Error('The keyring is locked.')) };
    const keys = new Keys(
      store,
      () => undefined,
      (error) => said.push(error),
    );
    expect(await keys.storedIfReadable(['a', 'b'])).toEqual([]);
    expect(await keys.storedIfReadable(['a'])).toEqual([]);
    expect(said).toEqual([new Error('The keyring is locked.')]);
    await expect(keys.stored(['a'])).rejects.toThrow('locked');
  });

  it('a new key for another origin takes nothing of the old one along', async () => {
    const { keys } = make();
    await keys.set('a', { origin: 'https://one', key: 'k1', headers: { 'x-api-key': 'h1' } });
    await keys.set('a', { origin: 'https://two', key: 'k2' });
    expect(keys.headers('a', 'https://two')).toEqual({});
    await keys.set('a', { origin: 'https://two', headers: { 'x-api-key': 'h2' } });
    expect(await keys.key('a', 'https://two')).toBe('k2');
    expect(keys.headers('a', 'https://two')).toEqual({ 'x-api-key': 'h2' });
    expect(keys.headers('a', 'https://one')).toEqual({});
  });

  it('H11: what was stored or read is hidden from the output', async () => {
    const { keys, store, hidden } = make();
    await keys.set('a', { origin: 'https://one', key: 'k1', headers: { cookie: 'h1' } });
    expect(hidden).toEqual(['k1', 'h1']);
    const again: string[] = [];
    await new Keys(store, (words) => again.push(...words)).key('a', 'https://one');
    expect(again).toEqual(['k1', 'h1']);
  });

  it('are removed, and what is garbled is as good as none', async () => {
    const { keys, store } = make();
    await keys.set('a', { origin: 'https://one', key: 'k1' });
    expect(await keys.remove('a')).toBe(true);
    expect(await keys.remove('a')).toBe(false);
    store.all.set('provider:a', '{"key":');
    expect(await keys.key('a', 'https://one')).toBeUndefined();
  });
});

describe('H12: secrets in the settings', () => {
  const provider = { kind: 'openai-compatible', baseUrl: 'https://api.example.com/v1' };

  it('a key is taken out and bound to the origin of the base URL', () => {
    const { cleaned, found } = takeSecrets({ a: { ...provider, apiKey: ' sk-1 ' }, b: provider });
    expect(found).toEqual([{ provider: 'a', origin: 'https://api.example.com', key: 'sk-1' }]);
    expect(cleaned).toEqual({ a: provider, b: provider });
    expect(JSON.stringify(cleaned)).not.toContain('sk-1');
  });

  it('auth headers are taken out whatever their case, others stay', () => {
    const headers = { Authorization: 'Bearer sk-2', 'X-Api-Key': 'k3', 'X-Title': 'Bough' };
    const { cleaned, found } = takeSecrets({ a: { ...provider, headers } });
    expect(found).toEqual([
      { provider: 'a', origin: 'https://api.example.com', key: 'sk-2', headers: { 'X-Api-Key': 'k3' } },
    ]);
    expect(cleaned).toEqual({ a: { ...provider, headers: { 'X-Title': 'Bough' } } });
  });

  it('an authorization that is no bearer token stays a header', () => {
    const { found } = takeSecrets({ a: { ...provider, headers: { authorization: 'Basic abc' } } });
    expect(found).toEqual([
      { provider: 'a', origin: 'https://api.example.com', headers: { authorization: 'Basic abc' } },
    ]);
  });

  it('the header by which a kind is given its key holds the key', () => {
    const headers = { 'X-Api-Key': 'sk-ant-1' };
    const { found } = takeSecrets({ claude: { kind: 'anthropic', headers } });
    expect(found).toEqual([{ provider: 'claude', origin: 'https://api.anthropic.com', key: 'sk-ant-1' }]);
  });

  it.each([
    ['models', ['gpt-x']],
    ['headers', { 'bad name': 'x' }],
    ['headers', 7],
  ])('a key is taken out though %s is wrong', (field, value) => {
    const { cleaned, found } = takeSecrets({ a: { ...provider, [field]: value, apiKey: 'sk-1' } });
    expect(found).toEqual([{ provider: 'a', origin: 'https://api.example.com', key: 'sk-1' }]);
    expect(JSON.stringify(cleaned)).not.toContain('sk-1');
    expect(cleaned).toEqual({ a: { ...provider, [field]: value } });
  });

  it('what names no server stays: there is nothing to bind it to', () => {
    const broken = {
      a: { kind: 'openai-compatible', apiKey: 'sk-1' },
      b: { ...provider, baseUrl: 'file:///x', apiKey: 'k' },
      c: 7,
    };
    const sorted = takeSecrets(broken);
    expect(sorted.found).toEqual([]);
    expect(sorted.cleaned).toBe(broken);
  });

  it('an empty key is removed without being stored', () => {
    const { cleaned, found } = takeSecrets({ a: { ...provider, apiKey: '' } });
    expect(found).toEqual([{ provider: 'a', origin: 'https://api.example.com' }]);
    expect(cleaned).toEqual({ a: provider });
  });

  it('settings without secrets are left alone', () => {
    for (const value of [undefined, null, 'x', [], {}, { a: provider }]) {
      expect(takeSecrets(value)).toEqual({ cleaned: value, found: [] });
    }
  });
});
