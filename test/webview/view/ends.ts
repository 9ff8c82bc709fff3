// Ends that are not answers: a request that was too long, calls that a crash left, a turn that is being stopped.
import { describe, expect, it } from 'vitest';
import type { Open } from '../bench/chat-page.js';
import { eventually } from '../bench/eventually.js';
import { Scene } from '../bench/scenes.js';
import { cutCalls, fileNoticeState, stopping, tooLong } from '../gallery/ends.js';

export function endTests(open: Open): void {
  describe('ends that are no answers', () => {
    it('E9: a request that was too long offers a larger model, leaving out outputs, and branching earlier', async () => {
      const chat = await open(tooLong().scene);
      const failure = chat.at('failure');
      await failure.getByRole('button', { name: 'Select Model…' }).click();
      await failure.getByRole('button', { name: 'Edit an Earlier Message…' }).click();
      await eventually(() => chat.commands()).toEqual([{ type: 'select_model' }, { type: 'edit_earlier' }]);
      await failure.getByRole('button', { name: 'Leave Out Tool Outputs' }).click();
      await eventually(() => chat.intents()).toEqual([{ type: 'leave_out_outputs' }]);
    });

    it('E9: where no tool gave anything there is nothing to leave out', async () => {
      const scene = new Scene();
      scene.turn('A very long prompt', 'turn-1');
      scene.endTurn('turn-1', 'failed');
      scene.status = tooLong().scene.status;
      const chat = await open(scene);
      await chat.at('edit-earlier').waitFor();
      expect(await chat.at('leave-out-outputs').count()).toBe(0);
    });

    it('E9, E11: what was left out for the model stands in the conversation still, and can be branched from before', async () => {
      const { scene } = tooLong(true);
      const chat = await open(scene);
      expect(await chat.at('compaction').innerText()).toContain('Left out what tools gave above');
      await chat.at('compaction').getByRole('button').first().click();
      expect(await chat.at('compaction').innerText()).toContain('how to read it');
      await chat.at('tool-toggle').click();
      await chat.page.getByText('warning: unused').first().waitFor();
      await chat.page.getByRole('button', { name: 'Branch from Before It' }).click();
      const before = scene.placed.find(({ entry }) => entry.type === 'compaction')?.entry.parent_id;
      await eventually(() => chat.intents()).toEqual([{ type: 'navigate', entry_id: before }]);
    });

    it('a call that had begun when the editor ended is unknown, one that had not is interrupted', async () => {
      const chat = await open(cutCalls().scene);
      const card = (tool: string) => chat.page.locator(`[data-testid="tool-card"][data-tool="${tool}"]`);
      expect(await card('run').getAttribute('data-state')).toBe('unknown');
      expect(await card('write').getAttribute('data-state')).toBe('interrupted');
    });

    it('a turn that is being stopped says so until it has, and Stop cannot be pressed twice', async () => {
      const { scene } = stopping();
      const chat = await open(scene);
      expect(await chat.page.locator('body').getAttribute('data-run')).toBe('stopping');
      expect(await chat.at('stop').getAttribute('aria-disabled')).toBe('true');
      await chat.at('stop').click({ force: true });
      expect(chat.intents()).toEqual([]);
      scene.status = { ...scene.status, run: 'idle' };
      await chat.post({ type: 'status', session: scene.id, status: scene.status });
      await eventually(() => chat.page.locator('body').getAttribute('data-run')).toBe('idle');
    });

    it('says what became of the file and the settings, each with what helps', async () => {
      const chat = await open(fileNoticeState().scene);
      const kinds = chat
        .at('notice')
        .evaluateAll((notices) => notices.map((notice) => notice.getAttribute('data-kind')));
      expect(await kinds).toEqual(['config', 'recovered', 'newer', 'conflict']);
      for (const name of ['Open Settings', 'Reveal Log', 'New Session', 'Keep as a Branch'])
        await chat.at('notice').getByRole('button', { name }).click();
      await eventually(() => chat.commands().map(({ type }) => type)).toEqual([
        ...['open_settings', 'reveal_log', 'new_session', 'keep_as_branch'],
      ]);
    });
  });
}
