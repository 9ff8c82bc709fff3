// What of the view stands beyond its sides, where nobody sees it and no pointer reaches it.
import type { Page } from 'playwright-core';

/** What stays where it is while the conversation scrolls. */
const PARTS =
  'header, header *, .bottom, .bottom *, [role="tree"], section[aria-label="Conversation tree"] *';

/** Beginnings of elements that are cut off at the left or the right, or squeezed so that their icon is. */
export const cutOff = (page: Page): Promise<string[]> => page.evaluate(find, PARTS);

/** Runs in the page. */
function find(parts: string): string[] {
  const isCut = (element: Element): boolean => {
    const { left, right, width } = element.getBoundingClientRect();
    if (width === 0) return false;
    // What is cut with an ellipsis, or scrolls by itself, ends where its box ends.
    for (let box = element.parentElement; box !== null && box !== document.body; box = box.parentElement) {
      if (getComputedStyle(box).overflowX === 'visible') continue;
      const { left: from, right: to } = box.getBoundingClientRect();
      if (from >= -0.5 && to <= innerWidth + 0.5) return false;
    }
    return left < -0.5 || right > innerWidth + 0.5;
  };
  const isSqueezed = (element: Element): boolean =>
    element.matches('button.codicon:not([aria-hidden])') && element.getBoundingClientRect().width < 24;
  return [...document.querySelectorAll(parts)]
    .filter((element) => element.checkVisibility({ visibilityProperty: true }))
    .filter((element) => isCut(element) || isSqueezed(element))
    .map(({ outerHTML }) => outerHTML.slice(0, 160));
}
