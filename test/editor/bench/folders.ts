// The folders of one VS Code under test, all its own: settings, extensions, home, workspace.
import { cpSync, existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };
export type Settings = Readonly<Record<string, Json>>;
/** Relative path → text. */
export type Files = Readonly<Record<string, string>>;

export interface Folders {
  readonly base: string;
  readonly userData: string;
  readonly extensions: string;
  readonly home: string;
  readonly workspace: string;
}

const quiet: Settings = {
  'workbench.startupEditor': 'none',
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.colorTheme': 'Default Dark Modern',
  'workbench.tips.enabled': false,
  'workbench.enableExperiments': false,
  // 1.139 opens settings and the like in a dialog that swallows F1.
  'workbench.editor.useModal': 'off',
  'telemetry.telemetryLevel': 'off',
  'update.mode': 'none',
  'extensions.autoUpdate': false,
  'extensions.autoCheckUpdates': false,
  'extensions.ignoreRecommendations': true,
  'security.workspace.trust.enabled': false,
  'security.workspace.trust.startupPrompt': 'never',
  'window.commandCenter': false,
  'git.openRepositoryInParentFolders': 'never',
  'chat.commandCenter.enabled': false,
};

export function makeFolders(extensionsTemplate: string, files: Files): Folders {
  const base = mkdtempSync(path.join(os.tmpdir(), 'bough-editor-'));
  const [userData, extensions, home, workspace] = ['data', 'extensions', 'home', 'workspace'].map((name) =>
    path.join(base, name),
  ) as [string, string, string, string];
  for (const folder of [userData, home, workspace]) mkdirSync(folder);
  cpSync(extensionsTemplate, extensions, { recursive: true });
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(workspace, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  return { base, userData, extensions, home, workspace };
}

/** Read by VS Code at start only. */
export function writeUserSettings({ userData }: Folders, settings: Settings): void {
  writeJson(path.join(userData, 'User/settings.json'), { ...quiet, ...settings });
}

/** Applies to a running VS Code too; the only place for settings of machine scope. */
export function writeMachineSettings({ userData }: Folders, settings: Settings): void {
  writeJson(path.join(userData, 'Machine/settings.json'), settings);
}

/** Where the extension keeps its sessions; there once it has written something. */
export function storageFolder({ userData }: Folders): string {
  return path.join(userData, 'User/globalStorage/bough.bough');
}

function writeJson(file: string, value: Settings): void {
  if (!existsSync(path.dirname(file))) mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(value, null, 2));
}
