import { describe, expect, it } from 'vitest';
import type { Waited } from '../../src/shared/fold/types.js';
import { waitedWords } from '../../webview/transcript/waited-words.js';

const waited = (more: Partial<Waited>): string =>
  waitedWords({
    ms: 12_400,
    requests: 2,
    asked_ms: 0,
    late_ms: 0,
    images: 0,
    isCancelled: false,
    reasons: [],
    ...more,
  }).replaceAll('\u00a0', ' ');

describe('what was waited for, in words', () => {
  it.each([
    [{}, 'Waited 12 s · 2 requests'],
    [{ asked_ms: 12_300, requests: 3 }, 'Waited 12 s, as the server asked · 3 requests'],
    [{ ms: 28_000, asked_ms: 5_000 }, 'Waited 28 s, 5 s of it as the server asked · 2 requests'],
    [{ asked_ms: 200 }, 'Waited 12 s, a moment of it as the server asked · 2 requests'],
    [
      { ms: 60_000, asked_ms: 60_000, late_ms: 20_000 },
      'Waited 1 min, as the server asked · sent 20 s after that · 2 requests',
    ],
    [{ ms: 7_000, late_ms: 300_000 }, 'Waited 7 s · sent 5 min after that · 2 requests'],
    [{ ms: 250, images: 1 }, 'Asked again at once · 2 requests · the last without an image'],
    [{ ms: 250, images: 3 }, 'Asked again at once · 2 requests · the last without 3 images'],
    [{ ms: 65_000, requests: 1, isCancelled: true }, 'Waited 1 min 5 s · 1 request · then cancelled'],
  ])('%j', (more, words) => {
    expect(waited(more)).toBe(words);
  });
});
