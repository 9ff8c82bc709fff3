/**
 * Colours and weights of what a program prints (SGR sequences), apart from its text: the text is plain everywhere, its styles
 * are runs over it. Nothing but SGR means anything here, and each colour becomes one of the sixteen that a theme has.
 */

/** From, length, and the SGR codes that hold there, in one order: `[0, 3, "1;31"]`. */
export type StyleRun = [from: number, length: number, codes: string];

export interface StyledText {
  text: string;
  styles: readonly StyleRun[];
}

/** What comes after more runs than these is left plain: each is an element of its own. */
const MOST_RUNS = 2_000;

const ESCAPE = String.fromCharCode(0x1b);
const SEQUENCE = new RegExp(`${ESCAPE}\\[([\\d;:]*)m`, 'g');
const AT_START = new RegExp(`^${ESCAPE}\\[[\\d;:]*m`);
const REST = new RegExp(ESCAPE, 'g');

/** Parts text and styles; of any other sequence only its first character goes. */
export function readStyled(printed: string): StyledText {
  const runs: StyleRun[] = [];
  const style = new Style();
  let text = '';
  let from = 0;
  const take = (until: number): void => {
    const piece = printed.slice(from, until).replace(REST, '');
    const codes = style.codes();
    if (piece !== '' && codes !== '') addRun(runs, [text.length, piece.length, codes]);
    text += piece;
  };
  for (const found of printed.matchAll(SEQUENCE)) {
    take(found.index);
    from = found.index + found[0].length;
    style.apply(found[1] ?? '');
  }
  take(printed.length);
  return { text, styles: runs };
}

function addRun(runs: StyleRun[], [from, length, codes]: StyleRun): void {
  const last = runs.at(-1);
  if (last !== undefined && last[0] + last[1] === from && last[2] === codes) last[1] += length;
  else if (runs.length < MOST_RUNS) runs.push([from, length, codes]);
}

export const plainOf = (printed: string): string =>
  printed.includes(ESCAPE) ? readStyled(printed).text : printed;

/**
 * What stands on the screen after lines were written over: of each line what came after its last carriage return, with
 * the styles that were set before. A return at the end of the text waits for what comes.
 */
export function settleLines(printed: string): { text: string; overwritten: number } {
  if (!printed.includes('\r')) return { text: printed, overwritten: 0 };
  let overwritten = 0;
  const lines = printed.split('\n').map((line, index, all) => {
    const isLast = index === all.length - 1;
    const pieces = line.split('\r');
    const waits = isLast && pieces.length > 1 && plainOf(pieces.at(-1) ?? '') === '';
    const written = pieces.filter((piece) => plainOf(piece) !== '');
    const shown = written.at(-1);
    if (shown === undefined) return line.replaceAll('\r', '');
    overwritten += written.length - 1;
    const before = pieces.slice(0, pieces.lastIndexOf(shown));
    const after = pieces.slice(pieces.lastIndexOf(shown) + 1);
    return `${stylesIn(before)}${shown}${waits ? '\r' : ''}${stylesIn(after)}`;
  });
  return { text: lines.join('\n'), overwritten };
}

/** The end of a text, in the styles that hold there; never part of a sequence or of a character. */
export function styledTail(printed: string, chars: number): string {
  if (printed.length <= chars) return printed;
  let cut = printed.length - chars;
  const begun = printed.lastIndexOf(ESCAPE, cut);
  const sequence = begun < 0 ? null : AT_START.exec(printed.slice(begun, begun + 64));
  if (sequence !== null) cut = Math.max(cut, begun + sequence[0].length);
  const code = printed.charCodeAt(cut);
  if (code >= 0xdc00 && code <= 0xdfff) cut += 1;
  return stylesIn([printed.slice(0, cut)]) + printed.slice(cut);
}

/** What all their sequences come to, as one. */
function stylesIn(pieces: readonly string[]): string {
  const style = new Style();
  for (const piece of pieces) for (const found of piece.matchAll(SEQUENCE)) style.apply(found[1] ?? '');
  const codes = style.change();
  return codes === '' ? '' : `${ESCAPE}[${codes}m`;
}

const FLAGS = [1, 2, 3, 4, 7, 9] as const;
/** What ends a flag. */
const ENDS: ReadonlyMap<number, readonly number[]> = new Map([
  [22, [1, 2]],
  [23, [3]],
  [24, [4]],
  [27, [7]],
  [29, [9]],
]);
/** The colour that a text has by itself. */
const OWN = -1;

/** What the sequences so far came to. */
class Style {
  private isReset = false;
  private readonly flags = new Set<number>();
  private readonly ended = new Set<number>();
  /** 0–15. */
  private front: number | undefined;
  private back: number | undefined;

  apply(params: string): void {
    const given = params === '' ? [0] : params.split(/[;:]/).map(Number);
    for (let at = 0; at < given.length; at += 1) {
      const code = given[at] ?? 0;
      if (code === 38 || code === 48) {
        const { colour, used } = extended(given.slice(at + 1), params.includes(':'));
        if (colour !== undefined) this.colour(code === 38, colour);
        at += used;
      } else this.one(code);
    }
  }

