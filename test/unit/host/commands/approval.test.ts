/** A proposal that is decided from the title of its diff, while something stands on its card. */
import { beforeEach, expect, it, vi } from 'vitest';
import { approvalCommands } from '../../../../src/host/commands/approval.js';
import type { ComposerDraft } from '../../../../src/shared/composer-draft.js';

const asked = vi.hoisted(() => ({
  Uri: class {
    readonly scheme = 'bough-proposal';
    readonly query = JSON.stringify({ session: 'one', call_id: 'c1', index: 0, side: 'after' });
  },
}));
vi.mock('vscode', () => ({
  Uri: asked.Uri,
  TabInputTextDiff: class {},
  l10n: { t: (text: string) => text },
  window: { tabGroups: { activeTabGroup: {} } },
}));

let decided: unknown[];
let shown: string[];
let draft: ComposerDraft;
const log = {
  state: () => ({
    approvals: [
      { call_id: 'c1', tool: 'write', input: {}, proposal: [{ path: 'a', before: null, after: null }] },
    ],
  }),
};
const agent = { log, dispatch: (intent: unknown) => Promise.resolve(decided.push(intent)) };
const commands = approvalCommands({
  sessions: { open: () => Promise.resolve({ agent }) },
  drafts: { read: () => Promise.resolve(draft) },
  chats: { show: (session: string) => Promise.resolve(void shown.push(session)) },
  tell: { info: (text: string) => void shown.push(text) },
} as never);

beforeEach(() => {
  decided = [];
  shown = [];
  draft = { text: '', editing: null };
});

it('sends what to do instead along with Deny', async () => {
  draft = { ...draft, unsent: { c1: { feedback: ' use a list ' } } };
  await commands['bough.approval.deny'](new asked.Uri());
  expect(decided).toMatchObject([{ decision: 'deny', call_id: 'c1', feedback: 'use a list' }]);
});

it('approves nothing over what to do instead: that is decided on the card', async () => {
  draft = { ...draft, unsent: { c1: { feedback: 'use a list' } } };
  await commands['bough.approval.approve'](new asked.Uri());
  expect(decided).toEqual([]);
  expect(shown).toEqual(['one', expect.stringContaining('only when you deny')]);
});

it('decides at once where nothing stands on the card', async () => {
  await commands['bough.approval.approve'](new asked.Uri());
  await commands['bough.approval.deny'](new asked.Uri());
  expect(decided).toEqual([
    { type: 'decide', call_id: 'c1', decision: 'allow', scope: 'once' },
    { type: 'decide', call_id: 'c1', decision: 'deny', scope: 'once' },
  ]);
  expect(shown).toEqual([]);
});
