/** What a session says of itself when there is nothing to say. */
import type { RunState, StatusView } from '../../../../src/shared/protocol.js';

export const statusOf = (run: RunState): StatusView => ({
  run,
  notices: [],
  interrupted: null,
  model: null,
  failure: null,
  place: 'ready',
  suggestions: [],
  sendOn: 'enter',
  mode: 'ask',
  isSummarising: false,
});
