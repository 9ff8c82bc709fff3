/**
 * What stands in the composer: text, attached texts and named files, and which message is being edited. Starting an edit
 * puts the earlier draft aside; ending it brings the draft back. Nothing is cleared before the host has it.
 */
import type { ComposerDraft, Mention } from '../../src/shared/protocol.js';

interface Contents {
  text: string;
  chips: Mention[];
}

/** Above this a paste becomes an attachment: a text field that holds megabytes freezes. */
export const LARGEST_PASTE = 20_000;

export class Draft {
  text = $state('');
  /** What is attached: texts that are too long for the field, images, files. */
  chips = $state.raw<readonly Mention[]>([]);
  editing = $state.raw<string | null>(null);
  /** Files picked for an @-mention; those no longer named in the text are not sent. */
  #files = new Set<string>();
  #aside: Contents | null = null;
  /** What was made of other messages before the edit went on to this one, by message. */
  readonly #left = new Map<string, Contents>();
  #sending: (Readonly<Pick<Draft, 'text' | 'chips'>> & { isIntact: boolean }) | null = null;

  get isEmpty(): boolean {
    return this.text.trim() === '' && this.chips.length === 0;
  }

  load({ text, editing, attachments = [], aside }: ComposerDraft): void {
    this.text = text;
    this.editing = editing;
    this.#files.clear();
    this.#left.clear();
    this.#sending = null;
    this.chips = this.#unnamed(attachments, text);
    const before = aside ?? { text: '' };
    this.#aside =
      editing === null
        ? null
        : { text: before.text, chips: this.#unnamed(before.attachments ?? [], before.text) };
  }

  /** All of it, to be kept. */
  get contents(): ComposerDraft {
    const aside = this.#aside === null ? undefined : this.#packed(this.#aside);
    const hasAside = aside !== undefined && (aside.text !== '' || aside.attachments !== undefined);
    return { ...this.#packed(this), editing: this.editing, ...(hasAside ? { aside } : {}) };
  }

  /** What is left of it once what stands here is sent. */
  get rest(): ComposerDraft {
    return { ...(this.#aside === null ? { text: '' } : this.#packed(this.#aside)), editing: null };
  }

  #packed({ text, chips }: Readonly<Pick<Draft, 'text' | 'chips'>>): {
    text: string;
    attachments?: Mention[];
  } {
    const attachments = this.#mentionsOf(text, chips);
    return attachments.length === 0 ? { text } : { text, attachments };
  }

  /**
   * A message's text and what was attached to it; files that its text names are mentions again. What was made of it before
   * stays.
   */
  startEdit(entryId: string, message: { text: string; mentions: readonly Mention[] }): void {
    if (this.editing === entryId) return;
    const here = { text: this.text, chips: [...this.chips] };
    if (this.editing === null) this.#aside = here;
    else this.#left.set(this.editing, here);
    this.editing = entryId;
    const made = this.#left.get(entryId);
    this.text = made?.text ?? message.text;
    this.chips = made?.chips ?? this.#unnamed(message.mentions, message.text);
  }

  /** Remembers the files that the text names by an @; gives what must be shown as attached. */
  #unnamed(mentions: readonly Mention[], written: string): Mention[] {
    const isNamed = ({ kind, text, path, label }: Mention) =>
      kind === 'file' && text === undefined && namesFile(written, path ?? label);
    for (const { path, label } of mentions.filter(isNamed)) this.mentionFile(path ?? label);
    return mentions.filter((mention) => !isNamed(mention));
  }

  /** Back to the draft that was there before the edit. */
  endEdit(): void {
    if (this.editing !== null) this.#left.delete(this.editing);
    this.text = this.#aside?.text ?? '';
    this.chips = this.#aside?.chips ?? [];
    this.#aside = null;
    this.editing = null;
  }

  /** Text that another part of the editor brings. */
  insert(text: string, mentions: readonly Mention[] = []): void {
    this.text = this.text.trim() === '' ? text : `${this.text}\n${text}`;
    this.chips = [...this.chips, ...this.#unnamed(mentions, this.text)];
  }

  attachText(text: string, name = 'Pasted text'): void {
    this.chips = [...this.chips, { kind: 'file', label: this.#freeName(name), text }];
  }

  attachImage(name: string, image: { blob: string; mime: string }): void {
    this.chips = [...this.chips, { kind: 'image', label: this.#freeName(name), ...image }];
  }

  /** Something that the person named; what was attached of it before is replaced. */
  attach(mention: Mention): void {
    const isSame = ({ kind, label }: Mention) => kind === mention.kind && label === mention.label;
    this.chips = [...this.chips.filter((chip) => !isSame(chip)), mention];
  }

  /** A file or folder of the workspace; each once. */
  attachPath(path: string, kind: 'file' | 'folder'): void {
    if (!this.chips.some((chip) => chip.path === path))
      this.chips = [...this.chips, { kind, label: path, path }];
  }

  #freeName(name: string): string {
    const names = new Set(this.chips.map((chip) => chip.label));
    let number = 1;
    while (names.has(numbered(name, number))) number++;
    return numbered(name, number);
  }

  remove(chip: Mention): void {
    this.chips = this.chips.filter((other) => other !== chip);
  }

  mentionFile(path: string): void {
    this.#files.add(path);
  }

  mentions(): Mention[] {
    return this.#mentionsOf(this.text, this.chips);
  }

  #mentionsOf(text: string, chips: readonly Mention[]): Mention[] {
    const named = [...this.#files].filter((path) => namesFile(text, path));
    return [...named.map((path): Mention => ({ kind: 'file', label: path, path })), ...chips];
  }

  /** What stands here is being sent; it stays until the host has it. */
  beginSending(): void {
    this.#sending = { text: this.text, chips: this.chips, isIntact: true };
  }

  /** What was being sent when another session came to be shown, and still is. */
  resumeSending(text: string, labels: readonly string[]): void {
    const chips = this.chips.filter(({ label }) => labels.includes(label));
    this.#sending = { text, chips, isIntact: this.text.startsWith(text) };
  }

  /** The person changes the text from `start` on: what is being sent may be no part of it any more. */
  changeFrom(start: number): void {
    if (this.#sending !== null && start < this.#sending.text.length) this.#sending.isIntact = false;
  }

  /** The host did not take it: it stays as it is. */
  notSent(): void {
    this.#sending = null;
  }

  /** What was typed since what stands here is being sent. */
  get typedMeanwhile(): string {
    return this.#sending === null ? '' : this.#beyond(this.#sending);
  }

  #beyond({ text, isIntact }: { text: string; isIntact: boolean }): string {
    if (this.text === text) return '';
    return isIntact ? this.text.slice(text.length).trimStart() : this.text;
  }

  /** The host has it: takes it out, and keeps what was typed meanwhile. */
  sent(): void {
    const sending = this.#sending;
    this.#sending = null;
    if (sending === null) return;
    const { chips } = sending;
    const rest = this.#beyond(sending);
    const left = this.chips.filter((chip) => !chips.includes(chip));
    if (this.editing !== null) this.endEdit();
    else {
      this.text = '';
      this.chips = [];
    }
    if (rest !== '') this.insert(rest);
    this.chips = [...this.chips, ...left];
  }
}

/** Whether the text names this file by an @, and not one whose name only begins like it. */
function namesFile(text: string, path: string): boolean {
  const name = `@${path}`;
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + 1)) {
    if (/^(?:$|[\s,;:!?)\]}'"`]|\.(?:\s|$))/.test(text.slice(at + name.length, at + name.length + 2)))
      return true;
  }
  return false;
}

/** The ending stays at the end. */
function numbered(name: string, number: number): string {
  if (number === 1) return name;
  const [, stem = name, ending = ''] = /^(.+?)(\.\w{1,5})?$/.exec(name) ?? [];
  return `${stem} ${number}${ending}`;
}
