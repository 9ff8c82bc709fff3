/**
 * Rows far from what is in sight are not mounted: an empty space of the height they had stands for them, so that nothing
 * moves and a long conversation costs what is looked at. A row is mounted once before its height is known. Where rows
 * have another height when they come back (the view was made wider), the browser's scroll anchoring keeps the place.
 */
import { untrack } from 'svelte';
import { TAIL } from './window.svelte.js';

/** Fewer rows are all mounted. */
const FEW = 60;
/** How many heights of the view above and below what is in sight stay mounted. */
const NEAR = 2;

export type Piece<T> =
  | { key: string; item: T; index: number; height?: never }
  | { key: string; height: number; item?: never; index?: never };

export interface FarRowsParts<T> {
  /** The rows of the conversation that may be mounted, in order. */
  shown: () => readonly T[];
  /** Holds an element with `data-slot` for each mounted row, and one with `data-space` for each space. */
  scroller: () => HTMLElement | undefined;
}

export class FarRows<T extends { key: string }> {
  /** Heights of the rows that are not mounted. */
  #hidden = $state.raw<ReadonlyMap<string, number>>(new Map());
  readonly #parts: FarRowsParts<T>;
  #frame = 0;

  constructor(parts: FarRowsParts<T>) {
    this.#parts = parts;
  }

  /** What stands in the transcript: rows, and spaces for rows. */
  get pieces(): Piece<T>[] {
    const pieces: Piece<T>[] = [];
    for (const [index, item] of this.#parts.shown().entries()) {
      const height = this.#hidden.get(item.key);
      const last = pieces.at(-1);
      if (height === undefined) pieces.push({ key: item.key, item, index });
      else if (last?.height === undefined) pieces.push({ key: spaceKey(item.key), height });
      else last.height += height;
    }
    return pieces;
  }

  /** Looks again which rows are near, before the next picture. */
  look(): void {
    if (this.#frame !== 0) return;
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0;
      this.#update();
    });
  }

  /** Mounts these at once, wherever they are; they stay for as long as they are near. */
  mount(keys: readonly string[]): void {
    const left = new Map(untrack(() => this.#hidden));
    for (const key of keys) left.delete(key);
    this.#hidden = left;
  }

  #update(): void {
    const scroller = this.#parts.scroller();
    const shown = this.#parts.shown();
    if (scroller === undefined) return;
    const hidden = shown.length <= FEW ? new Map<string, number>() : farRows(shown, this.#hidden, scroller);
    if (!isSame(hidden, this.#hidden)) this.#hidden = hidden;
  }
}

const spaceKey = (first: string): string => `space before ${first}`;

function farRows(
  shown: readonly { key: string }[],
  before: ReadonlyMap<string, number>,
  scroller: HTMLElement,
): Map<string, number> {
  const elements = new Map<string, HTMLElement>();
  for (const element of scroller.querySelectorAll<HTMLElement>('[data-slot], [data-space]'))
    elements.set(element.dataset['slot'] ?? element.dataset['space'] ?? '', element);
  const view = scroller.getBoundingClientRect();
  const held = heldIn(scroller);
  const hidden = new Map<string, number>();
  let place = 0;
  for (const [index, { key }] of shown.entries()) {
    const element = elements.get(before.has(key) ? spaceKey(key) : key);
    const rect = element?.getBoundingClientRect();
    if (rect !== undefined) place = rect.top;
    const height = before.get(key) ?? rect?.height;
    if (height === undefined) continue;
    const top = place;
    place += height;
    const isNear = place > view.top - NEAR * view.height && top < view.bottom + NEAR * view.height;
    const isHeld = held !== null && element?.contains(held) === true;
    if (!isNear && !isHeld && index < shown.length - TAIL) hidden.set(key, height);
  }
  return hidden;
}

/** What the keyboard or the selection is in. */
function heldIn(scroller: HTMLElement): Node | null {
  const { activeElement } = document;
  if (activeElement !== scroller && scroller.contains(activeElement)) return activeElement;
  const selection = document.getSelection();
  return selection === null || selection.isCollapsed ? null : selection.anchorNode;
}

function isSame(one: ReadonlyMap<string, number>, other: ReadonlyMap<string, number>): boolean {
  if (one.size !== other.size) return false;
  for (const key of one.keys()) if (!other.has(key)) return false;
  return true;
}
