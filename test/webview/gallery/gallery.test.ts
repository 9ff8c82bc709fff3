// @vitest-environment node
// Looks at every state in every kind of theme: axe must find nothing and the policy must not be broken. With
// BOUGH_PICTURES=1 it keeps a picture of each under out/gallery.
import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath, openBrowser, openChat, themes } from '../bench/chat-page.js';
import { cutOff } from '../bench/overflow.js';
import { Scene } from '../bench/scenes.js';
import { walkByTab } from '../bench/tab-walk.js';
import { show } from './show.js';
import { states } from './states.js';

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

  it('a menu that would stand beyond a side of a narrow side bar is moved into it', async () => {
    const chat = await openChat(browser, new Scene('first'));
    for (const name of ['narrowest', 'narrow']) {
      const state = states().find((one) => one.name === name);
      if (state === undefined) throw new Error(`there is no state "${name}"`);
      await show(chat, state);
      await chat.page.getByRole('button', { name: 'Approve for longer' }).last().click();
      const box = await chat.page.getByRole('menu').boundingBox();
      const right = (box?.x ?? 0) + (box?.width ?? Infinity);
      expect(box?.x, name).toBeGreaterThanOrEqual(0);
      expect(right, name).toBeLessThanOrEqual(state.width ?? 0);
      await chat.page.keyboard.press('Escape');
    }
    await chat.page.close();
  });

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
