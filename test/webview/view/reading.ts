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

    it('thoughts are folded until they are asked for', async () => {
      const scene = new Scene();
      scene.user('Why?');
      scene.add({
        type: 'message',
        role: 'assistant',
        parts: [
          { type: 'reasoning', text: 'I ponder at length' },
          { type: 'text', text: 'Because.' },
        ],
      });
      const chat = await open(scene);
      await chat.page.getByText('Because.').waitFor();
      expect(await chat.page.getByText('I ponder at length').count()).toBe(0);
      await chat.page.getByRole('button', { name: 'Thought about it' }).press('Enter');
      await chat.page.getByText('I ponder at length').waitFor();
    });

    it('of a long result head and tail are shown, all of it on demand, and opened in an editor', async () => {
      const scene = new Scene();
      const whole = Array.from({ length: 9_000 }, (_, index) => `line ${index}`).join('\n');
      const blob = scene.blob(whole);
      scene.calls('', [
        { call_id: 'r1', name: 'run', input: { command: 'long' } },
        { call_id: 'r2', name: 'run', input: { command: 'short' } },
      ]);
      const content = 'line 0\n[… 99 of 100 characters left out here …]\nline 8999';
      const given = {
        type: 'tool_result',
        call_id: 'r1',
        name: 'run',
        content,
        blob,
        is_error: false,
      } as const;
      scene.add({ type: 'message', role: 'tool', parts: [given] });
      scene.result('r2', 'run', 'one line');
      const chat = await open(scene);
      for (const toggle of await chat.at('tool-toggle').all()) await toggle.click();
      const result = chat.page.getByRole('region', { name: 'Result' });
      expect(await result.first().innerText()).toBe(content);
      // What is in sight already needs no editor.
      const openInEditor = chat.page.getByRole('button', { name: 'Open in Editor' });
      expect(await openInEditor.count()).toBe(1);
      await openInEditor.press('Enter');
      await eventually(() => chat.commands()).toEqual([{ type: 'open_code', text: whole, info: '' }]);
      await chat.page.getByRole('button', { name: 'Show All' }).press('Enter');
      await result.getByText('line 4500').waitFor();
    });

    it('G10: an Enter of an input method does nothing in any of the other fields', async () => {
      const scene = new Scene();
      const first = scene.user('Which way?');
      scene.answer('Left');
      scene.add({ type: 'head', entry_id: first });
      scene.answer('Right');
      const chat = await open(scene);
      await chat.at('branch-prev').click();
      await chat.at('left-branch').waitFor();
      await chat.at('tree-toggle').click();
      await chat.post(
        scene.append(() => {
          scene.turn('Do it', 'turn-1');
          const asks = [
            { call_id: 'a1', name: 'ask', input: { question: 'How?' } },
            { call_id: 'r1', name: 'run', input: { command: 'npm test' } },
          ];
          scene.calls('', asks, 'turn-1');
          for (const [call_id, tool] of [
            ['a1', 'ask'],
            ['r1', 'run'],
          ] as const) {
            const asked = { call_id, tool, summary: call_id, input_hash: 'x', targets: [] };
            scene.add({ type: 'approval_request', ...asked, risk: 'run', turn_id: 'turn-1' });
          }
        }),
      );
      await chat.at('tree-node').first().hover();
      const naming = chat.at('tree-node').first().getByRole('button', { name: 'Label' });
      const fields = [
        'What the summary is to keep above all',
        'Search the tree',
        'What to do instead, sent with Deny',
        'Your answer; Enter sends it',
        'Label',
      ];
      const before = chat.intents().length;
      for (const name of fields) {
        if (name === 'Label') await naming.click();
        const field = chat.page.getByRole('textbox', { name, exact: true });
        await field.fill('にほん');
        await field.dispatchEvent('compositionstart');
        for (const key of ['Enter', 'Escape']) {
          await field.dispatchEvent('keydown', { key, isComposing: true });
          await field.dispatchEvent('keydown', { key, keyCode: 229 });
        }
        await field.dispatchEvent('compositionend');
        expect(await field.inputValue()).toBe('にほん');
      }
      expect(chat.intents()).toHaveLength(before);
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
