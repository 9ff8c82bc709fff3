/** Keeps the beginning and the end of a text of any length in bounded memory, and knows how much of the middle is gone. */

const HEAD_CHARS = 16_000;
const TAIL_CHARS = 32_000;

export interface CappedOutput {
  add(text: string): void;
  /** The text, with a line that says how much was left out where it was left out. */
  read(): { text: string; dropped_bytes: number };
}

export function cappedOutput(headChars = HEAD_CHARS, tailChars = TAIL_CHARS): CappedOutput {
  let head = '';
  let tail = '';
  let dropped = 0;
  const trim = (limit: number): void => {
    if (tail.length <= limit) return;
    const cut = boundary(tail, tail.length - tailChars);
    dropped += Buffer.byteLength(tail.slice(0, cut));
    tail = tail.slice(cut);
  };
  return {
    add(text) {
      const room = headChars - head.length;
      const cut = tail === '' && dropped === 0 && room > 0 ? boundary(text, Math.min(room, text.length)) : 0;
      head += text.slice(0, cut);
      tail += text.slice(cut);
      trim(2 * tailChars);
    },
    read() {
      trim(tailChars);
      if (dropped === 0) return { text: head + tail, dropped_bytes: 0 };
      const gap = `[… ${dropped.toLocaleString('en-US')} bytes of output are left out here …]`;
      return { text: `${head}\n${gap}\n${tail}`, dropped_bytes: dropped };
    },
  };
}

/** The nearest place at or after `at` that does not split a character. */
function boundary(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff ? at + 1 : at;
}
