// Room in a side bar: what each part may take, what stays in sight, and what follows the conversation.
import { describe, expect, it } from 'vitest';
import type { Locator } from 'playwright-core';
import type { ChatPage, Open } from '../bench/chat-page.js';
import { eventually } from '../bench/eventually.js';
import { cutOff } from '../bench/overflow.js';
import { idle, Scene } from '../bench/scenes.js';

/** Of a side bar that nobody made wider. */
const DEFAULT_WIDTH = 297;

/** Two lines from the first answer; `rows` prompts and answers on the one that is shown. */
function forked(rows = 1): { scene: Scene; first: string; other: string; last: string } {
  const scene = new Scene();
  const first = scene.user('Plan the trip');
  const answer = scene.answer('By train or by car?');
  scene.user('By train');
  const other = scene.answer('Nine hours by train.\n\n'.repeat(40));
  scene.add({ type: 'head', entry_id: answer });
  let last = '';
  for (let row = 1; row <= rows; row += 1) {
    scene.user(`By car, day ${row}`);
    last = scene.answer(`Stage ${row} takes seven hours.`);
  }
  scene.add({
    type: 'usage',
    input_tokens: 110_200,
    output_tokens: 830,
    total_tokens: 111_030,
    purpose: 'step',
  });
  return { scene, first, other, last };
}

const boxOf = async (of: Locator) =>
  of.evaluate((element) => {
    const { top, bottom, left, right, height, width } = element.getBoundingClientRect();
    return { top, bottom, left, right, height, width };
  });

/** Wholly within what of the scrolling element is seen. */
const isWithin = (inner: Locator, outer: Locator) => async (): Promise<boolean> => {
  if ((await inner.count()) === 0) return false;
  const [row, view] = [await boxOf(inner), await boxOf(outer)];
  return row.height > 0 && row.top >= view.top - 1 && row.bottom <= view.bottom + 1;
};

const treeOf = (chat: ChatPage) => chat.page.locator('section[aria-label="Conversation tree"]');
const nodeOf = (chat: ChatPage, id: string) =>
  chat.page.locator(`[data-testid="tree-node"][data-entry-id="${id}"]`);
const focusedRow = (chat: ChatPage) =>
  chat.at('tree').evaluate((tree) => {
    const id = tree.getAttribute('aria-activedescendant');
    return id === null ? null : (document.getElementById(id)?.dataset['entryId'] ?? null);
  });

