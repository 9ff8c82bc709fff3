// One vitest project as a process of its own, on the Node that is asked for; its outcome comes back as JSON.
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { readIfThere } from './cache.mjs';
import { root, run, say } from './shell.mjs';

const minute = 60_000;
const longest = process.env.BOUGH_SOAK === '1' ? 180 * minute : 45 * minute;

export async function vitest({ name, project, major = '', node = process.execPath, filters = [], env = {} }) {
  const begin = Date.now();
  const summaryFile = path.join(root, 'out/summaries', `${project}-${major}.json`);
  await mkdir(path.dirname(summaryFile), { recursive: true });
  say(`${name}: running`);
  const script = path.join(root, 'node_modules/vitest/vitest.mjs');
  const { code, output } = await run(
    node,
    [script, 'run', '--project', project, ...(filters.length > 0 ? ['--passWithNoTests', ...filters] : [])],
    {
      env: { ...process.env, ...env, NO_COLOR: '1', BOUGH_SUMMARY: summaryFile },
      timeout: longest,
    },
  );
  const result = await readSummary({ name, summaryFile, code, isFiltered: filters.length > 0 });
  say(
    `${name}: ${result.passed} passed, ${result.failed} failed (${Math.round((Date.now() - begin) / 1000)} s)`,
  );
  for (const [, figure] of output.matchAll(/^figure: (.*)$/gm)) say(`${name}: ${figure}`);
  if (result.failed > 0) process.stdout.write(`${output}\n`);
  return result;
}

async function readSummary({ name, summaryFile, code, isFiltered }) {
  const text = await readIfThere(summaryFile);
  if (text === undefined) {
    if (isFiltered && code === 0) return { name, passed: 0, failed: 0, skipped: [] };
    return { name, passed: 0, failed: 1, skipped: [], why: 'it ended before it could say what passed' };
  }
  const summary = { name, ...JSON.parse(text) };
  const { passed, failed } = summary;
  if (failed === 0 && code !== 0)
    return { ...summary, failed: 1, why: `every test passed, yet it ended with ${code}` };
  if (passed === 0 && failed === 0 && !isFiltered) return { ...summary, failed: 1, why: 'nothing ran' };
  return summary;
}
