// Before the editor tests: VS Code and Chromium are there, our VSIX is packed and installed once.
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import type { TestProject } from 'vitest/node';
import { packageExtension } from '../../../scripts/package.mjs';
import { ensureChromium } from '../../../scripts/setup-chromium.mjs';
import { setupVscode } from '../../../scripts/setup-vscode.mjs';
import { makeExtensionsTemplate } from './extensions.js';
import { killAll, leftOvers } from './processes.js';
import { target, versionUnderTest } from './target.js';

declare module 'vitest' {
  interface ProvidedContext {
    extensionsTemplate: string;
    chromium: string;
    run: string;
  }
}

export default async function prepare(project: TestProject): Promise<() => Promise<void>> {
  const version = versionUnderTest();
  await setupVscode(version);
  project.provide('chromium', await ensureChromium());
  const packed = process.env['BOUGH_VSIX'];
  const vsix = packed && existsSync(packed) ? packed : (await packageExtension()).file;
  const template = makeExtensionsTemplate(target(version), vsix);
  project.provide('extensionsTemplate', template.folder);
  const run = randomUUID();
  project.provide('run', run);
  return async () => {
    template.remove();
    const left = leftOvers(run);
    await killAll(() => leftOvers(run));
    if (left.length > 0)
      throw new Error(`left running after the tests: ${left.map(({ command }) => command).join('\n')}`);
  };
}
