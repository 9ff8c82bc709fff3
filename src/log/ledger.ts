/**
 * What a log says, from its lines in file order: header, entries' places, fold and damage. Holds no bodies. List,
 * transcript and model context are all read through this, so that they cannot disagree.
 */
import { crc32 } from 'node:zlib';
import type { Header } from '../shared/entry.js';
import { FORMAT_VERSION } from '../shared/entry.js';
import { SessionFold } from '../shared/fold/session-fold.js';
import { isConversation, type Entry } from '../shared/notes.js';
import { parseLine, type Dialect, type ParsedLine } from './codec.js';
import { accessBy, dialectOf, type OpenAccess } from './header.js';
import { KIT_VERSION, continuesLine, looksLikeVersion3 } from './kit-v3.js';
import type { LedgerBase } from './ledger-base.js';
import type { LedgerImage, PlainPart } from './ledger-image.js';
import type { RawLine } from './scan.js';
import type { LogDamage, PlacedEntry } from './store.js';
import { Tree } from './tree.js';

const MAX_LISTED_DAMAGE = 1_000;

/** Of a line's bytes, without its newline. */
export const sumOf = (bytes: Uint8Array): number => crc32(bytes) | 0;

/** Where an entry's bytes are, and what reading gave it that they do not say. */
export interface EntryPlace {
  offset: number;
  /** Of the line, without its newline. */
  length: number;
  /** Among the line's entries. */
  index: number;
  /** Checksum of the line as it was found good, 32 bits with a sign. */
  sum: number;
  relinked?: { id: string; parent_id: string | null };
}

/** What stands behind the last newline. */
export type Tail =
  | { kind: 'none' }
  /** A whole record that only lacks its newline. */
  | { kind: 'open'; end: number }
  | { kind: 'fragment'; offset: number; end: number; line: number };

export class Ledger {
  readonly fold: SessionFold;
  readonly #base: LedgerBase | undefined;
  readonly #sumOfLine: (bytes: Uint8Array) => number;
  readonly #damage: LogDamage[] = [];
  /** Beyond what is listed, so that a file of garbage takes no memory. */
  #unlisted: { count: number; last: LogDamage } | undefined;
  readonly tree: Tree;
  /** Behind those of the base. */
  readonly #places: EntryPlace[] = [];
  /** Attempts whose text the log holds, behind those of the base. */
  readonly #attempts = new Set<string>();
  readonly #fallbackTime: string;
  #header: Header;
  #hasHeader = false;
  /** A line was an entry that this format has. */
  #hasKnownEntry = false;
  #messages = 0;
  /** Of the last entry of the conversation behind the base. */
  #said: string | undefined;
  #isArchived = false;
  /** An entry has the file's time in place of its own. */
  #hasGuessedTime = false;
  #dialect: Dialect = 'own';
  #line = 1;
  #end = 0;
  #tail: Tail = { kind: 'none' };

  /**
   * `name` is the id, and `fallbackTime` the time, of what does not say its own; `base` is what an index says of the lines
   * before, with the same result as if they were taken. Places whose lines are to be read again need their sums.
   */
  constructor(name: string, fallbackTime: string, base?: LedgerBase, sumOfLine = sumOf) {
    this.#fallbackTime = fallbackTime;
    this.#base = base;
    this.#sumOfLine = sumOfLine;
    this.fold = new SessionFold(base?.fold);
    this.tree = new Tree(base?.tree);
    this.#header = { type: 'session', version: FORMAT_VERSION, id: name, timestamp: fallbackTime };
    if (base !== undefined) this.#goOn(base.plain);
  }