  /** What holds now. */
  codes(): string {
    const { front = OWN, back = OWN } = this;
    return [
      ...FLAGS.filter((flag) => this.flags.has(flag)),
      // Text in the colour of its own ground would be there for the model alone.
      ...(front === OWN || front === back ? [] : [front < 8 ? 30 + front : 82 + front]),
      ...(back === OWN ? [] : [back < 8 ? 40 + back : 92 + back]),
    ].join(';');
  }

  /** What makes of any style before it the one that holds now. */
  change(): string {
    const { front, back } = this;
    const now = this.codes();
    return [
      ...(this.isReset ? [0] : this.ended),
      ...(front === OWN && !this.isReset ? [39] : []),
      ...(back === OWN && !this.isReset ? [49] : []),
      ...(now === '' ? [] : [now]),
    ].join(';');
  }

  private colour(isFront: boolean, colour: number): void {
    if (isFront) this.front = colour;
    else this.back = colour;
  }

  private one(code: number): void {
    if (code === 0) {
      this.flags.clear();
      this.ended.clear();
      this.front = this.back = OWN;
      this.isReset = true;
    } else if (FLAGS.some((flag) => flag === code)) this.flags.add(code);
    else if (code === 21) this.flags.add(4);
    else if (code === 39 || code === 49) this.colour(code === 39, OWN);
    else if (code >= 30 && code <= 37) this.front = code - 30;
    else if (code >= 90 && code <= 97) this.front = code - 82;
    else if (code >= 40 && code <= 47) this.back = code - 40;
    else if (code >= 100 && code <= 107) this.back = code - 92;
    else if (ENDS.has(code)) {
      this.ended.add(code);
      for (const flag of ENDS.get(code) ?? []) this.flags.delete(flag);
    }
  }
}

/** `5;n` and `2;r;g;b`; with colons `2::r:g:b` too. Of what makes no sense, nothing is left to be read as codes. */
function extended(rest: readonly number[], hasColons: boolean): { colour: number | undefined; used: number } {
  if (rest[0] === 5) return { colour: fromPalette(rest[1]), used: 2 };
  if (rest[0] !== 2) return { colour: undefined, used: rest.length };
  const skipped = hasColons && rest.length > 4 ? 2 : 1;
  const [red = 0, green = 0, blue = 0] = rest.slice(skipped);
  return { colour: nearest([red, green, blue]), used: skipped + 3 };
}

type Rgb = readonly [number, number, number];

/** As terminals had them first; what they look like here, the theme says. */
const SIXTEEN: readonly Rgb[] = [
  ...[[0, 0, 0] as const, [205, 0, 0] as const, [0, 205, 0] as const, [205, 205, 0] as const],
  ...[[0, 0, 238] as const, [205, 0, 205] as const, [0, 205, 205] as const, [229, 229, 229] as const],
  ...[[127, 127, 127] as const, [255, 0, 0] as const, [0, 255, 0] as const, [255, 255, 0] as const],
  ...[[92, 92, 255] as const, [255, 0, 255] as const, [0, 255, 255] as const, [255, 255, 255] as const],
];

function fromPalette(index = -1): number | undefined {
  if (index < 0 || index > 255) return undefined;
  if (index < 16) return index;
  if (index >= 232) {
    const grey = 8 + 10 * (index - 232);
    return nearest([grey, grey, grey]);
  }
  const level = (step: number): number => (step === 0 ? 0 : 55 + 40 * step);
  const cube = index - 16;
  return nearest([level(Math.floor(cube / 36)), level(Math.floor(cube / 6) % 6), level(cube % 6)]);
}

function nearest([red, green, blue]: Rgb): number {
  const distances = SIXTEEN.map(([r, g, b]) => (r - red) ** 2 + (g - green) ** 2 + (b - blue) ** 2);
  return distances.indexOf(Math.min(...distances));
}

/** Names of the classes that draw a run, as `style.css` has them; nothing for codes that are none of ours. */
export function classesOf(codes: string): string {
  const style = new Style();
  style.apply(codes);
  const held = style.codes();
  return held === '' ? '' : `sgr-${held.replaceAll(';', ' sgr-')}`;
}

/** The text in pieces, each with its codes; runs that do not fit it, or lie over each other, are left out. */
export function piecesOf({ text, styles }: StyledText): { text: string; codes: string }[] {
  const pieces: { text: string; codes: string }[] = [];
  let at = 0;
  for (const [from, length, codes] of styles) {
    if (from < at || length <= 0 || from + length > text.length) continue;
    if (from > at) pieces.push({ text: text.slice(at, from), codes: '' });
    pieces.push({ text: text.slice(from, from + length), codes });
    at = from + length;
  }
  if (at < text.length) pieces.push({ text: text.slice(at), codes: '' });
  return pieces;
}
