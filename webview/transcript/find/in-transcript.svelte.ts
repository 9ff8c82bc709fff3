/**
 * Find, in a transcript of which only a part is mounted: what is found is marked wherever it is drawn, and brought into
 * sight when it is stepped to. To be called while the transcript is set up.
 */
import { tick, untrack } from 'svelte';
import { isComposition } from '../../composer/keys.js';
import type { Session } from '../../session.svelte.js';
import type { Item } from '../items.js';
import type { Reading } from '../reading.svelte.js';
import type { Find } from './find.svelte.js';
import { clearMarks, mark } from './marks.js';

export interface FindParts {
  find: Find;
  session: Session;
  reading: Reading;
  items: () => readonly Item[];
  /** Reads whatever changes what is drawn, so that it is marked anew. */
  drawn: () => unknown;
}

/** Gives what a key of the page does. */
export function findInTranscript(parts: FindParts): (event: KeyboardEvent) => void {
  const { find, session, reading, items, drawn } = parts;

  $effect(() =>
    find.connect({
      items,
      loadAll: () => session.loadAll(),
      firstInSight: () => reading.firstInSight,
      pause: () => new Promise((resolve) => setTimeout(resolve)),
    }),
  );

  // Painted again whenever rows come, go or grow while the bar is open.
  $effect(() => {
    const { isOpen, needle, current, scroller } = {
      isOpen: find.isOpen,
      needle: find.needle,
      current: find.current,
      scroller: reading.scroller,
    };
    if (!isOpen || needle === '' || scroller === undefined) return clearMarks();
    void [drawn(), find.opened, session.growing];
    mark(scroller, needle, current);
  });

  $effect(() => {
    if (find.showRequests > 0) untrack(() => void showFound(find, reading));
  });

  return (event) => onKey(event, find);
}

async function showFound(find: Find, reading: Reading): Promise<void> {
  const { current } = find;
  if (current === undefined || (await reading.mount(current.key)) === undefined) return;
  // What was opened for it is drawn by now.
  await tick();
  const range =
    reading.scroller === undefined ? undefined : mark(reading.scroller, find.needle, find.current);
  if (range !== undefined) reading.showRange(range);
}

/** VS Code listens on the window: what ends here is not its find, which sees only what is mounted. */
function onKey(event: KeyboardEvent, find: Find): void {
  if (isComposition(event)) return;
  const isFind = (event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === 'f';
  const isNext = event.key === 'F3' && find.isOpen;
  if (!isFind && !isNext) return;
  event.preventDefault();
  event.stopPropagation();
  if (isFind) find.open();
  else find.step(event.shiftKey ? -1 : 1);
}
