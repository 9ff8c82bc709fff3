/** Makes what a log holds fit to be sent: well-formed strings, plain JSON of bounded depth, names a provider takes. */

/** Deeper than this no tool takes input, and JSON.stringify would overflow the stack. */
const MAX_DEPTH = 64;
const TOO_DEEP = '[nested too deeply to be sent]';

export const isBlank = (text: string): boolean => text.trim() === '';

/**
 * A tool name as every protocol takes it: Gemini wants a letter or an underscore first. A model may have called something
 * that never existed.
 */
export function cleanToolName(name: string): string {
  const clean = name
    .replace(/[^A-Za-z0-9_-]/g, '_')
    .replace(/^[^A-Za-z_]/, '_$&')
    .slice(0, 64);
  return clean === '' ? 'unknown_tool' : clean;
}

/** The arguments of a call: always an object, as the protocols want it. */
export function cleanInput(input: unknown): Record<string, unknown> {
  const clean = cleanJson(input, 0);
  return isObject(clean) ? clean : {};
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function cleanJson(value: unknown, depth: number): unknown {
  switch (typeof value) {
    case 'string':
      return value.toWellFormed();
    case 'number':
      return Number.isFinite(value) ? value : null;
    case 'boolean':
      return value;
    case 'object': {
      if (value === null) return null;
      if (depth >= MAX_DEPTH) return TOO_DEEP;
      if (Array.isArray(value)) return value.map((item) => cleanJson(item, depth + 1));
      const fields = Object.entries(value).filter(([, field]) => field !== undefined);
      return Object.fromEntries(
        fields.map(([key, field]) => [key.toWellFormed(), cleanJson(field, depth + 1)]),
      );
    }
    default:
      return null;
  }
}

/** Opaque provider data that goes back as it came, made plain JSON. */
export const cleanMetadata = (data: Record<string, unknown>): Record<string, unknown> => cleanInput(data);

/** Cuts at most `length` UTF-16 units, never inside a character. */
export function headOf(text: string, length: number): string {
  const head = text.slice(0, Math.max(0, length));
  return /[\uD800-\uDBFF]$/.test(head) ? head.slice(0, -1) : head;
}

export function tailOf(text: string, length: number): string {
  const tail = length <= 0 ? '' : text.slice(-length);
  return /^[\uDC00-\uDFFF]/.test(tail) ? tail.slice(1) : tail;
}
