/** Whole reads and writes over descriptors that may do less than asked. */
import type { OpenFile } from '../ports.js';

/** A system error of our own making, for what the system does not report as one. */
export function systemError(code: string, message: string): Error & { code: string } {
  return Object.assign(new Error(message), { code });
}

/** Writes all of `bytes`; `onTaken` learns after each call how many were taken in all, also when a later one fails. */
export async function writeAll(
  file: OpenFile,
  bytes: Uint8Array,
  onTaken: (count: number) => void = () => undefined,
): Promise<void> {
  let taken = 0;
  while (taken < bytes.length) {
    const count = await file.write(taken === 0 ? bytes : bytes.subarray(taken));
    if (count <= 0) throw systemError('ENOSPC', `short write: ${taken} of ${bytes.length} bytes`);
    taken += count;
    onTaken(taken);
  }
}

/** Reads from `position` until `into` is full or the file ends; returns how many bytes there were. */
export async function readFull(file: OpenFile, into: Uint8Array, position: number): Promise<number> {
  let got = 0;
  while (got < into.length) {
    const count = await file.read(got === 0 ? into : into.subarray(got), position + got);
    if (count <= 0) break;
    got += count;
  }
  return got;
}

/** The bytes from `from` up to `to`, fewer when the file is shorter. */
export async function readRange(file: OpenFile, from: number, to: number): Promise<Uint8Array> {
  const into = new Uint8Array(Math.max(0, to - from));
  const got = await readFull(file, into, from);
  return got === into.length ? into : into.subarray(0, got);
}

/** Opens, works, closes; a failure to close is the failure unless the work failed first. */
export async function withFile<T>(
  opening: Promise<OpenFile>,
  work: (file: OpenFile) => Promise<T>,
): Promise<T> {
  const file = await opening;
  let result: T;
  try {
    result = await work(file);
  } catch (error) {
    await file.close().catch(() => undefined); // the first error is the one that says what went wrong
    throw error;
  }
  await file.close();
  return result;
}
