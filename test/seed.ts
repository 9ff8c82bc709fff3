// Random cases are new ones in every run at home and in the soak; where CI is set they are the same each time, so that a
// change is judged by what it changes. BOUGH_SEED=<number> repeats a run.
import fc from 'fast-check';

const seed =
  process.env['BOUGH_SEED'] ??
  (process.env['CI'] && process.env['BOUGH_SOAK'] !== '1' ? '20260101' : undefined);
if (seed !== undefined) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(seed) });
