/** The place a failure can be mended at: what the button says and what it opens. */
import type { FailureAction } from '../../src/shared/failure.js';
import type { UiCommand } from '../../src/shared/protocol.js';

const actions: Readonly<Record<FailureAction, { label: string; command: UiCommand }>> = {
  'set-key': { label: 'Set API Key…', command: { type: 'set_key' } },
  'open-settings': { label: 'Open Settings', command: { type: 'open_settings', query: 'bough' } },
  'select-model': { label: 'Select Model…', command: { type: 'select_model' } },
  'show-log': { label: 'Show Log', command: { type: 'show_log' } },
  reopen: { label: 'Open Again', command: { type: 'reopen' } },
  'save-again': { label: 'Save Again', command: { type: 'save_again' } },
};

export const failureAction = (action: FailureAction) => actions[action];
