// Four kinds of tests; CONTRIBUTING.md says which belongs where.
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vitest/config';

const soak = process.env['BOUGH_SOAK'] === '1';
const minute = 60_000;
/**
 * A scene has a whole VS Code and a browser on a machine that others use too. In CI one that fails is run again once;
 * the closing lines name each that passed only then, and why it failed before.
 */
const triesOfAScene = process.env['CI'] ? 2 : 1;
/** The main job, shown on the oldest supported VS Code too. What the other scenes show does not depend on its version. */
const mainJob = [
  ...[
    'branch',
    'config',
    'crash',
    'demo',
    'disk',
    'edit',
    'host',
    'hostile',
    'keyboard',
    'keys',
    'lm',
    'panel',
  ],
  ...['retry', 'sessions', 'stop', 'unreadable'],
].map((scene) => `test/editor/${scene}.test.ts`);

export default defineConfig({
  test: {
    reporters: ['default', './test/summary-reporter.ts'],
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/unit/**/*.test.ts'],
          setupFiles: ['test/seed.ts'],
          environment: 'node',
          testTimeout: soak ? 10 * minute : 10_000,
        },
      },
      {
        plugins: [svelte()],
        resolve: { conditions: ['browser'] },
        test: {
          name: 'webview',
          include: ['test/webview/**/*.test.ts'],
          setupFiles: ['test/seed.ts'],
          environment: 'happy-dom',
          testTimeout: 10_000,
        },
      },
      {
        test: {
          name: 'crash',
          include: ['test/crash/**/*.test.ts'],
          environment: 'node',
          testTimeout: soak ? 20 * minute : minute,
          hookTimeout: minute,
        },
      },
      {
        plugins: [svelte()],
        resolve: { conditions: ['browser'] },
        test: {
          // Figures, not verdicts: npm run bench.
          name: 'bench',
          include: ['test/bench/*.bench.ts'],
          environment: 'node',
          // What is measured has the machine for itself.
          maxWorkers: 1,
        },
      },
      {
        test: {
          name: 'bench-editor',
          include: ['test/bench/editor/*.bench.ts'],
          environment: 'node',
          globalSetup: ['test/editor/bench/prepare.ts'],
          pool: 'forks',
          maxWorkers: 1,
          hookTimeout: 2 * minute,
        },
      },
      {
        test: {
          name: 'editor',
          include: process.env['BOUGH_VSCODE'] === '1.104' ? mainJob : ['test/editor/**/*.test.ts'],
          environment: 'node',
          globalSetup: ['test/editor/bench/prepare.ts'],
          pool: 'forks',
          maxWorkers: 2,
          retry: triesOfAScene - 1,
          testTimeout: 3 * minute,
          hookTimeout: 2 * minute,
        },
      },
    ],
  },
});
