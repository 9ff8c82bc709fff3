// What waits for a decision, and how it is taken.
import { describe, expect, it } from 'vitest';
import type { ChatPage, Open } from '../bench/chat-page.js';
import { askForApproval, workingScene } from '../bench/command-scene.js';
import { eventually } from '../bench/eventually.js';
import { idle } from '../bench/scenes.js';
import { asking, toolLines } from '../gallery/tools.js';

/** From here on time passes only when the test says so. */
async function stopClock({ page }: ChatPage): Promise<void> {
  const start = Date.now();
  await page.clock.install({ time: start });
  // Far enough ahead that a slow machine is not past it yet.
  await page.clock.pauseAt(start + 60_000);
}

export function approvalTests(open: Open): void {
  describe('approvals', () => {
    it('F6: a card that appears while somebody types takes neither focus nor keys, and is inert at first', async () => {
      const scene = workingScene();
      const chat = await open(scene);
      await stopClock(chat);
      await chat.composer.focus();
      await chat.page.keyboard.type('typing on ');
      await chat.post(askForApproval(scene));
      await chat.at('approve').waitFor();
      await chat.page.keyboard.type('and on');
      expect(await chat.composer.inputValue()).toBe('typing on and on');
      // Straight to the button, as a stray click would.
      await chat.at('approve').click({ force: true });
      await chat.at('always').click({ force: true });
      expect(chat.intents()).toEqual([]);
      await chat.composer.press('Enter');
      await eventually(() => chat.intents()).toMatchObject([{ type: 'send' }]);
      await chat.page.clock.runFor(499);
      expect(await chat.at('approve').getAttribute('aria-disabled')).toBe('true');
      await chat.page.clock.runFor(2);
      await chat.at('approve').click();
      await expect
        .poll(() => chat.intents().at(-1))
        .toEqual({ type: 'decide', call_id: 'r1', decision: 'allow', scope: 'once' });
    });

    it('every card opens to what its call was given, also one that waits, by keyboard', async () => {
      const scene = workingScene();
      const chat = await open(scene);
      await chat.post(askForApproval(scene));
      const card = chat.page.locator('[data-testid="tool-card"][data-state="pending"]');
      const toggle = card.getByTestId('tool-toggle');
      expect(await toggle.getAttribute('aria-expanded')).toBe('false');
      await toggle.focus();
      await chat.page.keyboard.press('Enter');
      expect(await toggle.getAttribute('aria-expanded')).toBe('true');
      await card.getByText('"command": "rm -rf build"').waitFor();
      expect(await toggle.evaluate((button) => button === document.activeElement)).toBe(true);
      await chat.page.keyboard.press('Space');
      await card.getByText('"command": "rm -rf build"').waitFor({ state: 'detached' });
      expect(chat.intents()).toEqual([]);
      // A call of which nothing else tells what it would do stands open.
      await chat.post(
        scene.append(() => {
          scene.calls('', [{ call_id: 'd1', name: 'deploy', input: { to: 'production' } }], 'turn-1');
          const asked = { call_id: 'd1', tool: 'deploy', summary: 'deploy', input_hash: 'x' };
          scene.add({ type: 'approval_request', ...asked, targets: [], risk: 'run', turn_id: 'turn-1' });
        }),
      );
      const bare = chat.page.locator('[data-testid="tool-card"][data-tool="deploy"]');
      await bare.getByText('"to": "production"').waitFor();
      expect(await chat.at('tool-card').count()).toBe(2);
      expect(await chat.at('tool-toggle').count()).toBe(2);
      await bare.getByTestId('tool-toggle').click();
      await bare.getByText('"to": "production"').waitFor({ state: 'detached' });
    });

    it('says that another window waits for the answer, and offers none while it could not be taken', async () => {
      const scene = workingScene();
      askForApproval(scene);
      scene.status = { ...idle, isHeld: true };
      const chat = await open(scene);
      await chat.at('asked-elsewhere').waitFor();
      for (const name of ['approve', 'deny', 'always', 'dismiss'])
        expect(await chat.at(name).count()).toBe(0);
      scene.status = { ...idle, run: 'waiting' };
      await chat.post({ type: 'status', session: scene.id, status: scene.status });
      await chat.at('approve').click();
      await expect.poll(() => chat.intents()).toMatchObject([{ type: 'decide', decision: 'allow' }]);
      expect(await chat.at('asked-elsewhere').count()).toBe(0);
    });

    it('lets a command run in the terminal, after the other actions; only one that can be typed there', async () => {
      const scene = workingScene();
      askForApproval(scene);
      const chat = await open(scene);
      const buttons = chat.at('approval').locator('.actions button');
      expect((await buttons.allInnerTexts()).map((text) => text.trim())).toEqual(
        expect.arrayContaining(['Approve', 'Deny', 'Always', 'Run in Terminal']),
      );
      await chat.at('edit-input').click();
      const field = chat.at('approval').locator('textarea');
      const typed = await field.inputValue();
      await field.fill(`${typed}\nrm -rf /`);
      await expect.poll(() => chat.at('run-in-terminal').getAttribute('aria-disabled')).toBe('true');
      await field.fill(typed);
      await chat.at('run-in-terminal').click();
      await expect
        .poll(() => chat.intents().at(-1))
        .toEqual({ type: 'decide', call_id: 'r1', decision: 'allow', scope: 'once', place: 'terminal' });
    });

    it('denies with what to do instead, remembers only when told to', async () => {
      const scene = workingScene();
      askForApproval(scene);
      const chat = await open(scene);
      await chat.page.getByRole('textbox', { name: 'What to do instead' }).fill('use npm run clean');
      await chat.at('deny').click();
      await expect
        .poll(() => chat.intents().at(-1))
        .toEqual({
          type: 'decide',
          call_id: 'r1',
          decision: 'deny',
          scope: 'once',
          feedback: 'use npm run clean',
        });
      await chat.page.getByRole('button', { name: 'Approve for longer' }).click();
      await chat.page.getByRole('menuitem', { name: 'For This Session' }).click();
      await expect
        .poll(() => chat.intents().at(-1))
        .toEqual({ type: 'decide', call_id: 'r1', decision: 'allow', scope: 'session' });
      await chat.at('always').click();
      await expect
        .poll(() => chat.intents().at(-1))
        .toEqual({ type: 'decide', call_id: 'r1', decision: 'allow', scope: 'always' });
    });

    it('what is typed after a click on Approve goes into the composer, from its first letter on', async () => {
      const scene = workingScene();
      askForApproval(scene);
      const chat = await open(scene);
      await eventually(() => chat.at('approve').getAttribute('aria-disabled')).toBe('false');
      await chat.at('approve').click();
      await eventually(() => chat.intents().length).toBe(1);
      await chat.page.keyboard.type('hello there');
      expect(await chat.composer.inputValue()).toBe('hello there');
      expect(chat.intents()).toHaveLength(1);
    });

    it('F6 G10: a command is changed on its card before it runs; no key approves', async () => {
      const scene = workingScene();
      askForApproval(scene);
      const chat = await open(scene);
      const { keyboard } = chat.page;
      await eventually(() => chat.at('approve').getAttribute('aria-disabled')).toBe('false');
      await chat.at('edit-input').focus();
      await keyboard.press('Enter');
      const field = chat.at('edited-input');
      expect(await field.inputValue()).toBe('rm -rf build');
      expect(await field.evaluate((element) => element === document.activeElement)).toBe(true);
      await keyboard.press('Enter');
      await field.dispatchEvent('keydown', { key: 'Escape', isComposing: true });
      await field.dispatchEvent('keydown', { key: 'Escape', keyCode: 229 });
      expect(await field.inputValue()).toContain('\n');
      // As it was: then there is nothing that the model need be told.
      await keyboard.press('Escape');
      expect(await field.count()).toBe(0);
      expect(await chat.at('edit-input').evaluate((e) => e === document.activeElement)).toBe(true);
      await keyboard.press('Enter');
      await field.fill('rm -rf out');
      expect(chat.intents()).toEqual([]);
      await chat.page.getByRole('button', { name: 'Approve Edited' }).click();
      await eventually(() => chat.intents()).toEqual([
        {
          type: 'decide',
          call_id: 'r1',
          decision: 'allow',
          scope: 'once',
          edited_input: { command: 'rm -rf out' },
        },
      ]);
    });

    it('G11: what was typed on a card is kept with the draft, comes back, and goes with the card', async () => {
      const scene = workingScene();
      askForApproval(scene);
      const chat = await open(scene);
      const instead = (page: ChatPage) => page.page.getByRole('textbox', { name: 'What to do instead' });
      const drafts = (page: ChatPage) => page.received.filter(({ type }) => type === 'draft');
      await chat.at('edit-input').click();
      await chat.at('edited-input').fill('rm -rf out');
      await instead(chat).fill('use clean');
      const unsent = { r1: { texts: ['rm -rf out'], feedback: 'use clean' } };
      await eventually(() => drafts(chat).at(-1)).toMatchObject({ unsent });

      const again = await open(scene, { snapshot: { draft: { text: 'typing', editing: null, unsent } } });
      expect(await again.at('edited-input').inputValue()).toBe('rm -rf out');
      expect(await instead(again).inputValue()).toBe('use clean');
      expect(await again.at('edited-input').evaluate((field) => field === document.activeElement)).toBe(
        false,
      );
      const request = scene.fold.state().approvals[0]?.request_id ?? '';
      await again.post(
        scene.append(() => scene.add({ type: 'approval_decision', request_id: request, decision: 'deny' })),
      );
      await eventually(() => drafts(again).at(-1)).toMatchObject({ text: 'typing' });
      expect(drafts(again).at(-1)).not.toHaveProperty('unsent');
    });

    it('every call that may wait for ever can be ended, also one of another extension', async () => {
      const scene = workingScene();
      const names = ['deploy', 'read'];
      scene.calls(
        '',
        names.map((name) => ({ call_id: name, name, input: {} })),
        'turn-1',
      );
      for (const name of names) scene.add({ type: 'tool_start', call_id: name, turn_id: 'turn-1' });
      const progress = names.map((name) => ({ call_id: name, started_at: Date.now(), tail: '' }));
      const chat = await open(scene, { snapshot: { progress } });
      expect(await chat.at('tool-card').count()).toBe(2);
      await chat.at('end-call').click();
      await eventually(() => chat.intents()).toEqual([{ type: 'end_call', call_id: 'deploy' }]);
    });

    it('a question is answered by what is offered or in one’s own words; what is asked each time has no longer scope', async () => {
      const { scene } = asking();
      const chat = await open(scene);
      const last = () => eventually(() => chat.intents().at(-1));
      expect(await chat.at('always').count()).toBe(0);
      const decide = { type: 'decide', call_id: 'a1', decision: 'allow', scope: 'once' };
      const question = chat.at('approval').filter({ hasText: 'Round each price' });
      await question.locator('[data-testid="answer-option"]', { hasText: 'The sum' }).click();
      await last().toEqual({ ...decide, feedback: 'The sum' });
      await question.locator('[data-testid="approve"]').click({ force: true });
      await question.locator('[data-testid="answer"]').fill(' neither ');
      await question.locator('[data-testid="answer"]').press('Enter');
      await last().toEqual({ ...decide, feedback: 'neither' });
      await question.locator('[data-testid="deny"]').click();
      await last().toEqual({ type: 'decide', call_id: 'a1', decision: 'deny', scope: 'once' });
      expect(chat.intents()).toHaveLength(3);
    });

    it('where a question alone waits, the composer speaks of an answer, not of a denial', async () => {
      const scene = workingScene();
      scene.status = { ...idle, run: 'waiting' };
      const wait = (call_id: string, tool: string) =>
        scene.add({
          ...{ type: 'approval_request', call_id, tool, summary: 'It waits', input_hash: 'x', targets: [] },
          ...{ risk: 'read', turn_id: 'turn-1', always_asked: true },
        });
      scene.calls('', [{ call_id: 'a1', name: 'ask', input: { question: 'Which?' } }], 'turn-1');
      wait('a1', 'ask');
      const chat = await open(scene);
      await chat.page.getByPlaceholder('Answer here or above').waitFor();
      await chat.composer.fill('The second');
      expect(await chat.at('send').innerText()).toBe('Send as Answer');
      await chat.composer.press('Enter');
      await eventually(() => chat.intents().at(-1)).toMatchObject({
        ...{ type: 'send', text: 'The second', reply_instead: true },
      });
      await chat.post(
        scene.append(() => {
          scene.calls('', [{ call_id: 'f1', name: 'fetch', input: { url: 'http://localhost/' } }], 'turn-1');
          wait('f1', 'fetch');
        }),
      );
      await chat.page.getByPlaceholder('Decide above (Ctrl+↑), or write what denies it').waitFor();
    });

    it('says of a tool of an MCP server what it is, and not that it runs a command', async () => {
      const scene = workingScene();
      scene.status = { ...idle, run: 'waiting' };
      scene.calls('', [{ call_id: 'm1', name: 'mcp_tiny_add', input: { a: 1 } }], 'turn-1');
      scene.add({
        ...{ type: 'approval_request', call_id: 'm1', tool: 'mcp_tiny_add', input_hash: 'x', targets: [] },
        ...{ summary: 'Call add of the MCP server "tiny"', risk: 'run', turn_id: 'turn-1' },
      });
      const chat = await open(scene);
      const card = chat.page.getByRole('region', { name: 'Approval: Call add' });
      const words = (await card.locator('.head').innerText()).replaceAll(/\s+/g, ' ');
      expect(words).toContain(
        'Call add of the MCP server "tiny" – a tool of an MCP server on this computer, which may do anything the server can',
      );
    });

    it('F9: a command goes on in the background on request, and is ended when the turn is over', async () => {
      const scene = workingScene();
      const input = { command: 'npm run serve' };
      scene.calls('', [{ call_id: 'serve', name: 'run', input }], 'turn-1');
      scene.add({ type: 'tool_start', call_id: 'serve', turn_id: 'turn-1' });
      const progress = [{ call_id: 'serve', started_at: Date.now(), tail: 'listening\n' }];
      const chat = await open(scene, { snapshot: { progress } });
      await chat.at('continue-in-background').click();
      await eventually(() => chat.intents()).toEqual([{ type: 'background_call', call_id: 'serve' }]);
      const beside = toolLines();
      const after = await open(
        beside.scene,
        beside.snapshot === undefined ? {} : { snapshot: beside.snapshot },
      );
      expect(await after.at('continue-in-background').count()).toBe(0);
      await after.at('end-call').click();
      await eventually(() => after.intents()).toEqual([{ type: 'end_call', call_id: 'b1' }]);
    });

    it('several that wait are dismissed in one go; one that runs beside them must end first', async () => {
      const scene = workingScene();
      askForApproval(scene);
      const chat = await open(scene);
      await chat.at('dismiss').click();
      await eventually(() => chat.intents().at(-1)).toEqual({ type: 'dismiss' });
      scene.status = { ...idle, run: 'running' };
      await chat.post({ type: 'status', session: scene.id, status: scene.status });
      await eventually(() => chat.at('dismiss').getAttribute('aria-disabled')).toBe('true');
      expect(await chat.at('dismiss').getAttribute('title')).toMatch(/Another call/);
    });

    it('takes the focus only when the person asked to be brought to it', async () => {
      const scene = workingScene();
      askForApproval(scene);
      const chat = await open(scene);
      await chat.composer.focus();
      await chat.post({ type: 'compose', at: 'approval' });
      const card = chat.page.locator('section.approval');
      await eventually(() => card.evaluate((element) => element === document.activeElement)).toBe(true);
      await chat.page.keyboard.press('Enter');
      expect(chat.intents()).toEqual([]);
      await chat.post({ type: 'compose' });
      await eventually(() => chat.composer.evaluate((element) => element === document.activeElement)).toBe(
        true,
      );
    });

    it('the mode says what runs without a card, and is changed by keyboard alone', async () => {
      const scene = workingScene();
      const chat = await open(scene);
      expect(await chat.at('mode-picker').getAttribute('data-mode')).toBe('ask');
      await chat.composer.focus();
      await chat.page.keyboard.press('Tab');
      await chat.page.keyboard.press('Enter');
      const items = chat.page.getByRole('menuitemradio');
      expect(await items.allInnerTexts()).toEqual([
        expect.stringContaining('Ask'),
        expect.stringContaining('Accept edits'),
        expect.stringContaining('Auto within rules'),
        expect.stringContaining('Read only'),
      ]);
      expect(await items.first().getAttribute('aria-checked')).toBe('true');
      await chat.page.keyboard.press('ArrowDown');
      await chat.page.keyboard.press('Enter');
      await eventually(() => chat.intents()).toEqual([{ type: 'set_mode', mode: 'accept_edits' }]);
      // What is shown is what is in force, not what was clicked.
      expect(await chat.at('mode-picker').getAttribute('data-mode')).toBe('ask');
      scene.status = { ...scene.status, mode: 'accept_edits' };
      await chat.post({ type: 'status', session: scene.id, status: scene.status });
      await eventually(() => chat.at('mode-picker').getAttribute('data-mode')).toBe('accept_edits');
    });

    it('shrinks to its line when it is decided, and hands it the focus it had', async () => {
      const scene = workingScene();
      askForApproval(scene);
      const chat = await open(scene);
      await eventually(() => chat.at('approve').getAttribute('aria-disabled')).toBe('false');
      await chat.at('approve').focus();
      await chat.page.keyboard.press('Enter');
      scene.status = { ...idle, run: 'running' };
      await chat.post(
        scene.append(() => {
          const request = scene.fold.state().approvals[0]?.request_id ?? '';
          scene.add({ type: 'approval_decision', request_id: request, decision: 'allow', scope: 'once' });
          scene.add({ type: 'tool_start', call_id: 'r1', turn_id: 'turn-1' });
        }),
      );
      await chat.page
        .locator(
          '[data-testid="approval"][data-state="allow"] [data-testid="tool-card"][data-state="running"]',
        )
        .waitFor();
      expect(await chat.at('approve').count()).toBe(0);
      expect(await chat.at('tool-toggle').evaluate((toggle) => toggle === document.activeElement)).toBe(true);
    });

    it('a second card that moves under the pointer is inert again', async () => {
      const scene = workingScene();
      scene.status = { ...idle, run: 'waiting' };
      scene.calls(
        '',
        [1, 2].map((n) => ({ call_id: `r${n}`, name: 'run', input: { command: `echo ${n}` } })),
        'turn-1',
      );
      for (const n of [1, 2]) {
        scene.add({
          type: 'approval_request',
          call_id: `r${n}`,
          tool: 'run',
          summary: `Run echo ${n}`,
          input_hash: 'x',
          targets: [],
          risk: 'run',
          turn_id: 'turn-1',
        });
      }
      const chat = await open(scene);
      const second = chat.page.locator('[data-call-id="r2"] [data-testid="approve"]');
      await eventually(() => second.getAttribute('aria-disabled')).toBe('false');
      await stopClock(chat);
      const request = scene.fold.state().approvals[0]?.request_id ?? '';
      await chat.post(
        scene.append(() => scene.add({ type: 'approval_decision', request_id: request, decision: 'allow' })),
      );
      await eventually(() => second.getAttribute('aria-disabled')).toBe('true');
      await chat.page.clock.runFor(501);
      expect(await second.getAttribute('aria-disabled')).toBe('false');
    });

    it('shows by name what is not seen in a command, and says so of a change', async () => {
      const scene = workingScene();
      scene.status = { ...idle, run: 'waiting' };
      const command = 'rm -rf \u202ea\u200b';
      const about = { input_hash: 'x', targets: [], turn_id: 'turn-1' };
      scene.calls(
        '',
        [
          { call_id: 'r1', name: 'run', input: { command } },
          { call_id: 'e1', name: 'write', input: { path: 'a.md', content: 'x' } },
        ],
        'turn-1',
      );
      const asked = { call_id: 'r1', tool: 'run', summary: `Run ${command}`, risk: 'run' as const };
      scene.add({ type: 'approval_request', ...asked, ...about });
      scene.add({
        type: 'approval_request',
        ...{ call_id: 'e1', tool: 'write', summary: 'Write a.md', risk: 'write', ...about },
        proposal: [{ path: 'a.md', before: scene.blob('a\n'), after: scene.blob('a\nb\u202e\r\n') }],
      });
      const chat = await open(scene);
      const shown = 'rm -rf ⟨U+202E⟩a⟨U+200B⟩';
      await chat.page.getByRole('region', { name: `Approval: Run ${shown}` }).waitFor();
      expect(await chat.page.getByRole('region', { name: 'Command' }).textContent()).toBe(shown);
      const said = chat.page.getByTestId('hidden-characters');
      await said.waitFor();
      expect(await said.textContent()).toMatch(/: ⟨U\+202E⟩\s*$/);
    });

    it('wraps a long line of the change, so that all of it is seen without scrolling sideways', async () => {
      const scene = workingScene();
      scene.status = { ...idle, run: 'waiting' };
      const input = { path: 'a.md', edits: [{ old_text: 'two', new_text: '2' }] };
      scene.calls('', [{ call_id: 'e1', name: 'edit', input }], 'turn-1');
      const words = Array.from({ length: 60 }, (_, index) => `word${index}`).join(' ');
      scene.add({
        type: 'approval_request',
        call_id: 'e1',
        tool: 'edit',
        summary: 'Edit a.md',
        input_hash: 'x',
        targets: [],
        risk: 'write',
        turn_id: 'turn-1',
        proposal: [{ path: 'a.md', before: scene.blob('one\n'), after: scene.blob(`one\n${words}\n`) }],
      });
      const chat = await open(scene, { width: 300 });
      const diff = chat.page.getByRole('region', { name: 'Change of a.md' });
      await diff.getByText('word59').waitFor();
      const [width, whole] = await diff.evaluate((element) => [element.clientWidth, element.scrollWidth]);
      expect(whole).toBe(width);
    });

    it('shows the change itself, from the texts that the request holds', async () => {
      const scene = workingScene();
      scene.status = { ...idle, run: 'waiting' };
      scene.calls('', [{ call_id: 'e1', name: 'edit', input: { path: 'a.ts', edits: [] } }], 'turn-1');
      const proposal = [{ path: 'a.ts', before: scene.blob('one\ntwo\n'), after: scene.blob('one\n2\n') }];
      scene.add({
        type: 'approval_request',
        call_id: 'e1',
        tool: 'edit',
        summary: 'Edit a.ts',
        input_hash: 'x',
        targets: [],
        risk: 'write',
        proposal,
        turn_id: 'turn-1',
      });
      const chat = await open(scene);
      const diff = chat.page.getByRole('region', { name: 'Change of a.ts' });
      await diff.waitFor();
      expect((await diff.innerText()).replace(/\s+/g, ' ').trim()).toBe('1 one 2−two 2+2');
      await chat.page.getByRole('button', { name: 'Open diff' }).click();
      await eventually(() => chat.commands()).toContainEqual({ type: 'open_diff', call_id: 'e1' });
    });
  });
}
