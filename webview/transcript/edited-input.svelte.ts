/**
 * What the person makes of a proposed call before it runs: typed on its card, or written in the editor's own diff, which
 * takes the place of what was typed. It is kept with the draft, beside what to do instead.
 */
import { untrack } from 'svelte';
import type { PendingApproval, ToolCard } from '../../src/shared/fold/types.js';
import { describe } from '../trouble.js';
import type { UnsentTexts } from '../unsent.svelte.js';
import { inputOf, type Input } from './call-input.js';
import { editableTexts, inputFor, withTexts } from './edit-input.js';

interface EditedInputParts {
  approval: () => PendingApproval;
  card: () => ToolCard;
  unsent: UnsentTexts;
  /** The text of a file as it was kept. */
  blob: (hash: string) => Promise<string>;
}

/** `input` is absent when nothing of the change is left. */
interface Made {
  input: Input | undefined;
  trouble?: string;
}

/** Made while a component is set up: its effects end with that. */
export class EditedInput {
  readonly #parts: EditedInputParts;
  readonly input: Input = $derived.by(() => inputOf(this.#parts.card()));
  // The whole of a long input is not here: it cannot be changed here either.
  readonly editable = $derived.by(() => {
    const { approval, card } = this.#parts;
    return card().call.blob === undefined ? editableTexts(approval().tool, this.input) : [];
  });
  /** As they were typed; null while it is as it was proposed. */
  texts = $state<string[] | null>(null);
  /** What to do instead. */
  feedback = $state('');
  /** The person asked for the fields, rather than found them again. */
  isAsked = $state(false);
  /** What was made of the file in the editor's diff. */
  readonly after = $derived.by(() => this.#parts.unsent.all[this.#parts.approval().call_id]?.after);
  /** What the file held; null: there is none. */
  readonly #hash = $derived.by(() => this.#parts.approval().proposal[0]?.before ?? null);
  /** The input that makes the file so; null while it is looked up. */
  #made = $state.raw<Made | null>(null);
  readonly #typed = $derived.by(() =>
    this.texts === null ? undefined : withTexts(this.#parts.approval().tool, this.input, this.texts),
  );
  readonly isChanged = $derived(this.texts !== null || this.after !== undefined);
  /** Something else than was proposed would run. */
  readonly isOther = $derived(this.#typed !== undefined || this.after !== undefined);
  /** What is to run; undefined: as it was proposed. */
  readonly wanted = $derived(this.after === undefined ? this.#typed : this.#made?.input);
  /** Why it cannot run as it is now. */
  readonly obstacle = $derived.by(() => {
    if (this.after === undefined) return undefined;
    if (this.#made === null) return 'Reading what you made of it…';
    if (this.#made.input !== undefined) return undefined;
    return this.#made.trouble ?? 'Nothing of the change is left: deny it instead.';
  });
  /** As the host decides whether the right side of the diff can be edited. */
  readonly canTakeParts = $derived.by(() => {
    const { proposal, tool } = this.#parts.approval();
    return proposal.length === 1 && ['edit', 'write'].includes(tool) && this.editable.length > 0;
  });

  constructor(parts: EditedInputParts) {
    this.#parts = parts;
    untrack(() => this.#restore());
    $effect(() => {
      if (this.after !== undefined) untrack(() => (this.texts = null));
    });
    $effect(() => this.#keep());
    $effect(() => this.#look());
  }

  /** To the fields, or back to what was proposed. True when the fields went. */
  toggle(): boolean {
    if (this.after !== undefined) {
      this.#parts.unsent.takeEdited(this.#parts.approval().call_id, null);
      return false;
    }
    this.isAsked = true;
    this.texts = this.texts === null ? this.editable.map(({ text }) => text) : null;
    return this.texts === null;
  }

  #restore(): void {
    const typed = this.#parts.unsent.of(this.#parts.approval().call_id);
    if (typed?.texts?.length === this.editable.length) this.texts = typed?.texts ?? null;
    this.feedback = typed?.feedback ?? '';
  }

  #keep(): void {
    const id = this.#parts.approval().call_id;
    const { after, texts, feedback } = this;
    const typed = {
      ...(after === undefined ? {} : { after }),
      ...(texts === null ? {} : { texts: [...texts] }),
      ...(feedback === '' ? {} : { feedback }),
    };
    untrack(() => this.#parts.unsent.keep(id, typed));
  }

  #look(): void {
    const [after, hash] = [this.after, this.#hash];
    this.#made = null;
    if (after === undefined) return;
    const isLate = () => after !== this.after || hash !== this.#hash;
    const load = hash === null ? Promise.resolve(null) : this.#parts.blob(hash);
    load.then(
      (before) => {
        if (isLate()) return;
        this.#made = { input: inputFor(this.#parts.approval().tool, this.input, { before, after }) };
      },
      (error: unknown) => {
        if (!isLate()) this.#made = { input: undefined, trouble: describe(error) };
      },
    );
  }
}
