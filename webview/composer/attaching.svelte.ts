/** What was pasted or dropped, on its way into the draft: images kept beside the log, texts read, paths named. */
import type { Ask, AskResults } from '../../src/shared/protocol.js';
import { LONGEST_FILE, textIn, type Brought } from './attach.js';
import type { Draft } from './draft.svelte.js';
import { prepareImage, toBase64 } from './images.js';

export interface AttachingParts {
  draft: Draft;
  /** Id of the session that is shown. */
  session: () => string | undefined;
  /** Undefined when it cannot be had, which is then said. */
  ask: <W extends 'attach' | 'paths'>(ask: Extract<Ask, { what: W }>) => Promise<AskResults[W] | undefined>;
  /** Does it; what it throws is said. */
  orExplain: (what: string, work: () => Promise<void>) => Promise<void>;
}

export class Attaching {
  /** How many things are on their way. */
  count = $state.raw(0);
  readonly #parts: AttachingParts;

  constructor(parts: AttachingParts) {
    this.#parts = parts;
  }

  async attach({ images, others, uris }: Brought): Promise<void> {
    const { draft, session, ask, orExplain } = this.#parts;
    const begun = session();
    const isHere = () => begun === session();
    this.count++;
    await orExplain('It could not be attached', async () => {
      for (const file of images) await this.#attachImage(file, isHere);
      for (const file of others) await this.#attachText(file, isHere);
      if (uris.length === 0) return;
      const found = (await ask<'paths'>({ what: 'paths', uris })) ?? [];
      if (found.length === 0) throw new Error('It lies in none of the open folders.');
      for (const { path, kind } of found) if (isHere()) draft.attachPath(path, kind);
    });
    this.count--;
  }

  async #attachImage(file: File, isHere: () => boolean): Promise<void> {
    const { draft, ask } = this.#parts;
    const name = file.name === '' ? 'Image' : file.name;
    const image = await prepareImage(file);
    if (image === undefined) throw new Error(`${name} cannot be read as an image. Use a PNG or JPEG.`);
    const { mime, bytes } = image;
    const blob = await ask<'attach'>({ what: 'attach', mime, data: toBase64(bytes) });
    if (blob !== undefined && isHere()) draft.attachImage(name, { blob, mime });
  }

  async #attachText(file: File, isHere: () => boolean): Promise<void> {
    if (file.size > LONGEST_FILE)
      throw new Error(`${file.name} is too long to attach. Put it into the folder and name it by @.`);
    const text = await textIn(file);
    if (text === undefined) throw new Error(`${file.name} is neither a text nor an image.`);
    if (isHere()) this.#parts.draft.attachText(text, file.name);
  }
}
