// Writes what a run came to as JSON, to the file that BOUGH_SUMMARY names; scripts/test.mjs sums these up.
import { writeFileSync } from 'node:fs';
import type { Reporter, TestCase, TestModule } from 'vitest/node';

/** Its name and why it failed (at first), on one line. */
function withReason(test: TestCase): string {
  return `${test.fullName} (${test.result().errors?.[0]?.message.split('\n')[0] ?? 'no message'})`;
}

export default class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly unknown[]): void {
    const file = process.env['BOUGH_SUMMARY'];
    if (!file) return;
    const summary = {
      passed: 0,
      failed: unhandled.length,
      skipped: [] as string[],
      flaky: [] as string[],
      failures: [] as string[],
    };
    for (const module of modules) {
      summary.failed += module.errors().length;
      for (const test of module.children.allTests()) {
        const result = test.result();
        if (result.state === 'passed') {
          summary.passed++;
          // It failed and then passed: the run is good, but somebody has to hear of it.
          if (test.diagnostic()?.flaky) summary.flaky.push(withReason(test));
        } else if (result.state === 'skipped')
          summary.skipped.push(result.note ? `${test.fullName} (${result.note})` : test.fullName);
        else {
          summary.failed++;
          summary.failures.push(withReason(test));
        }
      }
    }
    writeFileSync(file, JSON.stringify(summary));
  }
}
