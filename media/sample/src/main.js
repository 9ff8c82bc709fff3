import { clock } from './format.js';
import { secondsFor, teas } from './teas.js';

const name = process.argv[2] ?? 'green';

if (name === '--list') {
  for (const [tea, seconds] of Object.entries(teas)) console.log(`${tea.padEnd(8)} ${clock(seconds)}`);
} else {
  let left = secondsFor(name);
  console.log(`Steeping ${name} tea for ${clock(left)}`);
  const timer = setInterval(() => {
    left -= 1;
    process.stdout.write(`\r${clock(left)} `);
    if (left > 0) return;
    clearInterval(timer);
    console.log('\nYour tea is ready.');
  }, 1000);
}
