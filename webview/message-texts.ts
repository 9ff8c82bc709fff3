/**
 * Messages as texts: into the composer to be edited, and to the clipboard. What is too long for a line of the log is
 * fetched first, so that nothing is cut; a message of another line is fetched too.
 */
import type { Message } from '../src/shared/entry.js';
import type { UiCommand } from '../src/shared/protocol.js';
import type { Draft } from './composer/draft.svelte.js';
import { conversationText } from './conversation-text.js';
import type { Session } from './session.svelte.js';
import { promptToEdit, wholeMessage } from './transcript/prompt-text.js';

export interface MessageTextsParts {
  session: Session;
  draft: Draft;
  /** The text of a blob. */
  blob: (hash: string) => Promise<string>;
  command: (command: UiCommand) => Promise<void>;
  /** A prompt is on its way: the composer is not to be filled anew. */
  isSending: () => boolean;
  /** A prompt is in the composer now. */
  onEdit: () => void;
  /** Brings a message of the shown line into sight. */
  reveal: (id: string) => void;
  orExplain: (what: string, work: () => Promise<void>) => Promise<void>;
}

export class MessageTexts {
  readonly #parts: MessageTextsParts;

  constructor(parts: MessageTextsParts) {
    this.#parts = parts;
  }

  async edit(message: Message): Promise<void> {
    const { session, draft, blob, isSending, onEdit, orExplain } = this.#parts;
    if (isSending()) return;
    const shown = session.info?.id;
    await orExplain('The message could not be loaded', async () => {
      const prompt = await promptToEdit(message, blob);
      // Another session came into view, or what stands here was sent.
      if (shown !== session.info?.id || isSending()) return;
      draft.startEdit(message.id, prompt);
      onEdit();
    });
  }

  async editLast(): Promise<void> {
    const { rows } = this.#parts.session;
    const row = rows.findLast((other) => other.kind === 'user' && other.entry.role === 'user');
    if (row?.kind === 'user') await this.edit(row.entry);
  }

  /** The prompt of a turn that was undone; what the person writes meanwhile stays. */
  async bringBack(entry_id: string): Promise<void> {
    const { session, draft, blob, isSending, onEdit, orExplain } = this.#parts;
    const isFree = () => draft.isEmpty && draft.editing === null && !isSending();
    if (!isFree()) return;
    await orExplain('The prompt could not be brought back', async () => {
      const shown = session.info?.id;
      const entry = await session.body(entry_id);
      if (entry?.type !== 'message' || entry.role !== 'user') return;
      const { text, mentions } = await promptToEdit(entry, blob);
      if (shown !== session.info?.id || !isFree()) return;
      draft.insert(text, mentions);
      onEdit();
    });
  }

  async copy(message: Message): Promise<void> {
    const { blob, command, orExplain } = this.#parts;
    await orExplain('The message could not be copied', async () => {
      await command({ type: 'copy', text: await wholeMessage(message, blob) });
    });
  }

  /** What an earlier attempt said; `whole` names the blob with all of a long one. */
  async copyTry(text: string, whole?: string): Promise<void> {
    const { blob, command, orExplain } = this.#parts;
    await orExplain('This text could not be copied', async () => {
      await command({ type: 'copy', text: whole === undefined ? text : await blob(whole) });
    });
  }

  async copyConversation(): Promise<void> {
    const { session, blob, command, orExplain } = this.#parts;
    await orExplain('The conversation could not be copied', async () => {
      // A part of it, or of another one, is not what was asked for.
      if (!(await session.loadAll())) throw new Error('Not all of it could be loaded; nothing was copied.');
      await command({ type: 'copy', text: await conversationText(session.rows, blob) });
    });
  }

  /** The person chose it from the menu of a message. */
  async chosen(what: 'edit' | 'copy', entry_id: string): Promise<void> {
    await this.#parts.orExplain('The message could not be loaded', async () => {
      const { session } = this.#parts;
      const shown = session.info?.id;
      const entry = await session.body(entry_id);
      if (what === 'edit' && shown !== session.info?.id) return;
      if (entry?.type !== 'message') return;
      if (what === 'copy') return this.copy(entry);
      await this.edit(entry);
      // It was chosen in the tree or a list: which one it is should be seen.
      const { index } = session.outline;
      const isShown = index
        .path(index.ordinal(session.state?.head ?? null))
        .includes(index.ordinal(entry_id));
      if (isShown && shown === session.info?.id && this.#parts.draft.editing === entry_id)
        this.#parts.reveal(entry_id);
    });
  }
}
