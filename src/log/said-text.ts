/**
 * What was said in a log, as a search compares it: the texts of its messages, on every line, as the reader of the log
 * gives them. Lines that say nothing are passed without being read as JSON.
 */
import type { Files } from '../ports.js';
import { FORMAT_VERSION } from '../shared/entry.js';
import type { Entry } from '../shared/notes.js';
import { withFile } from './bytes.js';
import { parseLine } from './codec.js';
import { foldedText } from './folded-text.js';
import { Ledger } from './ledger.js';
import { scanLines, type RawLine } from './scan.js';

/** Of a log as it was when it was read. */
export interface SaidText {
  size: number;
  mtime: number;
  /** UTF-8. */
  text: Uint8Array;
}

/** One for each file, in the same order; undefined for those that cannot be read. */
export type ReadTexts = (logs: readonly string[]) => Promise<(SaidText | undefined)[]>;

/** How many are read at a time: one is looked through while others come from the disk. */
const AT_ONCE = 3;

/** Reads them here. */
export const textsHere =
  (files: Files): ReadTexts =>
  async (logs) => {
    const texts: (SaidText | undefined)[] = logs.map(() => undefined);
    const left = logs.entries();
    const reader = async (): Promise<void> => {
      for (const [index, log] of left) texts[index] = await saidOrNothing(files, log);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, reader));
    return texts;
  };

/** What cannot be read has its row in the list, which says why. */
async function saidOrNothing(files: Files, log: string): Promise<SaidText | undefined> {
  try {
    return await saidIn(files, log);
  } catch {
    return undefined;
  }
}

async function saidIn(files: Files, log: string): Promise<SaidText> {
  return withFile(files.open(log, 'read'), async (file) => {
    const { size, mtime } = await file.stat();
    const said: string[] = [];
    let entriesOf: ((line: RawLine) => Entry[]) | undefined;
    for await (const lines of scanLines(file, { to: size })) {
      for (const line of lines) {
        entriesOf ??= readerFor(line);
        for (const entry of entriesOf(line)) said.push(...wordsOf(entry));
      }
    }
    return { size, mtime, text: Buffer.from(foldedText(said.join('\n'))) };
  });
}

/** By the first line. Only of our own format it is known what a line looks like that says nothing. */
function readerFor(first: RawLine): (line: RawLine) => Entry[] {
  const { header } = parseLine(first.bytes, 'own', '');
  if (header?.version === FORMAT_VERSION)
    return (line) => (saysNothing(line.bytes) ? [] : parseLine(line.bytes, 'own', '').entries);
  const ledger = new Ledger('', '');
  return (line) => ledger.take(line).map(({ entry }) => entry);
}

const BEGIN = '{"type":"';
/** So much of a line tells what it is. */
const HEAD_CHARS = 512;
/** How the name of an entry that says something ends, wherever on the line its record stands. */
const sayingEnds = ['message"', 'incomplete_output"'];
/** A letter may be written so in JSON; zero bytes are passed over, whatever they part. */
const disguises = ['\\u00', '\0'];

/**
 * A note, or a result of a tool, by its beginning, and nothing that says more behind it: records may be glued together. Any
 * other line is read as JSON.
 */
function saysNothing(bytes: Uint8Array): boolean {
  const line = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const head = line.toString('latin1', 0, HEAD_CHARS);
  if (!head.startsWith(BEGIN)) return false;
  const end = head.indexOf('"', BEGIN.length);
  const type = head.slice(BEGIN.length, end);
  if (type === 'incomplete_output' || (type === 'message' && !isResult(line, head))) return false;
  return (
    sayingEnds.every((name) => line.indexOf(name, end + 1) === -1) &&
    disguises.every((disguise) => !line.includes(disguise))
  );
}

const ROLE = '"role"';

/** Its role stands before its parts, and is told once. */
function isResult(line: Buffer, head: string): boolean {
  const role = head.indexOf(`${ROLE}:"tool"`);
  return role !== -1 && role < head.indexOf('"parts":') && line.indexOf(ROLE, role + 1) === -1;
}

function wordsOf(entry: Entry): string[] {
  if (entry.type === 'incomplete_output') return [entry.text || (entry.preview ?? '')];
  if (entry.type !== 'message' || entry.role === 'tool') return [];
  return entry.parts.flatMap((part) => (part.type === 'text' ? [part.text || (part.preview ?? '')] : []));
}
