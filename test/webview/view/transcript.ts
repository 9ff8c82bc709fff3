// Reading: following the end, long conversations, branches, links, tool cards.
import type { Locator } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import type { Open } from '../bench/chat-page.js';
import { askForApproval, workingScene } from '../bench/command-scene.js';
import { eventually } from '../bench/eventually.js';
import { demoModel, idle, Scene } from '../bench/scenes.js';

function longText(lines: number): string {
  return Array.from({ length: lines }, (_, index) => `Line ${index + 1} of a long answer.`).join('\n\n');
}

const distanceFromEnd = (transcript: Locator): Promise<number> =>
  transcript.evaluate((element) => element.scrollHeight - element.clientHeight - element.scrollTop);

export function transcriptTests(open: Open): void {
  describe('the transcript', () => {
    it('tells all files of a turn whose beginning is not loaded', async () => {
      const scene = new Scene();
      scene.turn('Change two files', 'turn-1');
      const change = (call_id: string, path: string) => {
        scene.calls('', [{ call_id, name: 'write', input: { path, content: 'x' } }], 'turn-1');
        const changes = [{ path, before: null, after: scene.blob('x') }];
        scene.add({ type: 'files_changed', turn_id: 'turn-1', changes });
        scene.result(call_id, 'write', 'written');
      };
      change('call-1', 'a.ts');
      const from = scene.fold.position;
      change('call-2', 'b.ts');
      scene.add({
        type: 'message',
        role: 'assistant',
        turn_id: 'turn-1',
        parts: [{ type: 'text', text: 'Done.' }],
      });
      scene.endTurn('turn-1');
      const { entries } = scene.snapshot();
      const late = entries.filter(({ position }) => position >= from);
      const chat = await open(scene, { snapshot: { entries: late, more: true } });
      await chat.at('turn-files').getByText('Changed 2 files').waitFor();
      expect(await chat.at('turn-files').getAttribute('title')).toBe('a.ts\nb.ts');
    });

    it('shows what stands around many quiet calls at once when they are folded', async () => {
      const scene = new Scene();
      scene.user('Read all of it');
      for (let call = 0; call < 150; call++) {
        scene.calls('', [{ call_id: `call-${call}`, name: 'read', input: { path: `f${call}.ts` } }]);
        scene.result(`call-${call}`, 'read', 'text');
      }
      scene.answer('All is read.');
      const chat = await open(scene);
      const fold = chat.page.getByRole('button', { name: 'Read 150 files' });
      const answer = chat.page.getByText('All is read.');
      await fold.click();
      await chat.at('tool-card').nth(20).waitFor();
      await chat.at('transcript').hover();
      // Somewhere in the middle of what is open, the line that folds it out of sight.
      await chat.at('transcript').evaluate((element) => (element.scrollTop = element.scrollHeight / 2));
      await chat.page.mouse.wheel(0, -400);
      await eventually(() => distanceFromEnd(chat.at('transcript'))).toBeGreaterThan(800);
      await fold.evaluate((button) => (button as HTMLElement).click());
      await answer.waitFor();
      await eventually(() =>
        answer.evaluate((element) => element.getBoundingClientRect().top < window.innerHeight),
      ).toBe(true);
      await chat.page.getByText('Read all of it').waitFor();
    });

    it('G6: follows the end, lets go at the first tick upwards, and resumes at the very bottom or when told', async () => {
      const scene = new Scene();
      scene.turn('Long', 'turn-1');
      scene.status = { ...idle, run: 'running' };
      const chat = await open(scene);
      const transcript = chat.at('transcript');
      let text = longText(60);
      await chat.post(scene.growing(text));
      await chat.page.getByText('Line 60 of').waitFor();
      await eventually(() => distanceFromEnd(transcript)).toBeLessThan(2);
      const grow = async (more: string) => {
        const offset = text.length;
        text += more;
        await chat.post(scene.growing(more, offset));
      };

      await transcript.hover();
      await chat.page.mouse.wheel(0, -10);
      await chat.at('jump-latest').waitFor();
      const top = await transcript.evaluate((element) => element.scrollTop);
      await grow('\n\nAnd more\n\nAnd more.');
      await chat.page.getByText('And more.').waitFor({ state: 'attached' });
      expect(await transcript.evaluate((element) => element.scrollTop)).toBe(top);

      await chat.at('jump-latest').click();
      await eventually(() => distanceFromEnd(transcript)).toBeLessThan(2);
      expect(await chat.at('jump-latest').count()).toBe(0);

      await transcript.focus();
      await chat.page.keyboard.press('PageUp');
      await chat.at('jump-latest').waitFor();
      // The key moves the page over several frames: what is set before their end does not stay.
      await eventually(() => distanceFromEnd(transcript)).toBeGreaterThan(400);
      await eventually(async () => {
        const before = await distanceFromEnd(transcript);
        await transcript.evaluate(
          (element) => (element.scrollTop = element.scrollHeight - element.clientHeight - 30),
        );
        return before;
      }).toBe(30);
      await transcript.hover();
      await chat.page.mouse.wheel(0, 10);
      await grow('\n\nNot yet at the bottom.');
      await chat.page.getByText('Not yet at').waitFor({ state: 'attached' });
      expect(await chat.at('jump-latest').count()).toBe(1);
      await chat.page.mouse.wheel(0, 2000);
      await eventually(() => chat.at('jump-latest').count()).toBe(0);
      await grow('\n\nThe end.');
      await chat.page.getByText('The end.').waitFor();
      await eventually(() => distanceFromEnd(transcript)).toBeLessThan(2);
    });

    it('G6: goes to the end that there is when the wheel asks for it, but not when it scrolls a box within', async () => {
      const scene = new Scene();
      scene.answer(longText(60));
      scene.calls('', [{ call_id: 'r1', name: 'run', input: { command: 'npm test' } }]);
      scene.result('r1', 'run', longText(400));
      const chat = await open(scene);
      await chat.at('tool-toggle').click();
      const box = chat.page.locator('pre[role="region"]').last();
      await box.hover();
      await chat.page.mouse.wheel(0, -10);
      await chat.at('jump-latest').waitFor();
      const before = await box.evaluate((element) => {
        element.scrollTop = 0;
        return element.scrollTop;
      });
      await chat.page.mouse.wheel(0, 600);
      await eventually(() => box.evaluate((element) => element.scrollTop)).toBeGreaterThan(before);
      expect(await chat.at('jump-latest').count()).toBe(1);

      // More text comes between the tick and the browser's answer to it.
      const transcript = chat.at('transcript');
      await transcript.evaluate((element) => {
        element.addEventListener(
          'wheel',
          () => element.firstElementChild?.append(document.createElement('hr')),
          {
            once: true,
            capture: true,
          },
        );
      });
      await chat.page.getByText('Line 60 of').first().hover();
      await chat.page.mouse.wheel(0, 4000);
      await eventually(() => chat.at('jump-latest').count()).toBe(0);
      await eventually(() => distanceFromEnd(transcript)).toBeLessThan(2);
    });

    it('goes on following when a card that was decided folds and something comes below it at once', async () => {
      const scene = workingScene();
      scene.answer(longText(60));
      const chat = await open(scene);
      await chat.post(askForApproval(scene));
      await chat.at('approve').waitFor();
      const transcript = chat.at('transcript');
      await eventually(() => distanceFromEnd(transcript)).toBeLessThan(2);
      // What is measured anew moves the page, in the same moment as it gets shorter and something comes at its end.
      const fold = () =>
        transcript.evaluate(async (element) => {
          const card = element.querySelector<HTMLElement>('[data-testid="tool-card"]');
          if (card === null) throw new Error('there is no card');
          const scrolled = new Promise((tell) => element.addEventListener('scroll', tell, { once: true }));
          card.style.display = 'none';
          element.scrollTop = element.scrollHeight - element.clientHeight - 100;
          element.firstElementChild?.append(document.createElement('hr'));
          await scrolled;
        });
      await chat.at('approve').click({ force: true });
      await fold();
      await eventually(() => distanceFromEnd(transcript)).toBeLessThan(2);
      expect(await chat.at('jump-latest').count()).toBe(0);
      // A press in the text may begin a drag, and yet it is the page that moved.
      await transcript.evaluate((element) =>
        element.querySelector<HTMLElement>('[data-testid="tool-card"]')?.style.removeProperty('display'),
      );
      await eventually(() => distanceFromEnd(transcript)).toBeLessThan(2);
      await chat.page.getByText('Line 60 of').click();
      await fold();
      await eventually(() => distanceFromEnd(transcript)).toBeLessThan(2);
      expect(await chat.at('jump-latest').count()).toBe(0);
    });

    it('follows again whatever happened before, once a prompt is sent', async () => {
      const scene = new Scene();
      scene.answer(longText(60));
      scene.calls('', [{ call_id: 'r1', name: 'run', input: { command: 'npm test' } }]);
      scene.result('r1', 'run', longText(40));
      const chat = await open(scene);
      const transcript = chat.at('transcript');
      await chat.at('tool-toggle').click();
      await transcript.hover();
      await chat.page.mouse.wheel(0, -600);
      await chat.at('jump-latest').waitFor();
      await chat.composer.fill('And now?');
      await chat.composer.press('Enter');
      await eventually(() => distanceFromEnd(transcript)).toBeLessThan(2);
      await chat.post(
        scene.append(() => {
          scene.turn('And now?', 'turn-1');
          scene.answer(longText(50).replaceAll('Line', 'Row'));
        }),
      );
      await chat.page.getByText('Row 50 of').waitFor();
      await eventually(() => distanceFromEnd(transcript)).toBeLessThan(2);
      expect(await chat.at('jump-latest').count()).toBe(0);
    });

    it('begins a page without messages at its top, and follows what is said then', async () => {
      const scene = new Scene();
      scene.status = { ...idle, model: demoModel, suggestions: ['/demo edit', 'What is in this folder?'] };
      const chat = await open(scene, { height: 320 });
      const transcript = chat.at('transcript');
      await chat.page.getByRole('heading').waitFor();
      expect(await distanceFromEnd(transcript)).toBeGreaterThan(10);
      expect(await transcript.evaluate((element) => element.scrollTop)).toBe(0);
      await transcript.hover();
      await chat.page.mouse.wheel(0, 60);
      await eventually(() => transcript.evaluate((element) => element.scrollTop)).toBeGreaterThan(0);
      await chat.page.mouse.wheel(0, -20);
      await eventually(() => distanceFromEnd(transcript)).toBeGreaterThan(0);
      expect(await chat.at('jump-latest').count()).toBe(0);
      expect(await chat.page.getByRole('button', { name: '/demo edit' }).count()).toBe(1);
      await chat.page.getByRole('button', { name: '/demo edit' }).click();
      await eventually(() => chat.intents()).toMatchObject([{ type: 'send', text: '/demo edit' }]);
      await eventually(() => chat.composer.evaluate((field) => field === document.activeElement)).toBe(true);
      await chat.post(
        scene.append(() => {
          scene.turn('/demo edit', 'turn-1');
          scene.answer(longText(40));
        }),
      );
      await chat.page.getByText('Line 40 of').waitFor();
      await eventually(() => distanceFromEnd(transcript)).toBeLessThan(2);
    });

    it('offers to go to the end only where not everything fits', async () => {
      const scene = new Scene();
      scene.answer('A word.');
      const chat = await open(scene);
      await chat.page.getByText('A word.').dblclick();
      await chat.post(scene.append(() => scene.user('More')));
      await chat.page.getByText('More', { exact: true }).waitFor();
      expect(await chat.at('jump-latest').count()).toBe(0);
      await chat.post(scene.append(() => scene.answer(longText(60))));
      await chat.at('jump-latest').waitFor();
    });

    it('G6: a selection lets go too', async () => {
      const scene = new Scene();
      scene.answer(longText(60));
      const chat = await open(scene);
      await chat.page.getByText('Line 60 of').dblclick();
      await chat.at('jump-latest').waitFor();
    });

    it('G3: mounts the end of a long conversation, and brings older rows without moving what is read', async () => {
      const scene = new Scene();
      for (let index = 0; index < 1000; index += 1) scene.user(`Message number ${index}`);
      const chat = await open(scene);
      const transcript = chat.at('transcript');
      await chat.page.getByText('Message number 999').waitFor();
      expect(await chat.at('message').count()).toBeLessThan(50);
      expect(await transcript.evaluate((element) => element.querySelectorAll('*').length)).toBeLessThan(1200);
      await transcript.hover();
      await chat.page.mouse.wheel(0, -200);
      await chat.at('jump-latest').waitFor();
      await transcript.evaluate((element) => (element.scrollTop = 150));
      await eventually(() => transcript.evaluate((element) => element.scrollTop)).toBeGreaterThan(1000);
      const first = chat.page.getByText('Message number 960', { exact: true });
      const at = await first.evaluate((element) => element.getBoundingClientRect().top);
      expect(at).toBeGreaterThan(-400);
      expect(at).toBeLessThan(800);
      await chat.at('jump-latest').click();
      await eventually(() => chat.at('message').count()).toBeLessThan(50);
    });

    it('G3: read from end to beginning and back, it never holds many rows, and what is in sight stays where it is', async () => {
      const scene = new Scene();
      const count = 400;
      for (let index = 0; index < count; index += 1)
        scene.user(`Message number ${index}${'\nand a line more'.repeat(index % 5)}`);
      const chat = await open(scene);
      const transcript = chat.at('transcript');
      const numbered = (index: number) => chat.page.getByText(new RegExp(`^Message number ${index}(\n|$)`));
      await numbered(count - 1).waitFor();
      await transcript.hover();
      /** The first row in sight, and where it is once two more pictures were drawn. */
      const held = () =>
        transcript.evaluate(async (element) => {
          const view = element.getBoundingClientRect();
          const row = [...element.querySelectorAll('[data-item]')].find(
            (one) => one.getBoundingClientRect().top >= view.top,
          );
          const before = row?.getBoundingClientRect().top ?? 0;
          for (let frame = 0; frame < 2; frame += 1)
            await new Promise((resolve) => requestAnimationFrame(resolve));
          return {
            moved: Math.abs((row?.getBoundingClientRect().top ?? Infinity) - before),
            rows: element.querySelectorAll('[data-item]').length,
            top: element.scrollTop,
          };
        });
      let most = 0;
      let moved = 0;
      const read = async (by: number, until: number) => {
        for (let steps = 0; (await numbered(until).count()) === 0 && steps < 400; steps += 1) {
          await transcript.evaluate((element, step) => (element.scrollTop += step), by);
          const seen = await held();
          most = Math.max(most, seen.rows);
          if (seen.top > 400) moved = Math.max(moved, seen.moved);
        }
        expect(await numbered(until).count()).toBe(1);
      };
      await chat.page.mouse.wheel(0, -50);
      await chat.at('jump-latest').waitFor();
      await read(-500, 0);
      await read(500, count - 40);
      expect(most).toBeLessThan(160);
      expect(moved).toBeLessThan(2);
    });

    it('keeps the elements of an answer when its entry replaces the streamed text', async () => {
      const scene = new Scene();
      scene.turn('Hi', 'turn-1');
      scene.status = { ...idle, run: 'running' };
      const chat = await open(scene);
      await chat.post(scene.growing('A first paragraph.\n\nA second'));
      const paragraph = chat.page.getByText('A first paragraph.');
      await paragraph.evaluate((element) => element.setAttribute('data-mine', 'yes'));
      scene.status = idle;
      await chat.post(
        scene.append(() => {
          scene.answer('A first paragraph.\n\nA second one.', 'attempt-1');
          scene.endTurn('turn-1');
        }),
      );
      await chat.page.getByText('A second one.').waitFor();
      expect(await paragraph.getAttribute('data-mine')).toBe('yes');
      expect(await chat.at('message').count()).toBe(2);
    });

    it('shows which of several lines it is, and goes to the others', async () => {
      const scene = new Scene();
      scene.user('One');
      const leaf = scene.answer('Answer one');
      scene.add({ type: 'head', entry_id: null });
      scene.user('Two');
      scene.answer('Answer two');
      const chat = await open(scene);
      const picker = chat.page.locator('[data-testid="branch-picker"][data-index="2"][data-count="2"]');
      expect(await picker.getAttribute('title')).toContain('1. One');
      await chat.at('branch-next').click({ force: true });
      expect(chat.intents()).toEqual([]);
      await chat.at('branch-prev').click();
      await eventually(() => chat.intents()).toEqual([{ type: 'navigate', entry_id: leaf }]);
    });

    it('G13: what looks like HTML is text: no element, no request, no violation', async () => {
      const scene = new Scene();
      const hostile = [
        "<script>document.body.dataset.hacked = '1'</script>",
        `<img src="https://evil.test/a.png" onerror="document.body.dataset.hacked = '2'">`,
        '[run](command:workbench.action.quit) [js](javascript:alert(1)) ![picture](https://evil.test/b.png)',
        '<style>*{display:none}</style>',
        '</script>',
        '<iframe src="https://evil.test"></iframe>',
        '<svg onload=alert(1)><a xlink:href="javascript:alert(1)">x</a></svg>',
        '[x]: javascript:alert(1)\n\n[x]',
        'The end.',
      ].join('\n\n');
      scene.user(hostile);
      scene.answer(hostile);
      const chat = await open(scene);
      await chat.page.getByText('The end.').last().waitFor();
      const transcript = chat.at('transcript');
      expect(
        await transcript.locator('script, style, iframe, img, svg, object, [onerror], [onload]').count(),
      ).toBe(0);
      expect(
        await transcript.locator('a').evaluateAll((links) => links.map((link) => link.getAttribute('href'))),
      ).toEqual(['https://evil.test/b.png']);
      expect(await chat.page.locator('body').getAttribute('data-hacked')).toBeNull();
      await chat.page.getByRole('link', { name: 'Image: picture' }).click();
      await expect
        .poll(() => chat.commands())
        .toEqual([{ type: 'open_link', url: 'https://evil.test/b.png' }]);
      expect(chat.requested).toEqual([]);
      expect(chat.troubles()).toEqual([]);
    });

    it('opens files of the workspace from links, by mouse and by key', async () => {
      const scene = new Scene();
      scene.answer('See [the file](src/a.ts#L3).');
      const chat = await open(scene);
      const link = chat.page.getByRole('link', { name: 'the file' });
      await link.click();
      await link.focus();
      await chat.page.keyboard.press('Enter');
      const command = { type: 'open_file', path: 'src/a.ts', line: 3 };
      await eventually(() => chat.commands()).toEqual([command, command]);
    });

    it('a tool card opens by key and shows what was given and what came', async () => {
      const scene = new Scene();
      scene.calls('', [{ call_id: 'r1', name: 'run', input: { command: 'npm test' } }]);
      scene.result('r1', 'run', 'all green\n\n[Exit code 0 after 4 s.]');
      const chat = await open(scene);
      expect(await chat.at('tool-card').getAttribute('data-state')).toBe('ok');
      expect(await chat.at('tool-toggle').innerText()).toContain('Ran npm test · exit 0 · 4 s');
      await chat.at('tool-toggle').focus();
      await chat.page.keyboard.press('Enter');
      expect(await chat.at('tool-toggle').getAttribute('aria-expanded')).toBe('true');
      await chat.page.getByRole('region', { name: 'Result' }).getByText('all green').waitFor();
    });

    it('a command shows its colours while it runs and after; what is no colour is no more than text', async () => {
      const scene = new Scene();
      scene.turn('Test', 'turn-1');
      scene.calls('', [{ call_id: 'r1', name: 'run', input: { command: 'npm test' } }], 'turn-1');
      scene.result('r1', 'run', 'FAIL <b>x</b>\n\n[Exit code 1 after 4 s.]', true, [
        [0, 4, '1;31'],
        [5, 3, '32" style="x'],
        [6, 99, '33'],
      ]);
      scene.calls('', [{ call_id: 'r2', name: 'run', input: { command: 'npm start' } }], 'turn-1');
      scene.add({ type: 'tool_start', turn_id: 'turn-1', call_id: 'r2' });
      scene.status = { ...idle, run: 'running' };
      const tail = '\x1b[32mready\x1b[0m \x1b]0;title\x07on 80';
      const chat = await open(scene, {
        snapshot: { progress: [{ call_id: 'r2', started_at: Date.now(), tail }] },
      });
      expect(await chat.at('tool-toggle').last().innerText()).toContain('ready ]0;title');
      for (const toggle of await chat.at('tool-toggle').all()) await toggle.click();
      const results = chat.page.getByRole('region', { name: 'Result' });
      const drawn = await results
        .locator('span')
        .evaluateAll((spans) =>
          spans.map((span) => `${span.getAttribute('class') ?? ''}: ${span.textContent ?? ''}`),
        );
      expect(drawn).toEqual(['sgr-1 sgr-31: FAIL', ': <b>', 'sgr-32: ready']);
      expect(await results.locator('[style]').count()).toBe(0);
      const colour = await results.locator('.sgr-31').evaluate((span) => getComputedStyle(span).color);
      expect(colour).not.toBe(await results.first().evaluate((box) => getComputedStyle(box).color));
      expect(await results.first().innerText()).toContain('FAIL <b>x</b>');
    });

    it('says aloud what happens, not every token', async () => {
      const scene = new Scene();
      scene.turn('Hi', 'turn-1');
      scene.status = { ...idle, run: 'running' };
      const chat = await open(scene);
      const live = chat.page.locator('[role="status"][aria-live="polite"]');
      await chat.post(scene.growing('Some text'));
      await chat.page.getByText('Some text').waitFor();
      expect(await live.innerText()).toBe('Working');
      expect(await chat.at('transcript').getAttribute('aria-live')).toBe('off');
      await chat.post(askForApproval(scene));
      await eventually(() => live.innerText()).toBe('Waiting for your decision: Run rm -rf build');
      await eventually(() => chat.page.locator('body').getAttribute('data-run')).toBe('waiting');
    });
  });
}
