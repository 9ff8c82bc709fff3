// One VS Code window in the browser and what a person does in it.
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { ConsoleMessage, FrameLocator, Locator, Page } from 'playwright-core';
import { eventually } from './eventually.js';
import { answer, literal, pick, quickInput, runCommand } from './quick-input.js';
import { readSessions, type TreeRow } from './sessions-tree.js';
import { findWebview } from './webview.js';

/** Each with the class VS Code gives the workbench for its kind. */
const themes = {
  'Dark Modern': 'vs-dark',
  'Light Modern': 'vs',
  'Dark High Contrast': 'hc-black',
  'Light High Contrast': 'hc-light',
} as const;
export type Theme = keyof typeof themes;

export interface ConsoleLine {
  readonly type: string;
  readonly text: string;
  readonly url: string;
}

export interface EditorWindow {
  readonly page: Page;
  readonly consoleMessages: readonly ConsoleLine[];
  /** Console lines of our webviews about their content security policy. */
  policyViolations(): ConsoleLine[];
  /** Runs the palette row of exactly this title, "Bough: New Session". */
  runCommand(title: string): Promise<void>;
  pick(label: string | RegExp): Promise<void>;
  /** Types into VS Code's open input box and confirms. */
  answer(text: string): Promise<void>;
  /** Clicks a button of VS Code's modal dialog. */
  confirm(button: string): Promise<void>;
  /** Opens the menu of this element, or of what has the keyboard, and chooses the item of exactly this title. */
  choose(on: Locator | undefined, item: string): Promise<void>;
  /** A notification that contains this text. */
  notification(text: string): Locator;
  /** The chat in the side bar, in the state `ready`. Ask again after a reload, a restart or hiding. */
  chat(): Promise<FrameLocator>;
  /** The chat in an editor tab. */
  tab(): Promise<FrameLocator>;
  openBough(): Promise<void>;
  /** Waits for the status-bar item with this accessible name, e.g. "Bough: idle". */
  statusBar(name: string | RegExp, timeout?: number): Promise<Locator>;
  sessionsTree(): Promise<TreeRow[]>;
  /** The row of this title and, if given, of this description. */
  row(title: string, description?: string): Promise<TreeRow>;
  /** No row of this title is there any more. */
  rowGone(title: string): Promise<void>;
  /** Developer: Reload Window, until the workbench is there again and our extension runs. */
  reload(): Promise<void>;
  setTheme(theme: Theme): Promise<void>;
  /** Milliseconds our extension took to activate, as VS Code measured it. */
  activationTime(): Promise<number>;
  screenshot(name: string): Promise<string>;
}

export interface WindowOptions {
  readonly page: Page;
  readonly url: string;
  readonly evidence: string;
  /** False for a window in which our extension does not start. */
  readonly expectBough?: boolean;
}

