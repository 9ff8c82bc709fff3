/** `draft.json` in a session's folder: what stands in the composer, kept while it is hidden and over a reload. */
import path from 'node:path';
import * as z from 'zod';
import type { Files } from '../ports.js';
import { composerDraftSchema, isEmptyDraft, type ComposerDraft } from '../shared/composer-draft.js';
import { DRAFT_FILE, checkSessionId, sessionName } from './session-name.js';
import { ifThere, stored } from './storage.js';

const { text, editing, attachments, aside, unsent } = composerDraftSchema.shape;

/** What does not fit beside the text is left out; the text stays. */
const draftSchema = z.object({
  text,
  editing: editing.catch(null),
  attachments: attachments.catch(undefined),
  aside: aside.catch(undefined),
  unsent: unsent.catch(undefined),
});

export class DraftFiles {
  readonly #files: Files;
  readonly #sessions: string;

  /** `folder` is the workspace folder's (`workspaces/<key>/`). */
  constructor(folder: string, files: Files) {
    this.#files = files;
    this.#sessions = path.join(folder, 'sessions');
  }

  /** Undefined when there is none, or none that can be read. */
  async read(session: string): Promise<ComposerDraft | undefined> {
    const file = this.#fileOf(session);
    const bytes = await stored('read the draft', file, () => ifThere(this.#files.read(file)));
    if (bytes === undefined) return undefined;
    try {
      const parsed = draftSchema.safeParse(JSON.parse(new TextDecoder().decode(bytes)));
      return parsed.success ? parsed.data : undefined;
    } catch {
      return undefined; // not a draft of ours
    }
  }

  /** An empty draft is no file. */
  async write(session: string, draft: ComposerDraft): Promise<void> {
    const file = this.#fileOf(session);
    await stored('save the draft', file, async () => {
      if (isEmptyDraft(draft)) {
        await ifThere(this.#files.remove(file));
        return;
      }
      await this.#files.makeFolder(path.dirname(file));
      await this.#files.replace(file, new TextEncoder().encode(JSON.stringify(draft)));
    });
  }

  #fileOf(session: string): string {
    checkSessionId(session);
    return path.join(this.#sessions, sessionName(session), DRAFT_FILE);
  }
}
