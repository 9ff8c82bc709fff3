/** Prompts that wait in the queue: read whole, taken back into the composer, changed. */
import type { Failure } from '../../src/shared/failure.js';
import type { QueueItem } from '../../src/shared/notes.js';
import type { Intent, Mention } from '../../src/shared/protocol.js';
import type { Reply } from '../connection.js';
import { inTime, unanswered } from '../patience.js';
import { promptToEdit, type Whole } from '../transcript/prompt-text.js';
import type { Draft } from './draft.svelte.js';

export interface QueuedParts {
  draft: Draft;
  whole: Whole;
  /** The session on show. */
  shown: () => string | undefined;
  intend: (intent: Intent) => Promise<Reply>;
  /** Brings it into the composer of a session that is not on show any more. */
  bringElsewhere: (session: string, prompt: { text: string; mentions: Mention[] }) => void;
  orExplain: (what: string, work: () => Promise<void>) => Promise<void>;
  say: (failure: Failure) => void;
  /** It holds no more; something else that was said meanwhile stays. */
  unsay: (failure: Failure) => void;
  focus: () => void;
}

const told = (message: string): Failure => ({ kind: 'refused', message, transient: false });

const stillQueued = told(
  'Another session was shown before the message could be taken back; it still waits in the queue of its own.',
);
const broughtElsewhere = told(
  'The message was taken back; it stands in the composer of the session where it waited.',
);

export class Queued {
  readonly #parts: QueuedParts;

  constructor(parts: QueuedParts) {
    this.#parts = parts;
  }

  /** It goes back into the composer of the session where it waited, once it cannot be sent from the queue any more. */
  async takeBack(item: QueueItem): Promise<void> {
    const { draft, shown, bringElsewhere, orExplain, say, focus } = this.#parts;
    const session = shown();
    if (session === undefined) return;
    await orExplain('The message could not be taken back', async () => {
      const prompt = await this.#promptOf(item);
      if (shown() !== session) return say(stillQueued);
      if (!(await this.#drop(item))) return;
      if (shown() === session) {
        draft.insert(prompt.text, prompt.mentions);
        focus();
        return;
      }
      bringElsewhere(session, { text: prompt.text, mentions: [...prompt.mentions] });
      say(broughtElsewhere);
    });
  }

  /** False when it was refused, which is then said. However late the answer comes, the text is not lost. */
  async #drop(item: QueueItem): Promise<boolean> {
    const { intend, say, unsay } = this.#parts;
    const intent: Intent = { type: 'drop_queued', item_id: item.id };
    const coming = intend(intent);
    const soon = await inTime(intent, coming);
    const late = unanswered('The message comes back into the composer when it can be taken back.');
    if (soon === undefined) say(late);
    const reply = soon ?? (await coming);
    unsay(late);
    if (!reply.ok) say(reply.failure);
    return reply.ok;
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
    this.#parts.say(
      told(
        'The queued message was sent before your change was saved. What you wrote stands in the composer.',
      ),
    );
  }

  #promptOf(item: QueueItem) {
    const parts = item.parts ?? [{ type: 'text' as const, text: item.text }];
    return promptToEdit({ role: 'user', parts }, this.#parts.whole);
  }
}
