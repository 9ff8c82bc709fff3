/**
 * Rows far from what is in sight are not mounted: an empty space stands for them, of the height they had or, before they
 * were ever drawn, of the height they probably have. So a long conversation costs what is looked at. Where a row turns
 * out to have another height, what is read stays in its place.
 */
import { tick, untrack } from 'svelte';
import { TAIL } from './window.svelte.js';

/** Fewer rows are all mounted. */
const FEW = 60;
/** How many heights of the view above and below what is in sight stay mounted. */
const NEAR = 2;
/** How far beyond what is in sight rows have all that only a look or a pointer needs. */
const DETAILED = 0.1;
/** How many heights of the window the first picture of a conversation holds: its rows have less, and may be lower than they seem. */
const FIRST = 1;

export type Piece<T> =
  | { key: string; item: T; index: number; isNear: boolean; height?: never }
  | { key: string; height: number; item?: never; index?: never };

export interface FarRowsParts<T> {
  /** The rows of the conversation that may be mounted, in order. */
  shown: () => readonly T[];
  scroller: () => HTMLElement | undefined;
  /**
   * Holds nothing but elements with `data-item` for each mounted row, with `data-space` for each space, and with
   * `data-of` for what belongs to a row and stands before or after it.
   */
  list: () => HTMLElement | undefined;
  /** How high a row probably is. */
  guess: (item: T) => number;
  /** How high it is while it is folded: 0 for one that is not seen at all. Undefined when it is not folded. */
  foldedHeight: (item: T) => number | undefined;
  /** Scrolls by so many pixels, since what stands above has another height now. */
  shift: (by: number) => void;
}

export class FarRows<T extends { key: string }> {
  #mounted = $state.raw<ReadonlySet<string>>(new Set());
  #near = $state.raw<ReadonlySet<string>>(new Set());
  #heights: ReadonlyMap<string, number> = new Map();
  readonly #parts: FarRowsParts<T>;
  #frame = 0;
  /** The first picture was drawn. */
  #isPainted = false;

  constructor(parts: FarRowsParts<T>) {
    this.#parts = parts;
  }

