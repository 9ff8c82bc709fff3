import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { locate, type Root } from '../../../../src/host/editor/paths.js';
import { isFailure } from '../../../../src/shared/failure.js';

const linksWork = process.platform !== 'win32';
let base: string;
let project: Root;
let web: Root;
let api: Root;

beforeAll(async () => {
  base = await realpath(await mkdtemp(path.join(os.tmpdir(), 'bough-paths-')));
  const files = [
    'project/src/app.ts',
    'project/project/inner.ts',
    'outside/secret.txt',
    'web/src/a.ts',
    'web/api/doc.md',
    'api/src/a.ts',
    'api/only.ts',
    'project2/x.ts',
  ];
  for (const file of files) {
    await mkdir(path.dirname(path.join(base, file)), { recursive: true });
    await writeFile(path.join(base, file), file);
  }
  const rootOf = (name: string): Root => ({ name, path: path.join(base, name) });
  [project, web, api] = [rootOf('project'), rootOf('web'), rootOf('api')];
  if (!linksWork) return;
  const links: [string, string][] = [
    ['outside', 'project/out'],
    ['outside/secret.txt', 'project/secret-link.txt'],
    ['outside/not-there.txt', 'project/dangling.txt'],
    ['project/src', 'project/inside'],
    ['project/loop-b', 'project/loop-a'],
    ['project/loop-a', 'project/loop-b'],
    ['project', 'alias'],
  ];
  for (const [target, link] of links) await symlink(path.join(base, target), path.join(base, link));
});
afterAll(() => rm(base, { recursive: true, force: true }));

describe('a workspace folder that is gone', () => {
  it('is named with its path, whatever is asked for in it, and the others go on', async () => {
    const gone: Root = { name: 'gone', path: path.join(base, 'gone') };
    for (const wanted of ['.', 'src/app.ts', path.join(gone.path, 'new.ts')]) {
      const found = await locate(wanted, [gone]);
      expect(found).toMatchObject({ kind: 'tool', code: 'folder-gone' });
      expect(isFailure(found) && found.message).toContain(`The workspace folder ${gone.path} is not there`);
    }
    expect(await locate('project/src/app.ts', [gone, project])).toMatchObject({ relative: 'src/app.ts' });
    expect(await locate('gone/a.ts', [gone, project])).toMatchObject({ code: 'folder-gone' });
  });
});

const shown = async (wanted: string, roots: Root[]): Promise<string> => {
  const found = await locate(wanted, roots);
  return isFailure(found) ? `${found.code ?? ''}!` : found.shown;
};

describe('a path in one folder', () => {
  it.each([
    ['src/app.ts', 'src/app.ts'],
    ['./src/../src/app.ts', 'src/app.ts'],
    ['.', '.'],
    ['', '.'],
    ['src/new/deep/file.ts', 'src/new/deep/file.ts'],
    ['..hidden', '..hidden'],
    ['project/inner.ts', 'project/inner.ts'],
    ['project/src/app.ts', 'src/app.ts'],
    ['project/new.ts', 'project/new.ts'],
  ])('%s is %s', async (wanted, expected) => {
    expect(await shown(wanted, [project])).toBe(expected);
  });

  it('accepts absolute paths inside it', async () => {
    expect(await shown(path.join(base, 'project/src/app.ts'), [project])).toBe('src/app.ts');
    expect(await shown(path.join(base, 'project/new.ts'), [project])).toBe('new.ts');
    expect(await shown(path.join(base, 'project'), [project])).toBe('.');
  });

  it.each(['../outside/secret.txt', 'src/../../outside/secret.txt', '..', '../project2/x.ts', '../new.txt'])(
    'refuses %s',
    async (wanted) => {
      expect(await shown(wanted, [project])).toBe('outside!');
    },
  );

  it('refuses absolute paths outside, also those that only begin alike', async () => {
    expect(await shown(path.join(base, 'project2/x.ts'), [project])).toBe('outside!');
    expect(await shown('/etc/passwd', [project])).toBe('outside!');
    expect(await shown('a\0b', [project])).toBe('invalid-path!');
  });

  it.skipIf(!linksWork)('refuses what a symbolic link leads out to, for new files too', async () => {
    for (const wanted of [
      'out',
      'out/secret.txt',
      'out/new.txt',
      'out/new/deep.txt',
      'secret-link.txt',
      'dangling.txt',
      'out/../out/secret.txt',
    ]) {
      expect(await shown(wanted, [project]), wanted).toBe('outside!');
    }
    const refused = await locate('out/secret.txt', [project]);
    expect(refused).toMatchObject({
      kind: 'tool',
      message: expect.stringContaining(path.join(base, 'outside/secret.txt')),
    });
  });

  it.skipIf(!linksWork)('names what a link inside leads to, and refuses a circle', async () => {
    expect(await shown('inside/app.ts', [project])).toBe('src/app.ts');
    expect(await shown('inside/new.ts', [project])).toBe('src/new.ts');
    expect(await shown('loop-a', [project])).toBe('unreachable!');
  });

  it.skipIf(!linksWork)('works in a folder that was opened through a link', async () => {
    const alias = { name: 'alias', path: path.join(base, 'alias') };
    expect(await locate('src/app.ts', [alias])).toMatchObject({
      shown: 'src/app.ts',
      absolute: path.join(base, 'alias/src/app.ts'),
    });
    expect(await shown(path.join(base, 'project/src/app.ts'), [alias])).toBe('src/app.ts');
  });
});

describe('a path in several folders', () => {
  it.each([
    ['web/src/a.ts', 'web/src/a.ts'],
    ['api/src/a.ts', 'api/src/a.ts'],
    ['only.ts', 'api/only.ts'],
    ['api/doc.md', 'web/api/doc.md'],
    ['api/new.ts', 'api/new.ts'],
    ['web', 'web'],
    ['src/a.ts', 'ambiguous-path!'],
    ['new.ts', 'ambiguous-path!'],
    ['../outside/secret.txt', 'outside!'],
    ['web/../../outside/secret.txt', 'outside!'],
  ])('%s is %s', async (wanted, expected) => {
    expect(await shown(wanted, [web, api])).toBe(expected);
  });

  it('belongs to the innermost folder', async () => {
    const inner = { name: 'inner', path: path.join(base, 'project/src') };
    expect(await shown(path.join(base, 'project/src/app.ts'), [project, inner])).toBe('inner/app.ts');
  });

  it('is named by its whole path when two folders have the same name', async () => {
    const twin = { name: 'web', path: api.path };
    expect(await shown('only.ts', [web, twin])).toBe(`${api.path}/only.ts`);
    expect(await shown('web/only.ts', [web, twin])).toBe(`${api.path}/only.ts`);
    expect(await shown('web/src/a.ts', [web, twin])).toBe('ambiguous-path!');
  });
});

it('says that no folder is open', async () => {
  expect(await locate('a.ts', [])).toMatchObject({ code: 'no-folder' });
});
