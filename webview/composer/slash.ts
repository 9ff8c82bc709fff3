/** What a slash calls: a few things that Bough does, prompt files, skills. */
import type { Failure } from '../../src/shared/failure.js';
import type { Intent, SlashOffer, UiCommand } from '../../src/shared/protocol.js';
import type { Draft } from './draft.svelte.js';
import { calledBy } from './mention.js';

interface SlashCommand {
  name: string;
  icon: string;
  description: string;
}

export const slashCommands: readonly SlashCommand[] = [
  { name: 'new', icon: 'add', description: 'Start a new session' },
  { name: 'session', icon: 'list-selection', description: 'Switch to another session' },
  {
    name: 'clear',
    icon: 'clear-all',
    description: 'Begin anew in this session; what was said stays as a branch',
  },
  { name: 'goal', icon: 'target', description: 'Work turn after turn until the goal you give is reached' },
  { name: 'compact', icon: 'fold', description: 'Summarise the older part; say behind it what to keep' },
];

const goesTo: Readonly<Record<string, UiCommand>> = {
  new: { type: 'new_session' },
  session: { type: 'switch_session' },
};

/** In characters, as the protocol takes them. */
const longest: Readonly<Record<string, number>> = { goal: 10_000, compact: 2_000 };

export interface SlashParts {
  draft: Draft;
  offers: () => Promise<readonly SlashOffer[]>;
  /** The text of a prompt file; undefined when the person did not go on, or it cannot be had, which is then said. */
  expand: (name: string) => Promise<string | undefined>;
  act: (intent: Intent) => Promise<boolean>;
  command: (command: UiCommand) => Promise<void>;
  say: (failure: Failure) => void;
  /** The session on show. */
  shown: () => string | undefined;
  /** Puts text back into the composer of a session that is not on show any more. */
  keepElsewhere: (session: string, text: string) => void;
  /** Asks for what is not given; false when nothing was started. */
  startGoal: (objective: string | undefined) => Promise<boolean>;
}

export class Slash {
  readonly #parts: SlashParts;

  constructor(parts: SlashParts) {
    this.#parts = parts;
  }

  offers(): Promise<readonly SlashOffer[]> {
    return this.#parts.offers();
  }

  /** A prompt file becomes the text, a skill goes along with it. False when nothing was taken. */
  async take({ kind, name }: SlashOffer, rest: string): Promise<boolean> {
    const { draft } = this.#parts;
    if (kind === 'skill') {
      draft.attach({ kind: 'skill', label: name });
      draft.text = rest;
      return true;
    }
    const before = draft.text;
    const text = await this.#parts.expand(name);
    // Something else was written meanwhile: it stays.
    if (text === undefined || draft.text !== before) return false;
    draft.text = rest === '' ? text : `${text}\n\n${rest}`;
    return true;
  }

  async run(name: string, rest: string): Promise<void> {
    const { draft, act, command, say, startGoal, shown, keepElsewhere } = this.#parts;
    const most = longest[name];
    if (most !== undefined && rest.length > most) return say(tooLong(name, rest.length, most));
    const typed = draft.text;
    const session = shown();
    const elsewhere = goesTo[name];
    // What it does not take stays, in the session where it was written.
    draft.text = elsewhere !== undefined || name === 'clear' ? rest : '';
    if (elsewhere !== undefined) await command(elsewhere);
    else if (name === 'clear') await act({ type: 'clear' });
    else {
      const isDone =
        name === 'goal'
          ? await startGoal(rest === '' ? undefined : rest)
          : await act({ type: 'compact', ...(rest === '' ? {} : { focus: rest }) });
      // What was said in the person's own words comes back when nothing was made of it.
      if (isDone) return;
      if (session !== shown()) {
        if (session !== undefined) keepElsewhere(session, typed);
      } else if (draft.text === '') draft.text = typed;
    }
  }

  /** What was typed may call something. True when there is a message to be sent. */
  async takeTyped(): Promise<boolean> {
    const { draft } = this.#parts;
    const called = draft.editing === null ? calledBy(draft.text) : null;
    if (called === null) return true;
    const { name, rest } = called;
    if (slashCommands.some((command) => command.name === name)) {
      // What a model has to answer first holds up nothing that is written meanwhile.
      void this.run(name, rest);
      return false;
    }
    const offer = (await this.offers()).find((other) => other.name === name);
    // The model may know what is meant.
    return offer === undefined || this.take(offer, rest);
  }
}

const tooLong = (name: string, length: number, most: number): Failure => ({
  kind: 'refused',
  message: `What stands behind /${name} has ${length.toLocaleString('en')} characters; it may have ${most.toLocaleString('en')}. Shorten it, or put it into a file and name that.`,
  transient: false,
});
