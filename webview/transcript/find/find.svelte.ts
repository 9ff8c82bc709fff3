/**
 * Find in the conversation: where the words stand in all of it, which place is shown, and what must be opened to see it.
 * The whole line is searched, mounted or not, open or folded; what the host still has is fetched first.
 */
import type { Item } from '../items.js';
import { fold, placesOf } from './fold.js';
import { isKnown, partsOf } from './texts.js';

/** One place: the n-th in a part of a row. */
export interface Match {
  key: string;
  part: string;
  nth: number;
  opens?: string;
}

export interface FindSource {
  items: () => readonly Item[];
  /** All of the line is here. */
  loadAll: () => Promise<unknown>;
  /** The first row in sight, by key. */
  firstInSight: () => string | undefined;
  /** Lets the page breathe. */
  pause: () => Promise<void>;
}

/** Milliseconds of work at a time. */
const SLICE = 12;
/** More places than anybody goes through. */
const MOST = 10_000;

export class Find {
  isOpen = $state.raw(false);
  query = $state.raw('');
  /** The line is being fetched and read. */
  isSearching = $state.raw(false);
  /** Grows when the field is to take the focus, with all of it selected. */
  focusRequests = $state.raw(0);
  /** Grows when the place that is shown is to come into sight. */
  showRequests = $state.raw(0);
  /** Asked for by one that is not open itself: a reasoning, a tool card, a summary. */
  opened = $state.raw<ReadonlySet<string>>(new Set());
  #source = $state.raw<FindSource>();
  #at = $state.raw<Match>();
  #round = 0;
  #before: HTMLElement | null = null;

  readonly #needle = $derived(fold(this.query));
  readonly matches: readonly Match[] = $derived.by(() => this.#search());
  /** Index of the one that is shown; −1 when there is none. */
  readonly index: number = $derived.by(() => this.#indexOf(this.#at));
  readonly current: Match | undefined = $derived(this.matches[this.index]);

  connect(source: FindSource): () => void {
    this.#source = source;
    return () => {
      if (this.#source === source) this.#source = undefined;
    };
  }

  get needle(): string {
    return this.#needle;
  }

  open(): void {
    if (!this.isOpen) {
      const { activeElement } = document;
      this.#before = activeElement instanceof HTMLElement ? activeElement : null;
      this.isOpen = true;
      void this.#read();
    }
    this.focusRequests++;
  }

  /** Another conversation is shown. */
  end(): void {
    this.isOpen = false;
    this.#at = undefined;
    this.#round++;
  }

  /** Gives the focus back to where it was; false when that is gone. */
  close(): boolean {
    this.end();
    const before = this.#before;
    this.#before = null;
    if (before === null || !before.isConnected || before === document.body) return false;
    before.focus();
    return true;
  }

  /** Another query: the first place from what is in sight on. */
  search(query: string): void {
    this.query = query;
    this.#at = this.#nearest();
    this.#show();
  }

  step(by: 1 | -1): void {
    const count = this.matches.length;
    if (count === 0) return;
    const from = this.index === -1 ? (by === 1 ? -1 : 0) : this.index;
    this.#at = this.matches[(from + by + count) % count];
    this.#show();
  }

  /** Whether this was opened to show a place in it. */
  wants(name: string): boolean {
    return this.opened.has(name);
  }

  #show(): void {
    const opens = this.#at?.opens;
    if (opens !== undefined && !this.opened.has(opens)) this.opened = new Set([...this.opened, opens]);
    this.showRequests++;
  }

  /** Fetches the line and reads it in slices, so that nothing freezes. */
  async #read(): Promise<void> {
    const source = this.#source;
    const round = ++this.#round;
    if (source === undefined) return;
    this.isSearching = true;
    try {
      await source.loadAll();
      let began = performance.now();
      for (const item of source.items()) {
        if (round !== this.#round) return;
        if (isKnown(item)) continue;
        partsOf(item);
        if (performance.now() - began < SLICE) continue;
        await source.pause();
        began = performance.now();
      }
    } finally {
      if (round === this.#round) this.isSearching = false;
    }
    if (this.#at === undefined) this.search(this.query);
  }

  #search(): Match[] {
    const needle = this.#needle;
    if (!this.isOpen || this.isSearching || needle === '' || this.#source === undefined) return [];
    const found: Match[] = [];
    for (const item of this.#source.items()) {
      for (const { name, text, opens } of partsOf(item)) {
        const count = placesOf(text, needle, MOST - found.length).length;
        for (let nth = 0; nth < count; nth++)
          found.push({ key: item.key, part: name, nth, ...(opens === undefined ? {} : { opens }) });
      }
      if (found.length >= MOST) break;
    }
    return found;
  }

  #indexOf(wanted: Match | undefined): number {
    if (wanted === undefined) return -1;
    const { key, part, nth } = wanted;
    return this.matches.findIndex((match) => match.key === key && match.part === part && match.nth === nth);
  }

  #nearest(): Match | undefined {
    const inSight = this.#source?.firstInSight();
    const order = new Map(this.#source?.items().map(({ key }, index) => [key, index]) ?? []);
    const from = inSight === undefined ? 0 : (order.get(inSight) ?? 0);
    return this.matches.find(({ key }) => (order.get(key) ?? 0) >= from) ?? this.matches.at(-1);
  }
}
