// A long conversation in real Chromium: its first picture, and reading in it. Beside it, in the same browser, the plain way:
// all messages as one document.
import type { CDPSession, Page } from 'playwright-core';
import { test } from 'vitest';
import { lastPage } from '../../src/host/chat/snapshot.js';
import type { ToWebview } from '../../src/shared/protocol.js';
import { openChat } from '../webview/bench/chat-page.js';
import { Scene } from '../webview/bench/scenes.js';
import { atRest, conversation, isQuick, measured, MESSAGES, plainPage, SAMPLES } from './view-page.js';

const { figures, browser } = measured();

/** ms from a message of the host to the picture that shows what came. */
const painted = (page: Page, message: ToWebview): Promise<number> =>
  page.evaluate(
    (data) =>
      new Promise<number>((resolve) => {
        const begin = performance.now();
        const seen = new MutationObserver(() => {
          if (document.querySelector('[data-testid="message"]') === null) return;
          seen.disconnect();
          requestAnimationFrame(() => {
            const { port1, port2 } = new MessageChannel();
            port1.onmessage = () => resolve(performance.now() - begin);
            port2.postMessage(null);
          });
        });
        seen.observe(document.body, { childList: true, subtree: true });
        window.postMessage(data, '*');
      }),
    message,
  );

async function heap(page: Page): Promise<number> {
  const session: CDPSession = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  await session.detach();
  return usedSize / 1024 ** 2;
}

const elements = (page: Page): Promise<number> =>
  page.evaluate(() => document.querySelectorAll('[data-testid="transcript"] *, #plain *').length);

declare const marked: { parse(text: string): string };

test(`${MESSAGES} messages: first picture, elements, memory`, { timeout: 300_000 }, async () => {
  const { scene, texts } = conversation();
  const { entries, more } = lastPage(scene.placed);
  const ours: number[] = [];
  const plain: number[] = [];
  const counts = { ours: 0, plain: 0 };
  const memory = { ours: 0, plain: 0 };
  for (let sample = 0; sample < SAMPLES; sample += 1) {
    const chat = await openChat(browser(), new Scene('empty'));
    await atRest(chat.page);
    ours.push(await painted(chat.page, { ...scene.snapshot(), entries, more }));
    counts.ours = await elements(chat.page);
    memory.ours = await heap(chat.page);
    await chat.page.close();
    const page = await plainPage(browser());
    await atRest(page);
    plain.push(
      await page.evaluate(
        (all) =>
          new Promise<number>((resolve) => {
            // Its code has run before, as ours has.
            for (const text of all.slice(0, 20)) marked.parse(text);
            const begin = performance.now();
            const place = document.querySelector('#plain') as HTMLElement;
            place.innerHTML = all.map((text) => `<div class="message">${marked.parse(text)}</div>`).join('');
            place.scrollTop = place.scrollHeight;
            requestAnimationFrame(() => {
              const { port1, port2 } = new MessageChannel();
              port1.onmessage = () => resolve(performance.now() - begin);
              port2.postMessage(null);
            });
          }),
        texts,
      ),
    );
    counts.plain = await elements(page);
    memory.plain = await heap(page);
    await page.close();
  }
  const work = `${MESSAGES} messages`;
  figures.push(
    {
      work: `${work}: first picture`,
      ours,
      peer: plain,
      unit: 'ms',
      goal: '≥ 20×',
      note: 'all that is in sight',
    },
    { work: `${work}: elements`, ours: [counts.ours], peer: [counts.plain], unit: '', goal: '≤ 300' },
    { work: `${work}: JavaScript heap`, ours: [memory.ours], peer: [memory.plain], unit: 'MB' },
  );
});

test(`${MESSAGES} messages: read upwards`, { timeout: 300_000 }, async () => {
  const { scene } = conversation();
  const chat = await openChat(browser(), scene);
  const transcript = chat.at('transcript');
  await transcript.hover();
  await chat.page.mouse.wheel(0, -50);
  const steps = isQuick ? 60 : 300;
  const read = await transcript.evaluate(async (element, count) => {
    const next = () => new Promise<number>((resolve) => requestAnimationFrame(resolve));
    let moved = 0;
    let most = 0;
    for (let step = 0; step < count; step += 1) {
      element.scrollTop -= 400;
      await next();
      const view = element.getBoundingClientRect();
      const row = [...element.querySelectorAll('[data-item]')].find(
        (one) => one.getBoundingClientRect().top >= view.top,
      );
      const before = row?.getBoundingClientRect().top ?? 0;
      await next();
      await next();
      if (row?.isConnected) moved = Math.max(moved, Math.abs(row.getBoundingClientRect().top - before));
      most = Math.max(most, element.querySelectorAll('*').length);
    }
    return { moved, most };
  }, steps);
  figures.push(
    { work: `reading ${steps} steps upwards: largest jump`, ours: [read.moved], unit: 'px', goal: '< 1 px' },
    { work: `reading ${steps} steps upwards: most elements`, ours: [read.most], unit: '' },
  );
  await chat.page.close();
});
