// An answer that streams below a long conversation in real Chromium, and keys meanwhile. Beside it, in the same browser, the
// plain way: the whole text parsed again with each piece that comes.
import type { Page } from 'playwright-core';
import { test } from 'vitest';
import type { ToWebview } from '../../src/shared/protocol.js';
import { parseMarkdown, StreamMarkdown } from '../../webview/transcript/markdown/stream.js';
import { openChat } from '../webview/bench/chat-page.js';
import { idle, Scene } from '../webview/bench/scenes.js';
import { quantile } from './figures.js';
import { seeded, writer } from './texts.js';
import { conversation, isQuick, measured, MESSAGES, plainPage, SAMPLES } from './view-page.js';

const STREAMED = 50_000;
const UPDATES = isQuick ? 640 : 2_560;

const { figures, browser } = measured();

declare const marked: { parse(text: string): string };

/**
 * ms for each piece. `script`: taking it and putting it into the page, as far as code does it. `drawn`: the same with layout,
 * paint and the hand-over to the compositor. The wait for a picture is no work, and is in neither.
 */
interface Stream {
  script: number[];
  drawn: number[];
}

async function stream(page: Page, pieces: readonly Piece[]): Promise<Stream> {
  return page.evaluate(async (given) => {
    const script: number[] = [];
    const drawn: number[] = [];
    let begin = 0;
    let isOver = false;
    // The first thing that is asked of each picture, since it asks for the next one before anything else does.
    const first = () => {
      begin = performance.now();
      if (!isOver) requestAnimationFrame(first);
    };
    await new Promise<void>((resolve) => {
      requestAnimationFrame(() => {
        first();
        resolve();
      });
    });
    for (const piece of given) {
      const taking = performance.now();
      if (typeof piece !== 'string') window.dispatchEvent(new MessageEvent('message', { data: piece }));
      let taken = performance.now() - taking;
      await new Promise<void>((resolve) => {
        // The last thing that is asked of the next picture: what the view does for it is done by then.
        requestAnimationFrame(() => {
          if (typeof piece === 'string') {
            const place = document.querySelector('#plain') as HTMLElement;
            place.innerHTML = marked.parse(piece);
            taken += performance.now() - begin;
            begin = performance.now();
            script.push(taken);
            place.scrollTop = place.scrollHeight;
          } else script.push(taken + performance.now() - begin);
          const { port1, port2 } = new MessageChannel();
          port1.onmessage = () => {
            drawn.push(taken + performance.now() - begin);
            resolve();
          };
          port2.postMessage(null);
        });
      });
    }
    isOver = true;
    return { script, drawn };
  }, pieces);
}

/** A message for our view, or for the plain one the whole text. */
type Piece = ToWebview | string;
const sum = (times: readonly number[]): number => times.reduce((all, time) => all + time, 0);

function streamed(scene: Scene): { pieces: ToWebview[]; texts: string[] } {
  const { answer } = writer(seeded(7));
  let text = '';
  while (text.length < STREAMED) text += `${answer(3)}\n\n`;
  text = text.slice(0, STREAMED);
  const size = STREAMED / UPDATES;
  const pieces: ToWebview[] = [];
  const texts: string[] = [];
  for (let piece = 0; piece < UPDATES; piece += 1) {
    const [from, to] = [Math.floor(piece * size), Math.floor((piece + 1) * size)];
    pieces.push(scene.growing(text.slice(from, to), from));
    texts.push(text.slice(0, to));
  }
  return { pieces, texts };
}

test(
  `${STREAMED / 1000} KB of Markdown in ${UPDATES} pieces below ${MESSAGES} messages`,
  { timeout: 600_000 },
  async () => {
    const { scene } = conversation();
    scene.turn('Write at length', 'turn-1');
    scene.status = { ...idle, run: 'running' };
    const { pieces, texts } = streamed(scene);
    const chat = await openChat(browser(), scene);
    const ours = await stream(chat.page, pieces);
    await chat.page.close();
    const page = await plainPage(browser());
    const plain = await stream(page, texts);
    await page.close();
    figures.push(
      {
        work: 'streaming: all updates, put into the page',
        ours: [sum(ours.script)],
        peer: [sum(plain.script)],
        unit: 'ms',
        goal: '≥ 15×',
        note: `${UPDATES} updates; code alone, before layout and paint`,
      },
      {
        work: 'streaming: an update, p95',
        ours: [quantile(ours.script, 0.95)],
        peer: [quantile(plain.script, 0.95)],
        unit: 'ms',
        goal: '< 4 ms',
      },
      {
        work: 'streaming: all updates, drawn',
        ours: [sum(ours.drawn)],
        peer: [sum(plain.drawn)],
        unit: 'ms',
        note: 'with layout, paint and hand-over, most of which one word more costs anywhere',
      },
      {
        work: 'streaming: an update drawn, p95',
        ours: [quantile(ours.drawn, 0.95)],
        peer: [quantile(plain.drawn, 0.95)],
        unit: 'ms',
      },
    );
  },
);

test('reading Markdown that grows, without drawing it', { timeout: 300_000 }, () => {
  const { texts } = streamed(new Scene());
  const ours: number[] = [];
  const plain: number[] = [];
  for (let sample = 0; sample < SAMPLES; sample += 1) {
    const reader = new StreamMarkdown();
    const begin = performance.now();
    for (const text of texts) reader.update(text);
    const middle = performance.now();
    for (const text of texts) parseMarkdown(text);
    ours.push(middle - begin);
    plain.push(performance.now() - middle);
  }
  const work = 'streaming: reading the Markdown, nothing drawn';
  figures.push({ work, ours, peer: plain, unit: 'ms', goal: '≥ 15×', note: `${UPDATES} updates` });
});

test(`keys while an answer streams below ${MESSAGES} messages`, { timeout: 300_000 }, async () => {
  const { scene } = conversation();
  scene.turn('Write at length', 'turn-1');
  scene.status = { ...idle, run: 'running' };
  const { pieces } = streamed(scene);
  const chat = await openChat(browser(), scene);
  await chat.composer.focus();
  // Work only: taking the key, and its picture with whatever else comes into it; the wait for that picture is none.
  await chat.page.evaluate(() => {
    const seen: number[] = [];
    Object.assign(window, { benchKeys: seen });
    let pressed = 0;
    addEventListener('keydown', () => (pressed = performance.now()), true);
    addEventListener('input', () => {
      const taken = performance.now() - pressed;
      requestAnimationFrame(() => {
        const begin = performance.now();
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => seen.push(taken + performance.now() - begin);
        port2.postMessage(null);
      });
    });
  });
  const streaming = stream(chat.page, pieces);
  const keys = isQuick ? 40 : 200;
  const drawn = (count: number) =>
    chat.page.waitForFunction(
      (least) => (window as unknown as { benchKeys: number[] }).benchKeys.length >= least,
      count,
    );
  // A person sees each before the next.
  for (let key = 0; key < keys; key += 1) {
    await chat.page.keyboard.press('a');
    await drawn(key + 1);
  }
  await streaming;
  const seen = await chat.page.evaluate(() => (window as unknown as { benchKeys: number[] }).benchKeys);
  await chat.page.close();
  figures.push({
    work: 'a key to its picture while streaming, p95',
    ours: [quantile(seen, 0.95)],
    unit: 'ms',
    goal: '< 16 ms',
    note: `${seen.length} keys; work, without the wait for the next picture`,
  });
});
