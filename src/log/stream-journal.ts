/**
 * The text of the attempt that streams now, in `<name>.stream`, at most a second or 4 KB behind and never synced: a crash of
 * the process loses no more than that. Lines of JSON: first the attempt, then pieces of text or reasoning in order.
 */
import * as z from 'zod';
import type { Clock, Disposable, Files, OpenFile } from '../ports.js';
import type { BoughError } from '../shared/failure.js';
import { writeAll } from './bytes.js';
import { Serial } from './serial.js';
import { ifThere, storageFailure, stored } from './storage.js';
import type { JournalHead, StreamJournal } from './store.js';
import { loneHighSurrogate, wholeCharacters, wholePiece } from './torn-text.js';

// A second is what may be lost: the write itself takes a moment too.
const FLUSH_MS = 750;
const FLUSH_CHARS = 4_096;

const headSchema = z.object({
  attempt_id: z.string(),
  step: z.number().int(),
  parent_id: z.string().nullable(),
  turn_id: z.string(),
  earlier: z
    .array(z.object({ attempt_id: z.string(), text: z.string(), reasoning: z.string() }))
    .exactOptional(),
  call_id: z.string().exactOptional(),
  printed: z.string().exactOptional(),
});

type Kind = 'text' | 'reasoning';
interface Piece {
  kind: Kind;
  text: string;
}

export interface JournalParts {
  files: Files;
  clock: Clock;
  path: string;
  /** Whether the log holds what this attempt came to, so that the journal is of no use any more. */
  isLogged: (attemptId: string) => boolean;
  onError: (error: BoughError) => void;
}

export class FileStreamJournal implements StreamJournal {
  readonly #parts: JournalParts;
  #pieces: Piece[] = [];
  #chars = 0;
  #timer: Disposable | undefined;
  #isFailing = false;
  #file: OpenFile | undefined;
  /** How much of the file is whole lines. */
  #length = 0;
  readonly #serial = new Serial();

  constructor(parts: JournalParts) {
    this.#parts = parts;
  }

  begin(head: JournalHead): Promise<void> {
    this.#forget();
    return this.#serial.run(async () => {
      const { files, path } = this.#parts;
      await stored('begin the stream journal', path, async () => {
        await this.#close();
        const line = new TextEncoder().encode(`${JSON.stringify(headSchema.parse(head))}\n`);
        // What the file holds is in the new line too: at no moment it is in neither.
        const isKept = head.earlier !== undefined || head.printed !== undefined;
        if (isKept) await files.replace(path, line);
        const file = await files.open(path, 'append');
        this.#file = file;
        this.#length = isKept ? line.length : 0;
        await file.truncate(this.#length);
        if (!isKept) await this.#write(file, line);
      });
    });
  }

  add(chunk: { text?: string; reasoning?: string }): void {
    this.#take('reasoning', chunk.reasoning ?? '');
    this.#take('text', chunk.text ?? '');
    // After a failure the clock alone decides when it is tried again.
    if (this.#chars >= FLUSH_CHARS && !this.#isFailing) this.#flushDetached();
    else if (this.#chars > 0) this.#timer ??= this.#parts.clock.after(FLUSH_MS, () => this.#flushDetached());
  }

  async flush(): Promise<void> {
    this.#timer?.dispose();
    this.#timer = undefined;
    await this.#serial.run(() => this.#writePieces());
  }

  end(): Promise<void> {
    this.#forget();
    return this.#serial.run(async () => {
      const { files, path } = this.#parts;
      await this.#close();
      await stored('remove the stream journal', path, () => ifThere(files.remove(path)));
    });
  }

  async output(): Promise<{ call_id: string; turn_id: string; text: string } | null> {
    const found = await this.#readAll();
    if (found?.head.call_id === undefined) return null;
    const { call_id, turn_id, printed = '' } = found.head;
    return { call_id, turn_id, text: printed + found.text };
  }

  async read(): Promise<{ head: JournalHead; text: string; reasoning: string } | null> {
    const { isLogged } = this.#parts;
    const found = await this.#readAll();
    if (found === null || found.head.call_id !== undefined || isLogged(found.head.attempt_id)) return null;
    const { earlier, ...attempt } = found.head;
    // An entry of an attempt holds what came before it in its step.
    const left = earlier?.slice(1 + earlier.findLastIndex(({ attempt_id }) => isLogged(attempt_id))) ?? [];
    return { ...found, head: { ...attempt, ...(left.length === 0 ? {} : { earlier: left }) } };
  }

  async #readAll(): Promise<{ head: JournalHead; text: string; reasoning: string } | null> {
    const { files, path } = this.#parts;
    const bytes = await stored('read the stream journal', path, () => ifThere(files.read(path)));
    if (bytes === undefined) return null;
    const [first = '', ...lines] = wholeCharacters(bytes).split('\n');
    const head = parseHead(first);
    if (head === undefined) return null;
    const content = { text: '', reasoning: '' };
    for (const line of lines) {
      const piece = wholePiece(line);
      content.text += piece.text ?? '';
      content.reasoning += piece.reasoning ?? '';
    }
    return {
      head,
      text: content.text.replace(loneHighSurrogate, ''),
      reasoning: content.reasoning.replace(loneHighSurrogate, ''),
    };
  }

  /** Writes what is buffered and lets go of the file, which stays. */
  async close(): Promise<void> {
    await this.flush();
    await this.#serial.run(() => this.#close());
  }

  #take(kind: Kind, text: string): void {
    if (text === '') return;
    const last = this.#pieces.at(-1);
    if (last?.kind === kind) last.text += text;
    else this.#pieces.push({ kind, text });
    this.#chars += text.length;
  }

  #forget(): void {
    this.#timer?.dispose();
    this.#timer = undefined;
    this.#pieces = [];
    this.#chars = 0;
  }

  /** The first failure of several is told. */
  #flushDetached(): void {
    const told = this.#isFailing;
    this.flush().catch((error: unknown) => {
      if (!told) this.#parts.onError(storageFailure(error, 'write the stream journal', this.#parts.path));
    });
  }

  /** What could not be written stays buffered for the next time. */
  async #writePieces(): Promise<void> {
    const file = this.#file;
    const pieces = this.#pieces;
    if (file === undefined || pieces.length === 0) return;
    this.#pieces = [];
    this.#chars = 0;
    const lines = pieces.map(({ kind, text }) => `${JSON.stringify({ [kind]: text })}\n`);
    try {
      const bytes = new TextEncoder().encode(lines.join(''));
      await stored('write the stream journal', this.#parts.path, () => this.#write(file, bytes));
      this.#isFailing = false;
    } catch (error) {
      this.#isFailing = true;
      this.#pieces = [...pieces, ...this.#pieces];
      this.#chars = this.#pieces.reduce((chars, { text }) => chars + text.length, 0);
      throw error;
    }
  }

  async #write(file: OpenFile, bytes: Uint8Array): Promise<void> {
    try {
      await writeAll(file, bytes);
      this.#length += bytes.length;
    } catch (error) {
      await file.truncate(this.#length).catch(() => undefined); // a torn line is dropped on reading
      throw error;
    }
  }

  async #close(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    if (file !== undefined) await stored('close the stream journal', this.#parts.path, () => file.close());
  }
}

function parseHead(line: string): JournalHead | undefined {
  try {
    const parsed = headSchema.safeParse(JSON.parse(line));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined; // cut within its first line: there is no text either
  }
}
