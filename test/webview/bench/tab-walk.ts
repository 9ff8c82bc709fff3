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

export async function walkByTab(page: Page): Promise<TabWalk> {
  const wanted = await page.evaluate((selector) => {
    const all = [...document.querySelectorAll<HTMLElement>(selector)].filter(
      (element) =>
        element.checkVisibility({ visibilityProperty: true }) &&
        !element.matches(':disabled') &&
        element.closest('[inert]') === null,
    );
    all.forEach((element, index) => (element.dataset['wanted'] = `${index}`));
    return all.length;
  }, CONTROLS);
  const reached = new Set<string>();
  const unmarked = new Set<string>();
  for (let presses = 0; presses < wanted + 10; presses += 1) {
    await page.keyboard.press('Tab');
    const at = await page.evaluate(focusedControl);
    if (at?.wanted !== undefined) reached.add(at.wanted);
    if (at?.problem !== undefined) unmarked.add(at.problem);
  }
  const unreached = await page.evaluate(
    (seen) => {
      const marked = [...document.querySelectorAll<HTMLElement>('[data-wanted]')];
      const left = marked.filter((element) => !seen.includes(element.dataset['wanted'] ?? ''));
      for (const element of marked) delete element.dataset['wanted'];
      return left.map((element) => element.outerHTML.slice(0, 200));
    },
    [...reached],
  );
  return { wanted, unreached, unmarked: [...unmarked] };
}

/** Runs in the page. */
function focusedControl(): { wanted: string | undefined; problem: string | undefined } | undefined {
  const element = document.activeElement as HTMLElement | null;
  if (element === null || element === document.body) return undefined;
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
  return {
    wanted: element.dataset['wanted'],
    problem: isNamed && shows ? undefined : element.outerHTML.slice(0, 200),
  };
}
