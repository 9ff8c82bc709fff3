// npm test [-- PART… FILTER…]: installs what is missing, runs the parts (all of them unless named: check, unit, editor,
// soak) and ends with "N passed, N failed". Words that name no part choose test files.
import { rmSync } from 'node:fs';
import path from 'node:path';
import { ensureModules } from './install.mjs';
import { lanes } from './lanes.mjs';
import { report } from './report.mjs';
import { checks, crashTests, editorTests, packing, quickUnitTests, unitTests } from './suites.mjs';
import { ensureChromium } from './setup-chromium.mjs';
import { isSupported, setupVscode, versions } from './setup-vscode.mjs';
import { root, say } from './shell.mjs';
import { endChildren } from './tree.mjs';

const parts = ['check', 'unit', 'editor', 'soak'];
const words = process.argv.slice(2);
const filters = words.filter((word) => !parts.includes(word));
const named = words.filter((word) => parts.includes(word));
const wants = (part) => named.length === 0 || named.includes(part);

const results = [];

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
  process.once(signal, () => void endChildren().then(() => process.exit(1)));

try {
  // Fetched while npm works; each suite waits for what it needs, and says so when it cannot be had.
  if (isSupported && (wants('unit') || wants('editor')))
    void Promise.allSettled([ensureChromium(), ...Object.keys(versions).map(setupVscode)]);
  await ensureModules();
  await everything();
} catch (error) {
  say(error.message);
  results.push({ name: 'set-up', passed: 0, failed: 1, skipped: [] });
}
process.exitCode = report(results);

/** All of it, unless only the unit tests are asked for. */
function unit(isSoak) {
  if (isSoak || named.length === 0) return unitTests(filters);
  return wants('unit') ? quickUnitTests(filters) : [];
}

async function everything() {
  const isSoak = named.includes('soak');
  if (isSoak) process.env.BOUGH_SOAK = '1';
  rmSync(path.join(root, 'out/summaries'), { recursive: true, force: true });
  // Two at a time is what two cores carry; the slowest begin first.
  const inLane = lanes(2);
  const quick = [
    ...(wants('check') && filters.length === 0 ? checks() : []),
    ...unit(isSoak),
    ...(isSoak || named.length === 0 ? crashTests(filters) : []),
  ];
  const needsEditor = wants('editor');
  const packed = needsEditor ? inLane(packing()) : undefined;
  const all = [packed, ...quick.map(inLane)].filter((suite) => suite !== undefined);
  results.push(...(await Promise.all(all)));
  if (!needsEditor) return;
  if ((await packed).failed > 0)
    results.push({
      name: 'editor tests',
      passed: 0,
      failed: 1,
      skipped: [],
      why: 'there is no package to test',
    });
  // A VS Code, its extension host and a browser fill the machine: one version after the other.
  else results.push(...(await Promise.all(editorTests(filters).map(lanes(1)))));
}
