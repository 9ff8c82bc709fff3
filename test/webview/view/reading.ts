// Reading while it writes: what is selected stays selected, nothing moves for those who do not want it, all by keyboard.
import { describe, expect, it } from 'vitest';
import type { ChatPage, Open } from '../bench/chat-page.js';
import { eventually } from '../bench/eventually.js';
import { idle, Scene } from '../bench/scenes.js';
import { walkByTab } from '../bench/tab-walk.js';

const selected = (chat: ChatPage): Promise<string> =>
  chat.page.evaluate(() => String(document.getSelection()));

export function readingTests(open: Open): void {
  describe('reading while it writes', () => {
    it('a selection in the text that grows, and in what stands above, survives all that comes', async () => {
      const scene = new Scene();
      scene.turn('Tell me', 'turn-1');
      scene.answer('What was said before.');
      scene.status = { ...idle, run: 'running' };
      const chat = await open(scene);
      let text = 'The first paragraph is settled.\n\nThe second one gro';
      await chat.post(scene.growing(text));
      const grow = async (more: string) => {
        const offset = text.length;
        text += more;
        await chat.post(scene.growing(more, offset));
      };
      for (const words of ['The first paragraph', 'What was said']) {
        const line = chat.page.getByText(words).first();
        await line.click({ clickCount: 3 });
        const before = await selected(chat);
        expect(before).toContain(words);
        for (const more of ['ws', ' and grows.', '\n\n- a list\n- of two', '\n\n```ts\nconst a = 1;'])
          await grow(more);
        await chat.page.getByText('const a = 1;').last().waitFor({ state: 'attached' });
        expect(await selected(chat)).toBe(before);
      }
      const kept = await selected(chat);
      scene.status = idle;
      await chat.post(scene.append(() => scene.answer(text, 'attempt-1')));
      await eventually(() => chat.at('message').count()).toBe(3);
      expect(await selected(chat)).toBe(kept);
    });

    it('all that is selected by key is the conversation, not the names of what stands around it', async () => {
      const scene = new Scene();
      scene.title = 'A title of its own';
      scene.user('What was asked');
      scene.answer('What was said');
      const chat = await open(scene);
      await chat.at('transcript').focus();
      await chat.page.keyboard.press('ControlOrMeta+A');
      const all = await selected(chat);
      expect(all).toContain('What was asked');
      expect(all).toContain('What was said');
      expect(all).not.toContain(scene.title);
      expect(all).not.toContain('Qwen3');
    });

    it('prefers-reduced-motion: nothing moves, spins or blinks, and nothing else is different', async () => {
      const scene = new Scene();
      scene.turn('Look', 'turn-1');
      scene.calls('', [{ call_id: 'c1', name: 'run', input: { command: 'npm test' } }], 'turn-1');
      scene.add({ type: 'tool_start', call_id: 'c1', turn_id: 'turn-1' });
      scene.status = { ...idle, run: 'running' };
      const moving = (chat: ChatPage) =>
        chat.page.evaluate(
          () => document.getAnimations().filter(({ playState }) => playState === 'running').length,
        );
      const lively = await open(scene);
      await lively.at('tool-card').first().waitFor();
      expect(await moving(lively)).toBeGreaterThan(0);
      const quiet = await open(scene, { reducedMotion: true });
      await quiet.at('tool-card').first().waitFor();
      expect(await moving(quiet)).toBe(0);
      expect(await quiet.at('transcript').innerText()).toBe(await lively.at('transcript').innerText());
    });

    it('everything that can be pressed is reached by Tab, has a name, and shows that it has the focus', async () => {
      const scene = new Scene();
      const first = scene.user('Which way?');
      scene.answer('Left');
      scene.add({ type: 'head', entry_id: first });
      scene.calls('Right:\n\n```ts src/a.ts\nconst a = 1;\n```', [
        { call_id: 'c1', name: 'read', input: { path: 'src/a.ts' } },
      ]);
      scene.result('c1', 'read', 'text');
      scene.answer('See [the page](https://example.com) and [a.ts](src/a.ts).');
      scene.add({ type: 'todo_update', items: [{ id: '1', title: 'One', status: 'pending' }] });
      const chat = await open(scene);
      await chat.page.keyboard.press('ControlOrMeta+F');
      await chat.at('find-input').fill('a.ts');
      const { wanted, unreached, unmarked } = await walkByTab(chat.page);
      expect(unmarked).toEqual([]);
      expect(unreached).toEqual([]);
      expect(wanted).toBeGreaterThan(30);
    });
  });
}
