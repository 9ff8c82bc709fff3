// Find in the conversation: all of the line, mounted or not, folded or open.
import { describe, expect, it } from 'vitest';
import type { ChatPage, Open } from '../bench/chat-page.js';
import { eventually } from '../bench/eventually.js';
import { idle, Scene } from '../bench/scenes.js';

/** What the browser paints over, as text. */
const painted = (chat: ChatPage, name: string): Promise<string[]> =>
  chat.page.evaluate((which) => [...(CSS.highlights.get(which) ?? [])].map(String), name);
const current = (chat: ChatPage) => painted(chat, 'bough-find-current');

/** The place that is shown lies within the view. */
const isInSight = (chat: ChatPage): Promise<boolean> =>
  chat.at('transcript').evaluate((element) => {
    const [range] = [...(CSS.highlights.get('bough-find-current') ?? [])] as Range[];
    if (range === undefined) return false;
    const [view, place] = [element.getBoundingClientRect(), range.getBoundingClientRect()];
    return place.height > 0 && place.top >= view.top && place.bottom <= view.bottom;
  });

const says = async (chat: ChatPage, words: string) =>
  eventually(() => chat.at('find-count').innerText()).toBe(words);

function long(): Scene {
  const scene = new Scene();
  for (let index = 0; index < 400; index++) {
    scene.user(`Question ${index}`);
    scene.answer(index === 3 ? 'A **needle** far up' : index === 397 ? 'The last NEEDLE' : `Answer ${index}`);
  }
  return scene;
}

export function findTests(open: Open): void {
  describe('find in the conversation', () => {
    it('counts all matches, goes round by key, and brings far ones into sight', async () => {
      const chat = await open(long());
      await chat.composer.focus();
      await chat.page.keyboard.press('ControlOrMeta+F');
      await eventually(() =>
        chat.at('find-input').evaluate((field) => field === document.activeElement),
      ).toBe(true);
      await chat.page.keyboard.type('needle');
      await says(chat, '2 of 2');
      await eventually(() => current(chat)).toEqual(['NEEDLE']);
      await chat.page.keyboard.press('Enter');
      await says(chat, '1 of 2');
      await eventually(() => current(chat)).toEqual(['needle']);
      await eventually(() => isInSight(chat)).toBe(true);
      expect(await chat.at('message').count()).toBeLessThan(260);
      await chat.page.keyboard.press('Shift+Enter');
      await says(chat, '2 of 2');
      await eventually(() => isInSight(chat)).toBe(true);
      await chat.page.keyboard.press('F3');
      await says(chat, '1 of 2');
      await chat.page.keyboard.press('Shift+F3');
      await says(chat, '2 of 2');
      await chat.page.keyboard.press('Escape');
      await eventually(() => chat.composer.evaluate((field) => field === document.activeElement)).toBe(true);
      expect(await chat.at('find').count()).toBe(0);
      expect(await painted(chat, 'bough-find')).toEqual([]);
    });

    it('asks the host for what is not loaded yet', async () => {
      const scene = long();
      const snapshot = scene.snapshot();
      const chat = await open(scene, { snapshot: { entries: snapshot.entries.slice(-60), more: true } });
      await chat.page.keyboard.press('ControlOrMeta+F');
      await chat.page.keyboard.type('far up');
      await says(chat, '1 of 1');
      await eventually(() => current(chat)).toEqual(['far up']);
      await eventually(() => isInSight(chat)).toBe(true);
    });

    it('opens what hides a match: a tool card, thoughts, a summary, a group of quiet calls', async () => {
      const scene = new Scene();
      scene.user('Look');
      const quiet = Array.from({ length: 6 }, (_, index) => ({
        call_id: `q${index}`,
        name: 'read',
        input: { path: `src/f${index}.ts` },
      }));
      scene.calls('', quiet);
      for (const { call_id } of quiet) scene.result(call_id, 'read', `content of ${call_id}`);
      scene.add({
        type: 'message',
        role: 'assistant',
        parts: [
          { type: 'reasoning', text: 'I ponder the haystack' },
          { type: 'text', text: 'Done looking' },
        ],
      });
      scene.calls('', [{ call_id: 'r1', name: 'run', input: { command: 'npm test' } }]);
      scene.result('r1', 'run', 'one failing spec');
      scene.add({
        type: 'compaction',
        summary: 'The gist of it',
        first_kept_entry_id: scene.user('And?'),
        tokens_before: 9000,
        tokens_after: 900,
      });
      const chat = await open(scene);
      await chat.page.keyboard.press('ControlOrMeta+F');
      for (const [words, shown] of [
        ['failing spec', chat.at('tool-card').getByText('one failing spec')],
        ['the haystack', chat.page.getByText('I ponder the haystack')],
        ['gist', chat.at('compaction').getByText('The gist of it')],
        ['content of q4', chat.page.getByText('content of q4')],
      ] as const) {
        await chat.at('find-input').fill(words);
        await says(chat, '1 of 1');
        await shown.waitFor();
        await eventually(() => current(chat)).toEqual([words]);
        await eventually(() => isInSight(chat)).toBe(true);
      }
    });

    it('G10: an Enter of an input method does not step', async () => {
      const scene = new Scene();
      scene.answer('修 one 修 two 修 three');
      const chat = await open(scene);
      await chat.page.keyboard.press('ControlOrMeta+F');
      await chat.at('find-input').fill('修');
      await says(chat, '1 of 3');
      await chat.at('find-input').evaluate((field) => {
        const key = (init: KeyboardEventInit) =>
          field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, ...init }));
        field.dispatchEvent(new CompositionEvent('compositionstart', { bubbles: true }));
        key({ isComposing: true });
        field.dispatchEvent(new CompositionEvent('compositionend', { bubbles: true }));
        key({ keyCode: 229 });
      });
      await says(chat, '1 of 3');
      await chat.page.keyboard.press('Enter');
      await says(chat, '2 of 3');
    });

    it('finds what streams while it streams, and stays at the place that is shown', async () => {
      const scene = new Scene();
      scene.turn('Where?', 'turn-1');
      scene.answer('A match here');
      scene.status = { ...idle, run: 'running' };
      const chat = await open(scene);
      await chat.page.keyboard.press('ControlOrMeta+F');
      await chat.page.keyboard.type('match');
      await says(chat, '1 of 1');
      await chat.post(scene.growing('Another match, '));
      await says(chat, '1 of 2');
      await chat.post(scene.growing('and a match more', 15));
      await says(chat, '1 of 3');
      await eventually(async () => (await painted(chat, 'bough-find')).length).toBe(2);
    });

    it('says when there is nothing, and a text that spans markup is found all the same', async () => {
      const scene = new Scene();
      scene.answer('It is **very** important\n\nand `new` text');
      const chat = await open(scene);
      await chat.page.keyboard.press('ControlOrMeta+F');
      await chat.page.keyboard.type('very important');
      await says(chat, '1 of 1');
      await eventually(() => current(chat)).toEqual(['very important']);
      await chat.at('find-input').fill('important and');
      await says(chat, 'No results');
      expect(await chat.at('find-next').getAttribute('aria-disabled')).toBe('true');
      expect(await chat.at('find-count').getAttribute('aria-live')).toBe('polite');
      await chat.at('find-close').click();
      expect(await chat.at('find').count()).toBe(0);
    });
  });
}
