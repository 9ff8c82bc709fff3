/**
 * Moves through a long conversation without moving what is being read: older rows come above it, a place far up is shown
 * with what stands around it, and what is missing between it and the end comes as it is read on.
 */
import { tick } from 'svelte';
import type { Follow } from './follow.svelte.js';
import type { Item } from './items.js';
import type { RowWindow } from './window.svelte.js';

/** Pixels beyond the edge at which more is mounted. */
const NEAR = 200;
/** Rows on either side of one that is brought into sight. */
const AROUND = 10;

export interface ReadingParts {
  rows: RowWindow<Item>;
  follow: Follow;
  items: () => readonly Item[];
  hasOlder: () => boolean;
  loadOlder: () => Promise<void>;
  loadAll: () => Promise<unknown>;
  /** The row that shows an entry, once its bodies are here. */
  rowOf: (entry: string) => Promise<string | undefined>;
  /** Mounts rows that stand far from what is in sight. */
  mountRows: (keys: readonly string[]) => void;
  /** Unfolds what hides a row. */
  unfold: (item: Item) => void;
}

export class Reading {
  scroller = $state<HTMLElement>();
  /** Where rows are missing between what was jumped to and the end. */
  gapElement = $state<HTMLElement>();
  readonly #parts: ReadingParts;
  #isMoving = false;
  #lastTop = 0;

  constructor(parts: ReadingParts) {
    this.#parts = parts;
  }

  /** The keyboard is on something in a row. */
  get hasFocusedRow(): boolean {
    const focused = document.activeElement;
    return focused !== this.scroller && focused !== null && this.scroller?.contains(focused) === true;
  }

  async showOlder(): Promise<void> {
    const { rows, follow, loadOlder } = this.#parts;
    follow.release();
    await this.#keepFromEnd(async () => {
      if (rows.first === 0) await loadOlder();
      rows.up();
    });
  }

  /** Brings an entry into sight; null for the beginning of the conversation. */
  async reveal(entry: string | null): Promise<void> {
    const { follow, items, rowOf, loadAll, unfold } = this.#parts;
    follow.release();
    if (entry === null) await loadAll();
    const id = entry === null ? items()[0]?.row?.entry.id : await rowOf(entry);
    const index = items().findIndex((item) => item.row?.entry.id === id);
    const item = items()[index];
    if (id === undefined || item === undefined) return;
    unfold(item);
    this.#mountAround(index);
    await tick();
    const element = this.scroller?.querySelector(`[data-entry-id="${CSS.escape(id)}"]`);
    this.#center(element);
    element?.classList.add('revealed');
    element?.addEventListener('animationend', () => element.classList.remove('revealed'), { once: true });
  }

  /** Scrolls so that the picker of an entry stands where the one stood that was pressed. */
  async hold(entry: string, top: number): Promise<void> {
    const item = this.#parts.items().find(({ row }) => row?.entry.id === entry);
    const element = item === undefined ? undefined : await this.mount(item.key);
    const picker = element?.querySelector('[data-testid="branch-picker"]');
    if (picker != null) this.shift(picker.getBoundingClientRect().top - top);
  }

  /** Mounts a row and what stands around it, and gives its element; what is mounted already stays where it is. */
  async mount(key: string): Promise<Element | undefined> {
    const { follow, items, unfold } = this.#parts;
    follow.release();
    const index = items().findIndex((item) => item.key === key);
    const item = items()[index];
    if (item === undefined) return undefined;
    unfold(item);
    await tick();
    if (this.#elementOf(key) === undefined) {
      this.#mountAround(index);
      await tick();
    }
    return this.#elementOf(key);
  }

  /** The key of the first row that is in sight. */
  get firstInSight(): string | undefined {
    const top = this.scroller?.getBoundingClientRect().top ?? 0;
    const rows = [...(this.scroller?.querySelectorAll<HTMLElement>('[data-item]') ?? [])];
    return rows.find((row) => row.getBoundingClientRect().bottom > top)?.dataset['item'];
  }

  #mountAround(index: number): void {
    const { rows, items, mountRows } = this.#parts;
    rows.around(index);
    mountRows(
      items()
        .slice(Math.max(0, index - AROUND), index + AROUND)
        .map(({ key }) => key),
    );
  }

  #elementOf(key: string): Element | undefined {
    return this.scroller?.querySelector(`[data-item="${CSS.escape(key)}"]`) ?? undefined;
  }

  /** What lies wholly in sight stays. */
  showRange(range: Range): void {
    const { scroller } = this;
    if (scroller === undefined) return;
    const around = range.startContainer.parentElement?.closest('pre, .diff');
    if (around != null) scrollWithin(around, range);
    const view = scroller.getBoundingClientRect();
    const place = range.getBoundingClientRect();
    if (place.top >= view.top && place.bottom <= view.bottom) return;
    scroller.scrollTop += place.top - view.top - (view.height - place.height) / 2;
  }

  /** Not by scrollIntoView: that would move the page around the view too. */
  #center(element: Element | null | undefined): void {
    const { scroller } = this;
    if (scroller === undefined || element === null || element === undefined) return;
    const view = scroller.getBoundingClientRect();
    const row = element.getBoundingClientRect();
    const space = Math.max(0, view.height - row.height) / 2;
    scroller.scrollTop += row.top - view.top - space;
  }

  /** Goes along with what is read: no scrolling of the person. */
  shift(by: number): void {
    if (this.scroller === undefined) return;
    this.scroller.scrollTop += by;
    this.#lastTop = this.scroller.scrollTop;
  }

  scrolled(): void {
    const { rows, follow, hasOlder } = this.#parts;
    const top = this.scroller?.scrollTop ?? 0;
    if (rows.gap !== null && top !== this.#lastTop) this.#fillGap(top > this.#lastTop);
    this.#lastTop = top;
    if (hasOlder() && !follow.isFollowing && top < NEAR) void this.showOlder();
  }

  /** Read on downwards, what is missing comes page by page; from the end upwards it is paged as ever. */
  #fillGap(isDownwards: boolean): void {
    if (this.scroller === undefined || this.gapElement === undefined || this.#isMoving) return;
    const { rows } = this.#parts;
    const { top } = this.gapElement.getBoundingClientRect();
    const view = this.scroller.getBoundingClientRect();
    if (top > view.bottom + NEAR || top < view.top - NEAR) return;
    if (isDownwards) return rows.down();
    void this.#keepFromEnd(() => {
      rows.release();
      rows.hold();
    });
  }

  /** Whatever is mounted above, what is in sight stays where it is. */
  async #keepFromEnd(change: () => void | Promise<void>): Promise<void> {
    const { scroller } = this;
    if (this.#isMoving || scroller === undefined) return;
    this.#isMoving = true;
    const fromEnd = scroller.scrollHeight - scroller.scrollTop;
    await change();
    await tick();
    scroller.scrollTop = scroller.scrollHeight - fromEnd;
    this.#isMoving = false;
  }
}

/** A box that scrolls by itself shows the place, too. */
function scrollWithin(box: Element, range: Range): void {
  const view = box.getBoundingClientRect();
  const place = range.getBoundingClientRect();
  if (place.top < view.top || place.bottom > view.bottom)
    box.scrollTop += place.top - view.top - (view.height - place.height) / 2;
  if (place.left < view.left || place.right > view.right)
    box.scrollLeft += place.left - view.left - (view.width - place.width) / 2;
}
