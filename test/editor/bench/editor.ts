// A real VS Code with our packed extension, from start to the last of its processes.
import { rmSync } from 'node:fs';
import path from 'node:path';
import type { Browser, BrowserContext } from 'playwright-core';
import { afterAll, expect, inject } from 'vitest';
import { openBrowser } from './browser.js';
import { eventually } from './eventually.js';
import { addExtensions } from './extensions.js';
import {
  type Files,
  type Folders,
  makeFolders,
  type Settings,
  storageFolder,
  writeMachineSettings,
  writeUserSettings,
} from './folders.js';
import { kill, type ProcessRow } from './processes.js';
import { type Server, startServer } from './server.js';
import { evidenceFolder, target, type Version, versionUnderTest } from './target.js';
import { type EditorWindow, openWindow } from './window.js';

export interface StartOptions {
  /** Names the folder for screenshots and logs; the test file's name unless given. */
  readonly scene?: string;
  readonly version?: Version;
  /** User settings. */
  readonly settings?: Settings;
  /** The only place for settings of scope "machine": model, providers, approval rules. */
  readonly machineSettings?: Settings;
  readonly files?: Files;
  /** More extensions: each a .vsix or a folder with package.json and plain JavaScript. */
  readonly extensions?: readonly string[];
  /** Workspace trust is on and not given. */
  readonly restricted?: boolean;
  /** False opens a window without a folder. */
  readonly folder?: boolean;
  /** False for a window in which our extension does not start. */
  readonly expectBough?: boolean;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Shared by the tests of one file; it is left open. */
  readonly browser?: Browser;
  readonly viewport?: { readonly width: number; readonly height: number };
}

export interface Editor extends EditorWindow {
  readonly version: Version;
  readonly workspace: string;
  readonly userData: string;
  readonly server: Server;
  readonly context: BrowserContext;
  /** Our folder in globalStorage. */
  storage(): string;
  setMachineSettings(settings: Settings): void;
  /** Every process VS Code has started, orphans included. */
  processes(): ProcessRow[];
  extensionHostPid(): Promise<number>;
  /** SIGKILL; resolves with the new host's process id. VS Code restarts a host twice in five minutes, no more. */
  killExtensionHost(): Promise<number>;
  secondWindow(): Promise<EditorWindow>;
  close(): Promise<void>;
}

/** Tests that fail before they close their editor leave it here. */
const closers = new Set<() => Promise<void>>();
afterAll(async () => {
  for (const close of closers) await close();
});

export async function startEditor(options: StartOptions = {}): Promise<Editor> {
  const version = options.version ?? versionUnderTest();
  const folders = prepareFolders(version, options);
  const evidence = evidenceFolder(version, options.scene ?? sceneOfTestFile());
  const { restricted = false, args = [], env = {} } = options;
  const server = await startServer({
    run: inject('run'),
    target: target(version),
    folders,
    log: path.join(evidence, 'server.log'),
    restricted,
    args,
    env,
  });
  const browser = options.browser ?? (await openBrowser(inject('chromium')));
  const context = await browser.newContext({ viewport: options.viewport ?? { width: 1400, height: 900 } });
  const close = async () => {
    closers.delete(close);
    for (const page of context.pages()) await page.goto('about:blank');
    await context.close();
    if (!options.browser) await browser.close();
    await server.close();
    rmSync(folders.base, { recursive: true, force: true, maxRetries: 3 });
  };
  closers.add(close);
  const url =
    options.folder === false
      ? `${server.url}/?ew=true`
      : `${server.url}/?${new URLSearchParams({ folder: folders.workspace }).toString()}`;
  const openNext = async () =>
    openWindow({ page: await context.newPage(), url, evidence, expectBough: options.expectBough ?? true });
  try {
    const window = await openNext();
    return {
      ...window,
      ...hostOf(server),
      version,
      workspace: folders.workspace,
      userData: folders.userData,
      server,
      context,
      storage: () => storageFolder(folders),
      setMachineSettings: (settings) => writeMachineSettings(folders, settings),
      secondWindow: openNext,
      close,
    };
  } catch (error) {
    await context.pages()[0]?.screenshot({ path: path.join(evidence, 'did-not-start.png') });
    await close();
    throw error;
  }
}

/** Starts an editor, keeps a screenshot and the console if `scene` fails, and closes it in any case. */
export async function withEditor(
  options: StartOptions,
  scene: (editor: Editor) => Promise<void>,
): Promise<void> {
  const editor = await startEditor(options);
  try {
    await scene(editor);
  } catch (error) {
    const shown = path.dirname(await editor.screenshot('failed'));
    // What failed may be in another window than the first.
    for (const [index, page] of editor.context.pages().slice(1).entries())
      await page.screenshot({ path: path.join(shown, `failed-${String(index + 2)}.png`) });
    const lines = editor.consoleMessages.filter(({ type }) => type === 'error' || type === 'pageerror');
    console.log(lines.map(({ type, text }) => `${type}: ${text}`).join('\n'));
    throw error;
  } finally {
    await editor.close();
  }
}

function prepareFolders(
  version: Version,
  {
    settings = {},
    machineSettings = {},
    files = { 'readme.txt': 'hello\n' },
    extensions = [],
    restricted,
  }: StartOptions,
): Folders {
  const folders = makeFolders(inject('extensionsTemplate'), files);
  writeUserSettings(folders, {
    ...(restricted ? { 'security.workspace.trust.enabled': true } : {}),
    ...settings,
  });
  writeMachineSettings(folders, machineSettings);
  addExtensions(target(version), folders, extensions);
  return folders;
}

function hostOf(server: Server): Pick<Editor, 'processes' | 'extensionHostPid' | 'killExtensionHost'> {
  const hosts = () => server.processes().filter(({ command }) => command.includes('--type=extensionHost'));
  const newest = () => hosts().at(-1)?.pid;
  return {
    processes: () => server.processes(),
    extensionHostPid: () => eventually(newest, { what: 'an extension host' }),
    killExtensionHost: async () => {
      const old = await eventually(newest, { what: 'an extension host' });
      kill(old);
      return eventually(() => hosts().find(({ pid }) => pid > old)?.pid, { what: 'a new extension host' });
    },
  };
}

function sceneOfTestFile(): string {
  return path.basename(expect.getState().testPath ?? 'scene', '.test.ts');
}
