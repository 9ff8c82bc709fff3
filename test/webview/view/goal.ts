// A goal: how far it is in a sentence, and a button for what the person can do now.
import { describe, expect, it } from 'vitest';
import type { Open } from '../bench/chat-page.js';
import { eventually } from '../bench/eventually.js';
import { idle } from '../bench/scenes.js';
import { goalScene } from '../gallery/goal.js';

export function goalTests(open: Open): void {
  describe('a goal', () => {
    it('says how far it is, and offers Pause while it is worked on; what is pressed keeps the focus', async () => {
      const scene = goalScene({ status: 'active', doing: 'working' });
      const chat = await open(scene);
      const goal = chat.at('goal');
      await goal.waitFor();
      expect(await goal.getAttribute('data-status')).toBe('active');
      expect(await goal.getAttribute('data-iteration')).toBe('2');
      expect(await goal.getAttribute('data-max')).toBe('20');
      await eventually(() => chat.at('goal-state').innerText()).toMatch(
        /^Iteration 2 of 20, being worked on\./,
      );
      await eventually(() => chat.at('goal-line').allInnerTexts()).toEqual([
        'Goal: iteration 1 of 20',
        'Goal: not yet – The greeting of the mail is still the old one.',
        'Goal: iteration 2 of 20',
      ]);
      await goal.getByRole('button', { name: 'Pause' }).press('Enter');
      await eventually(() =>
        chat.received.flatMap((message) => (message.type === 'intent' ? [message.intent.type] : [])),
      ).toContain('goal_pause');
      await chat.post({
        type: 'status',
        session: 'session-1',
        status: { ...idle, goal: { status: 'paused', doing: null, reason: 'You paused it.' } },
      });
      await eventually(() => goal.getAttribute('data-status')).toBe('paused');
      expect(
        await goal
          .getByRole('button', { name: 'Resume' })
          .evaluate((node) => node === document.activeElement),
      ).toBe(true);
      await eventually(() => chat.page.locator('main > [role="status"]').innerText()).toContain(
        'Paused in iteration 2 of 20.',
      );
    });

    it('cannot be driven while another window works on it, and says why', async () => {
      const chat = await open(goalScene({ status: 'active', doing: 'elsewhere' }));
      const pause = chat.at('goal').getByRole('button', { name: 'Pause' });
      await pause.press('Enter');
      expect(await pause.getAttribute('aria-disabled')).toBe('true');
      expect(await pause.getAttribute('title')).toContain('Another window works on it');
      expect(chat.received.filter(({ type }) => type === 'intent')).toEqual([]);
    });

    it('that is blocked says why in one place, with what mends it', async () => {
      const reason = 'Whether it is reached could not be found out: Fake One wants an API key.';
      const chat = await open(goalScene({ status: 'blocked', doing: null, reason, action: 'set-key' }));
      await chat.at('goal').waitFor();
      expect(await chat.page.getByText('wants an API key').count()).toBe(1);
      expect(await chat.at('goal-state').innerText()).toContain('wants an API key');
      expect((await chat.at('goal-line').allInnerTexts()).at(-1)).toBe('Goal: blocked');
      expect(await chat.at('failure').count()).toBe(0);
      await chat.at('goal').getByRole('button', { name: 'Set API Key…' }).click();
      await eventually(() =>
        chat.received.flatMap((message) => (message.type === 'ui' ? [message.command.type] : [])),
      ).toEqual(['set_key']);
    });

    it.each([
      ['paused', 'Resume', 'goal_resume'],
      ['blocked', 'Retry', 'goal_retry'],
      ['completed', 'Clear', 'goal_clear'],
    ] as const)('%s offers %s', async (status, name, intent) => {
      const chat = await open(goalScene({ status, doing: null, reason: 'Because.' }));
      await chat.at('goal').getByRole('button', { name, exact: true }).click();
      await eventually(() =>
        chat.received.flatMap((message) => (message.type === 'intent' ? [message.intent.type] : [])),
      ).toEqual([intent]);
      expect(await chat.at('goal-state').innerText()).toContain('Because.');
    });
  });
}
