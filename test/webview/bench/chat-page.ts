// The chat view in Chromium without VS Code: the shipped bundle, the host's own page and policy, a theme's real
// variables, and a host that a test plays.
import { readFileSync } from 'node:fs';
import { type Browser, chromium, type Locator, type Page } from 'playwright-core';
import { ensureChromium, findChromium } from '../../../scripts/setup-chromium.mjs';
import { chatHtml, type Surface } from '../../../src/host/chat/html.js';
import type {
  Ask,
  Intent,
  MentionOffer,
  SlashOffer,
  Snapshot,
  ToHost,
  ToWebview,
  UiCommand,
} from '../../../src/shared/protocol.js';
import { bundle } from './bundle.js';
import { spendingOf } from '../../../src/shared/fold/spent.js';
import type { FileState } from '../../../src/shared/fold/file-states.js';
import type { Scene } from './scenes.js';

export const themes = ['dark', 'light', 'hc-dark', 'hc-light'] as const;
export type Theme = (typeof themes)[number];

interface ThemeVariables {
  classes: string;
  variables: Record<string, string>;
}

const here = (file: string) => readFileSync(new URL(file, import.meta.url), 'utf8');
const themeVariables = JSON.parse(here('themes.json')) as Record<Theme, ThemeVariables>;
const defaultStyle = here('vscode-default.css');

/** Undefined where there is no Chromium and it cannot be installed: elsewhere than on Linux these tests are left out. */
export const chromiumPath: string | undefined =
  findChromium() ?? (process.platform === 'linux' ? await ensureChromium() : undefined);

export const openBrowser = (): Promise<Browser> =>
  chromium.launch({
    ...(chromiumPath === undefined ? {} : { executablePath: chromiumPath }),
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-dev-shm-usage',
      '--host-resolver-rules=MAP * ~NOTFOUND',
    ],
  });

export interface PageOptions {
  theme?: Theme;
  surface?: Surface;
  width?: number;
  height?: number;
  reducedMotion?: boolean;
  /** The clock stands at this time until the test moves it. */
  at?: number;
}

type Answer = { result: unknown } | { failure: Extract<ToWebview, { type: 'reply'; ok: false }>['failure'] };

/** The view and the other end of its wire. */
export class ChatPage {
  readonly received: ToHost[] = [];
  /** Requests the page made beyond its own files. */
  readonly requested: string[] = [];
  readonly errors: string[] = [];
  /** How intents and commands are answered; they succeed unless a test says otherwise. */
  answer: (message: Extract<ToHost, { type: 'intent' | 'ui' }>) => Answer | 'never' = () => ({
    result: null,
  });
  files: readonly string[] = [];
  /** What else an @ may name, and what a / does; the texts of both by name. */
  offers: readonly MentionOffer[] = [];
  slash: readonly SlashOffer[] = [];
  /** What the host estimates a request at. */
  estimated = 0;
  readonly offered = new Map<string, string>();
  /** Images that were kept beside the log. */
  readonly attached: { mime: string; bytes: Buffer }[] = [];

  constructor(
    readonly page: Page,
    public scene: Scene,
    private readonly first: Snapshot,
  ) {}

  at(testId: string): Locator {
    return this.page.locator(`[data-testid="${testId}"]`);
  }
  get composer(): Locator {
    return this.at('composer');
  }

  async post(message: ToWebview): Promise<void> {
    await this.page.evaluate((data) => window.postMessage(data, '*'), message);
  }

  intents(): Intent[] {
    return this.received.flatMap((message) => (message.type === 'intent' ? [message.intent] : []));
  }
  commands(): UiCommand[] {
    return this.received.flatMap((message) => (message.type === 'ui' ? [message.command] : []));
  }
  troubles(): string[] {
    return this.received.flatMap((message) => (message.type === 'trouble' ? [message.text] : []));
  }

  /** What the webview posted. */
  async take(message: ToHost): Promise<void> {
    this.received.push(message);
    switch (message.type) {
      case 'open':
        return this.post(this.first);
      case 'ask':
        return this.post({ type: 'reply', id: message.id, ...this.found(message.ask) });
      case 'intent':
      case 'ui': {
        const answer = this.answer(message);
        if (answer === 'never') return;
        if ('failure' in answer)
          return this.post({ type: 'reply', id: message.id, ok: false, failure: answer.failure });
        return this.post({ type: 'reply', id: message.id, ok: true, result: answer.result });
      }
      case 'opening':
      case 'draft':
      case 'bring_back':
      case 'focus':
      case 'trouble':
        return;
    }
  }

