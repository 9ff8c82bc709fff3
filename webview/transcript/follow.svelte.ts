/**
 * Keeps the end of a scrolling element in sight while it grows, and lets go at the first sign that the person wants to
 * read: a wheel, key, drag or selection upwards. It resumes only at the very bottom, or when told to.
 */

type Wish = 'up' | 'down' | 'free';

/** Sub-pixel layouts leave up to this much below the true bottom. */
const BOTTOM = 1;
const UP_KEYS = new Set(['ArrowUp', 'PageUp', 'Home']);
const DOWN_KEYS = new Set(['ArrowDown', 'PageDown', 'End', ' ']);
const CONTROLS = 'button, a, summary, input, [role="menuitem"]';

export class Follow {
  isFollowing = $state(true);
  /** Not everything fits. */
  isScrollable = $state(false);
  readonly #hasEnd: () => boolean;
  #element: HTMLElement | undefined;
  #wish: Wish = 'down';
  #touchY = 0;
  #lastTop = 0;
  /** As far down as it went when it was looked at last. */
  #lastMost = 0;

  /** `hasEnd`: there is an end to follow; what has none is read from its top. */
  constructor(hasEnd: () => boolean) {
    this.#hasEnd = hasEnd;
  }

  /** An attachment for the scrolling element, whose first child holds the content. */
  readonly attach = (element: HTMLElement): (() => void) => {
    this.#element = element;
    const listeners = new AbortController();
    const { signal } = listeners;
    const passive = { passive: true, signal };
    element.addEventListener('wheel', (event) => this.#wheel(event), passive);
    element.addEventListener('touchstart', (event) => this.#touchStart(event), passive);
    element.addEventListener('touchmove', (event) => this.#touchMove(event), passive);
    element.addEventListener('pointerdown', (event) => this.#press(event), passive);
    element.addEventListener('keydown', (event) => this.#key(event), { signal });
    element.addEventListener('scroll', () => this.#scroll(), passive);
    element.ownerDocument.addEventListener('selectionchange', () => this.#select(), { signal });
    const sizes = new ResizeObserver(() => this.#keep());
    sizes.observe(element);
    if (element.firstElementChild !== null) sizes.observe(element.firstElementChild);
    this.#keep();
    return () => {
      listeners.abort();
      sizes.disconnect();
      this.#element = undefined;
    };
  };

  /** Goes to the end and stays there. */
  jump(): void {
    this.isFollowing = true;
    this.#wish = 'down';
    this.#keep();
  }

  release(): void {
    this.isFollowing = false;
  }

  #keep(): void {
    const element = this.#element;
    if (element === undefined) return;
    this.#lastMost = element.scrollHeight - element.clientHeight;
    this.isScrollable = this.#lastMost > BOTTOM;
    if (!this.isFollowing || !this.#hasEnd()) return;
    element.scrollTop = element.scrollHeight;
    this.#lastTop = element.scrollTop;
  }

  #wheel(event: WheelEvent): void {
    if (event.deltaY < 0) this.#up();
    else if (event.deltaY > 0) this.#down(isPlain(event) ? event.deltaY : 0);
  }

  #touchStart(event: TouchEvent): void {
    this.#touchY = event.touches[0]?.clientY ?? 0;
  }

  #touchMove(event: TouchEvent): void {
    const y = event.touches[0]?.clientY ?? this.#touchY;
    if (y > this.#touchY) this.#up();
    else if (y < this.#touchY) this.#down();
    this.#touchY = y;
  }

  /** What follows may be a drag of the scrollbar; a press of a button scrolls nothing. */
  #press({ target }: PointerEvent): void {
    const isOfControl = target instanceof Element && target.closest(CONTROLS) !== null;
    if (!isOfControl) this.#wish = 'free';
    else if (this.isFollowing) this.#wish = 'down';
  }

  #key(event: KeyboardEvent): void {
    if (event.target instanceof HTMLInputElement) return;
    if (UP_KEYS.has(event.key)) this.#up();
    else if (DOWN_KEYS.has(event.key)) this.#down();
  }

  #select(): void {
    const selection = document.getSelection();
    if (selection === null || selection.isCollapsed || this.#element === undefined) return;
    if (selection.anchorNode !== null && this.#element.contains(selection.anchorNode)) this.release();
  }

  #scroll(): void {
    const element = this.#element;
    if (element === undefined) return;
    const { scrollTop, scrollHeight, clientHeight } = element;
    const most = scrollHeight - clientHeight;
    // A page that became shorter takes along who stood at its end: a card that was decided folds.
    const movedUp = scrollTop < this.#lastTop - BOTTOM && most >= this.#lastMost - BOTTOM;
    this.#lastTop = scrollTop;
    this.#lastMost = most;
    const isAtBottom = most - scrollTop <= BOTTOM;
    if (isAtBottom && this.#wish !== 'up') this.isFollowing = true;
    // A scrollbar that is dragged, or a page that was searched: no wheel and no key told of it.
    else if (!isAtBottom && movedUp && this.#wish === 'free') this.release();
  }

  #up(): void {
    this.#wish = 'up';
    const element = this.#element;
    if (element !== undefined && element.scrollHeight > element.clientHeight) this.release();
  }

  /**
   * `by`: pixels that the page is about to move. Whoever asks for the end gets the end of now: the browser would stop at
   * that of its last frame, which text that came meanwhile has moved on.
   */
  #down(by = 0): void {
    this.#wish = 'down';
    const element = this.#element;
    if (element === undefined) return;
    if (element.scrollHeight - element.clientHeight - element.scrollTop - by <= BOTTOM) this.jump();
  }
}

/** A tick of the wheel that moves the page by as much as it says: it zooms nothing, and nothing within the page scrolls. */
function isPlain(event: WheelEvent): boolean {
  if (event.ctrlKey || event.shiftKey || event.deltaMode !== WheelEvent.DOM_DELTA_PIXEL) return false;
  for (const element of event.composedPath()) {
    if (element === event.currentTarget) return true;
    if (element instanceof Element && scrollsDown(element)) return false;
  }
  return false;
}

function scrollsDown(element: Element): boolean {
  if (element.scrollHeight - element.clientHeight - element.scrollTop <= BOTTOM) return false;
  return ['auto', 'scroll'].includes(getComputedStyle(element).overflowY);
}
