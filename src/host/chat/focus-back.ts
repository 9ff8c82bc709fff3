/**
 * The keyboard goes back to the chat when what VS Code asked is answered, or left. VS Code itself gives it back to the frame
 * around a webview, from where no key reaches the chat. Who went elsewhere meanwhile keeps it there.
 */
import type { Clock, Disposable } from '../../ports.js';

/** An answer is often followed by the next question, which must not lose the keyboard to the chat. */
const NEXT_MS = 100;

/** A chat that had the keyboard. */
export interface Keeper {
  isInSight: () => boolean;
  takeFocus: () => void;
}

export interface FocusBackParts {
  clock: Clock;
  /** The chat that has the keyboard. */
  focused: () => Keeper | undefined;
  /** Changes when something else is brought to the front, which then has the keyboard. */
  front: () => unknown;
}

export class FocusBack implements Disposable {
  private keeper: Keeper | undefined;
  private front: unknown;
  private open = 0;
  private isAway = false;
  private due: { timer: Disposable; give: () => void } | undefined;

  constructor(private readonly parts: FocusBackParts) {}

  /** Something asks the person; returns what is to be called when it is closed. */
  opened(isModal: boolean): () => void {
    this.cancel();
    const now = this.parts.focused();
    if (now !== undefined) {
      this.keeper = now;
      this.front = this.parts.front();
    }
    this.open++;
    return () => this.closed(isModal);
  }

  /** Nothing more is asked by what was asking. */
  settled(): void {
    this.due?.give();
  }

  /** The person went to something else in the window, or into a chat. */
  left(): void {
    this.keeper = undefined;
    this.cancel();
  }

  /** The person went to another window, or came back. A dialog is one itself. */
  setAway(isAway: boolean): void {
    this.isAway = isAway;
  }

  dispose(): void {
    this.left();
  }

  private closed(isModal: boolean): void {
    this.open--;
    if (this.open > 0 || this.keeper === undefined) return;
    if (this.isAway && !isModal) return this.left();
    const give = (): void => this.give();
    this.due = { timer: this.parts.clock.after(NEXT_MS, give), give };
  }

  /** It stays the one to give it to until it says that it has it: the next question may be faster. */
  private give(): void {
    this.cancel();
    const { keeper } = this;
    if (keeper === undefined) return;
    if (this.parts.front() !== this.front || !keeper.isInSight()) return this.left();
    keeper.takeFocus();
  }

  private cancel(): void {
    this.due?.timer.dispose();
    this.due = undefined;
  }
}
