/**
 * What stands in the composer, per session: kept in memory at once and on disk shortly after, however long typing goes on.
 * Typing never waits for the disk; what could not be saved is told and tried again with the next change.
 */
import { isDeepStrictEqual } from 'node:util';
import { withoutKeys, type Redact } from '../../agent/secrets.js';
import type { Clock, Disposable } from '../../ports.js';
import { isEmptyDraft, type ComposerDraft, type Mention } from '../../shared/composer-draft.js';

export interface DraftStore {
  read(session: string): Promise<ComposerDraft | undefined>;
  write(session: string, draft: ComposerDraft): Promise<void>;
}

/** A stored key that was pasted stands in the composer as it is, and on disk as it would stand in the log. */
export const cleanDrafts = (files: DraftStore, redact: Redact): DraftStore => ({
  read: (session) => files.read(session),
  write: (session, draft) => files.write(session, withoutKeys(draft, redact)),
});

const DELAY_MS = 300;
const nothing: ComposerDraft = { text: '', editing: null };

/** With what comes back to it, behind what stands there. */
export function withBrought(
  draft: ComposerDraft,
  { text, mentions }: { text: string; mentions: readonly Mention[] },
): ComposerDraft {
  const attachments = [...(draft.attachments ?? []), ...mentions];
  return {
    ...draft,
    text: draft.text.trim() === '' ? text : `${draft.text}\n${text}`,
    ...(attachments.length === 0 ? {} : { attachments }),
  };
}

/** Into the draft of a session that no view shows. */
export async function bringToDraft(
  drafts: {
    read: (session: string) => Promise<ComposerDraft>;
    write: (session: string, draft: ComposerDraft) => void;
  },
  session: string,
  brought: { text: string; mentions: readonly Mention[] },
): Promise<void> {
  drafts.write(session, withBrought(await drafts.read(session), brought));
}

export class Drafts {
  private readonly latest = new Map<string, ComposerDraft>();
  private readonly timers = new Map<string, Disposable>();
  /** One write at a time for each session, so that the last one stays. */
  private readonly writing = new Map<string, Promise<void>>();

  constructor(
    private readonly files: DraftStore,
    private readonly clock: Clock,
    private readonly onError: (error: unknown) => void,
  ) {}

  async read(session: string): Promise<ComposerDraft> {
    const known = this.latest.get(session);
    if (known) return known;
    const draft = (await this.fromDisk(session)) ?? nothing;
    // What was typed meanwhile is newer.
    const newer = this.latest.get(session);
    if (newer) return newer;
    this.latest.set(session, draft);
    return draft;
  }

  write(session: string, draft: ComposerDraft): void {
    const known = this.latest.get(session);
    if (known && isDeepStrictEqual(known, draft)) return;
    this.latest.set(session, draft);
    if (this.timers.has(session)) return;
    this.timers.set(
      session,
      this.clock.after(DELAY_MS, () => void this.save(session)),
    );
  }

  /**
   * As a view has it. A view drops what was made of a proposal in the editor, and makes nothing of it itself: where it has
   * some still, what is kept here is the same or newer.
   */
  writeShown(session: string, draft: ComposerDraft): void {
    const kept = this.latest.get(session)?.unsent;
    if (kept === undefined || draft.unsent === undefined) return this.write(session, draft);
    const unsent = Object.entries(draft.unsent).map(([id, shown]) => {
      const after = kept[id]?.after;
      return [id, shown.after === undefined || after === undefined ? shown : { ...shown, after }];
    });
    this.write(session, { ...draft, unsent: Object.fromEntries(unsent) as typeof draft.unsent });
  }

  /** The log has this prompt now: it must not come back as a draft, whatever happens to the view that clears it. */
  sent(session: string, text: string): void {
    const known = this.latest.get(session);
    if (!known || isEmptyDraft(known) || known.text.trim() !== text.trim()) return;
    // What an edit put aside comes back; what was typed elsewhere was not sent.
    const { aside, unsent } = known;
    this.latest.set(session, { ...nothing, ...aside, ...(unsent === undefined ? {} : { unsent }) });
    void this.save(session);
  }

  /** The session is gone; so is its draft. */
  forget(session: string): void {
    this.timers.get(session)?.dispose();
    this.timers.delete(session);
    this.latest.delete(session);
  }

  /** Everything that waits to be written, now. */
  async flush(): Promise<void> {
    await Promise.all([...this.timers.keys()].map((session) => this.save(session)));
    await Promise.all(this.writing.values());
  }

  /** A session is shown whether or not its draft can be read. */
  private async fromDisk(session: string): Promise<ComposerDraft | undefined> {
    try {
      return await this.files.read(session);
    } catch (error) {
      this.onError(error);
      return undefined;
    }
  }

  private save(session: string): Promise<void> {
    this.timers.get(session)?.dispose();
    this.timers.delete(session);
    const before = this.writing.get(session) ?? Promise.resolve();
    const write = before.then(async () => {
      const draft = this.latest.get(session);
      if (draft) await this.files.write(session, draft);
    });
    const settled = write.catch(this.onError);
    this.writing.set(session, settled);
    return settled;
  }
}
