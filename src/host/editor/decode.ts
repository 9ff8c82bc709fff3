/** What kind of text bytes are, and what a text is as bytes. */
import { createHash } from 'node:crypto';

export type Decoded = { text: string; valid: boolean } | 'binary' | 'utf-16';

export function decodeUtf8(bytes: Uint8Array): Decoded {
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) return 'utf-16';
  if (bytes.includes(0)) return 'binary';
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes), valid: true };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return { text: new TextDecoder().decode(bytes), valid: false };
  }
}

export const encodeUtf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

export const sha256 = (content: Uint8Array | string): string =>
  createHash('sha256').update(content).digest('hex');
