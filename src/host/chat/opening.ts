/**
 * What a view shows of a session that is not open yet: after a moment that it is being opened and how far that is, with a
 * way to end it; then that it was not opened, with a way to try again. A session that opens at once shows nothing of it.
 */
import type { Clock, Disposable } from '../../ports.js';
import type { OpeningView, ToWebview } from '../../shared/protocol.js';
import { failureOf } from '../errors.js';
import type { ShownSession } from './feed.js';

/** Sooner than this it is not worth telling. */
const PATIENCE_MS = 250;
/** Between two tellings of how far it is. */
const EVERY_MS = 100;

/** A session that a view is to show. */
export interface Coming<S extends ShownSession = ShownSession> {
  /** Undefined while it is not known which one. */
  session: () => string | undefined;
  title: () => string | undefined;
  open: () => Promise<S>;
  /** How many bytes of its log were read. */
  onRead: (listener: (bytes: number, of: number) => void) => Disposable;
  /** Nobody waits for it here any more. */
  cancel: () => void;
}

export interface OpeningParts {
  post: (message: ToWebview) => void;
  clock: Clock;
  /** The view shows this from now on, in place of what it showed. */
  onTold: () => void;
}

export class Opening<S extends ShownSession = ShownSession> implements Disposable {
  private state: OpeningView['state'] = 'opening';
  private message: string | undefined;
  private read = { bytes: 0, of: 0 };
  private lastTold = -Infinity;
  /** It took so long that the person is told. */
  private isDue = false;
  private isOver = false;
  private readonly ended = new AbortController();
  private readonly patience: Disposable;
  private readonly reading: Disposable;

  constructor(
    readonly coming: Coming<S>,
    private readonly parts: OpeningParts,
  ) {
    this.patience = parts.clock.after(PATIENCE_MS, () => {
      this.isDue = true;
      this.tell();
    });
    this.reading = coming.onRead((bytes, of) => {
      this.read = { bytes, of };
      if (this.isDue && parts.clock.elapsed() - this.lastTold >= EVERY_MS) this.tell();
    });
  }

  /** Rejects when it was cancelled, whatever becomes of the opening then. */
  async run(): Promise<S> {
    try {
      return await Promise.race([this.coming.open(), whenAborted(this.ended.signal)]);
    } catch (error) {
      if (this.isOver) throw error;
      const failure = failureOf(error, 'Opening the session');
      this.end(failure.kind === 'cancelled' ? 'cancelled' : 'failed', failure.message);
      throw error;
    }
  }

  /** It was cancelled, or failed. */
  get hasEnded(): boolean {
    return this.state !== 'opening';
  }

  /** Ends it on the person's word. */
  cancel(): void {
    if (this.isOver || this.state !== 'opening') return;
    this.end('cancelled');
    this.coming.cancel();
    this.ended.abort();
  }

  /** Says how things are, if there is anything to say yet. */
  tell(): void {
    if (this.isOver || !this.isDue) return;
    this.lastTold = this.parts.clock.elapsed();
    this.parts.onTold();
    this.parts.post({ type: 'opening', ...this.view });
  }

  dispose(): void {
    this.isOver = true;
    this.patience.dispose();
    this.reading.dispose();
  }

  private get view(): OpeningView {
    const { message } = this;
    return {
      session: this.coming.session() ?? null,
      title: this.coming.title() ?? null,
      state: this.state,
      ...this.read,
      ...(message === undefined ? {} : { message }),
    };
  }

  private end(state: 'cancelled' | 'failed', message?: string): void {
    if (this.state !== 'opening') return;
    this.state = state;
    if (state === 'failed') this.message = message;
    this.patience.dispose();
    this.reading.dispose();
    this.isDue = true;
    this.tell();
  }
}

function whenAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}
