/** What was left by the last move of the head, as long as the way back and a summary of it are offered. */
import type { Intent } from '../src/shared/protocol.js';
import { leftBranch, type LeftBranch } from './left-branch.js';
import type { Session } from './session.svelte.js';

export interface LeavingParts {
  session: Session;
  act: (intent: Intent) => Promise<boolean>;
  /** Puts the prompt of that id into the composer if nothing is written there. */
  bringBack: (prompt: string) => Promise<void>;
  saveDraft: () => void;
}

export class Leaving {
  readonly #parts: LeavingParts;
  branch = $state.raw<LeftBranch | null>(null);

  constructor(parts: LeavingParts) {
    this.#parts = parts;
  }

  /** Another line than the one to `from` is shown, whoever asked for it: the offer is about what was left by that. */
  lookBack(from: string | null): void {
    const { outline, state } = this.#parts.session;
    const head = state?.head ?? null;
    if (head === from) return;
    const left = leftBranch(outline.index, from, head);
    // What it says of itself stays as long as it is the same one.
    if (left?.to_id !== this.branch?.to_id) this.branch = left;
  }

  /** A command undid the turn whose line ended at `entry_id`. */
  undoneFrom(entry_id: string | null): void {
    const { outline, state } = this.#parts.session;
    this.branch = leftBranch(outline.index, entry_id, state?.head ?? null);
    void this.undone();
  }

  /** What was said is not lost: the way back is offered, and the prompt stands in the composer if that is free. */
  async undone(): Promise<void> {
    if (this.branch === null) return;
    this.branch = { ...this.branch, isUndone: true };
    await this.#parts.bringBack(this.branch.prompt ?? this.branch.from_id);
    this.#parts.saveDraft();
  }

  goBack(): void {
    const { branch } = this;
    if (branch !== null) void this.#parts.act({ type: 'navigate', entry_id: branch.to_id });
  }

  /** Tells the line that is shown what was said on the one that was left. */
  async bringSummary(focus: string | undefined): Promise<void> {
    if (this.branch === null) return;
    const { from_id, to_id } = this.branch;
    const about = focus === undefined ? {} : { focus };
    if (await this.#parts.act({ type: 'bring_summary', from_id, to_id, ...about })) this.branch = null;
  }
}
