// Where one is on the tree: the picker by keyboard, names, branching from every message, a list of its own for each line.
import { describe, expect, it } from 'vitest';
import type { ChatPage, Open } from '../bench/chat-page.js';
import { eventually } from '../bench/eventually.js';
import { Scene } from '../bench/scenes.js';

/** The host moves the head as the view asks. */
function followHead(chat: ChatPage, scene: Scene): void {
  chat.answer = (message) => {
    if (message.type !== 'intent' || message.intent.type !== 'navigate') return { result: null };
    void chat.post(scene.goTo(message.intent.entry_id));
    return { result: null };
  };
}

const todo = (scene: Scene, ...titles: string[]): string =>
  scene.add({
    type: 'todo_update',
    items: titles.map((title, index) => ({
      id: `${index}`,
      title,
      status: index === 0 ? ('in_progress' as const) : ('pending' as const),
    })),
  });

export function branchTests(open: Open): void {
  describe('a line of the conversation', () => {
    it('the picker is gone through by key: the focus is on the picker of the line that comes', async () => {
      const scene = new Scene();
      const first = scene.user('Which way?');
      for (const way of ['Left', 'Right', 'Straight on']) {
        scene.add({ type: 'head', entry_id: first });
        scene.answer(way);
      }
      const chat = await open(scene);
      followHead(chat, scene);
      await chat.at('branch-prev').focus();
      const focused = () =>
        chat.page.evaluate(() => {
          const { activeElement } = document;
          const picker = activeElement?.closest('[data-testid="branch-picker"]');
          return `${activeElement?.getAttribute('data-testid') ?? ''} ${picker?.getAttribute('data-index') ?? ''}`;
        });
      await chat.page.keyboard.press('Enter');
      await eventually(focused).toBe('branch-prev 2');
      await chat.page.keyboard.press('Enter');
      await eventually(focused).toBe('branch-prev 1');
      await chat.page.getByText('Left', { exact: true }).waitFor();
      await chat.page.keyboard.press('Tab');
      await chat.page.keyboard.press('Enter');
      await eventually(focused).toBe('branch-next 2');
    });

    it('the picker stays where it is pressed, however much stands below it on either line', async () => {
      const scene = new Scene();
      const lines = (count: number, word: string) =>
        Array.from({ length: count }, (_, index) => `${word} ${index}.`).join('\n\n');
      const first = scene.user('Which way?');
      for (const [way, count] of [
        ['Left', 50],
        ['Right', 90],
      ] as const) {
        scene.add({ type: 'head', entry_id: first });
        scene.answer(lines(count, way));
        for (let more = 0; more < 3; more += 1) {
          scene.user(`And then, ${way}?`);
          scene.answer(lines(40, `${way}, then`));
        }
      }
      const chat = await open(scene);
      followHead(chat, scene);
      const transcript = chat.at('transcript');
      await chat.page.getByText('Right, then 39.').last().waitFor();
      await transcript.hover();
      await chat.page.mouse.wheel(0, -50);
      await chat.at('jump-latest').waitFor();
      await transcript.evaluate((element) => (element.scrollTop = 20));
      const top = () => chat.at('branch-picker').evaluate((element) => element.getBoundingClientRect().top);
      const before = await top();
      expect(before).toBeLessThan(200);
      for (const [go, word] of [
        ['branch-prev', 'Left 3.'],
        ['branch-next', 'Right 3.'],
        ['branch-prev', 'Left 3.'],
      ] as const) {
        await chat.at(go).click();
        await chat.page.getByText(word, { exact: true }).waitFor();
        await eventually(async () => Math.abs((await top()) - before) < 2).toBe(true);
      }
    });

    it('its name stands in the header, and each label at its place', async () => {
      const scene = new Scene();
      const first = scene.user('Which way?');
      scene.answer('Left');
      const chat = await open(scene);
      expect(await chat.at('branch-name').count()).toBe(0);
      const add = (change: () => void) => chat.post(scene.append(change));
      await chat.post(scene.goTo(first));
      let right = '';
      await add(() => {
        right = scene.answer('Right');
      });
      await eventually(() => chat.at('branch-name').getAttribute('aria-label')).toBe(
        'Branch 2 of 2 – switch branch',
      );
      // What all lines have in common names none of them.
      await add(() => scene.add({ type: 'label', target_id: first, label: 'The question' }));
      await eventually(() => chat.at('row-label').allInnerTexts()).toEqual(['Label:\nThe question']);
      expect(await chat.at('branch-name').innerText()).toBe('');
      await add(() => scene.add({ type: 'label', target_id: right, label: 'The right one' }));
      await eventually(() => chat.at('branch-name').innerText()).toBe('The right one');
      await chat.at('branch-name').click();
      await eventually(() => chat.commands().at(-1)).toEqual({ type: 'switch_branch' });
    });

    it('branches and tries again from every message: the first, one of calls alone, the last', async () => {
      const scene = new Scene();
      const prompt = scene.user('Look');
      const looked = scene.calls('', [{ call_id: 'c1', name: 'read', input: { path: 'a.ts' } }]);
      scene.result('c1', 'read', 'text');
      const last = scene.answer('Seen.');
      const chat = await open(scene);
      const press = async (entry: string, testid: string) => {
        const row = chat.page.locator(`[data-testid="message"][data-entry-id="${entry}"]`);
        await row.locator(`[data-testid="${testid}"]`).focus();
        await chat.page.keyboard.press('Enter');
      };
      for (const entry of [prompt, looked]) {
        await press(entry, 'branch-here');
        await eventually(() => chat.intents().at(-1)).toEqual({ type: 'navigate', entry_id: entry });
      }
      for (const entry of [prompt, looked, last]) {
        await press(entry, 'try-again');
        await eventually(() => chat.intents().at(-1)).toEqual({ type: 'try_again', entry_id: prompt });
      }
      const before = chat.intents().length;
      await press(last, 'branch-here');
      await eventually(() => chat.composer.evaluate((field) => field === document.activeElement)).toBe(true);
      expect(chat.intents()).toHaveLength(before);
    });

    it('where lines part they are compared: with the other one at once, of several one is chosen', async () => {
      const scene = new Scene();
      const first = scene.user('Which way?');
      const left = scene.answer('Left');
      scene.add({ type: 'head', entry_id: first });
      const right = scene.answer('Right');
      const chat = await open(scene);
      const press = async (entry: string) => {
        const row = chat.page.locator(`[data-testid="message"][data-entry-id="${entry}"]`);
        await row.locator('[data-testid="compare-branch"]').press('Enter');
      };
      await press(right);
      await eventually(() => chat.commands().at(-1)).toEqual({ type: 'compare_branches', entry_id: left });
      let on = '';
      await chat.post(scene.goTo(first));
      await chat.post(
        scene.append(() => {
          on = scene.answer('Straight on');
        }),
      );
      await press(on);
      await eventually(() => chat.commands().at(-1)).toEqual({ type: 'compare_branches' });
      expect(await chat.at('compare-branch').count()).toBe(1);
    });

    it('a prompt sent while the head still moves goes from where it moves to', async () => {
      const scene = new Scene();
      const prompt = scene.user('Look');
      scene.answer('Seen.');
      const chat = await open(scene);
      chat.answer = (message) =>
        message.type === 'intent' && message.intent.type === 'navigate' ? 'never' : { result: null };
      const row = chat.page.locator(`[data-testid="message"][data-entry-id="${prompt}"]`);
      await row.locator('[data-testid="branch-here"]').focus();
      await chat.page.keyboard.press('Enter');
      await eventually(() => chat.intents().at(-1)).toEqual({ type: 'navigate', entry_id: prompt });
      await chat.composer.fill('Look again');
      await chat.composer.press('Enter');
      // A command that is asked for later is here: what was asked before it would be, too.
      await chat.at('model-picker').click();
      await eventually(() => chat.commands()).toHaveLength(1);
      expect(chat.intents()).toHaveLength(1);
      await chat.post(scene.goTo(prompt));
      const asked = chat.received.find((message) => message.type === 'intent');
      await chat.post({
        type: 'reply',
        id: asked?.type === 'intent' ? asked.id : -1,
        ok: true,
        result: null,
      });
      await eventually(() =>
        chat.received.flatMap((message) =>
          message.type === 'intent' && message.intent.type === 'send' ? [message.expected_head] : [],
        ),
      ).toEqual([prompt]);
    });

    it('H9: shows its own to-do list', async () => {
      const scene = new Scene();
      const first = scene.user('Plan it');
      todo(scene, 'Left one', 'Left two');
      const left = scene.answer('Left');
      scene.add({ type: 'head', entry_id: first });
      scene.user('Plan it otherwise');
      todo(scene, 'Right one');
      scene.answer('Right');
      const chat = await open(scene);
      followHead(chat, scene);
      const todos = chat.at('todos');
      await eventually(() => todos.innerText()).toBe('To do: 0 of 1 done · Right one');
      await todos.getByRole('button').press('Enter');
      await eventually(() => todos.getByRole('listitem').allInnerTexts()).toEqual([
        'In progress:\nRight one',
      ]);
      await chat.at('branch-prev').click();
      await chat.page.getByText('Left', { exact: true }).waitFor();
      expect(scene.fold.head).toBe(left);
      await eventually(() => todos.getByRole('listitem').allInnerTexts()).toEqual([
        'In progress:\nLeft one',
        'Not begun:\nLeft two',
      ]);
    });
  });
}
