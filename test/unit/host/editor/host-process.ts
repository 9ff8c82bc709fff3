/** Plays the extension host in a process of its own: node host.mjs <supervisor> <command>. */
import { runCommand } from '../../../../src/host/editor/command.js';
import { systemClock } from '../../../../src/host/clock.js';

const [, , supervisor = '', command = ''] = process.argv;
const result = await runCommand({ supervisor, clock: systemClock, env: process.env }, command, {
  cwd: process.cwd(),
  timeoutMs: 600_000,
  signal: new AbortController().signal,
  onOutput: (chunk) => process.stdout.write(chunk),
});
process.stdout.write(JSON.stringify(result));
