// The rows of our sessions view as a person sees them.
import type { Locator, Page } from 'playwright-core';

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
  const rows = await sessionsPane(page).locator('.monaco-list-row').all();
  return Promise.all(rows.map(readRow));
}

async function readRow(locator: Locator): Promise<TreeRow> {
  const shown = await locator.evaluate((row) => ({
    title: row.querySelector('.label-name')?.textContent ?? '',
    description: row.querySelector('.label-description')?.textContent ?? '',
    name: row.getAttribute('aria-label') ?? '',
    level: Number(row.getAttribute('aria-level')),
    expanded: row.getAttribute('aria-expanded'),
  }));
  return { ...shown, expanded: shown.expanded === null ? undefined : shown.expanded === 'true', locator };
}
