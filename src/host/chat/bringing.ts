/** What is put into the composer of a view, until the view shows the session that it is for. */
import type { Mention, Snapshot, ToWebview } from '../../shared/protocol.js';
import { bringToDraft } from './drafts.js';

/** Where the focus goes; `same`: where it was in the view, in the composer when that is gone. */
type ComposeAt = 'composer' | 'approval' | 'same' | 'none';

/** What is put into a composer. */
export interface Brought {
  text: string;
  mentions: readonly Mention[];
}

/** With where the focus goes. */
export interface Composed extends Brought {
  at: ComposeAt;
  /** Where the text belongs; undefined: whatever the view shows. */
  session?: string;
}

interface Waiting extends Brought {
  session: string | undefined;
}

export interface BringingParts {
  drafts: {
    read(session: string): Promise<Snapshot['draft']>;
    write(session: string, draft: Snapshot['draft']): void;
  };
  onError: (error: unknown) => void;
}

export class Bringing {
  private at: ComposeAt | undefined;
  private waiting: Waiting[] = [];

  constructor(private readonly parts: BringingParts) {}

  /** What was brought before and is not there yet is brought too. */
  add({ text = '', at = 'composer', mentions = [], session }: Partial<Composed>): void {
    if (text !== '' || mentions.length > 0) this.waiting.push({ text, mentions, session });
    if (at !== 'none') this.at = at;
  }

  /** What a view that shows this session is to be told; undefined: nothing. */
  take(shown: string | undefined): Extract<ToWebview, { type: 'compose' }> | undefined {
    this.keep(({ session }) => session !== undefined && session !== shown);
    const { at, waiting } = this;
    if (waiting.length === 0 && at === undefined) return undefined;
    this.at = undefined;
    this.waiting = [];
    const texts = waiting.map(({ text }) => text).filter((text) => text !== '');
    const mentions = waiting.flatMap((one) => one.mentions);
    return {
      type: 'compose',
      ...(texts.length === 0 ? {} : { text: texts.join('\n') }),
      ...(mentions.length === 0 ? {} : { mentions }),
      ...(at === 'composer' ? {} : { at: at ?? 'none' }),
    };
  }

  /** The view's document is gone: the next one finds in its draft what is for a session. */
  leave(): void {
    this.keep(({ session }) => session !== undefined);
  }

  private keep(isMeant: (one: Waiting) => boolean): void {
    const kept = this.waiting.filter(isMeant);
    this.waiting = this.waiting.filter((one) => !kept.includes(one));
    const write = async (): Promise<void> => {
      // One after the other: each is put behind the one before.
      for (const { session, ...brought } of kept)
        if (session !== undefined) await bringToDraft(this.parts.drafts, session, brought);
    };
    write().catch(this.parts.onError);
  }
}
