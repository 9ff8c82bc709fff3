// Finding our webviews among VS Code's frames by a mark in their own document.
import type { FrameLocator, Page } from 'playwright-core';
import { eventually } from './eventually.js';

/**
 * The document matching `selector`. What is returned stays valid until the view is hidden, the window is reloaded or
 * the extension host restarts: ask again afterwards. (The frame's address does not tell view and tab apart reliably.)
 */
export function findWebview(page: Page, selector: string, timeout = 30_000): Promise<FrameLocator> {
  const frames = page.locator('iframe.webview.ready[src*="extensionId=bough.bough"]');
  return eventually(
    async () => {
      for (const frame of await frames.all()) {
        const name = await frame.getAttribute('name', { timeout: 1_000 });
        const inner = page
          .frameLocator(`iframe.webview.ready[name="${name}"]`)
          .frameLocator('iframe#active-frame');
        if ((await inner.locator(selector).count()) > 0) return inner;
      }
      return undefined;
    },
    { timeout, what: `a webview of ours that matches ${selector}` },
  );
}
