/** What was waited for before an answer, in a few words. */
import type { Waited } from '../../src/shared/fold/types.js';
import { duration } from '../ui/clock.svelte.js';

/** So much later a request is sent that the person had to send, or that had nobody to send it. */
const LATE_MS = 2_000;

export function waitedWords({ ms, asked_ms, late_ms, requests, images, isCancelled }: Waited): string {
  const seconds = Math.round(ms / 1000);
  const asked = Math.round(asked_ms / 1000);
  const why =
    asked_ms === 0
      ? ''
      : asked >= seconds
        ? ', as the server asked'
        : `, ${asked === 0 ? 'a moment' : duration(asked * 1000)} of it as the server asked`;
  return [
    seconds === 0 ? 'Asked again at once' : `Waited ${duration(seconds * 1000)}${why}`,
    ...(late_ms < LATE_MS || isCancelled ? [] : [`sent ${duration(late_ms)} after that`]),
    requests === 1 ? '1 request' : `${requests} requests`,
    ...(images === 0
      ? []
      : [images === 1 ? 'the last without an image' : `the last without ${images} images`]),
    ...(isCancelled ? ['then cancelled'] : []),
  ].join(' · ');
}
