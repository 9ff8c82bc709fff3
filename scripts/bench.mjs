// npm run bench [-- --quick | -- --huge] [words of a file]: figures beside the plain way, measured in the same run. Whatever
// they are, it ends well.
import path from 'node:path';
import { ensureModules } from './install.mjs';
import { root, run, say } from './shell.mjs';

if (process.argv.includes('--quick')) process.env.BOUGH_QUICK = '1';
if (process.argv.includes('--huge')) process.env.BOUGH_HUGE = '1';
await ensureModules();
say('measuring; close what else is running');
const vitest = path.join(root, 'node_modules/vitest/vitest.mjs');
const words = process.argv.slice(2).filter((word) => !word.startsWith('--'));
const isLong = process.argv.includes('--huge');
// A real VS Code takes longer to start than a rough idea may take.
const projects = process.argv.includes('--quick') ? ['bench'] : ['bench', 'bench-editor'];
for (const project of projects) {
  const args = [vitest, 'run', '--project', project, '--passWithNoTests', ...words];
  const { code, output } = await run(process.execPath, args, {
    env: { ...process.env, NO_COLOR: '1' },
    timeout: (isLong ? 4 : 2) * 60 * 60_000,
  });
  for (const line of output.split('\n')) if (line.startsWith('|')) process.stdout.write(`${line}\n`);
  if (code === 0) continue;
  process.stdout.write(`${output}\nA measurement could not be made; see above.\n`);
  process.exitCode = 1;
}
