/**
 * Brings a copy of a log up to its original: when the copy's bytes are the beginning of the original's, the lines beyond
 * them are appended. A copy that went its own way is left as it is.
 */
import type { Files, OpenFile } from '../ports.js';
import { readFull, readRange, systemError, withFile } from './bytes.js';
import { LogWriter } from './commit.js';
import { stored } from './storage.js';

const CHUNK_BYTES = 1024 * 1024;
const NEWLINE = 0x0a;

export interface Continuation {
  files: Files;
  /** Logs; both leases are held. */
  from: string;
  to: string;
  /** Of the copy. */
  isLeaseOurs: () => Promise<boolean>;
}

/** Undefined when the copy is no beginning of the original, or all of it; else how to append the rest. */
export async function continuationOf(parts: Continuation): Promise<(() => Promise<void>) | undefined> {
  const { files, from, to } = parts;
  const { size: begin } = await stored('look at', to, () => files.stat(to));
  const { size: end } = await stored('look at', from, () => files.stat(from));
  if (begin >= end || !(await isBeginning(parts, begin))) return undefined;
  return () => appendRest(parts, begin, end);
}

function isBeginning({ files, from, to }: Continuation, length: number): Promise<boolean> {
  return reading(files, from, (original) =>
    reading(files, to, async (copy) => {
      const [theirs, ours] = [new Uint8Array(CHUNK_BYTES), new Uint8Array(CHUNK_BYTES)];
      for (let at = 0; at < length; at += CHUNK_BYTES) {
        const size = Math.min(CHUNK_BYTES, length - at);
        const got = await stored('read', from, () => readFull(original, theirs.subarray(0, size), at));
        const there = await stored('read', to, () => readFull(copy, ours.subarray(0, size), at));
        if (got !== size || there !== size) return false;
        if (Buffer.compare(theirs.subarray(0, size), ours.subarray(0, size)) !== 0) return false;
      }
      return true;
    }),
  );
}

/** In whole lines: what was appended before something failed is a beginning of the original, too. */
async function appendRest(
  { files, from, to, isLeaseOurs }: Continuation,
  begin: number,
  end: number,
): Promise<void> {
  const writer = new LogWriter({ files, path: to, isLeaseOurs });
  try {
    await reading(files, from, async (original) => {
      let waiting: Uint8Array = new Uint8Array(0);
      let written = begin;
      for (let at = begin; at < end;) {
        const chunk = await stored('read', from, () =>
          readRange(original, at, Math.min(end, at + CHUNK_BYTES)),
        );
        if (chunk.length === 0) throw systemError('EIO', `${from} has become shorter`);
        at += chunk.length;
        const whole = Buffer.concat([waiting, chunk]);
        const cut = at < end ? whole.lastIndexOf(NEWLINE) + 1 : whole.length;
        if (cut > 0) await writer.commit(whole.subarray(0, cut), written, false);
        written += cut;
        waiting = whole.subarray(cut);
      }
    });
  } finally {
    await writer.release();
  }
}

const reading = <T>(files: Files, file: string, work: (opened: OpenFile) => Promise<T>): Promise<T> =>
  stored('read', file, () => withFile(files.open(file, 'read'), work));
