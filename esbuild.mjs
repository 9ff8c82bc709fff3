// Builds dist/: the small bundle VS Code starts, the rest of the host as ES modules that share chunks, and the webview's
// script, style and icon font.
//   node esbuild.mjs [--watch] [--why]
import { existsSync } from 'node:fs';
import { readdir, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import * as esbuild from 'esbuild';
import svelte from 'esbuild-svelte';
import { writeNotices } from './scripts/notices.mjs';

const root = path.dirname(fileURLToPath(import.meta.url));
process.chdir(root);
const watch = process.argv.includes('--watch');

/** What is loaded by name: by the start bundle, as a process and as a thread of its own. */
const hostEntries = {
  bough: 'src/host/bough.ts',
  supervisor: 'src/host/supervisor.ts',
  'text-worker': 'src/host/text-worker.ts',
};

/** Zod's messages in English only: the other forty languages are a quarter of a megabyte. */
const zodInEnglish = {
  name: 'zod-in-english',
  setup(build) {
    build.onLoad({ filter: /zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
      contents: "export { default as en } from './en.js';",
      loader: 'js',
    }));
  },
};

/** A validator of JSON Schema by which nothing of ours is checked (host/mcp/connect.ts brings its own): 150 kilobytes. */
const mcpWithoutAjv = {
  name: 'mcp-without-ajv',
  setup(build) {
    build.onLoad({ filter: /@modelcontextprotocol[\\/]client[\\/]dist[\\/]shimsNode\.mjs$/ }, () => ({
      contents: 'export const CORS_IS_POSSIBLE = false; export class DefaultJsonSchemaValidator {}',
    }));
  },
};

/** Loading undici replaces the process-wide dispatcher that VS Code's proxy support depends on. */
const withoutUndici = {
  name: 'without-undici',
  setup(build) {
    build.onResolve({ filter: /^undici(\/|$)/ }, ({ importer }) => ({
      errors: [{ text: `undici must not enter the extension host (imported by ${importer})` }],
    }));
  },
};

/** The start bundle loads the rest from its own file beside it, once VS Code has started. */
const restApart = {
  name: 'rest-apart',
  setup(build) {
    build.onResolve({ filter: /\/bough\.js$/ }, ({ kind }) =>
      kind === 'dynamic-import' ? { path: './bough.js', external: true } : undefined,
    );
  },
};

const common = {
  bundle: true,
  minify: !watch,
  sourcemap: true,
  metafile: true,
  logLevel: 'warning',
  absWorkingDir: root,
};

const node = {
  ...common,
  outdir: 'dist',
  platform: 'node',
  target: 'node22',
  external: ['vscode'],
  mainFields: ['module', 'main'],
};

/**
 * One file of CommonJS without chunks: VS Code loads an ES module through a second thread, file by file, and every window
 * pays for it at its start. What it shares with the rest is small and keeps no state of its own.
 */
const start = {
  ...node,
  entryPoints: { extension: 'src/extension.ts' },
  format: 'cjs',
  outExtension: { '.js': '.cjs' },
  plugins: [restApart],
};

const host = {
  ...node,
  entryPoints: Object.fromEntries(Object.entries(hostEntries).filter(([, file]) => existsSync(file))),
  format: 'esm',
  splitting: true,
  chunkNames: 'chunks/[name]-[hash]',
  banner: {
    js: "import { createRequire as createRequireOfBough } from 'node:module'; const require = createRequireOfBough(import.meta.url);",
  },
  plugins: [zodInEnglish, mcpWithoutAjv, withoutUndici],
};

const webview = {
  ...common,
  entryPoints: { webview: 'webview/main.ts' },
  outdir: 'dist',
  format: 'iife',
  platform: 'browser',
  target: 'chrome128',
  conditions: ['svelte', 'browser', watch ? 'development' : 'production'],
  mainFields: ['svelte', 'browser', 'module', 'main'],
  loader: { '.ttf': 'file' },
  assetNames: '[name]',
  plugins: [
    zodInEnglish,
    svelte({
      compilerOptions: { css: 'external', runes: true, dev: watch },
      filterWarnings: (warning) => !warning.filename?.includes('node_modules'),
    }),
  ],
};

const builds = [start, host, webview].filter((options) =>
  Object.values(options.entryPoints).some((file) => existsSync(file)),
);

if (watch) {
  const contexts = await Promise.all(builds.map((options) => esbuild.context(options)));
  // What does not compile yet has been printed by esbuild, and is built again when it changes.
  await Promise.allSettled(contexts.map((context) => context.rebuild()));
  console.log('[watch] build finished, watching for changes');
  await Promise.all(contexts.map((context) => context.watch()));
} else {
  const begin = performance.now();
  await rm('dist', { recursive: true, force: true });
  const results = await Promise.all(builds.map((options) => esbuild.build(options)));
  const metafiles = results.map((result) => result.metafile);
  await writeNotices(metafiles);
  await writeFile('dist/meta.json', JSON.stringify(metafiles));
  await printSizes(metafiles, performance.now() - begin);
}

async function printSizes(metafiles, milliseconds) {
  const sizes = [];
  for (const name of (await readdir('dist', { recursive: true })).sort()) {
    const file = path.join('dist', name);
    if (/\.(map|json)$/.test(name) || !(await stat(file)).isFile()) continue;
    sizes.push(`${file} ${kilobytes((await stat(file)).size)}`);
  }
  console.log(`built in ${Math.round(milliseconds)} ms: ${sizes.join(', ')}`);
  if (process.argv.includes('--why')) for (const metafile of metafiles) console.log(shares(metafile));
}

/** How much of the output each package is. */
function shares(metafile) {
  const bytes = new Map();
  for (const output of Object.values(metafile.outputs)) {
    for (const [file, { bytesInOutput }] of Object.entries(output.inputs)) {
      const name = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? 'own';
      bytes.set(name, (bytes.get(name) ?? 0) + bytesInOutput);
    }
  }
  const sorted = [...bytes].sort((a, b) => b[1] - a[1]).slice(0, 16);
  return sorted.map(([name, size]) => `${name} ${kilobytes(size)}`).join(', ');
}

function kilobytes(bytes) {
  return `${Math.ceil(bytes / 1024)} K`;
}
