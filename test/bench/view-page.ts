// What the benches of the view share: a long conversation, and the plain page beside it.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { openBrowser } from '../webview/bench/chat-page.js';
import { Scene } from '../webview/bench/scenes.js';
import { type Figure, table } from './figures.js';
import { seeded, writer } from './texts.js';

export const isQuick = process.env['BOUGH_QUICK'] === '1';
export const MESSAGES = 5_000;
export const SAMPLES = isQuick ? 1 : 3;

/** A browser for the tests of a file, and its figures, which are printed as a table at the end. */
export function measured(): { figures: Figure[]; browser: () => Browser } {
  const figures: Figure[] = [];
  let browser: Browser | undefined;
  beforeAll(async () => {
    browser = await openBrowser();
  }, 60_000);
  afterAll(async () => {
    await browser?.close();
    console.log(`\n${table(figures)}\n`);
  });
  return {
    figures,
    browser: () => {
      if (browser === undefined) throw new Error('The browser is there from the first test on.');
      return browser;
    },
  };
}

/** A line of `MESSAGES` messages, prompts and answers in turn, and what they say. */
export function conversation(): { scene: Scene; texts: string[] } {
  const { prompt, answer } = writer(seeded(5));
  const scene = new Scene();
  const texts: string[] = [];
  for (let index = 0; index < MESSAGES; index += 1) {
    const text = index % 2 === 0 ? prompt() : answer(2);
    texts.push(text);
    if (index % 2 === 0) scene.user(text);
    else scene.answer(text);
  }
  return { scene, texts };
}

/** A page of its own with a library for Markdown, as simple views have it. */
export async function plainPage(browser: Browser): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 420, height: 720 } });
  await page.setContent('<div id="plain" style="height: 700px; overflow: auto"></div>');
  await page.addScriptTag({
    content: readFileSync(
      fileURLToPath(import.meta.resolve('marked').replace('marked.esm.js', 'marked.umd.js')),
      'utf8',
    ),
  });
  return page;
}

/** The panel is open and nothing is asked of it, as when a person turns to it. */
export const atRest = (page: Page): Promise<unknown> =>
  page.evaluate(() => new Promise((resolve) => requestIdleCallback(resolve)));
