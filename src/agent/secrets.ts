/**
 * Keys of providers stay out of what is kept of a session, whoever brought them in: a command that prints its environment,
 * a server that sends back what it was given, a paste. What is replaced says so in its place.
 */
import type { Blobs, StreamJournal } from '../log/store.js';
import type { Part } from '../shared/entry.js';
import type { Draft } from '../shared/notes.js';
import { sha256 } from './sha256.js';

export interface Redact {
  /** Without the keys that are stored here. */
  keys(text: string): string;
  /** Without them and without what has the shape of one: for what a command printed. */
  tokens(text: string): string;
  /** How many characters at its end may be the beginning of a stored key. */
  begun(text: string): number;
}

/** The same value with every text in it changed. */
function mapTexts<T>(value: T, change: (text: string) => string): T;
function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts<unknown>(item, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [change(name), mapTexts(item, change)]),
  );
}

export const withoutKeys = <T>(value: T, redact: Redact): T => mapTexts(value, (text) => redact.keys(text));

/** Tools whose results are what commands print. */
const PRINTING = new Set(['run', 'background']);

/** What comes from programs: those of MCP servers print their environment, too. */
const isPrinted = (tool: string): boolean => PRINTING.has(tool) || tool.startsWith('mcp_');

export function cleanDraft(draft: Draft, redact: Redact): Draft {
  const clean = withoutKeys(draft, redact);
  if (clean.type !== 'message' || clean.role !== 'tool') return clean;
  const before = draft.type === 'message' ? draft.parts : [];
  const parts = clean.parts.map((part, index): Part => {
    if (part.type !== 'tool_result') return part;
    const { styles, ...rest } = part;
    const content = isPrinted(part.name) ? redact.tokens(part.content) : part.content;
    const given = before[index];
    // Where something was taken out, its colours lie no more where they did.
    const isSame = given?.type === 'tool_result' && given.content === content;
    return { ...rest, content, ...(isSame && styles !== undefined ? { styles } : {}) };
  });
  return { ...clean, parts };
}

/** A file that holds a key is known by its hash alone: its bytes may be kept neither as they are nor changed. */
export const guardBlobs = (blobs: Blobs, redact: Redact): Blobs => ({
  get: (hash) => blobs.get(hash),
  has: (hash) => blobs.has(hash),
  put: (bytes) => {
    const text = typeof bytes === 'string' ? bytes : new TextDecoder().decode(bytes);
    return redact.keys(text) === text ? blobs.put(bytes) : Promise.resolve(sha256(bytes));
  },
});

/** A beginning so short tells nothing and is as likely a word's: it is not kept back. */
const TOLD_CHARS = 4;

/** Takes keys out of a text that comes in pieces, which may part a key anywhere. */
export function cleanPieces(redact: Redact): (piece: string) => string {
  /** The beginning of what may be a key: first what was handed on already, then what is kept back. */
  let given = '';
  let held = '';
  return (piece) => {
    const clean = redact.keys(given + held + piece);
    let known = 0;
    while (known < given.length && clean[known] === given[known]) known += 1;
    const fresh = clean.slice(known);
    const begun = redact.begun(clean);
    const back = begun < TOLD_CHARS ? 0 : Math.min(begun, fresh.length);
    held = fresh.slice(fresh.length - back);
    given = clean.slice(clean.length - begun, clean.length - back);
    return fresh.slice(0, fresh.length - back);
  };
}

export function guardJournal(journal: StreamJournal, redact: Redact): StreamJournal {
  const start = () => ({ text: cleanPieces(redact), reasoning: cleanPieces(redact) });
  let clean = start();
  return {
    begin: (head) => {
      clean = start();
      return journal.begin(head);
    },
    add: ({ text, reasoning }) =>
      journal.add({
        ...(text === undefined ? {} : { text: clean.text(text) }),
        ...(reasoning === undefined ? {} : { reasoning: clean.reasoning(reasoning) }),
      }),
    flush: () => journal.flush(),
    end: () => journal.end(),
    read: () => journal.read(),
    output: () => journal.output(),
  };
}
