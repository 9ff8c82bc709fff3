/**
 * What was typed beside the composer: on cards that wait for a decision, and in place of queued messages. It is kept with
 * the draft, since the view's document goes when it is hidden, and leaves with what it was typed for.
 */
import type { PathState, Row } from '../src/shared/fold/types.js';
import type { ComposerDraft, Unsent } from '../src/shared/composer-draft.js';

export class UnsentTexts {
  /** Another object with each change. */
  all = $state.raw<Readonly<Record<string, Unsent>>>({});

  load({ unsent = {} }: ComposerDraft): void {
    this.all = unsent;
  }

  /** As a part of what is kept. */
  get contents(): Pick<ComposerDraft, 'unsent'> {
    return Object.keys(this.all).length === 0 ? {} : { unsent: { ...this.all } };
  }

  of(id: string): Unsent | undefined {
    return this.all[id];
  }

  /** One that says nothing is none. */
  keep(id: string, typed: Unsent): void {
    const isNone = Object.keys(typed).length === 0;
    if (JSON.stringify(this.all[id] ?? {}) === JSON.stringify(typed)) return;
    const others = Object.entries(this.all).filter(([other]) => other !== id);
    this.all = Object.fromEntries(isNone ? others : [...others, [id, typed]]);
  }

  /** What was made of a proposal in the editor takes the place of what was typed on its card. */
  takeEdited(call_id: string, after: string | null): void {
    const { feedback } = this.all[call_id] ?? {};
    this.keep(call_id, {
      ...(feedback === undefined ? {} : { feedback }),
      ...(after === null ? {} : { after }),
    });
  }

  /** Lets go of what nothing waits for any more; gives it. A card of a line that is not on show may wait still. */
  prune({ approvals, queue }: PathState, rows: readonly Row[]): Unsent[] {
    const waiting = new Set([...approvals.map(({ call_id }) => call_id), ...queue.map(({ id }) => id)]);
    const isGone = ([id, { text }]: [string, Unsent]) =>
      !waiting.has(id) && (text !== undefined || rows.some((row) => hasCall(row, id)));
    const gone = Object.entries(this.all).filter(isGone);
    if (gone.length === 0) return [];
    const ids = new Set(gone.map(([id]) => id));
    this.all = Object.fromEntries(Object.entries(this.all).filter(([id]) => !ids.has(id)));
    return gone.map(([, typed]) => typed);
  }
}

const hasCall = (row: Row, id: string): boolean =>
  row.kind === 'assistant' && row.cards.some(({ call }) => call.call_id === id);
