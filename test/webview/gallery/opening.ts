// In place of a conversation: how far it is read, that it was not opened, and that it could not be.
import type { OpeningView } from '../../../src/shared/protocol.js';
import { Scene } from '../bench/scenes.js';
import type { State } from './states.js';

const of = 48_200_000;
const waited: OpeningView = {
  session: 'session-2',
  title: 'Make the greeting friendlier',
  state: 'opening',
  bytes: 17_900_000,
  of,
};

const state = (name: string, more: Partial<OpeningView>): State => ({
  name,
  scene: new Scene('other'),
  opening: { ...waited, ...more },
  height: 420,
});

export const openingStates = (): State[] => [
  state('opening', {}),
  state('opening-read', { bytes: of }),
  state('opening-unknown', { title: null, bytes: 0, of: 0 }),
  state('opening-cancelled', { state: 'cancelled' }),
  state('opening-failed', {
    state: 'failed',
    message: 'The log cannot be read: permission denied. Give it back its rights and try again.',
  }),
];
