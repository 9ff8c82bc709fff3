/**
 * What stands around the conversation: instructions of the workspace and skills. Read anew for each turn and kept while
 * it runs, so that its requests begin alike; instructions further down come in once something below their folder is
 * worked on, and stay for the line.
 */
import type { SkillInfo } from '../ports.js';
import type { SentFile } from '../shared/protocol.js';
import { promptOf, textOf } from '../shared/prompt-parts.js';
import type { Line } from './context/select.js';
import { MAX_INSTRUCTIONS, folderOf, type InstructionsFile } from './prompt.js';
import type { AgentParts, NestedInstructions, Surroundings } from './types.js';

export interface Around {
  surroundings: Surroundings;
  nested: readonly InstructionsFile[];
  unread: readonly string[];
  skills: readonly SkillInfo[];
}

/** Characters of all instructions from further down together; those beyond are only named. */
const MOST_NESTED = 96_000;

/** Paths stand at the beginning of what a call is given, not in the middle of a file that it writes. */
const LOOKED_AT = 4_000;

interface Read {
  surroundings: Promise<Surroundings>;
  skills: Promise<readonly SkillInfo[]>;
  nested: Map<string, Promise<string | undefined>>;
}

export class Guidance {
  /** What the last request carried, or the next one would. */
  sent: readonly SentFile[] = [];
  readonly #parts: Pick<AgentParts, 'surroundings' | 'skills'>;
  #kept: { turn_id: string; read: Read } | null = null;

  constructor(parts: Pick<AgentParts, 'surroundings' | 'skills'>) {
    this.#parts = parts;
  }

  /** `turn_id`: of the turn that runs; without one all is read anew. `line`: all of it, if it is needed. */
  async look(line: () => Promise<Line>, turn_id: string | undefined): Promise<Around> {
    const read = this.#readFor(turn_id);
    const surroundings = await read.surroundings;
    const { told, unread } = await nestedOf(line, surroundings.nested ?? [], read.nested);
    const files = [...surroundings.instructions, ...told].filter(({ text }) => text.trim() !== '');
    this.sent = files.map(({ path, text }) => ({
      path,
      chars: text.length,
      isCut: text.trim().length > MAX_INSTRUCTIONS,
    }));
    return { surroundings, nested: told, unread, skills: await read.skills };
  }

  #readFor(turn_id: string | undefined): Read {
    if (turn_id !== undefined && this.#kept?.turn_id === turn_id) return this.#kept.read;
    const { surroundings, skills } = this.#parts;
    const read: Read = {
      surroundings: surroundings(),
      skills: skills?.list() ?? Promise.resolve([]),
      nested: new Map(),
    };
    this.#kept = turn_id === undefined ? null : { turn_id, read };
    return read;
  }
}

async function nestedOf(
  line: () => Promise<Line>,
  files: readonly NestedInstructions[],
  known: Read['nested'],
): Promise<{ told: InstructionsFile[]; unread: string[] }> {
  const told: InstructionsFile[] = [];
  const unread: string[] = [];
  if (files.length === 0) return { told, unread };
  const words = wordsOf(await line());
  let chars = 0;
  for (const { path, read } of files) {
    if (!words.some((word) => names(word, folderOf(path)))) {
      unread.push(path);
      continue;
    }
    const reading = known.get(path) ?? read();
    known.set(path, reading);
    const text = await reading;
    if (text === undefined) continue;
    chars += Math.min(text.length, MAX_INSTRUCTIONS);
    if (chars > MOST_NESTED) unread.push(path);
    else told.push({ path, text });
  }
  return { told, unread };
}

/** What the person wrote and named, and what calls were given. */
function wordsOf(line: Line): string[] {
  const words: string[] = [];
  for (const { entry } of line) {
    if (entry.type !== 'message') continue;
    if (entry.role === 'user') {
      const { typed, attachments } = promptOf(entry);
      words.push(...typed.map(textOf), ...attachments.map(({ path, label }) => path ?? label));
    }
    for (const part of entry.parts) {
      if (part.type !== 'tool_call' || typeof part.input !== 'object' || part.input === null) continue;
      for (const value of Object.values(part.input)) if (typeof value === 'string') words.push(value);
    }
  }
  return words;
}

/** Whether a text is this folder, or has a path in it that leads there. */
function names(text: string, folder: string): boolean {
  const beginning = text.slice(0, LOOKED_AT).replaceAll('\\', '/');
  if (beginning.replace(/^\.\/|\/$/g, '') === folder) return true;
  const path = `${folder}/`;
  for (let at = beginning.indexOf(path); at !== -1; at = beginning.indexOf(path, at + 1)) {
    if (at === 0 || !/[\w.-]/.test(beginning.charAt(at - 1))) return true;
  }
  return false;
}
