// What the view shows a moment later: as patient as a slow machine needs.
import { expect } from 'vitest';

export const eventually = <T>(probe: () => T): ReturnType<typeof expect.poll<T>> =>
  expect.poll(probe, { timeout: 15_000 });
