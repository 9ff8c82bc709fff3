// Brings a view into one of the states: what is posted, pressed, written and waited for.
import type { MentionOffer, SlashOffer } from '../../../src/shared/protocol.js';
import type { ChatPage } from '../bench/chat-page.js';
import type { State } from './states.js';

const offers: MentionOffer[] = [
  { kind: 'selection', label: 'Selection', detail: 'app.ts:3-9' },
  { kind: 'problems', label: 'Problems', detail: '3 in the workspace' },
  { kind: 'terminal', label: 'Terminal', detail: 'the last command and what it printed' },
  { kind: 'git', label: 'Git changes', detail: 'what is not committed' },
  { kind: 'folder', label: 'src/ui/', path: 'src/ui' },
  { kind: 'file', label: 'src/a/rather/long/path/that/does/not/fit/into/the/list.ts', path: 'x' },
  { kind: 'session', label: 'Plan the trip', detail: '3/1/2026', ref: 's1' },
];
const slash: SlashOffer[] = [
  { kind: 'prompt', name: 'review', description: 'Look it over', hint: 'what matters most' },
  {
    kind: 'skill',
    name: 'pdf-forms',
    description: 'Fill in forms of all kinds, and flatten them afterwards',
  },
];

/** Brings the view into the state, and waits until all of it is there and can be used. */
export async function show(
  chat: ChatPage,
  {
    scene,
    snapshot,
    surface = 'view',
    width,
    height = 720,
    press,
    pressWord,
    find,
    hover,
    compare,
    calls,
    opening,
    then,
    wheel,
    leads,
  }: State,
): Promise<void> {
  await chat.page.setViewportSize({ width: width ?? (surface === 'tab' ? 1000 : 420), height });
  await chat.page.evaluate((name) => (document.body.dataset['surface'] = name), surface);
  chat.scene = scene;
  const shown = scene.snapshot(snapshot);
  await chat.post(shown);
  await chat.page.locator(`body[data-session-id="${shown.session.id}"]`).waitFor();
  // The view stays the same one: what a state before opened is closed.
  const opened = chat.page.locator('[data-testid="tree-toggle"][aria-expanded="true"]');
  if ((await opened.count()) > 0) await opened.click();
  if (opening !== undefined) {
    await chat.post({ type: 'opening', ...opening });
    await chat.page.locator(`[data-testid="opening"][data-state="${opening.state}"]`).waitFor();
  }
  if (press !== undefined) await chat.at(press).first().click();
  if (pressWord !== undefined) await chat.page.getByRole('button', { name: pressWord }).click();
  if (then?.type === 'snapshot') await chat.post({ ...then, session: shown.session });
  else if (then !== undefined) await chat.post({ ...then, session: shown.session.id });
  if (wheel !== undefined) {
    await chat.at('transcript').hover();
    await chat.page.mouse.wheel(0, wheel);
  }
  if (leads !== undefined) await chat.at(leads).waitFor();
  if (find !== undefined) {
    await chat.page.keyboard.press('ControlOrMeta+F');
    await chat.at('find-input').fill(find);
    await chat.at('find-count').filter({ hasText: ' of ' }).waitFor();
  }
  if (calls !== undefined) {
    chat.offers = offers;
    chat.slash = slash;
    await chat.composer.fill(calls);
    await chat.page.getByRole('option').first().waitFor();
  }
  if (compare !== undefined) {
    await chat.post({ type: 'compare', ...compare });
    await chat.at('compare-column').last().waitFor();
  }
  if (hover !== undefined) await chat.at(hover).first().hover();
  // A card that just appeared does nothing yet, and what is greyed need not have contrast: it is looked at when it can be used.
  await chat.page.locator('[title^="Just appeared"]').first().waitFor({ state: 'detached' });
  // What a diff needs comes by asking.
  if (scene.blobs.size > 0) await chat.page.locator('.diff').first().waitFor();
}