  /** What stands in the transcript: rows, and spaces for rows. */
  get pieces(): Piece<T>[] {
    const shown = this.#parts.shown();
    const isFirst = this.#isFirst(shown);
    const tail = isFirst ? this.#firstOfPicture(shown) : shown.length - TAIL;
    const pieces: Piece<T>[] = [];
    for (const [index, item] of shown.entries()) {
      const { key } = item;
      const last = pieces.at(-1);
      const isMounted = this.#mounted.has(key);
      const isSeen = !isFirst || this.#parts.foldedHeight(item) !== 0;
      if (isMounted || (index >= tail && isSeen))
        pieces.push({ key, item, index, isNear: !isMounted || this.#near.has(key) });
      else if (last?.height === undefined) pieces.push({ key: spaceKey(key), height: this.#heightOf(item) });
      else last.height += this.#heightOf(item);
    }
    return pieces;
  }

  /** Looks again which rows are near, before the next picture. */
  look(): void {
    if (this.#frame !== 0) return;
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0;
      // The first picture has what is in sight; what stands above it comes with the second.
      const isFirst = this.#isFirst(this.#parts.shown()) && !this.#isPainted;
      this.#isPainted = isFirst;
      if (isFirst) this.look();
      else this.#update();
    });
  }

  /** Mounts these at once, wherever they are; they stay for as long as they are near. */
  mount(keys: readonly string[]): void {
    this.#mounted = new Set([...untrack(() => this.#mounted), ...keys]);
  }

  #isFirst(shown: readonly T[]): boolean {
    return !shown.some(({ key }) => this.#mounted.has(key));
  }

  #heightOf(item: T): number {
    return this.#parts.foldedHeight(item) ?? this.#heights.get(item.key) ?? this.#parts.guess(item);
  }

  #firstOfPicture(shown: readonly T[]): number {
    let left = window.innerHeight * FIRST;
    let index = shown.length;
    for (; index > 0 && left > 0; index -= 1) {
      const item = shown[index - 1];
      if (item !== undefined) left -= this.#heightOf(item);
    }
    return index;
  }

  #update(): void {
    const [scroller, list] = [this.#parts.scroller(), this.#parts.list()];
    const shown = this.#parts.shown();
    if (scroller === undefined || list === undefined) return;
    const places = placesIn(list);
    const view = scroller.getBoundingClientRect();
    const held = heldIn(list);
    const heights = new Map<string, number>();
    const mounted = new Set<string>();
    const near = new Set<string>();
    let end = list.getBoundingClientRect().top;
    for (const [index, item] of shown.entries()) {
      const { key } = item;
      const place = places.get(key) ?? places.get(spaceKey(key));
      const top = place?.top ?? end;
      const drawn = places.get(key);
      const height = drawn === undefined ? this.#heightOf(item) : drawn.bottom - drawn.top;
      end = top + height;
      const folded = this.#parts.foldedHeight(item);
      // What it is while it is folded says nothing of how high it will be.
      const known = drawn === undefined || folded !== undefined ? this.#heights.get(key) : height;
      if (known !== undefined) heights.set(key, known);
      const isWithin = (views: number): boolean =>
        folded !== 0 && end > view.top - views * view.height && top < view.bottom + views * view.height;
      const isHeld = held === key;
      const isFew = shown.length <= FEW;
      if (isFew || isHeld || isWithin(NEAR) || index >= shown.length - TAIL) mounted.add(key);
      if (isFew || isHeld || isWithin(DETAILED)) near.add(key);
    }
    this.#heights = heights;
    if (!isSame(near, this.#near)) this.#near = near;
    if (isSame(mounted, this.#mounted)) return;
    this.#mounted = mounted;
    const anchor = firstBelow(list, view.top, mounted);
    if (anchor !== undefined) void this.#keep(anchor);
  }

  /** The browser's scroll anchoring does it too, but not at the top and not right after it was scrolled to a place. */
  async #keep(anchor: HTMLElement): Promise<void> {
    const before = anchor.getBoundingClientRect().top;
    await tick();
    const by = anchor.getBoundingClientRect().top - before;
    if (anchor.isConnected && Math.abs(by) >= 1) this.#parts.shift(by);
  }
}

const spaceKey = (first: string): string => `space before ${first}`;

/** From where to where each row or space reaches, with what belongs to it and the distance to what stands above. */
function placesIn(list: HTMLElement): Map<string, { top: number; bottom: number }> {
  const places = new Map<string, { top: number; bottom: number }>();
  let end = list.getBoundingClientRect().top;
  for (const element of list.children) {
    const key = ownerOf(element);
    if (key === undefined) continue;
    const { bottom, width, height } = element.getBoundingClientRect();
    const isHidden = width === 0 && height === 0;
    const top = places.get(key)?.top ?? end;
    if (!isHidden) end = bottom;
    places.set(key, { top, bottom: end });
  }
  return places;
}

/** The first row in sight that stays. */
function firstBelow(list: HTMLElement, top: number, mounted: ReadonlySet<string>): HTMLElement | undefined {
  for (const element of list.children) {
    if (!(element instanceof HTMLElement) || !mounted.has(element.dataset['item'] ?? '')) continue;
    if (element.getBoundingClientRect().bottom > top) return element;
  }
  return undefined;
}

function ownerOf(element: Element): string | undefined {
  if (!(element instanceof HTMLElement)) return undefined;
  const { item, space, of } = element.dataset;
  return item ?? space ?? of;
}

/** The row that the keyboard or the selection is in. */
function heldIn(list: HTMLElement): string | undefined {
  const { activeElement } = document;
  const selection = document.getSelection();
  const selected = selection === null || selection.isCollapsed ? null : selection.anchorNode;
  const at = list.contains(activeElement) ? activeElement : selected;
  if (at === null || !list.contains(at)) return undefined;
  let child: Node | null = at;
  while (child !== null && child.parentNode !== list) child = child.parentNode;
  return child instanceof HTMLElement ? ownerOf(child) : undefined;
}

function isSame(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  if (one.size !== other.size) return false;
  for (const key of one) if (!other.has(key)) return false;
  return true;
}
