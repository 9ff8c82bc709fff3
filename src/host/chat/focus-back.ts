/**
 * The keyboard goes back to the chat when what VS Code asked is answered, or left. VS Code itself gives it back to the frame
 * around a webview, from where no key reaches the chat. Who went elsewhere meanwhile keeps it there.
 */
import type { Clock, Disposable } from '../../ports.js';

/** An answer is often followed by the next question, which must not lose the keyboard to the chat. */
const NEXT_MS = 100;
/** Where a command of the chat asks, something slow may stand between two questions: a server is tried, a log is opened. */
const NEXT_OF_COMMAND_MS = 1_000;

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
  /** Gives the keyboard to the list or box that is open. */
  toQuestion: () => void;
}

export class FocusBack implements Disposable {
  private keeper: Keeper | undefined;
  private front: unknown;
  private open = 0;
  private isAway = false;
  private working = 0;
  /** It was given to the chat, which does not say yet that it has it. */
  private isGiven = false;
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

  /** A command of the chat begins, which may ask more than once. */
  begins(): void {
    this.working++;
  }

  /** It is over: nothing more is asked. */
  settled(): void {
    this.working--;
    if (this.working === 0) this.due?.give();
  }

  /** The chat has the keyboard. What was given to it too late belongs to the question that was asked meanwhile. */
  arrived(): void {
    const isLate = this.isGiven && this.open > 0;
    this.isGiven = false;
    if (isLate) this.parts.toQuestion();
    else this.left();
  }

  /** The person went to something else in the window, or into a chat. */
  left(): void {
    this.keeper = undefined;
    this.isGiven = false;
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
    this.due = { timer: this.parts.clock.after(this.working > 0 ? NEXT_OF_COMMAND_MS : NEXT_MS, give), give };
  }

  /** It stays the one to give it to until it says that it has it: the next question may be faster. */
  private give(): void {
    this.cancel();
    const { keeper } = this;
    if (keeper === undefined) return;
    if (this.parts.front() !== this.front || !keeper.isInSight()) return this.left();
    this.isGiven = true;
    keeper.takeFocus();
  }

  private cancel(): void {
    this.due?.timer.dispose();
    this.due = undefined;
  }
}
