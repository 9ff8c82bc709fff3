/**
 * What the conversation tree remembers while it is open: filter, folds, what is searched for, and which row the keyboard
 * is on. The rows themselves follow from the session.
 */
import { SvelteSet } from 'svelte/reactivity';
import { ROOT } from '../../src/shared/fold/outline.js';
import type { Chat } from '../chat.svelte.js';
import { find, keeps, type TreeFilter } from './filter.js';
import { layOut, type TreeRow } from './layout.js';

export class Tree {
  filter = $state<TreeFilter>('messages');
  query = $state('');
  /** Ordinal of the row the keyboard is on; undefined until it moves: then the head. */
  #selected = $state<number | undefined>(undefined);
  /** Ordinal of the node whose label is being typed. */
  naming = $state<number | undefined>(undefined);
  readonly #folded = new SvelteSet<number>();
  readonly #chat: Chat;

  readonly outline = $derived.by(() => this.#chat.session.outline);
  readonly head = $derived.by(() => this.#chat.session.state?.head ?? null);
  readonly labels = $derived.by(() => this.#chat.session.state?.labels ?? {});
  readonly found = $derived(find(this.outline.index, this.labels, this.query));
  readonly active: ReadonlySet<number> = $derived(
    new Set(this.outline.index.path(this.outline.index.ordinal(this.head))),
  );
  readonly rows: readonly TreeRow[] = $derived(
    layOut(this.outline.index, {
      isKept: keeps(this.outline.index, {
        filter: this.filter,
        head: this.head,
        labels: this.labels,
        found: this.found,
      }),
      folded: this.#folded,
    }),
  );

  readonly #places = $derived(new Map(this.rows.map((row, index) => [row.ordinal, index])));

  constructor(chat: Chat) {
    this.#chat = chat;
  }

  /** Index of the selected row; of the nearest above it that is shown when it is not; 0 when there is none. */
  get selected(): number {
    const { index } = this.outline;
    for (let at = this.#selected ?? index.ordinal(this.head); at !== ROOT; at = index.parent(at)) {
      const place = this.#places.get(at);
      if (place !== undefined) return place;
    }
    return 0;
  }

  /** The keyboard is on where the conversation is, and stays there until it moves. */
  follow(): void {
    this.#selected = undefined;
  }

  /** What was selected because the conversation was at `head` stays selected. */
  stay(head: string | null): void {
    this.#selected ??= this.outline.index.ordinal(head);
  }

  /** Another session: nothing that was folded or looked for is of it. */
  begin(): void {
    this.#folded.clear();
    this.naming = undefined;
    this.query = '';
    this.follow();
  }

  select(index: number): void {
    const row = this.rows[Math.max(0, Math.min(index, this.rows.length - 1))];
    if (row !== undefined) this.#selected = row.ordinal;
  }

  toggle(row: TreeRow): void {
    if (!this.#folded.delete(row.ordinal)) this.#folded.add(row.ordinal);
    this.#selected = row.ordinal;
  }

  /** To what leads here, or closes the line that begins here. */
  left(): void {
    const row = this.rows[this.selected];
    if (row === undefined) return;
    if (row.isSide && row.below > 0 && !row.isFolded) this.toggle(row);
    else if (row.parent >= 0) this.select(row.parent);
  }

  /** Opens the line that begins here, or goes to what follows. */
  right(): void {
    const row = this.rows[this.selected];
    if (row === undefined) return;
    if (row.isFolded) this.toggle(row);
    else if (row.goesOn) this.select(this.selected + 1);
  }

  /** The next row that the search found, round the end. */
  jump(step: 1 | -1): void {
    const hits = this.hits;
    if (hits.length === 0) return;
    const at = this.selected;
    const next =
      step === 1
        ? (hits.find((hit) => hit > at) ?? hits[0])
        : (hits.findLast((hit) => hit < at) ?? hits.at(-1));
    if (next !== undefined) this.select(next);
  }

  /** Indices of the rows that the search found. */
  get hits(): number[] {
    return this.rows.flatMap((row, index) => (this.found.has(row.ordinal) ? [index] : []));
  }

  /** A new search opens every line that holds something it found. */
  search(query: string): void {
    this.query = query;
    if (query.trim() === '') return;
    this.#folded.clear();
    if (!this.found.has(this.rows[this.selected]?.ordinal ?? ROOT)) this.jump(1);
  }

  /** Shows the line a row stands on, and the row in the conversation. Where it is shown already only that. */
  async go(row: TreeRow): Promise<void> {
    const { index } = this.outline;
    this.#selected = row.ordinal;
    const id = index.nodes[row.ordinal]?.[0];
    if (id === undefined) return this.#chat.revealFirst();
    if (!this.active.has(row.ordinal)) {
      const leaf = index.nodes[index.newestLeaf(row.ordinal)]?.[0] ?? id;
      if (!(await this.#chat.act({ type: 'navigate', entry_id: leaf }))) return;
    }
    this.#chat.reveal(id);
  }

  /** The line a row stands on beside the one that is shown; null where it is the same one. */
  compare(row: TreeRow): (() => void) | null {
    const { index } = this.outline;
    const right_id = index.nodes[index.newestLeaf(row.ordinal)]?.[0];
    const left_id = this.head;
    if (right_id === undefined || left_id === null || this.active.has(row.ordinal)) return null;
    return () => {
      this.#selected = row.ordinal;
      this.#chat.compared = { left_id, right_id };
    };
  }

  /** What is said next goes on from here. */
  async branch(row: TreeRow): Promise<void> {
    this.#selected = row.ordinal;
    const entry_id = this.outline.index.nodes[row.ordinal]?.[0] ?? null;
    if (await this.#chat.act({ type: 'navigate', entry_id })) this.#chat.focusRequests++;
  }

  async name(row: TreeRow, label: string | null | undefined): Promise<void> {
    this.naming = undefined;
    const entry_id = this.outline.index.nodes[row.ordinal]?.[0];
    if (label !== undefined && entry_id !== undefined)
      await this.#chat.act({ type: 'label', entry_id, label });
  }
}
