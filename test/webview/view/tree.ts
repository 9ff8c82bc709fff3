// The conversation tree: where one is, what the other lines were, and the way to them, by mouse and by keyboard.
import { describe, expect, it } from 'vitest';
import type { Locator } from 'playwright-core';
import type { Open } from '../bench/chat-page.js';
import { eventually } from '../bench/eventually.js';
import { idle, Scene } from '../bench/scenes.js';

/** Two lines from the first answer: one with two prompts, and one of another prompt, which is shown. */
function forked(): {
  scene: Scene;
  ids: Record<'first' | 'answer' | 'older' | 'olderEnd' | 'newer', string>;
} {
  const scene = new Scene();
  const first = scene.user('Plan the trip');
  const answer = scene.answer('By train or by car?');
  const older = scene.user('By train');
  const olderEnd = scene.answer('Nine hours by train.');
  scene.add({ type: 'head', entry_id: answer });
  const newer = scene.user('By car');
  scene.answer('Seven hours by car.');
  return { scene, ids: { first, answer, older, olderEnd, newer } };
}

export function treeTests(open: Open): void {
  describe('the conversation tree', () => {
    it('draws all lines, marks the shown one and where it ends', async () => {
      const { scene, ids } = forked();
      const chat = await open(scene);
      await chat.at('tree-toggle').click();
      const nodes = chat.at('tree-node');
      expect(await nodes.count()).toBe(6);
      const active = await nodes.evaluateAll((rows) =>
        rows.filter((row) => row.getAttribute('data-active') === 'true').map((row) => row.textContent.trim()),
      );
      expect(active).toEqual(['Plan the trip', 'By train or by car?', 'By car', 'Seven hours by car.']);
      const older = chat.page.locator(`[data-testid="tree-node"][data-entry-id="${ids.older}"]`);
      expect(await older.getAttribute('aria-level')).toBe('2');
      expect(await chat.page.locator('[role="treeitem"][aria-current="true"]').textContent()).toContain(
        'Seven hours by car.',
      );
    });

    it('marks what broke off, failed, was recovered or stands for other things, and where one is waited for', async () => {
      const scene = new Scene();
      const first = scene.user('Plan the trip');
      scene.calls('', [{ call_id: 'c1', name: 'search', input: { pattern: 'x' } }]);
      scene.result('c1', 'search', 'no', true);
      scene.add({
        type: 'incomplete_output',
        attempt_id: 'a',
        text: 'By tr',
        incomplete: true,
        reason: 'connection',
      });
      scene.add({ type: 'head', entry_id: first });
      scene.add({ type: 'branch_summary', summary: 'Trains were looked at', from_id: first });
      const kept = scene.user('And by car?');
      scene.add({
        type: 'compaction',
        summary: 'The gist',
        first_kept_entry_id: kept,
        tokens_before: 9000,
        tokens_after: 900,
      });
      scene.add({
        type: 'message',
        role: 'assistant',
        parts: [{ type: 'text', text: 'Seven hours' }],
        parent_id: 'nowhere',
      });
      scene.status = { ...idle, run: 'waiting' };
      const chat = await open(scene);
      await chat.at('tree-toggle').click();
      await chat.at('tree-filter').selectOption({ label: 'Everything' });
      const names = () =>
        chat.at('tree-node').evaluateAll((rows) => rows.map(({ ariaLabel }) => ariaLabel ?? '').sort());
      await eventually(names).toEqual([
        'Answer: Seven hours, What stood before it could not be read, waiting for you, the conversation is here',
        'Incomplete answer: By tr, It was never finished',
        'Result: search, It failed',
        'Summary of a branch: Trains were looked at',
        'Summary of what stands above: The gist',
        'Tools: search',
        'You: And by car?',
        'You: Plan the trip',
      ]);
    });

    it('goes to another line at its newest end, and only shows what stands on this one', async () => {
      const { scene, ids } = forked();
      const chat = await open(scene);
      await chat.at('tree-toggle').click();
      await chat.page.locator(`[data-testid="tree-node"][data-entry-id="${ids.first}"]`).click();
      expect(chat.intents()).toEqual([]);
      // The keys of the tree go on from where it was clicked.
      await chat.page.keyboard.press('ArrowDown');
      await chat.page.keyboard.press('ArrowDown');
      await chat.page.keyboard.press('F2');
      await chat.page.keyboard.type('by rail');
      await chat.page.keyboard.press('Enter');
      await eventually(() => chat.intents()).toEqual([
        { type: 'label', entry_id: ids.older, label: 'by rail' },
      ]);
      await chat.page.locator(`[data-testid="tree-node"][data-entry-id="${ids.older}"]`).click();
      await eventually(() => chat.intents().at(-1)).toEqual({ type: 'navigate', entry_id: ids.olderEnd });
    });

    it('offers the way back to what was left by a list or a command of the editor', async () => {
      const { scene, ids } = forked();
      const chat = await open(scene);
      const end = scene.fold.head;
      // Another line is shown, and nobody asked for it in the view.
      await chat.post(scene.goTo(ids.olderEnd));
      await chat.at('left-branch').getByText('2 messages').waitFor();
      await chat.at('left-back').click();
      await eventually(() => chat.intents().at(-1)).toEqual({ type: 'navigate', entry_id: end });
      await chat.post(scene.goTo(end));
      // What is offered now is the line that was just left, not the one that is shown.
      await chat.at('left-back').click();
      await eventually(() => chat.intents().at(-1)).toEqual({ type: 'navigate', entry_id: ids.olderEnd });
      await chat.post(scene.goTo(ids.olderEnd));
      await chat.at('left-branch').waitFor();
      // A part of what is shown was left by nobody.
      await chat.post(scene.goTo(ids.olderEnd));
      await chat.post(scene.goTo(end));
      await chat.post(scene.goTo(ids.first));
      await chat.post(scene.goTo(end));
      await eventually(() => chat.at('left-branch').count()).toBe(0);
    });

    it('offers the way back to the line that was left, and a summary of it', async () => {
      const { scene, ids } = forked();
      const chat = await open(scene);
      const end = scene.fold.head;
      await chat.at('tree-toggle').click();
      await chat.page.locator(`[data-testid="tree-node"][data-entry-id="${ids.older}"]`).click();
      await chat.at('left-branch').getByText('2 messages').waitFor();
      await chat.at('left-summary').click();
      await eventually(() => chat.intents().at(-1)).toEqual({
        type: 'bring_summary',
        from_id: ids.newer,
        to_id: end,
      });
      await chat.page.locator(`[data-testid="tree-node"][data-entry-id="${ids.older}"]`).click();
      const focus = chat.page.getByLabel('What the summary is to keep above all');
      await focus.fill(' the prices ');
      await focus.press('Enter');
      await eventually(() => chat.intents().at(-1)).toMatchObject({
        type: 'bring_summary',
        focus: 'the prices',
      });
      // None: it is put away, and nothing is asked of the model.
      await chat.page.locator(`[data-testid="tree-node"][data-entry-id="${ids.older}"]`).click();
      const before = chat.intents().length;
      await chat.at('left-branch').getByRole('button', { name: 'Dismiss' }).click();
      await eventually(() => chat.at('left-branch').count()).toBe(0);
      expect(chat.intents()).toHaveLength(before);
      await chat.page.locator(`[data-testid="tree-node"][data-entry-id="${ids.older}"]`).click();
      await chat.at('left-back').click();
      await eventually(() => chat.intents().at(-1)).toEqual({ type: 'navigate', entry_id: end });
    });

    it('is walked, folded, searched and left by keyboard', async () => {
      const { scene, ids } = forked();
      const chat = await open(scene);
      await chat.at('tree-toggle').press('Enter');
      const tree = chat.at('tree');
      const selected = () =>
        chat.page.locator('[role="treeitem"][aria-selected="true"]').getAttribute('title');
      await tree.focus();
      expect(await selected()).toBe('Seven hours by car.');
      await tree.press('Home');
      await tree.press('ArrowDown');
      await tree.press('ArrowRight');
      expect(await selected()).toBe('By train');
      await tree.press('ArrowLeft');
      expect(await chat.at('tree-node').count()).toBe(5);
      await tree.press('ArrowRight');
      await tree.press('ArrowRight');
      expect(await selected()).toBe('Nine hours by train.');
      await tree.press('Enter');
      await eventually(() => chat.intents()).toEqual([{ type: 'navigate', entry_id: ids.olderEnd }]);

      await chat.at('tree-search').fill('car');
      await chat.page.getByText('of 3').waitFor();
      await chat.at('tree-search').press('Enter');
      await chat.at('tree-search').press('Escape');
      expect(await chat.at('tree-search').inputValue()).toBe('');
      await chat.at('tree-search').press('Escape');
      await eventually(() => chat.at('tree').count()).toBe(0);
      expect(await chat.at('tree-toggle').evaluate((button) => button === document.activeElement)).toBe(true);
    });

    it('tells VS Code what a menu is opened on, by mouse and by keyboard', async () => {
      const { scene, ids } = forked();
      const chat = await open(scene);
      await chat.at('tree-toggle').click();
      const placeOf = async (on: Locator): Promise<unknown> =>
        JSON.parse((await on.getAttribute('data-vscode-context')) ?? '');
      const node = (id: string) => chat.page.locator(`[data-testid="tree-node"][data-entry-id="${id}"]`);
      const older = {
        preventDefaultContextMenuItems: true,
        boughPlace: 'node',
        boughSession: scene.id,
        boughEntry: ids.older,
        boughRole: 'user',
        boughOnLine: false,
        boughCanWrite: true,
      };
      expect(await placeOf(node(ids.older))).toEqual(older);
      await node(ids.older).click({ button: 'right' });
      await eventually(() => placeOf(chat.at('tree'))).toEqual(older);
      expect(chat.intents()).toEqual([]);
      const message = chat.page.locator(`[data-testid="message"][data-entry-id="${ids.answer}"]`);
      expect(await placeOf(message)).toEqual({
        boughPlace: 'message',
        boughSession: scene.id,
        boughEntry: ids.answer,
        boughRole: 'assistant',
        boughOnLine: true,
        boughCanWrite: true,
      });
    });

    it('offers the way back after a turn was undone, and its prompt where nothing else stands', async () => {
      const { scene, ids } = forked();
      const chat = await open(scene);
      const end = scene.fold.head;
      const undo = async () => {
        await chat.post(scene.goTo(ids.answer));
        await chat.post({ type: 'undone', session: scene.id, entry_id: end ?? '' });
      };
      await chat.post({ type: 'undone', session: 'another', entry_id: end ?? '' });
      await undo();
      await chat.at('left-branch').getByText('The turn was undone').waitFor();
      await eventually(() => chat.composer.inputValue()).toBe('By car');
      await chat.at('left-back').click();
      await eventually(() => chat.intents().at(-1)).toEqual({ type: 'navigate', entry_id: end });
      await chat.composer.fill('Something of my own');
      await chat.post(scene.goTo(end));
      await undo();
      await chat.at('left-branch').getByText('The turn was undone').waitFor();
      expect(await chat.composer.inputValue()).toBe('Something of my own');
    });

    it('offers the way back after a turn was undone from the menu of the session', async () => {
      const { scene, ids } = forked();
      const chat = await open(scene);
      chat.answer = ({ type }) => {
        // The line that is gone back to comes before the answer.
        if (type === 'intent') void chat.post(scene.goTo(ids.answer));
        return { result: null };
      };
      await chat.at('session-menu').click();
      await chat.page.getByRole('menuitem', { name: 'Undo Last Turn' }).click();
      await chat.at('left-branch').getByText('The turn was undone').waitFor();
      await eventually(() => chat.composer.inputValue()).toBe('By car');
      expect(chat.intents()).toEqual([{ type: 'undo' }]);
    });

    it('shows the actions of one message at a time, though a click left the focus on those of another', async () => {
      const { scene } = forked();
      const chat = await open(scene);
      await chat.at('message').first().hover();
      await chat.at('message').first().getByRole('button', { name: 'Copy message' }).click();
      await chat.at('message').last().hover();
      const shown = () =>
        chat
          .at('message')
          .getByRole('group', { name: 'Message actions' })
          .evaluateAll((all) => all.map((one) => getComputedStyle(one).opacity === '1').lastIndexOf(true));
      const count = () =>
        chat
          .at('message')
          .getByRole('group', { name: 'Message actions' })
          .evaluateAll((all) => all.filter((one) => getComputedStyle(one).opacity === '1').length);
      await eventually(count).toBe(1);
      expect(await shown()).toBe((await chat.at('message').count()) - 1);
      await chat.page.keyboard.press('Tab');
      expect(await count()).toBeGreaterThan(0);
    });

    it('says beside its shield, on one line, that the folder is not trusted', async () => {
      const { scene } = forked();
      scene.status = { ...idle, place: 'untrusted' };
      const chat = await open(scene);
      await chat.page.setViewportSize({ width: 300, height: 600 });
      const line = chat.at('sent-none');
      const icon = await line.locator('.codicon').boundingBox();
      const words = await line.locator('span').last().boundingBox();
      expect(words?.x ?? 0).toBeGreaterThan((icon?.x ?? 0) + (icon?.width ?? 0) - 1);
      expect(words?.y ?? 1_000).toBeLessThan((icon?.y ?? 0) + (icon?.height ?? 0));
    });

    it('edits and copies what was chosen from a menu, on another line too', async () => {
      const { scene, ids } = forked();
      const chat = await open(scene);
      const chosen = (what: 'edit' | 'copy', entry_id: string, session = scene.id) =>
        chat.post({ type: 'chosen', session, what, entry_id });
      await chosen('edit', ids.older);
      await eventually(() => chat.composer.inputValue()).toBe('By train');
      expect(await chat.composer.getAttribute('data-editing')).toBe(ids.older);
      await chosen('edit', ids.newer, 'another');
      await chosen('copy', ids.olderEnd);
      await eventually(() => chat.commands()).toEqual([{ type: 'copy', text: 'Nine hours by train.' }]);
      expect(await chat.composer.inputValue()).toBe('By train');
    });

    it('branches from a node and names it', async () => {
      const { scene, ids } = forked();
      const chat = await open(scene);
      await chat.at('tree-toggle').click();
      const node = chat.page.locator(`[data-testid="tree-node"][data-entry-id="${ids.answer}"]`);
      await node.hover();
      await node.getByRole('button', { name: 'Label' }).click();
      await chat.page.keyboard.type('The question');
      await chat.page.keyboard.press('Enter');
      await eventually(() => chat.intents()).toEqual([
        { type: 'label', entry_id: ids.answer, label: 'The question' },
      ]);
      const labelled = scene.append(() =>
        scene.add({ type: 'label', target_id: ids.answer, label: 'The question' }),
      );
      await chat.post(labelled);
      await node.getByText('The question').waitFor();
      await node.hover();
      await node.getByRole('button', { name: 'Branch from here' }).click();
      await eventually(() => chat.intents().at(-1)).toEqual({ type: 'navigate', entry_id: ids.answer });
      await eventually(() => chat.composer.evaluate((element) => element === document.activeElement)).toBe(
        true,
      );
    });

    it('mounts only what is in sight of ten thousand messages', async () => {
      const scene = new Scene();
      scene.user('The very first prompt');
      for (let index = 1; index < 10_000; index++) scene.answer(`Answer ${index}`);
      const chat = await open(scene);
      await chat.at('tree-toggle').click();
      await chat.at('tree').press('Home');
      await chat.at('tree').getByText('The very first prompt').waitFor();
      expect(await chat.at('tree-node').count()).toBeLessThan(60);

      // One of them comes into sight without all that follow it, and is read on from.
      await chat.at('tree').press('Enter');
      const row = (text: string) => chat.at('transcript').getByText(text, { exact: true });
      await row('The very first prompt').waitFor();
      expect(await chat.at('message').count()).toBeLessThan(120);
      await row('Answer 9999').waitFor({ state: 'attached' });
      await chat.at('transcript').hover();
      // Rows far from what is read are not there for long.
      const isInSight = () =>
        row('Answer 60').evaluateAll((found) =>
          found.some((element) => element.getBoundingClientRect().top < innerHeight),
        );
      for (let page = 0; page < 200 && !(await isInSight()); page++) await chat.page.mouse.wheel(0, 200);
      expect(await isInSight()).toBe(true);
      await chat.at('jump-latest').click();
      await row('Answer 9999').waitFor();
      await eventually(() => row('Answer 60').count()).toBe(0);
    });

    it('brings a message of another line into sight once that line is shown', async () => {
      const scene = new Scene();
      const first = scene.user('The very first prompt');
      const far = scene.user('Far up on the other line');
      scene.answer(Array.from({ length: 200 }, (_, line) => `Other line ${line}`).join('\n\n'));
      scene.add({ type: 'head', entry_id: first });
      scene.answer('The answer');
      const chat = await open(scene);
      chat.answer = (message) => {
        if (message.type === 'intent' && message.intent.type === 'navigate')
          void chat.post(scene.goTo(message.intent.entry_id));
        return { result: null };
      };
      await chat.at('tree-toggle').click();
      await chat.page.locator(`[data-testid="tree-node"][data-entry-id="${far}"]`).click();
      const row = chat.page.locator(`[data-testid="message"][data-entry-id="${far}"]`);
      const isInSight = () =>
        row.evaluateAll((found) =>
          found.some((element) => {
            const { top, bottom } = element.getBoundingClientRect();
            return top > 0 && bottom < innerHeight;
          }),
        );
      await eventually(isInSight).toBe(true);
      await chat.at('left-back').waitFor();
    });

    it('brings a message of the shown line into sight', async () => {
      const scene = new Scene();
      const first = scene.user('The very first prompt');
      for (let index = 1; index < 100; index++) scene.answer(`Answer ${index}`);
      const chat = await open(scene);
      await chat.at('tree-toggle').click();
      await chat.at('tree').press('Home');
      await chat.at('tree').press('Enter');
      const row = chat.page.locator(`[data-testid="message"][data-entry-id="${first}"]`);
      await eventually(() => row.evaluate((element) => element.getBoundingClientRect().top > 0)).toBe(true);
    });
  });
}
