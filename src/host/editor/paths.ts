/**
 * Decides where in the workspace a path lies that a model or a person named, and refuses what lies outside. Symbolic links
 * count as what they lead to, for files that do not exist yet too, so that nothing outside can be reached through one.
 */
import { lstat, realpath } from 'node:fs/promises';
import path from 'node:path';
import { isFailure, toolFailure, type Failure } from '../../shared/failure.js';

/** A workspace folder on this machine's disk. */
export interface Root {
  name: string;
  path: string;
}

export interface Located {
  root: Root;
  /** Path below the root with `/`, links resolved; empty for the root itself. */
  relative: string;
  absolute: string;
  /** As it is named to people and models. */
  shown: string;
}

export async function locate(wanted: string, roots: readonly Root[]): Promise<Located | Failure> {
  if (wanted.includes('\0')) return toolFailure('invalid-path', 'A path must not contain a NUL character.');
  const candidate = await choose(wanted, roots);
  return isFailure(candidate) ? candidate : contain(wanted, candidate, roots);
}

// ------------------------------------------------------------------------------------------ which path is meant

async function choose(wanted: string, roots: readonly Root[]): Promise<string | Failure> {
  const [first] = roots;
  if (first === undefined) {
    return toolFailure(
      'no-folder',
      'No folder is open, so there are no files to work on. Open a folder first.',
    );
  }
  if (path.isAbsolute(wanted)) return path.resolve(wanted);
  return roots.length === 1 ? chooseInOne(wanted, first) : chooseAmongSeveral(wanted, roots);
}

/** `folderName/…` is understood too, but only for what exists there and nowhere else. */
async function chooseInOne(wanted: string, root: Root): Promise<string> {
  const literal = path.resolve(root.path, wanted);
  const stripped = stripName(wanted, root);
  if (stripped === undefined || (await exists(literal))) return literal;
  return (await exists(stripped)) ? stripped : literal;
}

async function chooseAmongSeveral(wanted: string, roots: readonly Root[]): Promise<string | Failure> {
  const named = roots.flatMap((root) => stripName(wanted, root) ?? []);
  const namedThere = await existing(named);
  const [only, another] =
    namedThere.length > 0 ? namedThere : await existing(roots.map((root) => path.resolve(root.path, wanted)));
  if (another !== undefined) {
    return toolFailure(
      'ambiguous-path',
      `${wanted} exists in several workspace folders. Use an absolute path: ${[only, another].join(' or ')}.`,
    );
  }
  if (only !== undefined) return only;
  if (named.length === 1 && named[0] !== undefined) return named[0];
  const names = roots.map(({ name }) => `${name}/`).join(', ');
  return toolFailure(
    'ambiguous-path',
    `${wanted} could be in any of the workspace folders. Begin the path with one of ${names}.`,
  );
}

/** The place below `root` when `wanted` begins with its name. */
function stripName(wanted: string, root: Root): string | undefined {
  const [head, ...rest] = path.normalize(wanted).split(path.sep);
  return head === root.name ? path.resolve(root.path, ...rest) : undefined;
}

async function existing(paths: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const one of new Set(paths)) if (await exists(one)) found.push(one);
  return found;
}

async function exists(file: string): Promise<boolean> {
  return (await linkStat(file)) !== undefined;
}

// ------------------------------------------------------------------------------------------- where it really is

async function contain(
  wanted: string,
  candidate: string,
  roots: readonly Root[],
): Promise<Located | Failure> {
  const real = await realPathOf(candidate);
  if (isFailure(real)) return real;
  let best: { root: Root; relative: string } | undefined;
  for (const root of roots) {
    const realRoot = await realPathOf(root.path);
    if (isFailure(realRoot)) continue;
    const relative = path.relative(realRoot, real);
    if (!isBelow(relative)) continue;
    if (best === undefined || relative.length < best.relative.length) best = { root, relative };
  }
  if (best === undefined) {
    const through = real === candidate ? '' : ` (it leads to ${real})`;
    return toolFailure(
      'outside',
      `${wanted} lies outside the workspace${through}. Bough works only inside the open folders.`,
    );
  }
  if (!(await exists(best.root.path))) return folderGone(best.root);
  const relative = best.relative.split(path.sep).join('/');
  return {
    ...best,
    relative,
    absolute: path.join(best.root.path, best.relative),
    shown: shownAs(best.root, relative, roots),
  };
}

/** Nothing is made anew in its place, and no other path would help. */
const folderGone = (root: Root): Failure =>
  toolFailure(
    'folder-gone',
    `The workspace folder ${root.path} is not there any more: it was moved, renamed or deleted while it was open. Nothing in it can be read or changed until it is back, or the folder is opened where it is now.`,
  );

const isBelow = (relative: string): boolean =>
  relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);

function shownAs(root: Root, relative: string, roots: readonly Root[]): string {
  if (roots.length === 1) return relative === '' ? '.' : relative;
  const isUnique = roots.filter(({ name }) => name === root.name).length === 1;
  const start = isUnique ? root.name : root.path;
  return relative === '' ? start : `${start}/${relative}`;
}

/** The real path of the deepest part that exists, with the rest behind it. A link that leads nowhere is refused. */
async function realPathOf(file: string): Promise<string | Failure> {
  try {
    return await realpath(file);
  } catch (error) {
    const code = errorCode(error);
    if (code !== 'ENOENT' && code !== 'ENOTDIR') return unreachable(file, code);
  }
  if ((await linkStat(file))?.isSymbolicLink() === true) {
    return toolFailure(
      'outside',
      `${file} is a symbolic link that leads nowhere, so it cannot be told to lie inside the workspace.`,
    );
  }
  const parent = path.dirname(file);
  if (parent === file) return file;
  const realParent = await realPathOf(parent);
  return isFailure(realParent) ? realParent : path.join(realParent, path.basename(file));
}

async function linkStat(file: string) {
  try {
    return await lstat(file);
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return undefined;
  }
}

function unreachable(file: string, code: string | undefined): Failure {
  const reasons: Record<string, string> = {
    ELOOP: 'its symbolic links go round in a circle',
    EACCES: 'permission is denied',
    EPERM: 'permission is denied',
    ENAMETOOLONG: 'the name is too long',
  };
  return toolFailure(
    'unreachable',
    `${file} cannot be reached: ${reasons[code ?? ''] ?? code ?? 'unknown error'}.`,
  );
}

/** errno of a file system error. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