  private found(ask: Ask): { ok: true; result: unknown } {
    switch (ask.what) {
      case 'blob':
        return { ok: true, result: this.scene.blobs.get(ask.hash) ?? '' };
      case 'compare':
        return { ok: true, result: this.scene.compare(ask.left_id, ask.right_id) };
      case 'turn_files': {
        const isOf = ({ turns }: FileState) => turns.some(({ turn_id }) => turn_id === ask.turn_id);
        return {
          ok: true,
          result: this.scene.fold
            .files()
            .filter(isOf)
            .map(({ path }) => path),
        };
      }
      case 'line_spending':
        return { ok: true, result: spendingOf(this.scene.line(ask.head)) };
      case 'estimate':
        return { ok: true, result: this.estimated };
      case 'attach': {
        const hash = (this.attached.length + 1).toString(16).padStart(64, 'a');
        this.attached.push({ mime: ask.mime, bytes: Buffer.from(ask.data, 'base64') });
        return { ok: true, result: hash };
      }
      case 'paths':
        return {
          ok: true,
          result: ask.uris.map((uri) => ({ path: uri.replace('file:///sample/', ''), kind: 'file' })),
        };
      case 'mentions': {
        const files = this.files.map((path): MentionOffer => ({ kind: 'file', label: path, path }));
        const fits = ({ label, kind }: MentionOffer) =>
          label.toLowerCase().includes(ask.query.toLowerCase()) || kind.startsWith(ask.query);
        return { ok: true, result: [...this.offers, ...files].filter(fits) };
      }
      case 'symbols':
        return { ok: true, result: [] };
      case 'mention': {
        const { kind, label } = ask.offer;
        return { ok: true, result: { kind, label, text: this.offered.get(label) ?? label } };
      }
      case 'slash':
        return { ok: true, result: this.slash };
      case 'expand':
        return { ok: true, result: this.offered.get(ask.name) ?? '' };
      case 'bodies':
        return {
          ok: true,
          result: this.scene.placed.filter(({ entry }) => ask.ids.includes(entry.id)),
        };
      case 'snapshot':
        return { ok: true, result: null };
    }
  }
}

/** Opens a scene in a view of its own, which is closed after the test. */
export type Open = (
  scene: Scene,
  options?: PageOptions & { snapshot?: Partial<Snapshot> },
) => Promise<ChatPage>;

const ORIGIN = 'https://bough.test';

export async function openChat(
  browser: Browser,
  scene: Scene,
  options: PageOptions & { snapshot?: Partial<Snapshot> } = {},
): Promise<ChatPage> {
  const { theme = 'dark', surface = 'view', width = surface === 'tab' ? 1000 : 420, height = 720 } = options;
  const page = await browser.newPage({
    viewport: { width, height },
    reducedMotion: options.reducedMotion === true ? 'reduce' : 'no-preference',
  });
  // Some way behind, since the clock runs until it is paused.
  if (options.at !== undefined) await page.clock.install({ time: options.at - 60_000 });
  if (options.at !== undefined) await page.clock.pauseAt(options.at);
  const chat = new ChatPage(page, scene, scene.snapshot(options.snapshot));
  const { files } = await bundle();
  await page.exposeFunction('boughPost', (message: ToHost) => chat.take(message));
  await page.route('**/*', async (route) => {
    const { pathname, origin } = new URL(route.request().url());
    const name = pathname.slice(1);
    const file = files.get(name);
    if (origin !== ORIGIN) {
      chat.requested.push(route.request().url());
      await route.abort();
    } else if (name === '')
      await route.fulfill({ contentType: 'text/html', body: document(theme, surface, scene.id) });
    else if (name === 'vscode.css') await route.fulfill({ contentType: 'text/css', body: defaultStyle });
    else if (file === undefined) await route.fulfill({ status: 404 });
    else await route.fulfill({ contentType: contentType(name), body: file });
  });
  page.on('pageerror', (error) => chat.errors.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error') chat.errors.push(message.text());
  });
  await page.goto(`${ORIGIN}/`);
  await page.locator('body[data-ready="true"]').waitFor();
  return chat;
}

const contentType = (name: string): string =>
  name.endsWith('.js') ? 'text/javascript' : name.endsWith('.css') ? 'text/css' : 'font/ttf';

/** The host's page with what VS Code adds to it: theme variables, body classes, its default style and the API. */
function document(theme: Theme, surface: Surface, sessionId: string): string {
  const nonce = 'n0nce';
  const html = chatHtml({
    surface,
    sessionId,
    tabId: '',
    script: '/webview.js',
    style: '/webview.css',
    cspSource: ORIGIN,
    nonce,
    language: 'en',
  });
  const { classes, variables } = themeVariables[theme];
  const setUp = `
    for (const [name, value] of Object.entries(${JSON.stringify(variables)})) document.documentElement.style.setProperty(name, value);
    document.documentElement.style.background = ${JSON.stringify(surface === 'tab' ? 'var(--vscode-editor-background)' : 'var(--vscode-sideBar-background)')};
    addEventListener('DOMContentLoaded', () => (document.body.className = ${JSON.stringify(classes)}));
    window.acquireVsCodeApi = () => ({
      postMessage: (message) => void window.boughPost(structuredClone(message)),
      setState: (state) => (window.boughState = state),
    });`;
  return html.replace(
    '<link rel="stylesheet"',
    `<link rel="stylesheet" href="/vscode.css"><script nonce="${nonce}">${setUp}</script><link rel="stylesheet"`,
  );
}
