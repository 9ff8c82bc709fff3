/**
 * The session that the side bar shows. Looking at it changes nothing on disk; it is remembered once it was chosen or
 * something was done in it, and is shown whether or not it could be remembered.
 */
import type { ActiveSession } from '../sessions/active.js';

export class ShownInSideBar {
  private session: string | undefined;
  private remembered: string | undefined;
  private first: Promise<string> | undefined;

  constructor(
    private readonly active: ActiveSession,
    private readonly onError: (error: unknown, doing: string) => void,
  ) {}

  /** Undefined until it was asked for. */
  get id(): string | undefined {
    return this.session;
  }

  /** All who ask before it is known get the same one. */
  async find(): Promise<string> {
    if (this.session !== undefined) return this.session;
    this.first ??= this.active.read();
    try {
      const found = await this.first;
      this.session ??= found;
      return this.session;
    } finally {
      this.first = undefined;
    }
  }

  /** It is to be shown; it is remembered once it is open. */
  look(session: string): void {
    this.session = session;
  }

  /** The person chose it. */
  choose(session: string): void {
    this.session = session;
    this.touch(session);
  }

  /** Something was done in this session. */
  touch(session: string): void {
    if (session !== this.session || session === this.remembered) return;
    this.remembered = session;
    this.active
      .write(session)
      .catch((error: unknown) => this.onError(error, 'Remembering which session is shown'));
  }
}
