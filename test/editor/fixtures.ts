// Projects of ours that a scene works on: each a folder, copied anew for every window.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { StartOptions } from './bench/index.js';

/** Its files as a window is started with them. */
export function filesOf(project: string): NonNullable<StartOptions['files']> {
  const folder = path.join(import.meta.dirname, 'fixtures', project);
  const found = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  return Object.fromEntries(
    found.map(({ parentPath, name }) => {
      const file = path.join(parentPath, name);
      return [path.relative(folder, file), readFileSync(file, 'utf8')];
    }),
  );
}
