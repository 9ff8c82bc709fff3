// Two lines beside each other, by mouse and by keyboard, and the offer to let the files follow.
import { describe, expect, it } from 'vitest';
import type { Open } from '../bench/chat-page.js';
import { eventually } from '../bench/eventually.js';
import { idle, Scene } from '../bench/scenes.js';
import { twoLines } from '../gallery/compared.js';

export function compareTests(open: Open): void {
  describe('two branches compared', () => {
    it('are opened from the tree by a key, read, and closed again where the keyboard was', async () => {
      const { scene, left_id, right_id } = twoLines();
      const chat = await open(scene);
      await chat.at('tree-toggle').click();
      await chat.at('tree').press('c');
      expect(await chat.at('compare').count()).toBe(0);
      await chat.page.locator(`[data-testid="tree-node"][data-entry-id="${right_id}"]`).hover();
      for (let step = 0; step < 10; step++) {
        const selected = chat.page.locator('[role="treeitem"][aria-selected="true"]');
        if ((await selected.getAttribute('data-entry-id')) === right_id) break;
        await chat.at('tree').press('ArrowUp');
      }
      await chat.at('tree').press('c');
      const columns = chat.at('compare-column');
      await columns.first().waitFor();
      expect(await columns.evaluateAll((all) => all.map((one) => one.getAttribute('data-head')))).toEqual([
        left_id,
        right_id,
      ]);
      expect(await columns.first().getAttribute('aria-label')).toBe('with a test, on show');
      expect(await columns.first().innerText()).toContain('Wrote test/greet.test.ts');
      expect(await columns.last().innerText()).toContain('It names the guest now');
      expect(await chat.at('compare').innerText()).not.toContain('Make the greeting friendlier');
      // Nothing of what lies below it can be reached.
      expect(await chat.at('transcript').evaluate((element) => element.closest('[inert]') !== null)).toBe(
        true,
      );
      await chat.page.keyboard.press('Tab');
      await chat.page.keyboard.press('Escape');
      await chat.at('compare').waitFor({ state: 'detached' });
      await eventually(() => chat.at('tree').evaluate((element) => element === document.activeElement)).toBe(
        true,
      );
      expect(chat.intents()).toEqual([]);
    });

    it('are called by the last name that was given on what is their own', async () => {
      const scene = new Scene();
      scene.user('Plan the trip');
      const answer = scene.answer('By train or by car?');
      scene.add({ type: 'label', target_id: answer, label: 'what both have' });
      const train = scene.user('By train');
      scene.add({ type: 'label', target_id: train, label: 'rails' });
      scene.answer('Nine hours.');
      scene.user('Are there seats?');
      const right_id = scene.answer('There are.');
      scene.add({ type: 'head', entry_id: answer });
      scene.user('By car');
      const left_id = scene.answer('Seven hours by car.');
      const chat = await open(scene);
      await chat.post({ type: 'compare', left_id, right_id });
      const columns = chat.at('compare-column');
      await columns.first().waitFor();
      expect(await columns.evaluateAll((all) => all.map((one) => one.getAttribute('aria-label')))).toEqual([
        'By car, on show',
        'rails',
      ]);
    });

    it('are called as they begin where nobody named them, and say whole from where they part', async () => {
      const scene = new Scene();
      scene.user('Plan the trip');
      const answer = scene.answer('By train or by car? '.repeat(4).trim());
      scene.user('By train, as slowly as may be and with a change in every town on the way');
      const right_id = scene.answer('Nine hours by train.');
      scene.add({ type: 'head', entry_id: answer });
      scene.user('By car');
      const left_id = scene.answer('Seven hours by car.');
      const chat = await open(scene);
      await chat.page.setViewportSize({ width: 300, height: 400 });
      await chat.post({ type: 'compare', left_id, right_id });
      const columns = chat.at('compare-column');
      await columns.first().waitFor();
      expect(await columns.evaluateAll((all) => all.map((one) => one.getAttribute('aria-label')))).toEqual([
        'By car, on show',
        'By train, as slowly as may be and with a…',
      ]);
      const shared = chat.at('compare').getByText('Both go on from');
      expect(await shared.evaluate((element) => element.scrollWidth <= element.clientWidth)).toBe(true);
      const whole = async () => await chat.at('compare').evaluate((e) => e.scrollWidth <= e.clientWidth);
      expect(await whole()).toBe(true);
    });

    it('show their files in the editor, and are gone to', async () => {
      const { scene, left_id, right_id } = twoLines();
      const chat = await open(scene);
      await chat.post({ type: 'compare', left_id, right_id });
      await chat.at('compare-file').filter({ hasText: 'test/greet.test.ts (only in “with a test”)' }).click();
      await chat.at('compare-all').click();
      await eventually(() => chat.commands()).toEqual([
        { type: 'compare_files', left_id, right_id, path: 'test/greet.test.ts' },
        { type: 'compare_files', left_id, right_id },
      ]);
      await chat.at('compare').getByRole('button', { name: 'Switch to This Branch' }).click();
      await eventually(() => chat.intents()).toEqual([{ type: 'navigate', entry_id: right_id }]);
      await chat.at('compare').waitFor({ state: 'detached' });
    });

    it('are brought to an editor tab, where there is more room', async () => {
      const { scene, left_id, right_id } = twoLines();
      const chat = await open(scene);
      await chat.post({ type: 'compare', left_id, right_id });
      await chat.at('compare-in-editor').click();
      await eventually(() => chat.commands()).toEqual([{ type: 'compare_in_editor', left_id, right_id }]);
      await chat.at('compare').waitFor({ state: 'detached' });
      const tab = await open(scene, { surface: 'tab' });
      await tab.post({ type: 'compare', left_id, right_id });
      await tab.at('compare-column').first().waitFor();
      expect(await tab.at('compare-in-editor').count()).toBe(0);
    });

    it('stand beside each other where there is room, else one below the other', async () => {
      const { scene, left_id, right_id } = twoLines();
      for (const [width, isBeside] of [
        [1000, true],
        [340, false],
      ] as const) {
        const chat = await open(scene, { width });
        await chat.post({ type: 'compare', left_id, right_id });
        const [left, right] = [chat.at('compare-column').first(), chat.at('compare-column').last()];
        await right.waitFor();
        const [a, b] = [await left.boundingBox(), await right.boundingBox()];
        expect((a?.y ?? 0) === (b?.y ?? -1)).toBe(isBeside);
      }
    });
  });

  describe('files that follow', () => {
    it('are offered beside everything else, and nothing is asked', async () => {
      const { scene } = twoLines();
      scene.status = { ...idle, files: { count: 2, names: ['a.ts', 'b.ts'], changed: 1 } };
      const chat = await open(scene);
      expect(await chat.at('files-offer').innerText()).toContain('2 files are not as this branch left them.');
      expect(await chat.at('files-offer').innerText()).toContain('1 changed since: you are asked first.');
      for (const button of ['files-preview', 'files-restore', 'files-keep']) await chat.at(button).click();
      await eventually(() => chat.commands()).toEqual([
        { type: 'preview_files' },
        { type: 'restore_files' },
        { type: 'keep_files' },
      ]);
      await chat.composer.fill('go on');
      await chat.at('send').click();
      await eventually(() => chat.intents()).toMatchObject([{ type: 'send', text: 'go on' }]);
    });

    it('wait for a running turn to stop', async () => {
      const { scene } = twoLines();
      scene.status = { ...idle, run: 'running', files: { count: 1, names: ['a.ts'], changed: 0 } };
      const chat = await open(scene);
      await chat.at('files-restore').click();
      await eventually(() => chat.intents()).toEqual([{ type: 'stop' }]);
      expect(chat.commands()).toEqual([]);
      const status = { ...scene.status, run: 'idle' as const };
      await chat.post({ type: 'status', session: scene.id, status });
      await eventually(() => chat.commands()).toEqual([{ type: 'restore_files' }]);
    });
  });
}
