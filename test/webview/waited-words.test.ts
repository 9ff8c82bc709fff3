import { describe, expect, it } from 'vitest';
import type { Waited } from '../../src/shared/fold/types.js';
import { waitedWords } from '../../webview/transcript/waited-words.js';

const waited = (more: Partial<Waited>): string =>
  waitedWords({
    ms: 12_400,
    requests: 2,
    isServers: false,
    images: 0,
    isCancelled: false,
    reasons: [],
    ...more,
  }).replaceAll('\u00a0', ' ');

describe('what was waited for, in words', () => {
  it.each([
    [{}, 'Waited 12 s · 2 requests'],
    [{ isServers: true, requests: 3 }, 'Waited 12 s, as the server asked · 3 requests'],
    [{ ms: 250, images: 1 }, 'Asked again at once · 2 requests · the last without an image'],
    [{ ms: 250, images: 3 }, 'Asked again at once · 2 requests · the last without 3 images'],
    [{ ms: 65_000, requests: 1, isCancelled: true }, 'Waited 1 min 5 s · 1 request · then cancelled'],
  ])('%j', (more, words) => {
    expect(waited(more)).toBe(words);
  });
});
