/** Prompts that wait in the queue: read whole, taken back into the composer, changed. */
import type { Failure } from '../../src/shared/failure.js';
import type { QueueItem } from '../../src/shared/notes.js';
import type { Intent } from '../../src/shared/protocol.js';
import { promptToEdit, type Whole } from '../transcript/prompt-text.js';
import type { Draft } from './draft.svelte.js';

export interface QueuedParts {
  draft: Draft;
  whole: Whole;
  /** False when it was refused, which is then said. */
  act: (intent: Intent) => Promise<boolean>;
  orExplain: (what: string, work: () => Promise<void>) => Promise<void>;
  say: (failure: Failure) => void;
  focus: () => void;
}

export class Queued {
  readonly #parts: QueuedParts;

  constructor(parts: QueuedParts) {
    this.#parts = parts;
  }

  /** It goes back into the composer, once it cannot be sent from the queue any more. */
  async takeBack(item: QueueItem): Promise<void> {
    const { draft, act, orExplain, focus } = this.#parts;
    await orExplain('The message could not be taken back', async () => {
      const prompt = await this.#promptOf(item);
      if (!(await act({ type: 'drop_queued', item_id: item.id }))) return;
      draft.insert(prompt.text, prompt.mentions);
      focus();
    });
  }

  /** What was typed of it, whole; undefined when it cannot be had, which is then said. */
  async textOf(item: QueueItem): Promise<string | undefined> {
    let text: string | undefined;
    await this.#parts.orExplain('The message could not be loaded', async () => {
      ({ text } = await this.#promptOf(item));
    });
    return text;
  }

  /** It was sent while it was being changed: the change stays in the composer. */
  keepUnsaved(text: string): void {
    this.#parts.draft.insert(text);
    const message =
      'The queued message was sent before your change was saved. What you wrote stands in the composer.';
    this.#parts.say({ kind: 'refused', message, transient: false });
  }

  #promptOf(item: QueueItem) {
    const parts = item.parts ?? [{ type: 'text' as const, text: item.text }];
    return promptToEdit({ role: 'user', parts }, this.#parts.whole);
  }
}
