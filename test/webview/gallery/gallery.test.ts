// @vitest-environment node
// Looks at every state in every kind of theme: axe must find nothing and the policy must not be broken. With
// BOUGH_PICTURES=1 it keeps a picture of each under out/gallery.
import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChatPage, chromiumPath, openBrowser, openChat, themes } from '../bench/chat-page.js';
import type { MentionOffer, SlashOffer } from '../../../src/shared/protocol.js';
import { cutOff } from '../bench/overflow.js';
import { Scene } from '../bench/scenes.js';
import { walkByTab } from '../bench/tab-walk.js';
import { type State, states } from './states.js';

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const pictures = path.resolve('out/gallery');
const keepsPictures = process.env['BOUGH_PICTURES'] === '1';

interface Finding {
  id: string;
  nodes: { html: string; failureSummary?: string }[];
}

const rules = { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'] };

async function findings(page: Page): Promise<string[]> {
  const found = await page.evaluate(async (options) => {
    const { axe } = globalThis as unknown as {
      axe: { run(root: unknown, options: object): Promise<{ violations: Finding[] }> };
    };
    return (await axe.run(document, options)).violations;
  }, rules);
  return found.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary ?? ''}`),
  );
}

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

async function show(
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

describe.skipIf(chromiumPath === undefined)('G14: every state, every theme', () => {
  let browser: Browser;
  beforeAll(async () => {
    mkdirSync(pictures, { recursive: true });
    browser = await openBrowser();
  }, 60_000);
  afterAll(() => browser.close());

  for (const theme of themes) {
    it(`${theme}: axe finds nothing, and nothing breaks the policy`, { timeout: 180_000 }, async () => {
      const chat = await openChat(browser, new Scene('first'), { theme });
      // Evaluated by the debugger: the page's policy refuses a script tag.
      await chat.page.evaluate(axeSource);
      for (const state of states()) {
        await show(chat, state);
        if (keepsPictures)
          await chat.page.screenshot({ path: path.join(pictures, `${state.name}-${theme}.png`) });
        expect.soft(await findings(chat.page), state.name).toEqual([]);
        expect.soft(await cutOff(chat.page), `${state.name}: beyond the sides`).toEqual([]);
        expect([...chat.troubles(), ...chat.errors, ...chat.requested], state.name).toEqual([]);
      }
      await chat.page.close();
    });
  }

  it(
    'by keyboard alone: Tab reaches all that can be pressed in every state',
    { timeout: 180_000 },
    async () => {
      const chat = await openChat(browser, new Scene('first'));
      for (const state of states()) {
        await show(chat, state);
        const { unreached, unmarked } = await walkByTab(chat.page);
        expect.soft({ unreached, unmarked }, state.name).toEqual({ unreached: [], unmarked: [] });
      }
      await chat.page.close();
    },
  );
});
