// What a person does and sees in the chat, through the handles that the view promises.
import type { FrameLocator, Locator } from 'playwright-core';
import { expect } from 'vitest';
import { type Editor, eventually } from './bench/index.js';

export interface Shown {
  role: string;
  text: string;
  id: string;
}

/** The chat as it is now: ask for a new one after a reload, a restart of the host or hiding the view. */
export class Person {
  constructor(
    readonly editor: Editor,
    readonly chat: FrameLocator,
  ) {}

  at(testId: string): Locator {
    return this.chat.locator(`[data-testid="${testId}"]`);
  }
  get composer(): Locator {
    return this.at('composer');
  }
  message(role: 'user' | 'assistant'): Locator {
    return this.chat.locator(`[data-testid="message"][data-role="${role}"]`);
  }
  tool(name: string, state?: string): Locator {
    return this.chat.locator(
      `[data-testid="tool-card"][data-tool="${name}"]${state ? `[data-state="${state}"]` : ''}`,
    );
  }
  approval(state = 'pending'): Locator {
    return this.chat.locator(`[data-testid="approval"][data-state="${state}"]`);
  }
  incomplete(reason?: string): Locator {
    return this.chat.locator(`[data-testid="incomplete-marker"]${reason ? `[data-reason="${reason}"]` : ''}`);
  }
  notice(kind: string): Locator {
    return this.chat.locator(`[data-testid="notice"][data-kind="${kind}"]`);
  }
  retry(kind?: string): Locator {
    return this.chat.locator(`[data-testid="retry-indicator"]${kind ? `[data-kind="${kind}"]` : ''}`);
  }

  async send(text: string): Promise<void> {
    await this.composer.fill(text);
    await this.at('send').click();
    // Emptied only when the prompt is on disk.
    await eventually(async () => (await this.composer.inputValue()) === '', {
      what: 'the composer is cleared',
    });
  }

  run(state: string, timeout = 20_000): Promise<unknown> {
    return eventually(async () => (await this.chat.locator('body').getAttribute('data-run')) === state, {
      timeout,
      what: `the run is ${state}`,
    });
  }

  async says(text: string | RegExp, timeout = 20_000): Promise<void> {
    await this.message('assistant').filter({ hasText: text }).last().waitFor({ timeout });
  }

  /** A whole turn: asked, answered, and its end on disk. */
  async ask(text: string, answer: string | RegExp): Promise<void> {
    await this.send(text);
    await this.says(answer);
    await this.run('idle');
  }

  /** Another prompt in place of one that is there: a line of its own. */
  async editTo(from: string, to: string, answer: string | RegExp): Promise<void> {
    const message = this.message('user').filter({ hasText: from });
    await message.hover();
    await message.locator('[data-testid="edit-message"]').click();
    await this.composer.fill(to);
    await this.at('send').click();
    await this.says(answer);
    await this.run('idle');
  }

  /** Chooses what runs without a card. */
  async setMode(words: string, mode: string): Promise<void> {
    await this.at('mode-picker').getByRole('button').click();
    await this.chat.getByRole('menuitemradio', { name: words }).click();
    await this.modeIs(mode);
  }

  async modeIs(mode: string): Promise<void> {
    await this.chat.locator(`[data-testid="mode-picker"][data-mode="${mode}"]`).waitFor();
  }

  /** Decides on the first pending card (or the one that shows `about`); it lies inert for its first half second. */
  async decide(
    what: 'approve' | 'deny' | 'always' | 'dismiss' | 'run-in-terminal',
    about: string | RegExp = /./,
  ): Promise<void> {
    const card = this.approval().filter({ hasText: about }).first();
    await card.waitFor();
    const call = await card.getAttribute('data-call-id');
    const same = this.chat.locator(`[data-testid="approval"][data-call-id="${call}"][data-state="pending"]`);
    await eventually(
      async () => {
        if ((await same.count()) === 0) return true;
        await same.locator(`[data-testid="${what}"]`).click({ timeout: 1_000 });
        return (await same.count()) === 0;
      },
      { what: `the card takes "${what}"`, interval: 150 },
    );
  }

  /** All that the transcript shows, in order: the whole of what must be the same after a reload. */
  async transcript(): Promise<Shown[]> {
    return this.at('message').evaluateAll((rows) =>
      rows.map((row) => ({
        role: row.getAttribute('data-role') ?? '',
        id: row.getAttribute('data-entry-id') ?? '',
        text: (row as HTMLElement).innerText.replace(/\s+/g, ' ').trim(),
      })),
    );
  }

  picker(): Locator {
    return this.at('branch-picker');
  }
  async pickerSays(index: number, count: number): Promise<void> {
    await this.chat
      .locator(`[data-testid="branch-picker"][data-index="${index}"][data-count="${count}"]`)
      .first()
      .waitFor();
  }
}

/** Opens the panel and finds its chat. */
export async function personAt(editor: Editor): Promise<Person> {
  await editor.openBough();
  return new Person(editor, await editor.chat());
}

/** After a reload the view is where it was. */
export async function reloaded(editor: Editor): Promise<Person> {
  await editor.reload();
  return personAt(editor);
}

/** The same text, roles and ids, row by row. */
export function sameTranscript(after: readonly Shown[], before: readonly Shown[]): void {
  expect(after.map(({ role, id, text }) => ({ role, id, text }))).toEqual(
    before.map(({ role, id, text }) => ({ role, id, text })),
  );
}
