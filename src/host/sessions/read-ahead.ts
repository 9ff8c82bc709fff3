/**
 * VS Code forgets the rows of a list from the moment it is told of a change until it has the new ones, and a command that
 * was chosen on a row meanwhile finds none. So they are read before it is told.
 */

/** VS Code may wait a moment before it asks; what it does not ask for, since the list went out of sight, is not kept. */
const HELD_MS = 1_000;

export interface ReadAheadParts<T> {
  /** @throws whatever it likes: then nothing is held, and `take` reads and throws itself */
  read: () => Promise<T>;
  /** Only then VS Code asks. */
  isVisible: () => boolean;
  /** Milliseconds. */
  now: () => number;
  /** Told when it is read, or cannot be read: now is the time to ask. */
  onRead: () => void;
}

export class ReadAhead<T> {
  private held: { value: T; at: number } | undefined;
  private isReading = false;
  private looks = 0;
  private changes = 0;

  constructor(private readonly parts: ReadAheadParts<T>) {}

  /** Something changed: what was read before is not given any more. */
  changed(): void {
    this.held = undefined;
    this.changes++;
  }

  /** Reads, and tells; once more when it was asked to meanwhile. */
  async look(): Promise<void> {
    this.looks++;
    if (this.isReading) return;
    this.isReading = true;
    try {
      let asked: number;
      do {
        asked = this.looks;
        const { changes } = this;
        const read = this.parts.isVisible() ? await this.tryRead() : undefined;
        if (read !== undefined && changes === this.changes) this.held = { ...read, at: this.parts.now() };
        this.parts.onRead();
      } while (asked !== this.looks);
    } finally {
      this.isReading = false;
    }
  }

  /** What was read last, once, or it is read now. */
  take(): Promise<T> {
    const { held } = this;
    this.held = undefined;
    const isFresh = held !== undefined && this.parts.now() - held.at < HELD_MS;
    return isFresh ? Promise.resolve(held.value) : this.parts.read();
  }

  private async tryRead(): Promise<{ value: T } | undefined> {
    try {
      return { value: await this.parts.read() };
    } catch {
      // Said by the one who takes.
      return undefined;
    }
  }
}
