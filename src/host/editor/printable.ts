/**
 * Turns the bytes a command prints into text as they come: UTF-8 across chunk borders, without terminal control sequences
 * (CSI, OSC, DCS …) and control characters. A carriage return that does not end a line becomes a new line. Where styles
 * are kept, those sequences stay that set colours and weights (SGR), and a line that is written over keeps its return.
 */

type State = 'text' | 'escape' | 'intermediate' | 'csi' | 'string' | 'string-escape';

const BEL = 0x07;
const TAB = 0x09;
const LF = 0x0a;
const CR = 0x0d;
const ESC = 0x1b;
const SGR = 0x6d;
const COLUMN = 0x47;

export interface PrintableText {
  push(bytes: Uint8Array): string;
  /** What is left when the output has ended. */
  end(): string;
}

export interface Kept {
  styles: boolean;
}

export function printableText(kept?: Kept): PrintableText {
  const decoder = new TextDecoder();
  const strip = stripper(kept);
  return {
    push: (bytes) => strip(decoder.decode(bytes, { stream: true })),
    end: () => strip(decoder.decode()),
  };
}

/** Longer ones are none that anybody means. */
const MOST_PARAMS = 48;

/** Removes control sequences from a text that comes in pieces. */
export function stripper({ styles }: Kept = { styles: false }): (text: string) => string {
  let state: State = 'text';
  let hasReturn = false;
  let params = '';
  return (text) => {
    let out = '';
    let from = -1;
    const keepUntil = (at: number): void => {
      if (from !== -1) out += text.slice(from, at);
      from = -1;
    };
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      const before = state;
      state = advance(before, code);
      const isText = state === 'text' && before === 'text' && isPrintable(code);
      const endsString = code === LF && before !== 'text';
      if (!isText && !endsString) {
        keepUntil(at);
        if (code === CR && state === 'text') hasReturn = true;
        if (state === 'csi') params = before === 'csi' ? params + text.charAt(at) : '';
        if (styles && before === 'csi' && state === 'text') {
          if (code === SGR && isSgr(params)) out += `\x1b[${params}m`;
          // To the first column, as some progress bars go there.
          if (code === COLUMN && /^[01]?$/.test(params)) hasReturn = true;
        }
        continue;
      }
      if (hasReturn && code !== LF) {
        keepUntil(at);
        out += styles ? '\r' : '\n';
      }
      hasReturn = false;
      if (from === -1) from = at;
    }
    keepUntil(text.length);
    return out;
  };
}

const isSgr = (params: string): boolean => params.length <= MOST_PARAMS && /^[\d;:]*$/.test(params);

const isPrintable = (code: number): boolean => code === TAB || code === LF || (code >= 0x20 && code !== 0x7f);

/** A line feed ends every sequence: a sequence that is never closed must not swallow all that follows. */
function advance(state: State, code: number): State {
  if (code === LF) return 'text';
  if (code === ESC) return state === 'string' ? 'string-escape' : 'escape';
  switch (state) {
    case 'text':
      return 'text';
    case 'escape':
    case 'string-escape':
      return afterEscape(code);
    case 'intermediate':
      return code >= 0x30 && code <= 0x7e ? 'text' : 'intermediate';
    case 'csi':
      return code >= 0x40 && code <= 0x7e ? 'text' : 'csi';
    case 'string':
      return code === BEL ? 'text' : 'string';
  }
}

function afterEscape(code: number): State {
  const char = String.fromCharCode(code);
  if (char === '[') return 'csi';
  if (']PX^_'.includes(char)) return 'string';
  if (code >= 0x20 && code <= 0x2f) return 'intermediate';
  return 'text';
}
