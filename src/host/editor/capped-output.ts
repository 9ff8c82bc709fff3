/**
 * Keeps the beginning and the end of a text of any length in bounded memory, and knows how much of the middle is gone. Of
 * lines that were written over, as progress bars are, only what they were last is kept.
 */
import { settleLines, styledTail } from '../../shared/styled-text.js';

const HEAD_CHARS = 16_000;
const TAIL_CHARS = 32_000;
/** A line that goes on for longer cannot be written over any more. */
const LINE_CHARS = 8_000;

export interface CappedOutput {
  add(text: string): void;
  /** The text, with a line that says how much was left out where it was left out. */
  read(): { text: string; dropped_bytes: number; overwritten: number };
}

export function cappedOutput(headChars = HEAD_CHARS, tailChars = TAIL_CHARS): CappedOutput {
  let head = '';
  let tail = '';
  let line = '';
  let dropped = 0;
  let overwritten = 0;
  const trim = (limit: number): void => {
    if (tail.length <= limit) return;
    const kept = styledTail(tail, tailChars);
    dropped += Buffer.byteLength(tail) - Buffer.byteLength(kept);
    tail = kept;
  };
  const keep = (text: string): void => {
    const room = headChars - head.length;
    const cut = tail === '' && dropped === 0 && room > 0 ? boundary(text, Math.min(room, text.length)) : 0;
    head += text.slice(0, cut);
    tail += text.slice(cut);
    trim(2 * tailChars);
  };
  return {
    add(text) {
      const settled = settleLines(line + text);
      overwritten += settled.overwritten;
      const end = settled.text.length - settled.text.lastIndexOf('\n') - 1;
      const isOpen = end <= LINE_CHARS;
      keep(isOpen ? settled.text.slice(0, settled.text.length - end) : settled.text);
      line = isOpen ? settled.text.slice(settled.text.length - end) : '';
    },
    read() {
      keep(line.replaceAll('\r', ''));
      line = '';
      trim(tailChars);
      if (dropped === 0) return { text: head + tail, dropped_bytes: 0, overwritten };
      const gap = `[… ${dropped.toLocaleString('en-US')} bytes of output are left out here …]`;
      return { text: `${head}\n${gap}\n${tail}`, dropped_bytes: dropped, overwritten };
    },
  };
}

/** The nearest place at or after `at` that splits neither a character nor a sequence. */
function boundary(text: string, at: number): number {
  const begun = at === 0 ? -1 : text.lastIndexOf('\x1b', at - 1);
  const ended = begun < 0 ? -1 : text.indexOf('m', begun);
  if (begun >= 0 && ended >= at && ended - begun < 64) return ended + 1;
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff ? at + 1 : at;
}
