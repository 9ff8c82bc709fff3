/**
 * A session's log as it is exported: all its lines, byte for byte, damaged ones and those of types that this build does not
 * know too; only keys are taken out, and it is counted in how many lines.
 */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { serialiseHeader } from '../../log/codec.js';
import { hashesIn } from '../../log/copy-lines.js';
import { lineOf } from '../../log/record-text.js';
import type { SessionLog } from '../../log/store.js';
import { isGone } from '../sessions/gone.js';
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
}

export const newTally = (): LineTally => ({ lines: 0, redacted: 0, hashes: new Set() });

type Source = Pick<SessionLog, 'access' | 'file' | 'header' | 'position' | 'records'>;

/** The lines, each with its newline if it has one. `tally` is complete when all were taken. */
export async function* exportLines(log: Source, clean: Clean, tally: LineTally): AsyncGenerator<Uint8Array> {
  const { file } = log;
  const lines = file === undefined || isGone(log.access) ? recordLines(log) : fileLines(file);
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
async function* recordLines(log: Source): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  const { position } = log;
  yield encoder.encode(serialiseHeader(log.header));
  let batch: { line: number; texts: string[] } | undefined;
  for (let from = 0; from < position; from += AT_ONCE) {
    const count = Math.min(AT_ONCE, position - from);
    for (const { line, text } of await log.records(
      Array.from({ length: count }, (_, index) => from + index),
    )) {
      if (batch !== undefined && batch.line !== line) yield encoder.encode(lineOf(batch.texts));
      if (batch?.line === line) batch.texts.push(text);
      else batch = { line, texts: [text] };
    }
  }
  if (batch !== undefined) yield encoder.encode(lineOf(batch.texts));
}
