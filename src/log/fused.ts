/** Finds the records on a line that is not one: whole ones glued to each other, or behind one that was cut short. */

/** How many places are tried from either end of what was cut short, so that a hostile line cannot take for ever. */
const MAX_TRIES = 64;
const recordStart = /\[?\{"type":"/g;

export interface Split {
  values: unknown[];
  /** Characters that belong to no whole record. */
  lost: number;
}

export function splitRecords(text: string): Split {
  const values: unknown[] = [];
  let at = 0;
  while (at < text.length) {
    const end = endOfValue(text, at);
    const value = end === -1 ? undefined : parse(text.slice(at, end));
    if (value === undefined) {
      const behind = behindCut(text, at);
      if (behind === undefined) return { values, lost: text.length - at };
      return { values: [...values, ...behind.values], lost: behind.start - at };
    }
    values.push(value);
    at = skipSpace(text, end);
  }
  return { values, lost: 0 };
}

/** Entries and batches that run whole to the end of the line. Within a JSON string their quotes would be escaped. */
function behindCut(text: string, from: number): { values: object[]; start: number } | undefined {
  const starts = startsBehind(text, from);
  // What was cut short may have had any number of parts.
  const rest = starts.slice(MAX_TRIES);
  for (const start of [...starts.slice(0, MAX_TRIES), ...rest.slice(-MAX_TRIES)]) {
    const values = wholeTo(text, start);
    if (values !== undefined) return { values, start };
  }
  return undefined;
}

/** The records that are glued to each other from `start` to the end; undefined when there is anything else. */
function wholeTo(text: string, start: number): object[] | undefined {
  const values: object[] = [];
  for (let at = start; at < text.length;) {
    const end = endOfValue(text, at);
    const value = end === -1 ? undefined : parse(text.slice(at, end));
    if (value === undefined || !isRecord(value)) return undefined;
    values.push(value);
    at = skipSpace(text, end);
  }
  return values;
}

function startsBehind(text: string, from: number): number[] {
  const starts: number[] = [];
  recordStart.lastIndex = from + 1;
  for (let match = recordStart.exec(text); match !== null; match = recordStart.exec(text)) {
    starts.push(match.index);
    recordStart.lastIndex = match.index + 1;
  }
  return starts;
}

/** Tells an entry from a part of one: a cut can fall just behind an inner object, or before numbers of a list. */
function isRecord(value: object): boolean {
  const entries: readonly unknown[] = Array.isArray(value) ? value : [value];
  return entries.every(
    (entry) =>
      typeof entry === 'object' &&
      entry !== null &&
      'id' in entry &&
      typeof entry.id === 'string' &&
      'type' in entry &&
      entry.type !== 'session',
  );
}

function parse(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined; // not a record: the caller looks elsewhere
  }
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && (text.charCodeAt(at) <= 0x20 || text[at] === '\uFEFF')) at++;
  return at;
}

/** The index behind the object or array that begins at `from`, or −1 when it never ends. */
export function endOfValue(text: string, from: number): number {
  let depth = 0;
  let isInString = false;
  for (let at = from; at < text.length; at++) {
    const character = text[at];
    if (isInString) {
      if (character === '\\') at++;
      else if (character === '"') isInString = false;
    } else if (character === '"') isInString = true;
    else if (character === '{' || character === '[') depth++;
    else if (character === '}' || character === ']') {
      depth--;
      if (depth <= 0) return at + 1;
    } else if (depth === 0) return -1;
  }
  return -1;
}
