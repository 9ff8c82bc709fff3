/** Turns what the file system throws into a StorageFailure that names path, volume and errno and says what to do. */
import path from 'node:path';
import { BoughError, isBoughError } from '../shared/failure.js';

/** `code` of a system error, or undefined for anything else. */
export function errnoOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** Also where a file stands in the place of a folder on the way there: below it there is nothing. */
export const isMissing = (error: unknown): boolean => ['ENOENT', 'ENOTDIR'].includes(errnoOf(error) ?? '');

/** The value, or undefined when the file does not exist; any other error is thrown on. */
export async function ifThere<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function adviceFor(errno: string, volume: string, cause: string): string {
  switch (errno) {
    case 'ENOSPC':
    case 'EDQUOT':
      return `there is no space left on ${volume}; free some space and save again`;
    case 'EFBIG':
      return `the file may not grow any further on ${volume} (a size limit is in force); lift the limit and save again`;
    case 'EACCES':
    case 'EPERM':
      return 'access is denied; check the permissions of the file and its folder';
    case 'EROFS':
      return `${volume} is read-only; make it writable or choose another folder`;
    case 'EIO':
      return `the disk of ${volume} reported an error; check the disk`;
    case 'EMFILE':
    case 'ENFILE':
      return 'too many files are open; close some windows and try again';
    case 'ENOENT':
      return 'it does not exist any more';
    case 'EBUSY':
      return 'another program holds it; close that program and try again';
    case 'UNKNOWN':
      return 'the file system failed without saying why';
    default:
      return `the system reported: ${cause}`;
  }
}

function volumeOf(error: unknown, file: string): string {
  if (error instanceof Error && 'volume' in error && typeof error.volume === 'string') return error.volume;
  return path.parse(file).root || path.dirname(file);
}

/** The verbs of what only reads: nothing was to be saved, so that saving again mends nothing. */
const READING = /^(?:read|list|look at)\b/;

/** `doing` completes "Could not …": "write the session log". A BoughError passes as it is. */
export function storageFailure(error: unknown, doing: string, file: string): BoughError {
  if (isBoughError(error)) return error;
  const errno = errnoOf(error) ?? 'UNKNOWN';
  const volume = volumeOf(error, file);
  const op = READING.test(doing) ? 'read' : 'write';
  const message = `Could not ${doing} ${file}: ${adviceFor(errno, volume, error instanceof Error ? error.message : String(error))} (${errno}).`;
  return new BoughError('StorageFailure', message, { path: file, volume, errno, op }, { cause: error });
}

/** Runs file system work; a system error becomes a StorageFailure, a bug stays one. */
export async function stored<T>(doing: string, file: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw errnoOf(error) === undefined ? error : storageFailure(error, doing, file);
  }
}
