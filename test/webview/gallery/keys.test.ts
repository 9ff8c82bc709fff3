// @vitest-environment node
// Every action of the panel without a mouse: in every state each control does by keys what it does by a click, and a control
// that is new has a state that shows it.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath, openBrowser, openChat } from '../bench/chat-page.js';
import { watchControls } from '../bench/controls.js';
import { Scene } from '../bench/scenes.js';
import { Presser } from './press.js';
import { show } from './show.js';
import { states } from './states.js';

/** The test ids that components give away by name. */
function handles(): Set<string> {
  const folder = path.resolve('webview');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.svelte'),
  );
  const texts = files.map((name) => readFileSync(path.join(folder, name), 'utf8'));
  return new Set(
    texts.flatMap((text) => [...text.matchAll(/\btestid="([^"]+)"/g)].map(([, id]) => id ?? '')),
  );
}

describe.skipIf(chromiumPath === undefined)('by keyboard alone', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  }, 60_000);
  afterAll(() => browser.close());

  it('everything that has a handle is in one of the states', { timeout: 120_000 }, async () => {
    const chat = await openChat(browser, new Scene('first'));
    const seen = new Set<string>();
    for (const state of states()) {
      await show(chat, state);
      const ids = await chat.page.evaluate(() =>
        [...document.querySelectorAll<HTMLElement>('[data-testid]')].map(
          (element) => element.dataset['testid'],
        ),
      );
      for (const id of ids) if (id !== undefined) seen.add(id);
    }
    await chat.page.close();
    expect([...handles()].filter((id) => !seen.has(id))).toEqual([]);
  });

  it(
    'each control of every state does by Enter and Space what it does by a click',
    { timeout: 900_000 },
    async () => {
      const chat = await openChat(browser, new Scene('first'));
      await watchControls(chat.page);
      const presser = new Presser(chat);
      for (const state of states()) {
        expect.soft(await presser.through(state), state.name).toEqual([]);
      }
      await chat.page.close();
    },
  );
});
