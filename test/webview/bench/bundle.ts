// The webview as it ships, bundled once for a test run.
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import * as esbuild from 'esbuild';
import svelte from 'esbuild-svelte';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../..');

export interface Bundle {
  /** Contents by file name: webview.js, webview.css, codicon.ttf. */
  files: Map<string, Buffer>;
}

let built: Promise<Bundle> | undefined;

export const bundle = (): Promise<Bundle> => (built ??= build());

async function build(): Promise<Bundle> {
  const { outputFiles } = await esbuild.build({
    absWorkingDir: root,
    entryPoints: { webview: 'webview/main.ts' },
    outdir: 'dist',
    bundle: true,
    write: false,
    format: 'iife',
    platform: 'browser',
    target: 'chrome128',
    conditions: ['svelte', 'browser', 'production'],
    mainFields: ['svelte', 'browser', 'module', 'main'],
    loader: { '.ttf': 'file' },
    assetNames: '[name]',
    logLevel: 'warning',
    plugins: [svelte({ compilerOptions: { css: 'external', runes: true } })],
  });
  return {
    files: new Map(outputFiles.map((file) => [path.basename(file.path), Buffer.from(file.contents)])),
  };
}
