// What can be pressed on a page, and what a press does: what is posted, and what is seen to change.
import type { Page } from 'playwright-core';
import type { ToHost } from '../../../src/shared/protocol.js';
import type { ChatPage } from './chat-page.js';

export interface Control {
  /** Test id or role, and what it is called. */
  name: string;
  /** Which of those of that name. */
  nth: number;
  opensMenu: boolean;
  isLink: boolean;
  isUnavailable: boolean;
}

export interface Look {
  /** Everything in sight that has a role, a name or a test id, with its state. */
  marks: string[];
  /** All words, without how long something took. */
  text: string;
  focus: string;
  scrolled: number;
}

/** What came of a press. */
export interface Effect {
  posts: string[];
  /** Marks that came, with +, and went, with −. */
  marks: string[];
  isReworded: boolean;
  /** Where the focus is, when it moved. */
  focus: string | null;
  isScrolled: boolean;
}

declare global {
  interface Window {
    controlsOf: () => Control[];
    controlOf: (control: Pick<Control, 'name' | 'nth'>) => HTMLElement | undefined;
    lookOf: () => Look;
  }
}

/** Once for a page. */
export const watchControls = (page: Page): Promise<void> => page.evaluate(install);

export const controls = (page: Page): Promise<Control[]> => page.evaluate(() => window.controlsOf());

/** Gives it the focus, or presses it as a pointer would; it may come into being a moment after the rest. */
export async function use(page: Page, control: Control, how: 'focus' | 'click'): Promise<void> {
  const { name, nth } = control;
  await page.waitForFunction(
    (wanted) => window.controlOf(wanted) !== undefined,
    { name, nth },
    { timeout: 5_000 },
  );
  await page.evaluate(([wanted, what]) => window.controlOf(wanted)?.[what](), [{ name, nth }, how] as const);
}

/** Nothing is posted any more, and what was is answered and drawn. */
export async function look(chat: ChatPage): Promise<Look> {
  for (;;) {
    const { length } = chat.received;
    const seen = await chat.page.evaluate(async () => {
      await new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)));
      return window.lookOf();
    });
    if (chat.received.length === length) return seen;
  }
}

/** What `press` does, from where the view stands now. */
export async function effectOf(
  chat: ChatPage,
  press: () => Promise<unknown>,
): Promise<{ effect: Effect; isDirty: boolean }> {
  const before = await look(chat);
  const from = chat.received.length;
  await press();
  const after = await look(chat);
  const marks = [
    ...missing(after.marks, before.marks).map((mark) => `+ ${mark}`),
    ...missing(before.marks, after.marks).map((mark) => `− ${mark}`),
  ].sort();
  const effect = {
    posts: chat.received.slice(from).flatMap(wordsOf),
    marks,
    isReworded: before.text !== after.text,
    focus: before.focus === after.focus ? null : after.focus,
    isScrolled: Math.abs(before.scrolled - after.scrolled) > 4,
  };
  // What an intent leaves behind need not be seen.
  const isDirty =
    marks.length > 0 || effect.isReworded || chat.received.slice(from).some(({ type }) => type === 'intent');
  return { effect, isDirty };
}

export const isNothing = ({ posts, marks, isReworded, focus, isScrolled }: Effect): boolean =>
  posts.length === 0 && marks.length === 0 && !isReworded && focus === null && !isScrolled;

/** What the person asked for; where the focus is and what stands in the composer tells nothing of that. */
function wordsOf(message: ToHost): string[] {
  switch (message.type) {
    case 'intent':
      return [JSON.stringify(message.intent)];
    case 'ui':
      return [JSON.stringify(message.command)];
    case 'ask':
      // Looked up by the view for itself, whenever it likes.
      return message.ask.what === 'estimate' || message.ask.what === 'line_spending'
        ? []
        : [JSON.stringify(message.ask)];
    case 'opening':
    case 'trouble':
    case 'open':
    case 'bring_back':
      return [JSON.stringify(message)];
    case 'focus':
    case 'draft':
      return [];
  }
}

/** With how often each is there. */
function missing(of: readonly string[], among: readonly string[]): string[] {
  const left = [...among];
  return of.filter((mark) => {
    const at = left.indexOf(mark);
    if (at !== -1) left.splice(at, 1);
    return at === -1;
  });
}

/** Runs in the page. */
function install(): void {
  const TIMES = /\d+\s(?:ms|s|min|h)\b/g;
  const pressable =
    'button, a[href], summary, [role="button"], [role="link"], [role="checkbox"], [role="switch"], [role="tab"]';
  const isSeen = (element: Element) =>
    element.checkVisibility({ visibilityProperty: true }) && element.closest('[inert]') === null;
  const all = () =>
    [...document.querySelectorAll<HTMLElement>(pressable)].filter(
      // What arrows move in is pressed as its widget says; what is hidden from readers repeats a key of that.
      (element) => isSeen(element) && !element.matches(':disabled, [tabindex="-1"], [aria-hidden="true"]'),
    );
  /** Without how long it took: that grows. */
  const called = (element: Element) =>
    (element.getAttribute('aria-label') ?? (element as HTMLElement).innerText)
      .replace(TIMES, '')
      .replace(/\s+/g, ' ')
      .trim();
  const nameOf = (element: Element) =>
    `${element.getAttribute('data-testid') ?? element.getAttribute('role') ?? element.localName} “${called(element).slice(0, 60)}”`;
  window.controlOf = ({ name, nth }) => all().filter((element) => nameOf(element) === name)[nth];
  const nthOf = (element: HTMLElement, at: number, among: readonly HTMLElement[]) =>
    among.slice(0, at).filter((other) => nameOf(other) === nameOf(element)).length;
  window.controlsOf = () =>
    all().map((element, at, among) => ({
      name: nameOf(element),
      nth: nthOf(element, at, among),
      isLink: element.matches('a, [role="link"]'),
      opensMenu: element.getAttribute('aria-haspopup') === 'menu',
      isUnavailable: element.getAttribute('aria-disabled') === 'true',
    }));
  const states = ['expanded', 'checked', 'pressed', 'selected', 'current', 'disabled'];
  const markOf = (element: Element) =>
    [
      nameOf(element),
      ...states.flatMap((state) => {
        const value = element.getAttribute(`aria-${state}`);
        return value === null ? [] : [`${state}=${value}`];
      }),
      ...(element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement
        ? [`value=${element.value.slice(0, 60)}`]
        : []),
    ].join(' ');
  window.lookOf = () => ({
    marks: [...document.querySelectorAll('[data-testid], [role], [aria-label], button, input, textarea')]
      // Whether the end is in sight shows a moment later, whatever was pressed.
      .filter((element) => isSeen(element) && !element.matches('[data-testid="jump-latest"]'))
      .map(markOf),
    text: document.body.innerText.replace(/Latest$/gm, '').replace(TIMES, ''),
    focus: document.activeElement === null ? '' : nameOf(document.activeElement),
    scrolled: [...document.querySelectorAll('*')].reduce((sum, { scrollTop }) => sum + scrollTop, 0),
  });
}
