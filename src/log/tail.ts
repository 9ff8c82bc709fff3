/**
 * Repairs the end of a log, before the first append only: a fragment is durable in the `.damaged` file beside the log
 * before it is cut off. (A whole record that only lacks its newline gets it with what is appended.)
 */
import path from 'node:path';
import type { Files, OpenFile } from '../ports.js';
import { readFull, readRange, withFile, writeAll } from './bytes.js';
import { conflict } from './commit.js';
import { ifThere, stored } from './storage.js';

const NEWLINE = new Uint8Array([0x0a]);
const COPY_BYTES = 1024 * 1024;
/** Longer than any line that describes a fragment. */
const LABEL_BYTES = 512;

export interface RepairPlace {
  files: Files;
  logPath: string;
  /** Of the `.damaged` file. */
  damagedPath: string;
  /** ISO 8601. */
  now: string;
}

export interface Fragment {
  offset: number;
  end: number;
}

/**
 * Moves the fragment at the end of `log`, which is open for appending, to the `.damaged` file.
 *
 * @throws BoughError SessionConflict when a whole record stands there by now: it is somebody's, and acknowledged
 */
export async function setAsideFragment(log: OpenFile, fragment: Fragment, place: RepairPlace): Promise<void> {
  const { files, damagedPath, logPath } = place;
  if (await hasNewline(log, fragment))
    throw conflict(logPath, 'another window has written to its end meanwhile');
  await stored('set a damaged record aside in', damagedPath, async () => {
    const isNew = (await ifThere(files.stat(damagedPath))) === undefined;
    await withFile(files.open(damagedPath, 'append'), async (damaged) => {
      const { size } = await damaged.stat();
      // A crash between writing it here and cutting it off there has left it in both.
      if (await isSetAside(log, damaged, fragment)) return;
      await copy(log, damaged, fragment, place.now).catch(async (error: unknown) => {
        await damaged.truncate(size).catch(() => undefined); // half a copy does no harm: the original is still there
        throw error;
      });
    });
    if (isNew) await files.syncFolder(path.dirname(damagedPath));
  });
  await log.truncate(fragment.offset);
}

/** Where ends of this log were cut off and set aside, as offsets of the log. @throws BoughError StorageFailure */
export async function cutsOf({
  files,
  damagedPath,
}: Pick<RepairPlace, 'files' | 'damagedPath'>): Promise<number[]> {
  return stored('read', damagedPath, async () => {
    if ((await ifThere(files.stat(damagedPath))) === undefined) return [];
    return withFile(files.open(damagedPath, 'read'), async (damaged) => {
      const cuts: number[] = [];
      for await (const { offset } of labelsIn(damaged)) cuts.push(offset);
      return cuts;
    });
  });
}

/** A fragment never has one. The file's length does not tell: what was written since may be just as long. */
async function hasNewline(log: OpenFile, { offset, end }: Fragment): Promise<boolean> {
  for (let at = offset; at < end; at += COPY_BYTES) {
    if ((await readRange(log, at, Math.min(end, at + COPY_BYTES))).includes(NEWLINE[0] ?? 0)) return true;
  }
  return false;
}

async function copy(log: OpenFile, damaged: OpenFile, { offset, end }: Fragment, now: string): Promise<void> {
  const label = `${JSON.stringify({ offset, bytes: end - offset, timestamp: now })}\n`;
  await writeAll(damaged, new TextEncoder().encode(label));
  for (let at = offset; at < end; at += COPY_BYTES) {
    await writeAll(damaged, await readRange(log, at, Math.min(end, at + COPY_BYTES)));
  }
  await writeAll(damaged, NEWLINE);
  await damaged.datasync();
}

/** Walks the labels of the `.damaged` file for a fragment of the same place and the same bytes. */
async function isSetAside(log: OpenFile, damaged: OpenFile, fragment: Fragment): Promise<boolean> {
  const { offset } = fragment;
  const bytes = fragment.end - offset;
  const { size } = await damaged.stat();
  for await (const label of labelsIn(damaged)) {
    if (label.offset === offset && label.bytes === bytes && label.begin + bytes < size) {
      if (await isSame(log, offset, damaged, label.begin, bytes)) return true;
    }
  }
  return false;
}

/** Each with where what it describes begins in the `.damaged` file, up to what is no label. */
async function* labelsIn(damaged: OpenFile): AsyncGenerator<Label & { begin: number }> {
  const { size } = await damaged.stat();
  for (let at = 0; at < size;) {
    const label = await labelAt(damaged, at);
    if (label === undefined) return;
    const begin = at + label.length;
    yield { ...label, begin };
    at = begin + label.bytes + 1;
  }
}

interface Label {
  offset: number;
  bytes: number;
  /** Of the label itself, newline included. */
  length: number;
}

async function labelAt(damaged: OpenFile, at: number): Promise<Label | undefined> {
  const text = new TextDecoder('latin1').decode(await readRange(damaged, at, at + LABEL_BYTES));
  const match = /^\{"offset":(\d+),"bytes":(\d+),"timestamp":"[^"\n]*"\}\n/.exec(text);
  if (match === null) return undefined;
  return { offset: Number(match[1]), bytes: Number(match[2]), length: match[0].length };
}

async function isSame(a: OpenFile, aAt: number, b: OpenFile, bAt: number, bytes: number): Promise<boolean> {
  const left = new Uint8Array(Math.min(COPY_BYTES, bytes));
  const right = new Uint8Array(left.length);
  for (let done = 0; done < bytes; done += left.length) {
    const size = Math.min(left.length, bytes - done);
    const got = await readFull(a, left.subarray(0, size), aAt + done);
    const other = await readFull(b, right.subarray(0, size), bAt + done);
    if (got !== size || other !== size) return false;
    if (Buffer.compare(left.subarray(0, size), right.subarray(0, size)) !== 0) return false;
  }
  return true;
}
