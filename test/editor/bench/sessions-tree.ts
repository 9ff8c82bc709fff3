// The rows of our sessions view as a person sees them.
import type { Locator, Page } from 'playwright-core';
import { literal } from './quick-input.js';

export interface TreeRow {
  readonly title: string;
  readonly description: string;
  /** What a screen reader says. */
  readonly name: string;
  readonly level: number;
  readonly expanded: boolean | undefined;
  readonly locator: Locator;
}

export function sessionsPane(page: Page): Locator {
  return page.locator('.pane').filter({ has: page.locator('.pane-header[aria-label^="Sessions"]') });
}

/** Opens the pane if it is folded, and reads it. */
export async function readSessions(page: Page): Promise<TreeRow[]> {
  const header = sessionsPane(page).locator('.pane-header');
  if ((await header.getAttribute('aria-expanded')) === 'false') await header.click();
  const rows = sessionsPane(page).locator('.monaco-list-row');
  // All in one go, by their place in the list: rows come and go, and VS Code reuses their elements in any order.
  const shown = await rows.evaluateAll((elements) => {
    const place = (row: Element) => Number(row.getAttribute('data-index'));
    const inOrder = elements.sort((one, other) => place(one) - place(other));
    return inOrder.map((row) => ({
      title: row.querySelector('.label-name')?.textContent ?? '',
      description: row.querySelector('.label-description')?.textContent ?? '',
      name: row.getAttribute('aria-label') ?? '',
      level: Number(row.getAttribute('aria-level')),
      expanded: row.getAttribute('aria-expanded'),
    }));
  });
  return shown.map(({ expanded, ...row }) => ({
    ...row,
    expanded: expanded === null ? undefined : expanded === 'true',
    locator: sessionsPane(page)
      .locator(`.monaco-list-row[aria-level="${row.level}"]`)
      .filter({ has: page.locator('.label-name', { hasText: new RegExp(`^${literal(row.title)}$`) }) })
      .first(),
  }));
}
