// The closing lines: what was skipped and why, what failed, and the sum that a machine can read.
export function report(results) {
  const sum = (pick) => results.reduce((total, result) => total + pick(result), 0);
  const passed = sum((result) => result.passed);
  const failed =
    sum((result) => result.failed) +
    (results.length > 0 && passed > 0 ? 0 : Number(sum((result) => result.failed) === 0));
  const broken = results.filter((result) => result.failed > 0);
  const skipped = results.flatMap((result) => result.skipped.map((reason) => `${result.name}: ${reason}`));
  const failures = results.flatMap((result) =>
    (result.failures ?? []).map((test) => `${result.name}: ${test}`),
  );
  const flaky = results.flatMap((result) => (result.flaky ?? []).map((test) => `${result.name}: ${test}`));
  const lines = [
    '',
    ...broken.map(({ name, failed: count, why }) => `failed: ${name} (${count}${why ? `; ${why}` : ''})`),
    ...failures.map((test) => `failed: ${test}`),
    ...flaky.map((test) => `failed at first, passed when run again: ${test}`),
    `skipped: ${skipped.join('; ') || 'nothing'}`,
    `${passed} passed, ${failed} failed`,
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
  return failed > 0 ? 1 : 0;
}
