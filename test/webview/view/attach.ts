// What is pasted or dropped: images made small enough, texts and files as chips, nothing that freezes the field.
import { describe, expect, it } from 'vitest';
import type { ChatPage, Open } from '../bench/chat-page.js';
import { eventually } from '../bench/eventually.js';
import { Scene } from '../bench/scenes.js';

interface Thing {
  name: string;
  type: string;
  /** An image of this size, else the text. */
  image?: { width: number; height: number; isNoise?: boolean };
  text?: string;
}

/** A field that freezes does so for seconds; a slow machine takes a tenth of one. */
const FROZEN_MS = 1_500;

declare global {
  interface Window {
    pastedAt?: number;
    frozen?: number;
  }
}

/** A paste or drop as the browser tells of it. */
async function bring(
  chat: ChatPage,
  how: 'paste' | 'drop',
  things: Thing[],
  data: Record<string, string> = {},
) {
  await chat.composer.evaluate(
    async (field, { how, things, data }) => {
      const transfer = new DataTransfer();
      for (const [type, text] of Object.entries(data)) transfer.setData(type, text);
      for (const { name, type, image, text } of things) {
        let body: BlobPart = text ?? '';
        if (image !== undefined) {
          const canvas = new OffscreenCanvas(image.width, image.height);
          const context = canvas.getContext('2d');
          if (context === null) throw new Error('no canvas');
          context.fillStyle = 'teal';
          context.fillRect(0, 0, image.width / 2, image.height);
          if (image.isNoise === true) {
            const pixels = context.createImageData(image.width, image.height);
            for (let at = 0, seed = 1; at < pixels.data.length; at++) {
              seed ^= seed << 13;
              seed ^= seed >>> 17;
              seed ^= seed << 5;
              pixels.data[at] = at % 4 === 3 ? 255 : seed & 255;
            }
            context.putImageData(pixels, 0, 0);
          }
          body = await canvas.convertToBlob({ type });
        }
        transfer.items.add(new File([body], name, { type }));
      }
      const init = { bubbles: true, cancelable: true };
      field.dispatchEvent(
        how === 'paste'
          ? new ClipboardEvent('paste', { ...init, clipboardData: transfer })
          : new DragEvent('drop', { ...init, dataTransfer: transfer }),
      );
    },
    { how, things, data },
  );
}

/** Width and height as a PNG or JPEG says them. */
function sizeOf(bytes: Buffer): { width: number; height: number } {
  if (bytes.readUInt32BE(0) === 0x89504e47)
    return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
  for (let at = 2; at < bytes.length; at += 2 + bytes.readUInt16BE(at + 2)) {
    const marker = bytes.readUInt8(at + 1);
    if (marker >= 0xc0 && marker <= 0xc2)
      return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
  }
  throw new Error('neither PNG nor JPEG');
}

const chips = (chat: ChatPage) => chat.at('draft-chip').allInnerTexts();

