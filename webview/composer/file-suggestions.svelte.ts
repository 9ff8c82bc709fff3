/** Files that fit an @-mention while it is written: looked up as it grows, moved through and taken by keys. */
import { mentionAt } from './mention.js';

const MOST = 8;

export class FileSuggestions {
  paths = $state.raw<readonly string[]>([]);
  chosen = $state.raw(0);
  #mention: { start: number; query: string } | null = null;
  readonly #find: (query: string) => Promise<string[]>;
  readonly #onPick: (path: string, start: number) => void;

  constructor(parts: {
    find: (query: string) => Promise<string[]>;
    onPick: (path: string, start: number) => void;
  }) {
    this.#find = parts.find;
    this.#onPick = parts.onPick;
  }

  /** Looks whether a mention stands before the caret, and what fits it. */
  async look(text: string, caret: number): Promise<void> {
    const mention = mentionAt(text, caret);
    this.#mention = mention;
    if (mention === null) return this.close();
    const found = await this.#find(mention.query);
    // What was asked for a while ago may come late.
    if (this.#mention !== mention) return;
    this.paths = found.slice(0, MOST);
    this.chosen = 0;
  }

  close(): void {
    this.#mention = null;
    this.paths = [];
  }

  take(path: string | undefined): void {
    if (path !== undefined && this.#mention !== null) this.#onPick(path, this.#mention.start);
    this.close();
  }

  /** Whether the key was meant for the list. */
  takeKey(event: Pick<KeyboardEvent, 'key' | 'shiftKey'>): boolean {
    const count = this.paths.length;
    if (count === 0) return false;
    if (event.key === 'Escape') this.close();
    else if (event.key === 'ArrowDown') this.chosen = (this.chosen + 1) % count;
    else if (event.key === 'ArrowUp') this.chosen = (this.chosen + count - 1) % count;
    else if ((event.key === 'Enter' || event.key === 'Tab') && !event.shiftKey)
      this.take(this.paths[this.chosen]);
    else return false;
    return true;
  }
}
