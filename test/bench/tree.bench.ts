// The drawn tree of a large conversation in real Chromium: opening it, scrolling it, and going far by it. Beside its frames the
// same number of plain rows in one box, all of them in the page.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { openChat } from '../webview/bench/chat-page.js';
import { Scene } from '../webview/bench/scenes.js';
import { quantile } from './figures.js';
import { atRest, isQuick, measured, SAMPLES } from './view-page.js';

const NODES = 10_000;
const STEPS = isQuick ? 30 : 150;

const { figures, browser } = measured();

/** A fork about every fifty messages; two of three lines go on from where an earlier one began, so that many stand side by side. */
function bushy(): Scene {
  const scene = new Scene();
  let fork = scene.user('The very first prompt');
  for (let index = 1; index < NODES; index += 1) {
    if (index % 50 === 0) {
      if (index % 150 !== 0) scene.add({ type: 'head', entry_id: fork });
      fork = scene.user(`Prompt ${index}`);
    } else if (index % 2 === 0) scene.user(`Prompt ${index}`);
    else scene.answer(`Answer ${index}`);
  }
  return scene;
}

/**
 * Does `what` in the page and gives the ms to the picture that has an element matching `selector` that holds `text` within the
 * box `place`; the wait for that picture is in it, as a person has it.
 */
const toPicture = (
  page: Page,
  what: { click: string } | { key: string },
  seen: { place: string; selector: string; text: string },
): Promise<number> =>
  page.evaluate(
    ({ what, seen }) =>
      new Promise<number>((resolve, reject) => {
        const begin = performance.now();
        const isSeen = () => {
          const box = document.querySelector(seen.place)?.getBoundingClientRect();
          if (box === undefined) return false;
          return [...document.querySelectorAll(`${seen.place} ${seen.selector}`)].some((element) => {
            const { top, bottom } = element.getBoundingClientRect();
            return element.textContent.includes(seen.text) && bottom > box.top && top < box.bottom;
          });
        };
        const look = () => {
          if (isSeen()) resolve(performance.now() - begin);
          else if (performance.now() - begin > 20_000)
            reject(new Error(`${seen.text} did not come into sight`));
          else requestAnimationFrame(look);
        };
        if ('click' in what) (document.querySelector(what.click) as HTMLElement).click();
        else
          document.activeElement?.dispatchEvent(
            new KeyboardEvent('keydown', { key: what.key, bubbles: true, cancelable: true }),
          );
        requestAnimationFrame(look);
      }),
    { what, seen },
  );

/** ms of work of each frame while the box is scrolled upwards by 600 px a frame: code, layout, paint and hand-over. */
const scrolled = (page: Page, box: string): Promise<number[]> =>
  page.evaluate(
    async ({ box, steps }) => {
      const place = document.querySelector(box) as HTMLElement;
      place.scrollTop = place.scrollHeight;
      const taken: number[] = [];
      for (let step = 0; step < steps; step += 1) {
        await new Promise<void>((resolve) => {
          requestAnimationFrame(() => {
            const begin = performance.now();
            place.scrollTop -= 600;
            // What a change of the place sets off is done in the next frame's beginning; this one is over after its paint.
            const { port1, port2 } = new MessageChannel();
            port1.onmessage = () => {
              taken.push(performance.now() - begin);
              resolve();
            };
            port2.postMessage(null);
          });
        });
      }
      return taken;
    },
    { box, steps: STEPS },
  );

test(`a tree of ${NODES} messages in many lines`, { timeout: 300_000 }, async () => {
  const scene = bushy();
  const [tree, transcript] = ['[data-testid="tree"]', '[data-testid="transcript"]'];
  const opened: number[] = [];
  const home: number[] = [];
  const read: number[] = [];
  const frames: number[] = [];
  const plain: number[] = [];
  let mounted = 0;
  for (let sample = 0; sample < SAMPLES; sample += 1) {
    const chat = await openChat(browser(), scene);
    await atRest(chat.page);
    const node = '[data-testid="tree-node"]';
    opened.push(
      await toPicture(
        chat.page,
        { click: '[data-testid="tree-toggle"]' },
        { place: tree, selector: node, text: '' },
      ),
    );
    // Every line is to be drawn, not folded to its first words.
    await chat.at('tree-filter').selectOption('all');
    frames.push(...(await scrolled(chat.page, tree)));
    mounted = Math.max(mounted, await chat.at('tree-node').count());
    await chat.at('tree').focus();
    await chat.at('tree').press('End');
    const first = 'The very first prompt';
    home.push(await toPicture(chat.page, { key: 'Home' }, { place: tree, selector: node, text: first }));
    read.push(
      await toPicture(
        chat.page,
        { key: 'Enter' },
        { place: transcript, selector: 'p, .as-typed', text: first },
      ),
    );
    expect(chat.errors).toEqual([]);
    await chat.page.close();

    const page = await browser().newPage({ viewport: { width: 420, height: 720 } });
    await page.setContent('<div id="plain" style="height: 300px; overflow: auto"></div>');
    await page.evaluate((count) => {
      const rows = Array.from({ length: count }, (_, index) => `<div>Message ${index}</div>`);
      (document.querySelector('#plain') as HTMLElement).innerHTML = rows.join('');
    }, NODES);
    plain.push(...(await scrolled(page, '#plain')));
    await page.close();
  }
  const work = `tree of ${NODES}`;
  figures.push(
    { work: `${work}: from the button to its first picture`, ours: opened, unit: 'ms' },
    { work: `${work}: rows in the page`, ours: [mounted], peer: [NODES], unit: '' },
    {
      work: `${work}: a frame while scrolling, p95`,
      ours: [quantile(frames, 0.95)],
      peer: [quantile(plain, 0.95)],
      unit: 'ms',
      goal: '< 16 ms',
    },
    {
      work: `${work}: the longest frame`,
      ours: [Math.max(...frames)],
      peer: [Math.max(...plain)],
      unit: 'ms',
    },
    { work: `${work}: from its end to its beginning`, ours: home, unit: 'ms' },
    {
      work: `${work}: from its beginning to that message in the conversation`,
      ours: read,
      unit: 'ms',
      note: 'the wait for frames is in it',
    },
  );
});
