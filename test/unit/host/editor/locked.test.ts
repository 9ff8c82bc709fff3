/** Whether the disk lets a file be written. */
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { lockedFailure } from '../../../../src/host/editor/locked.js';

interface Place {
  scheme: string;
  path: string;
  fsPath: string;
}
const at = vi.hoisted(() => (path: string): Place => ({ scheme: 'file', path, fsPath: path }));
vi.mock('vscode', async () => {
  const path = await import('node:path');
  return {
    Uri: {
      parse: (text: string) => at(text),
      joinPath: ({ path: folder }: Place, ...more: string[]) => at(path.join(folder, ...more)),
    },
  };
});

const isWindows = process.platform === 'win32';
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bough-locked-'));
  await mkdir(join(folder, 'in'));
});
afterEach(async () => {
  vi.restoreAllMocks();
  await chmod(join(folder, 'in'), 0o777);
  await rm(folder, { recursive: true });
});

const look = (...path: string[]) =>
  lockedFailure({ uri: join(folder, ...path), shown: path.join('/') } as never);

it.skipIf(isWindows)('a folder that nobody may write takes no file', async () => {
  await chmod(join(folder, 'in'), 0o555);
  expect(await look('in', 'a')).toMatchObject({ code: 'read-only' });
});

it.skipIf(!isWindows && process.getuid?.() !== 0)(
  'on Windows a folder that is marked read-only takes files, and a file that is takes nothing',
  async () => {
    await writeFile(join(folder, 'file'), '');
    await chmod(join(folder, 'file'), 0o444);
    await chmod(join(folder, 'in'), 0o555);
    vi.spyOn(process, 'platform', 'get').mockReturnValue('win32');
    expect(await look('in', 'a')).toBeNull();
    expect(await look('file')).toMatchObject({ code: 'read-only' });
  },
);
