/** Paths in folders that lie on no disk (a repository opened from a server): there are no links, so names decide. */
import path from 'node:path';
import type { WorkspaceFolder } from '../../ports.js';
import { toolFailure, type Failure } from '../../shared/failure.js';

export function locateVirtual(
  wanted: string,
  folders: readonly WorkspaceFolder[],
): { folder: WorkspaceFolder; relative: string } | Failure {
  const normal = path.posix.normalize(wanted.split('\\').join('/')).replace(/\/$/, '');
  if (normal === '..' || normal.startsWith('../') || normal.startsWith('/') || wanted.includes('\0')) {
    return toolFailure(
      'outside',
      `${wanted} lies outside the workspace. Bough works only inside the open folders.`,
    );
  }
  const relative = normal === '.' ? '' : normal;
  const [only, another] = folders;
  if (only !== undefined && another === undefined) return { folder: only, relative };
  const [head, ...rest] = relative.split('/');
  const named = folders.filter(({ name }) => name === head);
  if (named.length === 1 && named[0] !== undefined) return { folder: named[0], relative: rest.join('/') };
  const names = folders.map(({ name }) => `${name}/`).join(', ');
  return toolFailure(
    'ambiguous-path',
    `${wanted} could be in any of the workspace folders. Begin the path with one of ${names}.`,
  );
}
