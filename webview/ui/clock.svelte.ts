/** The time, second by second, while somebody looks: for countdowns and elapsed times. */
import { createSubscriber } from 'svelte/reactivity';

const subscribe = createSubscriber((update) => {
  const timer = setInterval(update, 1000);
  return () => clearInterval(timer);
});

/** ms since the epoch; reading it in a component or an effect keeps it current there. */
export function now(): number {
  subscribe();
  return Date.now();
}

/** "4 s", "2 min 5 s", "1 h 3 min". */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  if (seconds < 60) return `${seconds}\u00A0s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60)
    return seconds % 60 === 0 ? `${minutes}\u00A0min` : `${minutes}\u00A0min ${seconds % 60}\u00A0s`;
  return `${Math.floor(minutes / 60)}\u00A0h ${minutes % 60}\u00A0min`;
}
