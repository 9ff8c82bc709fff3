/**
 * A session's log as it is exported: all its lines, byte for byte, damaged ones and those of types that this build does not
 * know too; only keys are taken out, and it is counted in how many lines. Of a file that is gone, what can still be had; a
 * line that no reader takes for an entry says in its place what cannot.
 */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { serialiseHeader } from '../../log/codec.js';
import { hashesIn } from '../../log/copy-lines.js';
import { lineOf } from '../../log/record-text.js';
import type { LostEntry, PlacedRecord, SessionLog } from '../../log/store.js';
import { isGone, placesOf } from '../sessions/gone.js';
import { redactLine, type Clean } from './redact-line.js';

/** Entries that are in memory at a time. */
const AT_ONCE = 256;
const NEWLINE = 0x0a;

export interface LineTally {
  lines: number;
  /** Lines in which keys stood. */
  redacted: number;
  /** Hashes that a line names: blobs, if the log has them. */
  hashes: Set<string>;
  /** What could not be had, the file being gone. */
  lost: LostEntry[];
}

export const newTally = (): LineTally => ({ lines: 0, redacted: 0, hashes: new Set(), lost: [] });

type Source = Pick<SessionLog, 'access' | 'file' | 'header' | 'position' | 'held'>;

/** The lines, each with its newline if it has one. `tally` is complete when all were taken. */
export async function* exportLines(log: Source, clean: Clean, tally: LineTally): AsyncGenerator<Uint8Array> {
  const { file } = log;
  const lines = file === undefined || isGone(log.access) ? recordLines(log, tally) : fileLines(file);
  for await (const bytes of lines) yield cleaned(bytes, clean, tally);
}

function cleaned(bytes: Uint8Array, clean: Clean, tally: LineTally): Uint8Array {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  tally.lines += 1;
  for (const hash of hashesIn(text)) tally.hashes.add(hash);
  const isWhole = text.endsWith('\n');
  const line = isWhole ? text.slice(0, -1) : text;
  const redacted = redactLine(line, clean);
  if (redacted === line) return bytes;
  tally.redacted += 1;
  return new TextEncoder().encode(isWhole ? `${redacted}\n` : redacted);
}

async function* fileLines(file: string): AsyncGenerator<Uint8Array> {
  const { size } = await stat(file);
  if (size === 0) return;
  let rest: Buffer[] = [];
  // What is written meanwhile is no part of the export.
  for await (const chunk of createReadStream(file, { end: size - 1 }) as AsyncIterable<Buffer>) {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
      yield Buffer.concat([...rest, chunk.subarray(from, at + 1)]);
      rest = [];
      from = at + 1;
    }
    if (from < chunk.length) rest.push(chunk.subarray(from));
  }
  if (rest.length > 0) yield Buffer.concat(rest);
}

/** A log that is in no file (any more): its entries as they are written, those of one batch on one line. */
async function* recordLines(log: Source, tally: LineTally): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  const { position } = log;
  yield encoder.encode(serialiseHeader(log.header));
  let batch: Batch = [];
  for (let from = 0; from < position; from += AT_ONCE) {
    const count = Math.min(AT_ONCE, position - from);
    const { records, lost } = await log.held(Array.from({ length: count }, (_, index) => from + index));
    tally.lost.push(...lost);
    for (const one of [...records, ...lost].sort((a, b) => a.position - b.position)) {
      if (batch[0] !== undefined && !goesOn(batch[0], one)) {
        yield encoder.encode(writeBatch(batch));
        batch = [];
      }
      batch.push(one);
    }
  }
  if (batch.length > 0) yield encoder.encode(writeBatch(batch));
}

/** Of one line of the log, or all of them lost. */
type Batch = (PlacedRecord | LostEntry)[];

const isHeld = (one: PlacedRecord | LostEntry): one is PlacedRecord => 'text' in one;

const goesOn = (first: PlacedRecord | LostEntry, next: PlacedRecord | LostEntry): boolean =>
  isHeld(first) ? isHeld(next) && first.line === next.line : !isHeld(next);

function writeBatch(batch: Batch): string {
  const texts = batch.filter(isHeld).map(({ text }) => text);
  if (texts.length > 0) return lineOf(texts);
  const lost = batch.flatMap((one) => (isHeld(one) ? [] : [one]));
  const known = lost.flatMap(({ id, preview }) => (id === undefined ? [] : [`${id} "${preview ?? ''}"`]));
  const which = known.length === 0 ? '' : ` (${known.join(', ')})`;
  return `What stood here could not be had any more when the session was exported, since its file was gone: entry ${placesOf(lost)} of the log${which}.\n`;
}
