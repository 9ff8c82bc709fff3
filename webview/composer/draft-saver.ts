/**
 * Hands the draft to the host a moment after it changed, typing or not, and at once when the view loses the keyboard or goes
 * out of sight: a view that is torn down does not get its last messages through, and loses no more than that moment.
 */

const MOMENT_MS = 100;

export class DraftSaver {
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #save: () => void;

  constructor(save: () => void) {
    this.#save = save;
  }

  soon(): void {
    this.#timer ??= setTimeout(() => this.now(), MOMENT_MS);
  }

  /** Only if something was typed since. */
  now(): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#save();
  }

  /** Until the returned function is called. */
  watch(view: Window): () => void {
    const listeners = new AbortController();
    const { signal } = listeners;
    const save = () => this.now();
    view.document.addEventListener('visibilitychange', save, { signal });
    view.addEventListener('pagehide', save, { signal });
    view.addEventListener('blur', save, { signal });
    return () => {
      save();
      listeners.abort();
    };
  }
}
