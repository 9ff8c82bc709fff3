// Failures, interruptions and waits: said in their place, replacing nothing.
import { describe, expect, it } from 'vitest';
import type { Open } from '../bench/chat-page.js';
import { askForApproval, workingScene } from '../bench/command-scene.js';
import { eventually } from '../bench/eventually.js';
import { idle, Scene } from '../bench/scenes.js';

export function troubleTests(open: Open): void {
  describe('what went wrong', () => {
    it('a session that is opened says how far it is; one that was not says so, with what to do, and shows no bar', async () => {
      const chat = await open(new Scene());
      const waited = {
        type: 'opening' as const,
        session: 'other',
        title: 'Other',
        bytes: 5_000_000,
        of: 10_000_000,
      };
      await chat.post({ ...waited, state: 'opening' });
      const bar = chat.page.getByRole('progressbar');
      await bar.waitFor();
      expect(await bar.getAttribute('aria-valuenow')).toBe('50');
      for (const state of ['cancelled', 'failed'] as const) {
        await chat.post({ ...waited, state });
        await chat.page.locator(`[data-testid="opening"][data-state="${state}"]`).waitFor();
        expect(await bar.count()).toBe(0);
        await chat.at('opening-again').waitFor();
      }
      await chat.at('opening-again').click();
      await eventually(() => chat.received.filter(({ type }) => type === 'opening')).toHaveLength(1);
    });

    it('D6: an error stands below the text that came, and replaces nothing', async () => {
      const scene = new Scene();
      scene.turn('Question', 'turn-1');
      scene.status = { ...idle, run: 'running' };
      const chat = await open(scene);
      for (const [text, offset] of [
        ['One ', 0],
        ['two ', 4],
        ['three', 8],
      ] as const)
        await chat.post(scene.growing(text, offset));
      await chat.page.getByText('One two three').waitFor();
      scene.status = {
        ...idle,
        failure: { kind: 'network', message: 'The connection was lost.', transient: true },
      };
      await chat.post(
        scene.append(() => {
          scene.add({
            type: 'incomplete_output',
            attempt_id: 'attempt-1',
            text: 'One two three',
            incomplete: true,
            reason: 'connection',
            turn_id: 'turn-1',
          });
          scene.endTurn('turn-1', 'failed');
        }),
      );
      const marker = chat.page.locator('[data-testid="incomplete-marker"][data-reason="connection"]');
      await marker.getByText('The connection was lost.').waitFor();
      const text = await chat.page.getByText('One two three').boundingBox();
      const failure = await chat.at('failure').boundingBox();
      expect(failure?.y ?? 0).toBeGreaterThan((text?.y ?? 0) + (text?.height ?? 0) - 1);
      await marker.getByRole('button', { name: 'Continue' }).click();
      await eventually(() => chat.intents().at(-1)).toEqual({ type: 'continue' });
      await marker.getByRole('button', { name: 'Try Again' }).click();
      await eventually(() => chat.intents().at(-1)).toEqual({ type: 'try_again' });
    });

    it('E4 D5: leaves a line for what was waited for, and tells a stop from what broke off before it', async () => {
      const scene = new Scene();
      scene.turn('Question', 'turn-1');
      const step = { step: 1, turn_id: 'turn-1' };
      const wait = { ...step, delay_ms: 12_000, due_at: '' };
      scene.add({ type: 'step_start', ...step, attempt_id: 'a' });
      scene.add({
        type: 'retry_start',
        kind: 'retry',
        ...wait,
        attempt_id: 'a',
        attempt: 1,
        max_attempts: 4,
        error: 'Too many requests',
        server_hint: true,
      });
      scene.add({ type: 'step_start', ...step, attempt_id: 'b' });
      scene.add({
        type: 'resume_start',
        ...wait,
        resume: 1,
        max_resumes: 5,
        error: 'The connection was lost.',
      });
      scene.add({
        type: 'incomplete_output',
        attempt_id: 'b',
        text: 'Half',
        incomplete: true,
        reason: 'stopped',
        error: 'The connection was lost.',
        turn_id: 'turn-1',
      });
      scene.endTurn('turn-1', 'stopped');
      const chat = await open(scene);
      const line = chat.at('waited');
      expect(await line.innerText()).toMatch(
        /^Waited \d+.s, (\d+.s|a moment) of it as the server asked · 2 requests · then cancelled$/,
      );
      await line.getByRole('button').click();
      expect(await line.getByRole('listitem').allInnerTexts()).toEqual([
        'Too many requests.',
        'The connection was lost.',
      ]);
      expect(await chat.at('incomplete-marker').innerText()).toMatch(
        /the answer broke off, then you cancelled · The connection was lost\./,
      );
    });

    it('tells of an interrupted turn once, with all that can be done', async () => {
      const scene = new Scene();
      scene.turn('Question', 'turn-1');
      scene.add({
        type: 'incomplete_output',
        attempt_id: 'a',
        text: 'Half',
        incomplete: true,
        reason: 'crash',
        turn_id: 'turn-1',
      });
      scene.status = {
        ...idle,
        interrupted: { turn_id: 'turn-1', message: 'The editor ended in mid-answer.' },
      };
      const chat = await open(scene);
      expect(await chat.at('turn-interrupted').count()).toBe(1);
      for (const [testId, type] of [
        ['turn-continue', 'continue'],
        ['turn-again', 'try_again'],
        ['turn-leave', 'leave'],
      ] as const) {
        expect(await chat.at(testId).count()).toBe(1);
        await chat.at(testId).click();
        await eventually(() => chat.intents().at(-1)).toEqual({ type });
      }
    });

    it('a turn that was left says so, and can be taken up again all the same', async () => {
      const scene = new Scene();
      scene.turn('Question', 'turn-1');
      scene.status = { ...idle, interrupted: { turn_id: 'turn-1', message: 'The editor ended.' } };
      const chat = await open(scene);
      await chat.at('turn-leave').click();
      scene.status = idle;
      await chat.post(scene.append(() => scene.endTurn('turn-1', 'interrupted')));
      await chat.at('turn-left').getByText('Left as it is').waitFor();
      expect(await chat.at('turn-leave').count()).toBe(0);
      await chat.at('turn-left').getByRole('button', { name: 'Try Again' }).click();
      await eventually(() => chat.intents().at(-1)).toEqual({ type: 'try_again' });
    });

    it('a copy that ends within a turn says so, and nobody stopped it', async () => {
      const scene = new Scene();
      scene.turn('Question', 'turn-1');
      scene.add({ type: 'turn_end', turn_id: 'turn-1', steps: 0, status: 'stopped', is_cut: true });
      const chat = await open(scene);
      await chat.at('turn-left').getByText('This copy ends within the turn').waitFor();
      expect(await chat.at('turn-stopped').count()).toBe(0);
      await chat.at('turn-left').getByRole('button', { name: 'Try Again' }).click();
      await eventually(() => chat.intents().at(-1)).toEqual({ type: 'try_again' });
    });

    it('E4: a retry says why, which attempt and how long, and counts down', async () => {
      const scene = new Scene();
      scene.turn('Question', 'turn-1');
      const start = Date.UTC(2026, 0, 5, 12, 0, 0);
      const due_at = new Date(start + 20_000).toISOString();
      scene.add({
        type: 'retry_start',
        kind: 'retry',
        step: 1,
        attempt_id: 'a',
        attempt: 1,
        max_attempts: 4,
        delay_ms: 20_000,
        due_at,
        error: 'Overloaded (503).',
        turn_id: 'turn-1',
      });
      scene.status = { ...idle, run: 'retrying' };
      const chat = await open(scene, { at: start });
      const indicator = chat.at('retry-indicator');
      expect(await indicator.getAttribute('data-due-at')).toBe(due_at);
      expect(await indicator.getAttribute('data-kind')).toBe('retry');
      const words = async () => (await indicator.locator('p').innerText()).replace(/\s+/g, ' ');
      expect(await words()).toBe('Overloaded (503). Sent again in 20 s: attempt 2 of 4.');
      const live = chat.page.locator('[role="status"][aria-live="polite"]');
      expect(await live.innerText()).toBe('Overloaded (503). It is sent again by itself');
      await chat.page.clock.runFor(5_000);
      expect(await words()).toBe('Overloaded (503). Sent again in 15 s: attempt 2 of 4.');
      await chat.at('retry-now').click();
      await eventually(() => chat.intents().at(-1)).toEqual({ type: 'retry_now' });
      await chat.at('retry-cancel').click();
      await eventually(() => chat.intents().at(-1)).toEqual({ type: 'retry_cancel' });
      await chat.at('switch-model').click();
      await eventually(() => chat.commands()).toEqual([{ type: 'select_model' }]);
    });

    it('E4: when the attempts are used up the step starts over, and that is counted by itself', async () => {
      const scene = new Scene();
      scene.turn('Question', 'turn-1');
      const start = Date.UTC(2026, 0, 5, 12, 0, 0);
      scene.add({
        type: 'resume_start',
        step: 1,
        resume: 1,
        max_resumes: 5,
        delay_ms: 5_000,
        due_at: new Date(start + 5_000).toISOString(),
        error: 'Overloaded (503).',
        turn_id: 'turn-1',
      });
      scene.status = { ...idle, run: 'retrying' };
      const chat = await open(scene, { at: start });
      const words = await chat.at('retry-indicator').locator('p').innerText();
      expect(words.replace(/\s+/g, ' ')).toBe(
        'Overloaded (503). The step starts over in 5 s: restart 1 of 5.',
      );
      expect(await chat.at('switch-model').count()).toBe(1);
    });

    it('E1: a wait the server asked for cannot be skipped, and says so', async () => {
      const scene = new Scene();
      scene.turn('Question', 'turn-1');
      const start = Date.UTC(2026, 0, 5, 12, 0, 0);
      const due_at = new Date(start + 20_000).toISOString();
      scene.add({
        type: 'retry_start',
        kind: 'retry',
        step: 1,
        attempt_id: 'a',
        attempt: 1,
        max_attempts: 4,
        delay_ms: 20_000,
        due_at,
        error: 'Too many requests (429).',
        server_hint: true,
        turn_id: 'turn-1',
      });
      scene.status = { ...idle, run: 'retrying' };
      const chat = await open(scene, { at: start });
      await chat.at('retry-now').click({ force: true });
      expect(chat.intents()).toEqual([]);
      expect(await chat.at('retry-now').getAttribute('title')).toMatch(/server asked to wait/);
    });

    it('G15: a row that cannot be drawn says so in its place; the others and the typed text stay', async () => {
      const scene = new Scene();
      scene.user('Before');
      scene.add({
        type: 'compaction',
        summary: 'the summary',
        first_kept_entry_id: 'x',
        tokens_before: undefined as unknown as number,
        tokens_after: 1,
      });
      scene.answer('After');
      const chat = await open(scene, { snapshot: { draft: { text: 'still typing', editing: null } } });
      await chat.page.getByText('This part of the conversation could not be shown').waitFor();
      expect(await chat.page.getByRole('region', { name: 'As plain text' }).innerText()).toBe('the summary');
      await chat.page.getByText('Before').waitFor();
      await chat.page.getByText('After', { exact: true }).waitFor();
      expect(await chat.composer.inputValue()).toBe('still typing');
      expect(chat.troubles()).toEqual([expect.stringContaining('A row could not be drawn')]);
    });

    it('draws what is nested deeper than anybody reads', async () => {
      const scene = new Scene();
      scene.answer(`${'> '.repeat(3000)}in a quotation`);
      scene.answer(
        Array.from({ length: 400 }, (_, level) => `${'  '.repeat(level)}- level ${level}.`).join('\n'),
      );
      const chat = await open(scene);
      await chat.page.getByText('in a quotation').waitFor({ state: 'attached' });
      await chat.page.getByText('level 399.').waitFor({ state: 'attached' });
      expect(chat.troubles()).toEqual([]);
    });

    it('shows what a notice is about, not in its tooltip alone', async () => {
      const scene = new Scene();
      const detail = Array.from({ length: 30 }, (_, index) => `Line ${index + 1} is damaged.`).join('\n');
      scene.status = {
        ...idle,
        notices: [{ kind: 'damaged', message: 'The log is damaged.', detail, actions: [] }],
      };
      const chat = await open(scene);
      const shown = chat.at('notice').getByRole('region', { name: 'Details' });
      expect(await shown.innerText()).toBe(detail);
      const [height, whole] = await shown.evaluate((element) => [element.clientHeight, element.scrollHeight]);
      expect(height).toBeLessThan(130);
      expect(whole).toBeGreaterThan(300);
    });

    it('a long path is cut before its last name; what begins short is unfolded when it is asked for', async () => {
      const scene = new Scene();
      const path = `/home/somebody/${'a-long-folder/'.repeat(12)}the-file.jsonl`;
      const words = 'It is there since this morning.';
      scene.status = {
        ...idle,
        notices: [
          { kind: 'stale', message: `The file ${path} is gone.`, actions: [] },
          {
            kind: 'read-only',
            message: 'It is in use.',
            detail: words,
            isBrief: true,
            actions: [{ label: 'Fork…', command: { type: 'fork_session' } }],
          },
        ],
      };
      const chat = await open(scene);
      await chat.page.setViewportSize({ width: 300, height: 700 });
      const [gone, used] = [chat.at('notice').nth(0), chat.at('notice').nth(1)];
      const shown = gone.locator('.path');
      expect(await shown.getAttribute('title')).toBe(path);
      expect(await gone.locator('p').innerText()).toBe(`The file ${path} is gone.`);
      // On one line, with its end in sight and its beginning cut off.
      const [whole, cut] = await shown.evaluate((element) => {
        const inner = element.firstElementChild?.getBoundingClientRect();
        const outer = element.getBoundingClientRect();
        return [
          { right: Math.round(inner?.right ?? 0), isLonger: (inner?.left ?? 0) < outer.left },
          { right: Math.round(outer.right), height: outer.height },
        ] as const;
      });
      expect(whole).toEqual({ right: cut.right, isLonger: true });
      expect(cut.right).toBeLessThan(300);
      expect(cut.height).toBeLessThan(30);
      expect(await used.getByText(words).count()).toBe(0);
      expect(await used.getByRole('button').count()).toBe(1);
      await used.getByRole('button', { name: 'Show the whole notice' }).click();
      await used.getByText(words).waitFor();
      await used.getByRole('button', { name: 'Fork…' }).waitFor();
      await used.getByRole('button', { name: 'Fold the notice' }).click();
      expect(await used.getByText(words).count()).toBe(0);
    });

    it('however low and narrow the panel and however much is to be said, what is typed and sent stays in sight', async () => {
      const scene = new Scene();
      scene.user('Change it');
      scene.answer('Changed.');
      const message = 'A line of this session was damaged and is not shown here; everything else is.';
      const detail = Array.from({ length: 9 }, (_, index) => `Line ${index + 1} is damaged.`).join('\n');
      scene.status = {
        ...idle,
        place: 'untrusted',
        changes: { count: 1, names: ['README.md'] },
        notices: [
          { kind: 'damaged', message, detail, actions: [] },
          { kind: 'recovered', message, detail, actions: [] },
        ],
      };
      const chat = await open(scene);
      await chat.page.setViewportSize({ width: 175, height: 535 });
      const send = await chat.at('send').boundingBox();
      expect((send?.y ?? 0) + (send?.height ?? 1000)).toBeLessThanOrEqual(535);
      const room = await chat.at('transcript').boundingBox();
      expect(room?.height ?? 0).toBeGreaterThan(40);
    });

    it('while a turn runs, offers to stop it and then do what was asked', async () => {
      const scene = new Scene();
      scene.user('One');
      const leaf = scene.answer('Answer one');
      scene.add({ type: 'head', entry_id: null });
      scene.turn('Two', 'turn-2');
      scene.status = { ...idle, run: 'running' };
      const chat = await open(scene);
      chat.answer = (message) =>
        message.type === 'intent' && message.intent.type === 'navigate' && scene.status.run !== 'idle'
          ? {
              failure: {
                kind: 'refused',
                message: 'A turn is running here.',
                transient: false,
                code: 'SessionRunning',
              },
            }
          : { result: null };
      await chat.at('branch-prev').click();
      await chat.page.getByRole('button', { name: 'Stop and Switch' }).click();
      await eventually(() => chat.intents().at(-1)).toEqual({ type: 'stop' });
      scene.status = idle;
      await chat.post(scene.append(() => scene.endTurn('turn-2', 'stopped')));
      await eventually(() => chat.intents().at(-1)).toEqual({ type: 'navigate', entry_id: leaf });
      await eventually(() => chat.at('problem').count()).toBe(0);
    });

    it('an edit is a switch, too; what goes nowhere only waits for the end of the turn', async () => {
      const scene = new Scene();
      const first = scene.user('One');
      scene.answer('Answer one');
      const chat = await open(scene);
      const failure = {
        kind: 'refused' as const,
        message: 'A turn is running here.',
        transient: false,
        code: 'SessionRunning' as const,
      };
      chat.answer = (message) => (message.type === 'intent' ? { failure } : { result: null });
      await chat.composer.press('ArrowUp');
      await chat.composer.fill('Another one');
      await chat.composer.press('Enter');
      const stopAndSwitch = chat.page.getByRole('button', { name: 'Stop and Switch' });
      await stopAndSwitch.waitFor();
      chat.answer = () => ({ result: null });
      await stopAndSwitch.click();
      await eventually(() => chat.intents().slice(1)).toMatchObject([
        { type: 'stop' },
        { type: 'send', text: 'Another one', editing: first },
      ]);
      chat.answer = (message) => (message.type === 'intent' ? { failure } : { result: null });
      await chat.composer.fill('/compact ');
      await chat.composer.press('Enter');
      await chat.page.getByRole('button', { name: 'Stop First' }).waitFor();
    });

    it('the turn that was to be stopped ended by itself: what was asked for is done at once', async () => {
      const scene = new Scene();
      scene.user('One');
      const leaf = scene.answer('Answer one');
      scene.add({ type: 'head', entry_id: null });
      scene.user('Two');
      const chat = await open(scene);
      let isRefused = true;
      const failure = {
        kind: 'refused' as const,
        message: 'A turn is running here.',
        transient: false,
        code: 'SessionRunning' as const,
      };
      chat.answer = () => (isRefused ? { failure } : { result: null });
      await chat.at('branch-prev').click();
      await chat.page.getByRole('button', { name: 'Stop and Switch' }).waitFor();
      isRefused = false;
      await chat.page.getByRole('button', { name: 'Stop and Switch' }).click();
      await eventually(() => chat.intents().slice(1)).toEqual([
        { type: 'stop' },
        { type: 'navigate', entry_id: leaf },
      ]);
      await eventually(() => chat.at('problem').count()).toBe(0);
    });

    it('a turn that could not be stopped: that is said, and nothing follows later', async () => {
      const scene = new Scene();
      scene.user('One');
      scene.answer('Answer one');
      scene.add({ type: 'head', entry_id: null });
      scene.turn('Two', 'turn-2');
      scene.status = { ...idle, run: 'running' };
      const chat = await open(scene);
      const refused = { kind: 'refused' as const, transient: false };
      chat.answer = (message) => ({
        failure:
          message.type === 'intent' && message.intent.type === 'stop'
            ? { ...refused, message: 'It could not be stopped.' }
            : { ...refused, message: 'A turn is running here.', code: 'SessionRunning' },
      });
      await chat.at('branch-prev').click();
      await chat.page.getByRole('button', { name: 'Stop and Switch' }).click();
      await chat.at('problem').filter({ hasText: 'could not be stopped' }).waitFor();
      scene.status = idle;
      await chat.post(scene.append(() => scene.endTurn('turn-2')));
      await eventually(() => chat.page.evaluate(() => document.body.dataset['run'])).toBe('idle');
      expect(chat.intents().map(({ type }) => type)).toEqual(['navigate', 'stop']);
    });

    it('says that the session cannot be shown, also where none is shown yet, until it is', async () => {
      const scene = new Scene();
      scene.user('One');
      const chat = await open(scene);
      const message = { type: 'not_shown' as const, session: scene.id, message: 'The disk cannot be read.' };
      await chat.post(message);
      await chat.at('problem').filter({ hasText: 'The disk cannot be read.' }).waitFor();
      await chat.post(scene.snapshot());
      await eventually(() => chat.at('problem').count()).toBe(0);
      chat.take = (sent) => (sent.type === 'open' ? chat.post(message) : Promise.resolve());
      await chat.page.reload();
      expect(await chat.composer.count()).toBe(0);
      await chat.at('problem').filter({ hasText: 'The disk cannot be read.' }).waitFor();
      await chat.post(scene.snapshot());
      await eventually(() => chat.at('problem').count()).toBe(0);
    });

    it('B1: that another window works here is said until it is gone, and the text that was not sent stays', async () => {
      const scene = new Scene();
      scene.user('One');
      const chat = await open(scene);
      const message = 'This session is in use in window shop.';
      chat.answer = (sent) =>
        sent.type === 'intent'
          ? { failure: { kind: 'refused', message, transient: false, code: 'Locked' } }
          : { result: null };
      await chat.composer.fill('Two');
      await chat.composer.press('Enter');
      // Who holds it is not known yet: the answer says so itself.
      await chat.at('problem').filter({ hasText: message }).waitFor();
      const status = (isHeld: boolean) => ({ ...idle, ...(isHeld ? { isHeld: true as const } : {}) });
      const say = (isHeld: boolean) => {
        scene.status = status(isHeld);
        return chat.post({ type: 'status', session: scene.id, status: scene.status });
      };
      await say(true);
      expect(await chat.at('problem').count()).toBe(1);
      await chat.composer.press('Enter');
      await chat.at('problem').filter({ hasText: 'your text stays here' }).waitFor();
      await say(false);
      await eventually(() => chat.at('problem').count()).toBe(0);
      expect(await chat.composer.inputValue()).toBe('Two');
      // What is said for another reason is not taken away with it.
      await say(true);
      chat.answer = () => ({ failure: { kind: 'refused', message: 'No.', transient: false } });
      await chat.composer.press('Enter');
      await chat.at('problem').filter({ hasText: 'No.' }).waitFor();
      await say(false);
      await chat.page.evaluate(() => new Promise(requestAnimationFrame));
      expect(await chat.at('problem').count()).toBe(1);
    });

    it('F8: a decision that is not answered can be taken again', async () => {
      const scene = workingScene();
      askForApproval(scene);
      const chat = await open(scene, { at: Date.UTC(2026, 0, 5, 12, 0, 0) });
      chat.answer = () => 'never';
      await chat.page.clock.runFor(600);
      await chat.at('approve').click();
      expect(await chat.at('approve').getAttribute('title')).toMatch(/Being decided/);
      await chat.page.clock.runFor(16_000);
      await chat.at('problem').filter({ hasText: 'Bough has not answered yet' }).waitFor();
      await chat.at('approve').click();
      await eventually(() => chat.intents().length).toBe(2);
      const late = chat.received.find((message) => message.type === 'intent');
      await chat.post({ type: 'reply', id: late?.id ?? -1, ok: true, result: null });
      await eventually(() => chat.at('problem').count()).toBe(0);
    });

    it('F8: when the host does not answer, the person can act again and nothing is lost', async () => {
      const scene = new Scene();
      const start = Date.UTC(2026, 0, 5, 12, 0, 0);
      const chat = await open(scene, { at: start });
      chat.answer = () => 'never';
      await chat.composer.fill('Is anybody there?');
      await chat.composer.press('Enter');
      await chat.page.clock.runFor(16_000);
      await chat.page.getByText('Bough has not answered yet').first().waitFor();
      expect(await chat.composer.inputValue()).toBe('Is anybody there?');
      const sent = chat.received.find((message) => message.type === 'intent');
      await chat.post({ type: 'reply', id: sent?.id ?? -1, ok: true, result: null });
      await eventually(() => chat.composer.inputValue()).toBe('');
      expect(await chat.at('problem').count()).toBe(0);
    });

    it('says that a turn was stopped before an answer came, until something newer happens', async () => {
      const scene = new Scene();
      scene.turn('Count', 'turn-1');
      scene.status = { ...idle, run: 'running' };
      const chat = await open(scene);
      scene.status = idle;
      await chat.post(scene.append(() => scene.endTurn('turn-1', 'stopped')));
      await chat.at('turn-stopped').getByRole('button', { name: 'Try Again' }).click();
      await eventually(() => chat.intents().at(-1)).toEqual({ type: 'try_again' });
      expect(await chat.at('turn-continue').count()).toBe(0);
      scene.status = { ...idle, run: 'running' };
      await chat.post(scene.append(() => scene.turn('Go on', 'turn-2')));
      await eventually(() => chat.at('turn-stopped').count()).toBe(0);
    });
  });
}
