// Through all of a page by Tab: what can be pressed there must be reached, have a name, and show that it has the focus.
import type { Page } from 'playwright-core';

interface TabWalk {
  /** How many controls there were. */
  wanted: number;
  /** Their beginnings. */
  unreached: string[];
  /** Without a name, or nothing shows that they have the focus. */
  unmarked: string[];
}

/** Parts of widgets that arrows move in have a tabindex of -1 and are not gone through. */
const CONTROLS =
  'button:not([tabindex="-1"]), a[href], input, textarea, select, [role="link"], [tabindex="0"]';

const ROUNDS = 3;

export async function walkByTab(page: Page): Promise<TabWalk> {
  const wanted = await page.evaluate(begin, CONTROLS);
  // More controls may come into being on the way.
  for (let round = 0; round < ROUNDS; round += 1) {
    // One after the other, without a way back to here after each.
    await Promise.all(Array.from({ length: wanted + 5 }, () => page.keyboard.down('Tab')));
    if ((await page.evaluate(() => window.walked())).unreached.length === 0) break;
  }
  await page.keyboard.up('Tab');
  return { wanted, ...(await page.evaluate(() => window.walked())) };
}

declare global {
  interface Window {
    walked: () => Omit<TabWalk, 'wanted'>;
  }
}

/** Runs in the page: how many controls there are, and from now on which of them get the focus. */
function begin(selector: string): number {
  const wanted = [...document.querySelectorAll<HTMLElement>(selector)].filter(
    (element) =>
      element.checkVisibility({ visibilityProperty: true }) &&
      !element.matches(':disabled') &&
      element.closest('[inert]') === null,
  );
  const reached = new Set<Element>();
  const unmarked = new Set<string>();
  const isMarked = (element: HTMLElement): boolean => {
    const shows =
      getComputedStyle(element).outlineStyle !== 'none' ||
      element.closest('.composer:focus-within') !== null ||
      element.matches('input') ||
      // A widget that arrows move in marks one of its parts instead.
      element.hasAttribute('aria-activedescendant');
    const names = [element.getAttribute('aria-label'), element.innerText, element.getAttribute('title')];
    const isNamed =
      names.some((name) => (name ?? '').trim() !== '') ||
      (element instanceof HTMLTextAreaElement && element.labels.length > 0);
    return isNamed && shows;
  };
  const note = ({ target }: FocusEvent): void => {
    if (!(target instanceof HTMLElement)) return;
    reached.add(target);
    if (!isMarked(target)) unmarked.add(target.outerHTML.slice(0, 200));
  };
  document.addEventListener('focusin', note);
  window.walked = () => {
    const left = wanted.filter((element) => element.isConnected && !reached.has(element));
    return { unreached: left.map(({ outerHTML }) => outerHTML.slice(0, 200)), unmarked: [...unmarked] };
  };
  return wanted.length;
}
