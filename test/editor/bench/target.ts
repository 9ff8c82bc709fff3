// Which VS Code is under test, where it lies, and where what it leaves behind is kept.
import path from 'node:path';
import { root } from '../../../scripts/shell.mjs';
import { places } from '../../../scripts/setup-vscode.mjs';

export type Version = '1.139' | '1.104';

export interface Target {
  readonly version: Version;
  readonly node: string;
  /** VS Code's own server: no password, nothing written outside its folders. */
  readonly server: string;
  /** code-server's wrapper around it. */
  readonly entry: string;
}

export function versionUnderTest(): Version {
  const version = process.env['BOUGH_VSCODE'] ?? '1.139';
  if (version !== '1.139' && version !== '1.104')
    throw new Error(`BOUGH_VSCODE is ${version}, not 1.139 or 1.104`);
  return version;
}

export function target(version: Version): Target {
  const { node, server, entry } = places(version);
  return { version, node, server, entry };
}

/** Screenshots and logs of one scene. */
export function evidenceFolder(version: Version, scene: string): string {
  return path.join(root, 'out/editor', version, scene);
}
