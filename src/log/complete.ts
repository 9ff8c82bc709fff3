/** Drafts to entries: fills in what a draft lacks and checks that nothing is written that could not be read back. */
import type { Ids } from '../ports.js';
import { BoughError } from '../shared/failure.js';
import { entrySchemas, isConversation, isKnownType, type Draft, type KnownEntry } from '../shared/notes.js';

/** The log as it will be when everything queued before is written. */
export class Ahead {
  readonly #known: (id: string) => boolean;
  /** Ids queued before; true for those of conversation entries. */
  readonly #queued = new Map<string, boolean>();
  readonly #isConversationId: (id: string) => boolean;
  head: string | null;

  constructor(log: {
    has: (id: string) => boolean;
    isConversation: (id: string) => boolean;
    head: string | null;
  }) {
    this.#known = log.has;
    this.#isConversationId = log.isConversation;
    this.head = log.head;
  }

  has(id: string): boolean {
    return this.#queued.has(id) || this.#known(id);
  }

  isConversation(id: string): boolean {
    return this.#queued.get(id) ?? this.#isConversationId(id);
  }

  take(entry: KnownEntry): void {
    this.#queued.set(entry.id, isConversation(entry));
    if (isConversation(entry)) this.head = entry.id;
    else if (entry.type === 'head') this.head = entry.entry_id;
  }
}

const refuse = (message: string): BoughError => new BoughError('InvalidArgument', message);

/**
 * The batch completed and passed through `make`. Nothing of `ahead` changes when one of its entries, or `make`, refuses.
 *
 * @throws BoughError InvalidArgument
 */
export function completeBatch<T>(
  batch: readonly Draft[],
  ahead: Ahead,
  world: { ids: Ids; timestamp: string },
  make: (entries: KnownEntry[]) => T,
): T {
  if (batch.length === 0) throw refuse('A batch needs at least one entry.');
  const own = new Ahead({
    has: (id) => ahead.has(id),
    isConversation: (id) => ahead.isConversation(id),
    head: ahead.head,
  });
  const entries = batch.map((draft) => {
    const entry = completeEntry(draft, own, world);
    own.take(entry);
    return entry;
  });
  const made = make(entries);
  for (const entry of entries) ahead.take(entry);
  return made;
}

function completeEntry(
  draft: Draft,
  ahead: Ahead,
  { ids, timestamp }: { ids: Ids; timestamp: string },
): KnownEntry {
  const { type } = draft;
  if (!isKnownType(type)) throw refuse(`There is no entry type ${JSON.stringify(type)}.`);
  const parent = draft.parent_id === undefined ? ahead.head : draft.parent_id;
  if (parent !== null && !ahead.isConversation(parent)) {
    throw refuse(`The parent ${parent} of a ${type} is not a conversation entry of this log.`);
  }
  if (draft.type === 'head' && draft.entry_id !== null && !ahead.isConversation(draft.entry_id)) {
    throw refuse(`The head cannot move to ${draft.entry_id}: it is not a conversation entry of this log.`);
  }
  const entry = { ...draft, id: idOf(draft, ahead, ids), parent_id: parent, timestamp };
  const parsed = entrySchemas[type].safeParse(entry);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw refuse(
      `A ${type} does not fit the format: ${issue?.path.map(String).join('.') ?? ''}: ${issue?.message ?? ''}.`,
    );
  }
  return entry;
}

function idOf(draft: Draft, ahead: Ahead, ids: Ids): string {
  if (draft.id !== undefined) {
    if (ahead.has(draft.id)) throw refuse(`The id ${draft.id} is in this log already.`);
    return draft.id;
  }
  let id = ids.entry();
  while (ahead.has(id)) id = ids.entry();
  return id;
}
