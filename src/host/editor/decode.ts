/** What kind of text bytes are, and what a text is as bytes. */
import { createHash } from 'node:crypto';

/** `valid`: false when wrong bytes stand as U+FFFD. */
export type Decoded = { text: string; valid: boolean; encoding: 'utf-8' | 'utf-16' } | 'binary';

/** By their mark UTF-16, else UTF-8. The mark is no part of the text. */
export function decodeText(bytes: Uint8Array): Decoded {
  const wide = wideEncoding(bytes);
  if (wide === undefined && bytes.includes(0)) return 'binary';
  const label = wide ?? 'utf-8';
  const encoding = wide === undefined ? 'utf-8' : 'utf-16';
  try {
    return { text: new TextDecoder(label, { fatal: true }).decode(bytes), valid: true, encoding };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return { text: new TextDecoder(label).decode(bytes), valid: false, encoding };
  }
}

function wideEncoding([first, second]: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : undefined;
}

export const encodeUtf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

export const sha256 = (content: Uint8Array | string): string =>
  createHash('sha256').update(content).digest('hex');