  #goOn({ header, messages, isArchived, next, damage, unlisted }: PlainPart): void {
    this.#header = header;
    this.#hasHeader = true;
    this.#messages = messages;
    this.#isArchived = isArchived;
    this.#line = next.line;
    this.#end = next.from;
    this.#damage.push(...damage);
    this.#unlisted = unlisted;
  }

  /** Undefined while there is something that only reading the file from its start can tell. */
  image(): LedgerImage | undefined {
    const isOurs = this.#hasHeader && this.#header.version === FORMAT_VERSION && this.#dialect === 'own';
    if (!isOurs || this.#hasGuessedTime || this.#tail.kind !== 'none') return undefined;
    const places = Array.from({ length: this.position }, (_, position) => this.place(position) as EntryPlace);
    return {
      header: this.#header,
      messages: this.#messages,
      isArchived: this.#isArchived,
      next: this.next,
      // It is not empty any more, or there was nothing to keep.
      damage: this.#damage.filter(({ kind }) => kind !== 'empty'),
      unlisted: this.#unlisted,
      places,
      attempts: [...(this.#base?.attempts ?? []), ...this.#attempts],
      tree: this.tree.image(),
      fold: this.fold.image(),
    };
  }

  get header(): Header {
    return this.#header;
  }

  /** False while the header is a guess that no `session_info` has confirmed. */
  get hasHeader(): boolean {
    return this.#hasHeader;
  }

  /** False for a file in which no line is a header or an entry of a known type: whatever it is, it is not ours. */
  get isSessionLog(): boolean {
    return this.#hasHeader || this.#hasKnownEntry;
  }

  get dialect(): Dialect {
    return this.#dialect;
  }

  get fallbackTime(): string {
    return this.#fallbackTime;
  }

  get access(): OpenAccess {
    return accessBy(this.#header);
  }

  get position(): number {
    return this.#before + this.#places.length;
  }

  get #before(): number {
    return this.#base?.position ?? 0;
  }

  get head(): string | null {
    return this.fold.head;
  }

  get isArchived(): boolean {
    return this.#isArchived;
  }

  /** What could not be taken as it stands, a record at the end that was cut short included. */
  get damage(): readonly LogDamage[] {
    const damage = [...this.#damage];
    if (this.#unlisted !== undefined) {
      const { count, last } = this.#unlisted;
      damage.push({ ...last, reason: `${last.reason}; ${count - 1} more are not listed one by one` });
    }
    const tail = this.#tail;
    if (tail.kind === 'fragment')
      damage.push({ kind: 'torn-tail', line: tail.line, reason: this.#cutShort(tail) });
    return this.isSessionLog ? damage : damage.map((one) => ({ ...one, isAll: true }));
  }

  get messages(): number {
    return this.#messages;
  }

  /** When the last entry of the conversation was written, as far as lines were taken here. */
  get said(): string | undefined {
    return this.#said;
  }

  /** Where the next piece of the file begins, and the number of its first line. */
  get next(): { from: number; line: number } {
    return { from: this.#end, line: this.#line };
  }

  get tail(): Tail {
    return this.#tail;
  }

  place(position: number): EntryPlace | undefined {
    return position < this.#before ? this.#base?.place(position) : this.#places[position - this.#before];
  }

  /** What is of the conversation is found without the ids of all notes. */
  positionOf(id: string): number | undefined {
    return this.fold.positionOf(id) ?? this.tree.position(id);
  }

  hasAttempt(id: string): boolean {
    return this.#attempts.has(id) || this.#base?.attempts.has(id) === true;
  }

  /** A session that is not on disk yet: its header is known, its file is empty. */
  begin(header: Header): void {
    this.#header = header;
    this.#hasHeader = true;
  }

  /** Takes the next line of the file and returns its entries as they are to be read. */
  take(raw: RawLine): PlacedEntry[] {
    const parsed = this.#parse(raw);
    const isKept = parsed.entries.length > 0 || parsed.header !== undefined;
    if (!raw.isTerminated && (!isKept || parsed.isCut === true)) {
      this.#tail = { kind: 'fragment', offset: raw.offset, end: raw.end, line: raw.line };
      return [];
    }
    if (parsed.faults.length > 0) this.tree.markGap(this.fold.head);
    this.#hasGuessedTime ||= parsed.isUndated === true;
    const isHeaderTaken = this.#takeHeader(parsed, raw);
    const placed = this.#place(parsed.entries, raw);
    const kind = raw.isTooLong ? 'too-large' : 'unreadable-line';
    const kept = isHeaderTaken || placed.length > 0 ? ({ kept: true } as const) : {};
    for (const reason of parsed.faults) this.#report({ kind, line: raw.line, reason, ...kept });
    this.#end = raw.end;
    this.#line = raw.isTerminated ? raw.line + 1 : raw.line;
    this.#tail = raw.isTerminated ? { kind: 'none' } : { kind: 'open', end: raw.end };
    return placed;
  }

  /** The tail fragment was moved to `where`; the file ends at `end` now. */
  setAside(where: string): void {
    const { tail } = this;
    if (tail.kind !== 'fragment') return;
    const reason = `${this.#cutShort(tail)}; moved to ${where}`;
    const all = this.isSessionLog ? {} : ({ isAll: true } as const);
    this.#report({ kind: 'torn-tail', line: tail.line, reason, moved: true, ...all });
    this.tree.markGap(this.fold.head);
    this.#tail = { kind: 'none' };
  }

  /** The file was there and held no byte: a log has its header from its first write on. */
  takeEmpty(): void {
    this.#report({ kind: 'empty', line: 1, reason: 'the file is empty', isAll: true });
  }

  #cutShort({ offset, end }: { offset: number; end: number }): string {
    const bytes = `(${end - offset} bytes)`;
    return offset === 0 && !this.isSessionLog
      ? `nothing in the file could be read ${bytes}`
      : `the last record was cut short ${bytes}`;
  }

  /** The newline that the last record lacked was added. */
  closeTail(): void {
    if (this.#tail.kind !== 'open') return;
    this.#line++;
    this.#end++;
    this.#tail = { kind: 'none' };
  }

  #report(damage: LogDamage): void {
    if (this.#damage.length < MAX_LISTED_DAMAGE) this.#damage.push(damage);
    else this.#unlisted = { count: (this.#unlisted?.count ?? 0) + 1, last: damage };
  }

  #parse(raw: RawLine): ParsedLine {
    if (raw.isTooLong) {
      const megabytes = Math.round((raw.end - raw.offset) / 1024 / 1024);
      return { entries: [], faults: [`a line of ${megabytes} MB, more than is read`] };
    }
    if (raw.offset === 0) {
      // The first line decides how all others are read, records glued to it included.
      const first = parseLine(raw.bytes, 'own', this.#fallbackTime);
      this.#dialect = first.header === undefined ? 'own' : dialectOf(first.header);
      if (first.header !== undefined && this.#dialect === 'own') return first;
    }
    if (!this.#hasHeader && this.#dialect === 'own' && isOfVersion3(raw.bytes)) {
      this.#dialect = 'kit-v3';
      this.#header = { ...this.#header, version: KIT_VERSION };
    }
    return parseLine(raw.bytes, this.#dialect, this.#fallbackTime);
  }

  /** The header is the first line; one that stands later counts only when nothing was read before it. */
  #takeHeader(parsed: ParsedLine, raw: RawLine): boolean {
    if (parsed.header !== undefined) {
      // The first line of a session that was begun here is the header it was begun with.
      const isFirst = raw.offset === 0 && this.position === 0;
      if (!isFirst && (this.#hasHeader || this.position > 0))
        parsed.faults.push('a second header; it was skipped');
      else {
        this.#header = parsed.header.id === '' ? { ...parsed.header, id: this.#header.id } : parsed.header;
        this.#dialect = dialectOf(parsed.header);
        this.#hasHeader = true;
        return true;
      }
    } else if (raw.offset === 0) {
      const why = parsed.faults.splice(0).join('; ') || 'the first line is not a header';
      const reason = `${why}; the header was made up from the rest of the file`;
      this.#report({ kind: 'header', line: raw.line, reason });
    }
    return false;
  }

  #place(entries: readonly Entry[], raw: RawLine): PlacedEntry[] {
    const sum = this.#sumOfLine(raw.bytes);
    return entries.map((asWritten, index) => {
      const { position } = this;
      const isContinuing = this.#dialect === 'kit-v3' && continuesLine(asWritten);
      const linkedFrom = isContinuing ? { ...asWritten, parent_id: this.fold.head } : asWritten;
      const where = { line: raw.line, offset: raw.offset, index };
      const { entry, isRecovered, faults } = this.tree.add(linkedFrom, where, position);
      for (const fault of faults) this.#report({ ...fault, line: raw.line });
      const { id, parent_id } = entry;
      this.#places.push({
        offset: raw.offset,
        length: lengthOf(raw),
        index,
        sum,
        ...(entry === asWritten ? {} : { relinked: { id, parent_id } }),
      });
      this.fold.add(entry, position, isRecovered);
      if (this.#dialect === 'kit-v3' && entry.parent_id !== null && !isConversation(entry))
        this.fold.standOn(entry.parent_id);
      this.#notice(entry);
      return { position, entry };
    });
  }

  #addAttempt(id: string): void {
    if (!this.hasAttempt(id)) this.#attempts.add(id);
  }

  #notice(entry: Entry): void {
    this.#hasKnownEntry ||= entry.type !== 'unknown';
    if (isConversation(entry)) this.#said = entry.timestamp;
    if (entry.type === 'message') {
      this.#messages++;
      if (entry.attempt_id !== undefined) this.#addAttempt(entry.attempt_id);
    } else if (entry.type === 'incomplete_output') this.#addAttempt(entry.attempt_id);
    else if (entry.type === 'session_info') {
      this.#isArchived = entry.archived ?? this.#isArchived;
      if (this.#hasHeader || entry.header?.version !== FORMAT_VERSION) return;
      this.#header = entry.header;
      this.#hasHeader = true;
    }
  }
}

function isOfVersion3(bytes: Uint8Array): boolean {
  try {
    return looksLikeVersion3(JSON.parse(Buffer.from(bytes).toString('utf8')));
  } catch {
    return false; // whatever it is, it is read as ours
  }
}

const lengthOf = (raw: RawLine): number => raw.end - raw.offset - (raw.isTerminated ? 1 : 0);
