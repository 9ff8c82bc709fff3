/** What fits an @ or a / while it is written: looked up as it grows, moved through and taken by keys. */
import { triggerAt, type Trigger } from './mention.js';

/** Further ones are found by writing on. */
const MOST = 14;

export interface MenuItem {
  key: string;
  icon: string;
  label: string;
  detail?: string | undefined;
  /** The sign and what stands behind it are `trigger`. */
  pick: (trigger: Trigger) => void;
}

export class Menu {
  items = $state.raw<readonly MenuItem[]>([]);
  chosen = $state.raw(0);
  kind = $state.raw<Trigger['kind']>('mention');
  #trigger: Trigger | null = null;
  readonly #find: (trigger: Trigger, show: (items: readonly MenuItem[]) => void) => Promise<void>;

  /** `find` shows what it has as it comes, each time all of it. */
  constructor(find: (trigger: Trigger, show: (items: readonly MenuItem[]) => void) => Promise<void>) {
    this.#find = find;
  }

  /** Looks whether something is called before the caret, and what fits it. */
  async look(text: string, caret: number): Promise<void> {
    const trigger = triggerAt(text, caret);
    this.#trigger = trigger;
    if (trigger === null) return this.close();
    let isFirst = true;
    await this.#find(trigger, (items) => {
      // What was asked for a while ago may come late.
      if (this.#trigger !== trigger) return;
      this.kind = trigger.kind;
      this.items = items.slice(0, MOST);
      if (isFirst) this.chosen = 0;
      isFirst = false;
    });
  }

  close(): void {
    this.#trigger = null;
    this.items = [];
  }

  take(item: MenuItem | undefined): void {
    const trigger = this.#trigger;
    this.close();
    if (trigger !== null) item?.pick(trigger);
  }

  /** Whether the key was meant for the list. */
  takeKey(event: Pick<KeyboardEvent, 'key' | 'shiftKey'>): boolean {
    const count = this.items.length;
    if (count === 0) return false;
    if (event.key === 'Escape') this.close();
    else if (event.key === 'ArrowDown') this.chosen = (this.chosen + 1) % count;
    else if (event.key === 'ArrowUp') this.chosen = (this.chosen + count - 1) % count;
    else if ((event.key === 'Enter' || event.key === 'Tab') && !event.shiftKey)
      this.take(this.items[this.chosen]);
    else return false;
    return true;
  }
}
