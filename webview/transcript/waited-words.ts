/** What was waited for before an answer, in a few words. */
import type { Waited } from '../../src/shared/fold/types.js';
import { duration } from '../ui/clock.svelte.js';

export function waitedWords({ ms, requests, isServers, images, isCancelled }: Waited): string {
  const seconds = Math.round(ms / 1000);
  return [
    seconds === 0
      ? 'Asked again at once'
      : `Waited ${duration(seconds * 1000)}${isServers ? ', as the server asked' : ''}`,
    requests === 1 ? '1 request' : `${requests} requests`,
    ...(images === 0
      ? []
      : [images === 1 ? 'the last without an image' : `the last without ${images} images`]),
    ...(isCancelled ? ['then cancelled'] : []),
  ].join(' · ');
}
