/**
 * A conversation from outside in place of the one that is there: a new root beside the old lines, which all stay. One
 * batch, so that it is there whole or not at all.
 */
import type { Message, Part } from '../shared/entry.js';
import type { Failure } from '../shared/failure.js';
import type { Draft } from '../shared/notes.js';
import { DISMISSED_TEXT } from './approvals.js';
import { keptNotes } from './clear.js';
import { underLease, type Core } from './core.js';
import type { DraftOfType } from './entries.js';
import { refused } from './failures.js';
import { headTo } from './mode.js';
import { closed, repairBatch } from './recover.js';
import { running, type Done } from './refusals.js';
import { closeSuspended, suspensionOf } from './suspended.js';

/** A message as others hand it over: what the log gives it (id, parent, time, turn) counts for nothing. */
export type GivenMessage = Pick<Message, 'role' | 'parts'> & Partial<Omit<Message, 'role' | 'parts'>>;

/**
 * In the gate. Empty messages are dropped, the order is kept. A turn that waits for the person ends, its approvals as
 * abandoned; one that runs refuses the whole.
 */
export function setHistory(core: Core, given: readonly GivenMessage[]): Promise<Done | Failure> {
  return underLease(core, async () => {
    if (core.run !== null) return running();
    const missing = await missingBlob(core, given);
    if (missing !== null) return missing;
    const closing =
      suspensionOf(core) === null
        ? await repairBatch(core)
        : await closeSuspended(core, {
            decision: 'abandoned',
            pendingText: DISMISSED_TEXT,
            holdsQueue: true,
          });
    const kept = keptNotes(core);
    const written = await core.append([
      ...closing,
      ...headTo(core, null),
      ...kept,
      ...draftsOf(given, core.parts.ids),
    ]);
    if (closing.length > 0) await closed(core);
    core.failure = null;
    core.announce();
    const last = written.findLast(({ type }) => type === 'message');
    return last === undefined || core.log.head === null ? {} : { entry_id: core.log.head };
  });
}

const hasSubstance = (part: Part): boolean =>
  part.type === 'text' || part.type === 'reasoning'
    ? part.text.trim() !== '' || part.blob !== undefined
    : true;

/** With call ids of their own: those of the original may stand in this very log, and providers repeat theirs. */
function draftsOf(given: readonly GivenMessage[], ids: Core['parts']['ids']): Draft[] {
  /** Given id → ids of the calls that have no result yet. */
  const open = new Map<string, string[]>();
  const begin = ({ role, parts }: GivenMessage): void => {
    // Calls that were never answered are not answered by what comes under their id later.
    if (role !== 'assistant') return;
    for (const part of parts) if (part.type === 'tool_call') open.delete(part.call_id);
  };
  const partOf = (part: Part): Part => {
    if (part.type === 'tool_result')
      return { ...part, call_id: open.get(part.call_id)?.shift() ?? ids.entry() };
    if (part.type !== 'tool_call') return part;
    const call_id = ids.entry();
    open.set(part.call_id, [...(open.get(part.call_id) ?? []), call_id]);
    return { ...part, call_id };
  };
  return given
    .filter(({ parts }) => parts.some(hasSubstance))
    .map((message): DraftOfType<'message'> => {
      begin(message);
      const { role, parts, model, provider, finish_reason, author, agent_id } = message;
      return {
        type: 'message',
        role,
        parts: parts.map(partOf),
        origin: 'import',
        ...(model === undefined ? {} : { model }),
        ...(provider === undefined ? {} : { provider }),
        ...(finish_reason === undefined ? {} : { finish_reason }),
        ...(author === undefined ? {} : { author }),
        ...(agent_id === undefined ? {} : { agent_id }),
      };
    });
}

/** A part may name only what is kept with this session. */
async function missingBlob(core: Core, given: readonly GivenMessage[]): Promise<Failure | null> {
  for (const [index, { parts }] of given.entries()) {
    for (const part of parts) {
      if (!('blob' in part) || part.blob === undefined || (await core.blobs.has(part.blob))) continue;
      return refused(
        'InvalidArgument',
        `Message ${String(index + 1)} of the history names ${part.blob}, which is not kept with this session. Leave that part out.`,
      );
    }
  }
  return null;
}