export function roomTests(open: Open): void {
  describe('room in a side bar', () => {
    it('the header keeps its buttons and is read at every width from the narrowest on', async () => {
      const { scene, first } = forked();
      scene.title = 'Plan the trip to the sea';
      scene.add({ type: 'label', target_id: first, label: 'what all lines have' });
      const chat = await open(scene);
      for (const width of [170, 230, DEFAULT_WIDTH, 330, 399, 400, 420]) {
        await chat.page.setViewportSize({ width, height: 640 });
        expect(await cutOff(chat.page), `${width} wide`).toEqual([]);
        const { right } = await boxOf(chat.at('session-menu'));
        expect(right, `${width} wide`).toBeLessThanOrEqual(width);
        const { width: title } = await boxOf(chat.at('session-title'));
        expect(title, `${width} wide`).toBeGreaterThanOrEqual(90);
        const { width: model } = await boxOf(chat.at('model-picker'));
        expect(model, `${width} wide`).toBeGreaterThanOrEqual(width < 200 ? 24 : 60);
      }
    });

    it('the tree is as high as its rows, up to a part of the panel', async () => {
      const few = await open(forked().scene);
      await few.at('tree-toggle').click();
      // Six rows and what stands above them.
      expect((await boxOf(treeOf(few))).height).toBe(6 * 24 + 32);
      const many = await open(forked(30).scene);
      await many.at('tree-toggle').click();
      expect((await boxOf(treeOf(many))).height).toBe(720 * 0.4);
      const none = await open(new Scene());
      await none.at('tree-toggle').click();
      await none.page.getByText('The conversation has not begun.').waitFor();
      expect((await boxOf(treeOf(none))).height).toBeLessThanOrEqual(80);
    });

    it('some of the conversation stays in sight below the tree and above all that is offered', async () => {
      const { scene, other } = forked(30);
      scene.status = { ...idle, changes: { count: 1, names: ['notes.txt'] } };
      scene.add({ type: 'todo_update', items: [{ id: '1', title: 'Pack', status: 'pending' }] });
      const chat = await open(scene, { width: DEFAULT_WIDTH, height: 560 });
      await chat.at('tree-toggle').click();
      await chat.post(scene.goTo(other));
      await chat.at('left-branch').waitFor();
      await chat.at('changes-offer').waitFor();
      expect((await boxOf(chat.at('transcript'))).height).toBeGreaterThanOrEqual(119);
      expect((await boxOf(chat.composer)).bottom).toBeLessThanOrEqual(560);
      expect((await boxOf(chat.at('send'))).bottom).toBeLessThanOrEqual(560);
      expect((await boxOf(treeOf(chat))).height).toBeGreaterThanOrEqual(79);
      // However much is written, it stays below what is said.
      await chat.composer.fill('a line\n'.repeat(40));
      expect((await boxOf(chat.at('send'))).bottom).toBeLessThanOrEqual(560);
    });

    it('the edge of the tree is dragged, and moved by keys; it stays where it was put', async () => {
      const chat = await open(forked(30).scene);
      await chat.at('tree-toggle').click();
      const height = async () => Math.round((await boxOf(treeOf(chat))).height);
      const before = await height();
      const sash = chat.at('tree-sash');
      await sash.focus();
      await chat.page.keyboard.press('ArrowUp');
      await chat.page.keyboard.press('ArrowUp');
      expect(await height()).toBe(before - 48);
      await eventually(() => sash.getAttribute('aria-valuenow')).toBe(String(before - 48));
      await chat.page.keyboard.press('ArrowDown');
      expect(await height()).toBe(before - 24);
      await chat.at('tree-toggle').click();
      await chat.at('tree-toggle').click();
      expect(await height()).toBe(before - 24);

      const { left, top } = await boxOf(sash);
      await chat.page.mouse.move(left + 100, top + 2);
      await chat.page.mouse.down();
      await chat.page.mouse.move(left + 100, top + 72, { steps: 3 });
      await chat.page.mouse.up();
      expect(await height()).toBe(before + 46);
      // As high as it goes, the conversation is still there; the next step goes on from what is seen.
      await sash.focus();
      await chat.page.keyboard.press('End');
      const most = await height();
      expect((await boxOf(chat.at('transcript'))).height).toBeGreaterThanOrEqual(119);
      await chat.page.keyboard.press('ArrowUp');
      expect(await height()).toBe(most - 24);
      await sash.dblclick();
      expect(await height()).toBe(before);
    });

    it('what is asked stays in sight above the buttons of a card that is higher than the panel', async () => {
      const scene = new Scene();
      scene.turn('Write the numbers', 'turn-1');
      const lines = Array.from({ length: 60 }, (_, line) => `echo ${line}`);
      const command = lines.join('\n');
      scene.calls('', [{ call_id: 'r1', name: 'run', input: { command } }], 'turn-1');
      scene.add({
        ...{ type: 'approval_request', call_id: 'r1', tool: 'run', summary: 'Run echo 0' },
        ...{ input_hash: 'x', targets: [], risk: 'run', turn_id: 'turn-1' },
      });
      scene.status = { ...idle, run: 'waiting' };
      const chat = await open(scene, { width: DEFAULT_WIDTH, height: 520 });
      await chat.at('tree-toggle').click();
      const transcript = chat.at('transcript');
      await eventually(isWithin(chat.at('approve'), transcript)).toBe(true);
      await eventually(isWithin(transcript.getByText('Run echo 0', { exact: true }), transcript)).toBe(true);
    });

    it('a menu that is longer than the panel begins with whole rows, and all of it can be reached', async () => {
      const chat = await open(forked().scene);
      for (const [width, height] of [
        [420, 563],
        [DEFAULT_WIDTH, 400],
        [420, 1200],
      ] as const) {
        await chat.page.setViewportSize({ width, height });
        await chat.at('session-menu').click();
        const menu = chat.page.getByRole('menu');
        const view = await boxOf(menu);
        expect(view.bottom).toBeLessThanOrEqual(height);
        expect(view.left).toBeGreaterThanOrEqual(0);
        const cut = await menu.getByRole('menuitem').evaluateAll(
          (items, { top, bottom }) =>
            items.filter((item) => {
              const box = item.getBoundingClientRect();
              return box.top < bottom && box.bottom > bottom && box.top > top;
            }).length,
          view,
        );
        expect(cut, `${height} high`).toBe(0);
        await chat.page.keyboard.press('End');
        await eventually(isWithin(chat.page.getByRole('menuitem', { name: 'Show Diagnostics' }), menu)).toBe(
          true,
        );
        await chat.page.keyboard.press('Escape');
      }
    });

    it('the tree goes along with the conversation, but not while somebody is in it', async () => {
      const { scene, first } = forked(30);
      const chat = await open(scene);
      await chat.at('tree-toggle').click();
      await nodeOf(chat, first).waitFor({ state: 'detached' });
      await chat.at('tree').press('Home');
      await nodeOf(chat, first).click();
      const say = async (text: string): Promise<string> => {
        let id = '';
        await chat.post(scene.append(() => (id = scene.user(text))));
        await chat.at('transcript').getByText(text, { exact: true }).waitFor({ state: 'attached' });
        return id;
      };
      await say('While the tree has the keyboard');
      expect(await focusedRow(chat)).toBe(first);

      await chat.composer.click();
      const sent = await say('From the composer');
      await eventually(() => focusedRow(chat)).toBe(sent);
      await eventually(isWithin(nodeOf(chat, sent), chat.at('tree'))).toBe(true);

      await chat.at('tree').hover();
      await chat.page.mouse.wheel(0, -10_000);
      await eventually(() => chat.at('tree').evaluate(({ scrollTop }) => scrollTop)).toBe(0);
      await say('While it is scrolled');
      await say('While it still is');
      expect(await chat.at('tree').evaluate(({ scrollTop }) => scrollTop)).toBe(0);
      await chat.composer.hover();
      const then = await say('Once the pointer has left it');
      await eventually(isWithin(nodeOf(chat, then), chat.at('tree'))).toBe(true);
    });

    it('the button of the tree is not pressed while a comparison stands in its place, and brings it back', async () => {
      const { scene, other, last } = forked();
      const chat = await open(scene);
      await chat.at('tree-toggle').click();
      expect(await chat.at('tree-toggle').getAttribute('aria-expanded')).toBe('true');
      await chat.post({ type: 'compare', left_id: last, right_id: other });
      await chat.at('compare-column').last().waitFor();
      expect(await chat.at('tree-toggle').getAttribute('aria-expanded')).toBe('false');
      await chat.at('tree-toggle').click();
      await eventually(() => chat.at('compare-column').count()).toBe(0);
      expect(await chat.at('tree-toggle').getAttribute('aria-expanded')).toBe('true');
      await chat.at('tree').waitFor();
      // Beside each other both are seen.
      await chat.page.setViewportSize({ width: 1000, height: 700 });
      await chat.post({ type: 'compare', left_id: last, right_id: other });
      await chat.at('compare-column').last().waitFor();
      expect(await chat.at('tree-toggle').getAttribute('aria-expanded')).toBe('true');
    });

    for (const theme of ['hc-dark', 'hc-light'] as const)
      it(`${theme}: a pressed button and the row of a tree without the keyboard are marked by a line`, async () => {
        const chat = await open(forked().scene, { theme });
        const line = (of: Locator) => of.evaluate((element) => getComputedStyle(element).outlineStyle);
        expect(await line(chat.at('tree-toggle'))).toBe('none');
        await chat.at('tree-toggle').click();
        await chat.composer.click();
        expect(await line(chat.at('tree-toggle'))).toBe('solid');
        expect(await line(chat.page.locator('[role="treeitem"][aria-selected="true"]'))).toBe('dotted');
        expect(await line(chat.page.locator('[role="treeitem"][aria-selected="false"]').first())).toBe(
          'none',
        );
      });
  });

  describe('where one is in the conversation', () => {
    const isAtEnd = (chat: ChatPage) => () =>
      chat
        .at('transcript')
        .evaluate(
          ({ scrollTop, scrollHeight, clientHeight }) => scrollHeight - clientHeight - scrollTop <= 1,
        );

    it('another line is shown at its end, however the one before was read', async () => {
      const { scene, other, last } = forked(30);
      const chat = await open(scene);
      await chat.at('transcript').hover();
      await chat.page.mouse.wheel(0, -300);
      await chat.at('jump-latest').waitFor();
      await chat.post(scene.goTo(other));
      await chat.at('transcript').getByText('By train', { exact: true }).waitFor({ state: 'attached' });
      await eventually(isAtEnd(chat)).toBe(true);
      await chat.at('transcript').hover();
      await chat.page.mouse.wheel(0, -100);
      await chat.at('jump-latest').waitFor();
      await chat.post(scene.goTo(last));
      await eventually(isAtEnd(chat)).toBe(true);
      // The same line again is no other one.
      await chat.page.mouse.wheel(0, -300);
      await chat.at('jump-latest').waitFor();
      await chat.post(scene.snapshot());
      await chat.post(scene.append(() => scene.user('And on')));
      await chat.at('transcript').getByText('And on', { exact: true }).waitFor({ state: 'attached' });
      expect(await isAtEnd(chat)()).toBe(false);
    });

    it('a summary of what stands above comes into sight for who was at the end', async () => {
      const { scene, last } = forked(30);
      const chat = await open(scene);
      await eventually(isAtEnd(chat)).toBe(true);
      const compaction = { type: 'compaction', summary: 'The gist', first_kept_entry_id: last } as const;
      await chat.post(
        scene.append(() => scene.add({ ...compaction, tokens_before: 9_000, tokens_after: 900 })),
      );
      await eventually(isWithin(chat.at('compaction'), chat.at('transcript'))).toBe(true);
    });

    it('a message that is edited from a menu comes into sight, framed, and is named', async () => {
      const { scene, first } = forked(30);
      const chat = await open(scene);
      await chat.post({ type: 'chosen', session: scene.id, what: 'edit', entry_id: first });
      await eventually(() => chat.composer.inputValue()).toBe('Plan the trip');
      const row = chat.page.locator(`[data-testid="message"][data-entry-id="${first}"]`);
      await eventually(isWithin(row, chat.at('transcript'))).toBe(true);
      expect(await row.evaluate((element) => element.classList.contains('editing'))).toBe(true);
      const notice = chat.page.getByText('Editing “Plan the trip”: what you send becomes a new branch');
      const [words, box] = [
        await boxOf(notice),
        await boxOf(chat.page.getByRole('group', { name: 'Write a message' })),
      ];
      expect(words.top - box.top).toBeGreaterThanOrEqual(8);
    });

    it('a message of another line is edited where one is, and named by what it begins with', async () => {
      const { scene } = forked(30);
      const long = scene.user('A question that goes on and on, and has a second line\nwhich says no more');
      scene.add({ type: 'head', entry_id: null });
      scene.user('Something else');
      const chat = await open(scene);
      await chat.post({ type: 'chosen', session: scene.id, what: 'edit', entry_id: long });
      await chat.page.getByText('Editing “A question that goes on and on…”: what you send').waitFor();
      expect(await isAtEnd(chat)()).toBe(true);
    });

    it('the keyboard is where it was when a menu of the editor is gone, else in the composer', async () => {
      const { scene } = forked();
      const chat = await open(scene);
      // Another document takes the focus, as VS Code's menu does.
      const leaveAndComeBack = () =>
        chat.page.evaluate(() => {
          if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
          window.dispatchEvent(new Event('blur'));
          window.dispatchEvent(new Event('focus'));
        });
      const focused = () => chat.page.evaluate(() => document.activeElement?.getAttribute('data-testid'));
      await leaveAndComeBack();
      expect(await focused()).toBe('composer');
      await chat.at('tree-toggle').click();
      await chat.at('tree').focus();
      await leaveAndComeBack();
      expect(await focused()).toBe('tree');
      await chat.at('tree').press('Escape');
      expect(await focused()).toBe('tree-toggle');
    });

    it('a key leads from the composer to what waits for a decision, as the composer says', async () => {
      const scene = new Scene();
      scene.turn('Clean up', 'turn-1');
      scene.calls('', [{ call_id: 'r1', name: 'run', input: { command: 'rm -rf build' } }], 'turn-1');
      scene.add({
        ...{ type: 'approval_request', call_id: 'r1', tool: 'run', summary: 'Run rm -rf build' },
        ...{ input_hash: 'x', targets: [], risk: 'run', turn_id: 'turn-1' },
      });
      scene.status = { ...idle, run: 'waiting' };
      const chat = await open(scene);
      expect(await chat.composer.getAttribute('placeholder')).toContain('(Ctrl+↑)');
      const isThere = () => chat.page.evaluate(() => document.activeElement?.getAttribute('aria-label'));
      await chat.composer.fill('no');
      await chat.composer.press('Control+ArrowUp');
      expect(await chat.composer.evaluate((field) => field === document.activeElement)).toBe(true);
      await chat.composer.fill('');
      await chat.composer.press('Control+ArrowUp');
      await eventually(isThere).toBe('Approval: Run rm -rf build');
    });
  });
}
