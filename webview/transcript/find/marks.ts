/**
 * Marks the places that are found in what is mounted, without touching its elements: the browser paints over ranges of text,
 * so that nothing that is drawn, selected or streamed is disturbed.
 */
import type { Match } from './find.svelte.js';
import { fold, placesOf } from './fold.js';
import { BREAK } from './texts.js';

const ALL = 'bough-find';
const CURRENT = 'bough-find-current';
/** Ranges in one part; a log of a hundred thousand lines is not painted whole. */
const MOST = 1_000;

/** Of elements that begin a block: text on both sides of them is not one text. */
const BLOCKS =
  'p, li, pre, h1, h2, h3, h4, h5, h6, td, th, blockquote, button, .line, [data-find], [role=region]';

export const clearMarks = (): void => {
  CSS.highlights.delete(ALL);
  CSS.highlights.delete(CURRENT);
};

/** Paints all places in `root`; gives the one that is shown, if it is mounted and open. */
export function mark(root: ParentNode, needle: string, current: Match | undefined): Range | undefined {
  const all = new Highlight();
  let shown: Range | undefined;
  for (const row of root.querySelectorAll<HTMLElement>('[data-item]')) {
    if (row.hidden) continue;
    for (const part of row.querySelectorAll<HTMLElement>('[data-find]')) {
      const ranges = rangesIn(part, needle);
      for (const range of ranges) all.add(range);
      if (
        current === undefined ||
        row.dataset['item'] !== current.key ||
        part.dataset['find'] !== current.part
      )
        continue;
      // What is drawn may leave out what was counted (a diff that is cut): the last one that is there then.
      shown = ranges[Math.min(current.nth, ranges.length - 1)];
    }
  }
  if (shown !== undefined) all.delete(shown);
  CSS.highlights.set(ALL, all);
  CSS.highlights.set(CURRENT, new Highlight(...(shown === undefined ? [] : [shown])));
  return shown;
}

function rangesIn(part: HTMLElement, needle: string): Range[] {
  const walker = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
  const starts: { node: Node; start: number }[] = [];
  let text = '';
  let block: Element | null = null;
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const around = node.parentElement?.closest(BLOCKS) ?? null;
    // A part within this one is looked through by itself.
    if (node.parentElement?.closest('[data-find]') !== part || isHidden(node)) continue;
    if (block !== null && around !== block) text += BREAK;
    block = around;
    starts.push({ node, start: text.length });
    text += node.nodeValue ?? '';
  }
  return placesOf(fold(text), needle, MOST).map((at) => rangeOf(starts, at, at + needle.length));
}

const isHidden = (node: Node): boolean =>
  node.parentElement?.closest('.codicon, [role=group], .sign, .number') != null;

function rangeOf(starts: readonly { node: Node; start: number }[], from: number, to: number): Range {
  const range = document.createRange();
  const first = starts.findLast(({ start }) => start <= from);
  const last = starts.findLast(({ start }) => start < to);
  if (first !== undefined) range.setStart(first.node, from - first.start);
  if (last !== undefined) range.setEnd(last.node, to - last.start);
  return range;
}
