// VS Code's palette, pick lists and input boxes.
import type { Locator, Page } from 'playwright-core';
import { eventually } from './eventually.js';

export function quickInput(page: Page): Locator {
  return page.locator('.quick-input-widget:visible');
}

/**
 * The row is clicked by its exact name: rows are ranked loosely, so Enter may run another command. A key pressed just
 * after the focus moved can get lost, and a view that takes the focus closes the palette: then all begins again.
 */
export async function runCommand(page: Page, title: string): Promise<void> {
  const box = quickInput(page).locator('.quick-input-box input');
  await eventually(
    async () => {
      await page.keyboard.press('F1');
      await box.fill(`>${title}`, { timeout: 2_000 });
      await row(page, new RegExp(`^${literal(title)}(,|$)`)).click({ timeout: 3_000 });
      return true;
    },
    { timeout: 30_000, what: `the palette row "${title}"` },
  );
}

/**
 * Opens a file by its name. VS Code looks for a text only once: where it did so before it could search, it would say for
 * ever that there is nothing. So each try begins with a box of its own.
 */
export async function openFile(page: Page, name: string): Promise<void> {
  const box = quickInput(page).locator('.quick-input-box input');
  await eventually(
    async () => {
      if (await box.isVisible()) await page.keyboard.press('Escape');
      await box.waitFor({ state: 'hidden', timeout: 2_000 });
      await page.keyboard.press('ControlOrMeta+P');
      await box.fill(name, { timeout: 2_000 });
      await row(page, new RegExp(`^(?:[a-z0-9~-]+ )?${literal(name)}`)).click({ timeout: 3_000 });
      await page.getByRole('tab', { name }).first().waitFor({ timeout: 3_000 });
      return true;
    },
    { what: `the file ${name} is open` },
  );
}

/** An icon in front of the label is read out by its name, so one word there is let pass. */
export async function pick(page: Page, label: string | RegExp): Promise<void> {
  const name = typeof label === 'string' ? new RegExp(`^(?:[a-z0-9~-]+ )?${literal(label)}(,|$)`) : label;
  await row(page, name).click();
}

/** Types into the open input box or pick list and confirms. */
export async function answer(page: Page, text: string): Promise<void> {
  const box = quickInput(page).locator('.quick-input-box input');
  await box.fill(text);
  await box.press('Enter');
}

function row(page: Page, name: RegExp): Locator {
  return quickInput(page).getByRole('option', { name }).first();
}

export function literal(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