export async function openWindow({
  page,
  url,
  evidence,
  expectBough = true,
}: WindowOptions): Promise<EditorWindow> {
  const consoleMessages = recordConsole(page);
  const ready = async () => {
    await page.locator('.monaco-workbench .part.statusbar').waitFor({ timeout: 60_000 });
    if (expectBough) await statusItem(page, /^Bough: /).waitFor({ timeout: 60_000 });
  };
  await page.goto(url);
  await ready();
  return {
    page,
    consoleMessages,
    policyViolations: () =>
      consoleMessages.filter(
        ({ text, url: from }) =>
          /content security policy/i.test(text) && /\/pre\/|vscode-webview|webview/.test(from + text),
      ),
    runCommand: (title) => runCommand(page, title),
    pick: (label) => pick(page, label),
    answer: (text) => answer(page, text),
    confirm: (button) =>
      page.locator('.monaco-dialog-box').getByRole('button', { name: button, exact: true }).click(),
    choose: (on, item) => choose(page, on, item),
    notification: (text) => page.locator('.notification-list-item').filter({ hasText: text }),
    chat: () => findWebview(page, 'body[data-webview="chat"][data-surface="view"][data-ready="true"]'),
    tab: () => findWebview(page, 'body[data-webview="chat"][data-surface="tab"][data-ready="true"]'),
    openBough: () => openBough(page),
    statusBar: async (name, timeout = 20_000) => {
      const item = statusItem(page, name);
      await item.waitFor({ timeout });
      return item;
    },
    sessionsTree: () => readSessions(page),
    row: (title, description) =>
      eventually(
        async () => {
          const rows = await readSessions(page);
          const found = rows.find(
            (row) => row.title === title && (description === undefined || row.description === description),
          );
          if (found) return found;
          throw new Error(`there are: ${rows.map((row) => `"${row.title}" ${row.description}`).join(', ')}`);
        },
        { what: `a row "${title}" ${description ?? ''}` },
      ),
    rowGone: async (title) => {
      await eventually(async () => !(await readSessions(page)).some((row) => row.title === title), {
        what: `no row "${title}"`,
      });
    },
    reload: async () => {
      await page.evaluate(() => document.body.setAttribute('data-before-reload', ''));
      await runCommand(page, 'Developer: Reload Window');
      await eventually(async () => (await page.locator('body[data-before-reload]').count()) === 0, {
        what: 'the window reloads',
      });
      await ready();
    },
    setTheme: (theme) => setTheme(page, theme),
    activationTime: () => activationTime(page),
    screenshot: async (name) => {
      mkdirSync(evidence, { recursive: true });
      const file = path.join(evidence, `${name}.png`);
      await page.screenshot({ path: file });
      return file;
    },
  };
}

function recordConsole(page: Page): ConsoleLine[] {
  const lines: ConsoleLine[] = [];
  page.on('console', (message: ConsoleMessage) =>
    lines.push({ type: message.type(), text: message.text(), url: message.location().url }),
  );
  page.on('pageerror', (error) =>
    lines.push({ type: 'pageerror', text: error.stack ?? error.message, url: page.url() }),
  );
  return lines;
}

function statusItem(page: Page, name: string | RegExp): Locator {
  const exact = typeof name === 'string' ? new RegExp(`^${literal(name)}$`) : name;
  return page.locator('.part.statusbar').getByRole('button', { name: exact }).first();
}

async function openBough(page: Page): Promise<void> {
  const tab = page.locator('.part.activitybar').getByRole('tab', { name: /^Bough/ });
  if ((await tab.getAttribute('aria-selected')) !== 'true') await tab.click();
  await page
    .locator('.part.sidebar .composite.title, .part.sidebar .title-label')
    .filter({ hasText: /bough/i })
    .first()
    .waitFor();
}

/** A menu takes no click in its first moments, and closes when what it hangs on is drawn anew: then it is opened again. */
async function choose(page: Page, on: Locator | undefined, item: string): Promise<void> {
  const found = page.getByRole('menuitem', { name: item, exact: true });
  await on?.waitFor();
  await eventually(
    async () => {
      if ((await found.count()) === 0) {
        if (on === undefined) await page.keyboard.press('Shift+F10');
        else await on.click({ button: 'right', timeout: 2_000 });
      }
      await found.click({ timeout: 2_000 });
      await found.waitFor({ state: 'detached', timeout: 2_000 });
      return true;
    },
    { what: `the menu with "${item}" takes the click` },
  );
}

async function setTheme(page: Page, theme: Theme): Promise<void> {
  await runCommand(page, 'Preferences: Color Theme');
  // The list is long: rows further down are mounted only when the filter brings them up.
  await quickInput(page).locator('.quick-input-box input').fill(theme);
  await pick(page, theme);
  await page.locator(`.monaco-workbench.${themes[theme]}`).waitFor();
}

async function activationTime(page: Page): Promise<number> {
  await runCommand(page, 'Developer: Show Running Extensions');
  const row = page
    .locator('.runtime-extensions-editor .monaco-list-row')
    .filter({ hasText: 'Bough' })
    .first();
  const text = await eventually(
    async () => /(\d+)\s*ms/.exec(await row.locator('.activation-time').innerText())?.[1],
    { what: 'the activation time of our extension' },
  );
  await runCommand(page, 'View: Close Editor');
  return Number(text);
}
