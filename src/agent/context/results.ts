/**
 * How much of a tool's result stands where. In the log its head and tail, cut between characters and marked, with the
 * whole as a blob; the model is told the whole up to a limit, and beyond it head, tail, size and the id to read on with.
 */
import type { ToolResultPart } from '../../shared/entry.js';
import { headOf, tailOf } from './clean.js';

/** Bytes of a result that the log holds as they are. */
export const LOGGED_BYTES = 8_192;
const LOGGED_HEAD = 5_000;
const LOGGED_TAIL = 2_500;

/** Bytes of a result that the model is told whole, unless settings say otherwise. */
export const TOLD_BYTES = 50_000;
const TOLD_HEAD = 16_000;
const TOLD_TAIL = 8_000;

/** The tool that gives the rest of a long result. What it gives is never cut again. */
export const READ_RESULT = 'read_result';

/** Characters as `read_result` counts them: code points. */
export function charsOf(text: string): number {
  let count = text.length;
  for (let at = 0; at + 1 < text.length; at++) {
    if (isHigh(text.charCodeAt(at)) && isLow(text.charCodeAt(at + 1))) count -= 1;
  }
  return count;
}

const isHigh = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
const isLow = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;

const bytesOf = (char: string): number => {
  const point = char.codePointAt(0) ?? 0;
  if (point < 0x80) return 1;
  return point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
};

/** How many UTF-16 units of `chars` take at most `limit` bytes. */
function unitsWithin(chars: readonly string[], limit: number): number {
  let bytes = 0;
  let units = 0;
  for (const char of chars) {
    bytes += bytesOf(char);
    if (bytes > limit) break;
    units += char.length;
  }
  return units;
}

const headWithin = (text: string, limit: number): string =>
  text.slice(0, unitsWithin([...headOf(text, limit)], limit));

const tailWithin = (text: string, limit: number): string =>
  tailOf(text, unitsWithin([...tailOf(text, limit)].reverse(), limit));

interface Cut {
  head: string;
  tail: string;
  chars: number;
  left: number;
}

function cut(whole: string, head: string, tail: string): Cut {
  const chars = charsOf(whole);
  return { head, tail, chars, left: chars - charsOf(head) - charsOf(tail) };
}

/** What the log keeps of a result that is too long for it. `whole` is well formed. */
export function loggedPart(whole: string): { content: string; logical_chars: number } {
  const { head, tail, chars, left } = cut(
    whole,
    headWithin(whole, LOGGED_HEAD),
    tailWithin(whole, LOGGED_TAIL),
  );
  const mark = `[… ${String(left)} of ${String(chars)} characters left out here …]`;
  return { content: `${head}\n${mark}\n${tail}`, logical_chars: chars };
}

/** A result shorter than this takes no more room than what would stand in its place. */
const LEFT_OUT_FROM = 400;

/** What the model is told of a result that the person had left out: how long it is, and how to read it. */
export function withoutOutput(part: ToolResultPart): ToolResultPart {
  const chars = part.logical_chars ?? charsOf(part.content);
  if (part.blob === undefined && part.content.length < LEFT_OUT_FROM) return part;
  const { blob: _blob, preview: _preview, ...rest } = part;
  const content = `[${String(chars)} characters were left out here to make room. ${READ_RESULT} with id "${part.call_id}" reads them.]`;
  return { ...rest, content };
}

/** What the model is told of a result, from the whole of it: all of it up to `limit` bytes. */
export function toldPart(whole: string, id: string, limit = TOLD_BYTES): string {
  if (Buffer.byteLength(whole) <= limit) return whole;
  const share = Math.min(1, limit / TOLD_BYTES);
  const { head, tail, chars, left } = cut(
    whole,
    headOf(whole, Math.floor(TOLD_HEAD * share)),
    tailOf(whole, Math.floor(TOLD_TAIL * share)),
  );
  const mark =
    `[… ${String(left)} of ${String(chars)} characters (${String(Buffer.byteLength(whole))} bytes) are left out here. ` +
    `${READ_RESULT} with id "${id}" and offset ${String(charsOf(head))} reads on. …]`;
  return `${head}\n${mark}\n${tail}`;
}