export function attachTests(open: Open): void {
  describe('what is attached', () => {
    it('C16: an image is made as small as providers take it, keeps its name, and goes by reference', async () => {
      const chat = await open(new Scene());
      await bring(chat, 'paste', [
        { name: 'wide.png', type: 'image/png', image: { width: 9000, height: 90 } },
      ]);
      await eventually(() => chips(chat)).toEqual(['wide.png']);
      expect(chat.attached.map(({ mime, bytes }) => ({ mime, ...sizeOf(bytes) }))).toEqual([
        { mime: 'image/png', width: 1568, height: 16 },
      ]);
      await chat.composer.fill('What is this?');
      await chat.composer.press('Enter');
      await eventually(() => chat.intents().at(-1)).toMatchObject({
        type: 'send',
        text: 'What is this?',
        mentions: [
          {
            kind: 'image',
            label: 'wide.png',
            mime: 'image/png',
            blob: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
          },
        ],
      });
      const drafts = chat.received.filter((message) => message.type === 'draft');
      expect(JSON.stringify([drafts, chat.intents()]).length).toBeLessThan(5_000);
    });

    it('C16: the 21st image is made as small as the first', async () => {
      const chat = await open(new Scene());
      const small = Array.from({ length: 20 }, (_, at) => ({
        name: `small-${at}.png`,
        type: 'image/png',
        image: { width: 4, height: 4 },
      }));
      await bring(chat, 'drop', [
        ...small,
        { name: 'wide.png', type: 'image/png', image: { width: 2162, height: 322 } },
      ]);
      await eventually(() => chips(chat)).toEqual([...small.map(({ name }) => name), 'wide.png']);
      const sizes = chat.attached.map(({ bytes }) => sizeOf(bytes));
      expect(sizes.slice(0, 20)).toEqual(small.map(({ image }) => image));
      expect(sizes.at(-1)).toEqual({ width: 1568, height: 234 });
    });

    it('C16: what is no photograph but too much as PNG becomes a JPEG; a small image keeps its bytes', async () => {
      const chat = await open(new Scene());
      await bring(chat, 'drop', [
        { name: 'noise.png', type: 'image/png', image: { width: 1500, height: 1500, isNoise: true } },
        { name: 'small.jpg', type: 'image/jpeg', image: { width: 20, height: 10 } },
        { name: 'small.webp', type: 'image/webp', image: { width: 20, height: 10 } },
      ]);
      await eventually(() => chips(chat)).toEqual(['noise.png', 'small.jpg', 'small.webp']);
      expect(chat.attached.map(({ mime }) => mime)).toEqual(['image/jpeg', 'image/jpeg', 'image/png']);
      for (const { bytes } of chat.attached) expect(bytes.length).toBeLessThan(3_750_001);
      expect(sizeOf(chat.attached[1]?.bytes ?? Buffer.alloc(0))).toEqual({ width: 20, height: 10 });
    });

    it('chips are removed by key, and the focus stays where one can go on', async () => {
      const chat = await open(new Scene());
      const small = { width: 4, height: 4 };
      await bring(chat, 'paste', [
        { name: 'image.png', type: 'image/png', image: small },
        { name: 'image.png', type: 'image/png', image: small },
      ]);
      await eventually(() => chips(chat)).toEqual(['image.png', 'image 2.png']);
      await chat.composer.focus();
      await chat.page.keyboard.press('Shift+Tab');
      const focused = () => chat.page.evaluate(() => document.activeElement?.getAttribute('aria-label'));
      expect(await focused()).toBe('Remove image 2.png');
      await chat.page.keyboard.press('Delete');
      await eventually(focused).toBe('Remove image.png');
      await chat.page.keyboard.press('Enter');
      await eventually(focused).toBe('Message to Bough');
      expect(await chips(chat)).toEqual([]);
    });

    it('files that are dropped come as texts under their names, those of the folder by path', async () => {
      const chat = await open(new Scene());
      await bring(chat, 'drop', [{ name: 'notes.txt', type: 'text/plain', text: 'some notes' }]);
      await eventually(() => chips(chat)).toEqual(['notes.txt · 1 KB']);
      await bring(chat, 'drop', [], { 'text/uri-list': 'file:///sample/src/a.ts\r\nfile:///sample/b.ts' });
      await eventually(() => chips(chat)).toEqual(['notes.txt · 1 KB', 'src/a.ts', 'b.ts']);
      await chat.composer.press('Enter');
      await eventually(() => chat.intents().at(-1)).toMatchObject({
        text: '',
        mentions: [
          { kind: 'file', label: 'notes.txt', text: 'some notes' },
          { kind: 'file', label: 'src/a.ts', path: 'src/a.ts' },
          { kind: 'file', label: 'b.ts', path: 'b.ts' },
        ],
      });
    });

    it('what can be neither is said, and nothing else is lost', async () => {
      const chat = await open(new Scene());
      await chat.composer.fill('Look at these');
      await bring(chat, 'drop', [{ name: 'a.bin', type: '', text: 'a\0b' }]);
      await chat.page.getByText('a.bin is neither a text nor an image.').waitFor();
      await bring(chat, 'paste', [{ name: 'broken.png', type: 'image/png', text: 'no image' }]);
      await chat.page.getByText('broken.png cannot be read as an image.').waitFor();
      expect(await chat.composer.inputValue()).toBe('Look at these');
      expect(await chips(chat)).toEqual([]);
    });

    it.each([
      ['5 MB', 'error: something failed at line 7\n'.repeat(155_000)],
      ['20 000 lines', 'a line\n'.repeat(20_000)],
      ['one line of 5 MB', 'x'.repeat(5_000_000)],
    ])('G8: a paste of %s becomes a chip, whole, and the field stays light', async (_, text) => {
      const chat = await open(new Scene());
      await chat.composer.fill('Why?');
      await chat.composer.press('End');
      // How long the field takes no key: from the paste to when the next letter is drawn.
      await chat.composer.evaluate((field) => {
        field.addEventListener('paste', () => (window.pastedAt = performance.now()), { capture: true });
        field.addEventListener('input', (event) => {
          if ((event as InputEvent).inputType !== 'insertText') return;
          requestAnimationFrame(() => (window.frozen ??= performance.now() - (window.pastedAt ?? 0)));
        });
      });
      await bring(chat, 'paste', [], { 'text/plain': text });
      await chat.page.keyboard.type(' Really?');
      expect(await chat.composer.inputValue()).toBe('Why? Really?');
      await eventually(() => chat.page.evaluate(() => window.frozen)).toBeLessThan(FROZEN_MS);
      await eventually(() => chat.at('draft-chip').count()).toBe(1);
      expect(await chat.composer.inputValue()).toBe('Why? Really?');
      await chat.composer.press('Enter');
      await eventually(() => chat.intents().length).toBe(1);
      const [intent] = chat.intents();
      expect(intent?.type === 'send' ? intent.mentions[0]?.text === text : false).toBe(true);
    });

    it('H5: the images of an edited message are there to be kept or taken away', async () => {
      const scene = new Scene();
      const blob = (name: string) => ({
        type: 'image' as const,
        ...{ blob: name.repeat(64), mime: 'image/png', name: `${name}.png` },
      });
      const id = scene.add({
        type: 'message',
        role: 'user',
        origin: 'person',
        parts: [{ type: 'text', text: 'Compare' }, blob('a'), blob('b')],
      });
      const chat = await open(scene);
      await chat.composer.press('ArrowUp');
      await eventually(() => chips(chat)).toEqual(['a.png', 'b.png']);
      await chat.page.getByRole('button', { name: 'Remove a.png' }).click();
      await chat.composer.fill('Only this');
      await chat.composer.press('Enter');
      await eventually(() => chat.intents().at(-1)).toMatchObject({
        editing: id,
        images_named: true,
        mentions: [{ kind: 'image', label: 'b.png', blob: 'b'.repeat(64), mime: 'image/png' }],
      });
    });
  });
}
