// What `npm test` runs. A suite is {name, ready?, run}; run resolves with {name, passed, failed, skipped, why?}.
import os from 'node:os';
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { packageExtension, vsix } from './package.mjs';
import { ensureChromium } from './setup-chromium.mjs';
import { isSupported, setupVscode, versions } from './setup-vscode.mjs';
import { root, run, say } from './shell.mjs';
import { vitest } from './vitest.mjs';

const largest = 3 * 1024 * 1024;

export function checks() {
  return [
    check('lint', 'eslint/bin/eslint.js', ['.', '--max-warnings', '0']),
    check('types', 'typescript/bin/tsc', ['-b']),
    check('types of the webview', 'svelte-check/bin/svelte-check', [
      '--workspace',
      'webview',
      '--tsconfig',
      'tsconfig.json',
      '--fail-on-warnings',
    ]),
    check('types of the webview tests', 'svelte-check/bin/svelte-check', [
      '--workspace',
      'test/webview',
      '--tsconfig',
      'tsconfig.json',
      '--fail-on-warnings',
    ]),
    check('format', 'prettier/bin/prettier.cjs', ['--check', '.', '--log-level', 'warn']),
    check('layers', 'dependency-cruiser/bin/dependency-cruise.mjs', [
      'src',
      'webview',
      '--config',
      '.dependency-cruiser.mjs',
    ]),
    check('unused code', 'knip/bin/knip.js', []),
  ];
}

/** A program of node_modules that counts as one test. */
function check(name, script, args) {
  return {
    name,
    run: async () => {
      const begin = Date.now();
      const { code, output } = await run(
        process.execPath,
        [path.join(root, 'node_modules', script), ...args],
        { env: { ...process.env, NO_COLOR: '1' } },
      );
      return outcome(name, code === 0, begin, output);
    },
  };
}

function outcome(name, isGood, begin, output) {
  const seconds = Math.round((Date.now() - begin) / 1000);
  say(`${name}: ${isGood ? 'passed' : 'FAILED'} (${seconds} s)`);
  if (!isGood) process.stdout.write(`${output}\n`);
  return { name, passed: isGood ? 1 : 0, failed: isGood ? 0 : 1, skipped: [] };
}

/** On this Node alone, on all cores, with a tenth of the random cases: what one runs while working. */
export function quickUnitTests(filters) {
  process.env.BOUGH_QUICK = '1';
  process.env.VITEST_MAX_WORKERS = String(os.availableParallelism());
  return unitTests(filters).slice(0, 1);
}

/** On this Node and on those of the extension hosts, 22 and 24, where they can be had; and those of the webview. */
export function unitTests(filters) {
  const here = Number(process.versions.node.split('.')[0]);
  const others = Object.entries(versions).filter(([, { node }]) => !node.startsWith(`${here}.`));
  const suite = (name, major, node, ready) => ({
    name,
    ready,
    run: () => vitest({ name, project: 'unit', major, node: node(), filters }),
  });
  const hosts = others.map(([version, pins]) => {
    const major = pins.node.split('.')[0];
    let found;
    const ready = async () => (found = (await setupVscode(version)).node);
    return suite(`unit tests on Node ${major}`, major, () => found, ready);
  });
  return [
    ...(hasTests('unit')
      ? [suite(`unit tests on Node ${here}`, here, () => process.execPath)]
      : [nothingYet('unit tests')]),
    ...(hasTests('webview')
      ? [
          {
            name: 'webview tests',
            ready: ensureChromium,
            run: () => vitest({ name: 'webview tests', project: 'webview', filters }),
          },
        ]
      : [nothingYet('webview tests')]),
    ...(hasTests('unit') && isSupported ? hosts : []),
    ...(isSupported
      ? []
      : [skip('unit tests on the Nodes of the extension hosts', 'their set-up needs Linux on x64')]),
  ];
}

export function crashTests(filters) {
  if (process.platform === 'win32') return [skip('crash tests', 'they kill processes the POSIX way')];
  return hasTests('crash')
    ? [{ name: 'crash tests', run: () => vitest({ name: 'crash tests', project: 'crash', filters }) }]
    : [nothingYet('crash tests')];
}

/** The package as it would be published. */
export function packing() {
  const name = 'package';
  return {
    name,
    run: async () => {
      const begin = Date.now();
      try {
        const { size } = await packageExtension();
        return outcome(name, size < largest, begin, `it has ${size} bytes, more than ${largest}`);
      } catch (error) {
        return outcome(name, false, begin, error.message);
      }
    },
  };
}

export function editorTests(filters) {
  if (!isSupported) return [skip('editor tests', 'their VS Code needs Linux on x64')];
  const wanted = Object.keys(versions).filter(
    (version) => !process.env.BOUGH_VSCODE || process.env.BOUGH_VSCODE === version,
  );
  return wanted.map((version) => {
    const name = `editor tests on VS Code ${version}`;
    return {
      name,
      ready: () => Promise.all([ensureChromium(), setupVscode(version)]),
      run: () =>
        vitest({
          name,
          project: 'editor',
          major: version,
          filters,
          env: { BOUGH_VSCODE: version, BOUGH_VSIX: vsix },
        }),
    };
  });
}

function hasTests(kind) {
  const folder = path.join(root, 'test', kind);
  return (
    existsSync(folder) && readdirSync(folder, { recursive: true }).some((name) => name.endsWith('.test.ts'))
  );
}

function skip(name, reason) {
  return { name, run: () => Promise.resolve({ name, passed: 0, failed: 0, skipped: [reason] }) };
}

function nothingYet(name) {
  return skip(name, 'there are none');
}
