/** Beginning anew and taking a turn back: the head moves, the line that was stays. */
import type { Message } from '../shared/entry.js';
import { OutlineFlag } from '../shared/fold/types.js';
import { isFailure, type Failure } from '../shared/failure.js';
import type { Draft } from '../shared/notes.js';
import { closingOf, navigate } from './branches.js';
import { underLease, type Core } from './core.js';
import { orFailure, refused } from './failures.js';
import { holdQueue } from './queue.js';
import { closed } from './recover.js';
import { headMoved, parked, running, type Done, type ExpectedHead } from './refusals.js';
import { headTo } from './mode.js';
import { beforeSkills } from './send.js';
import { suspensionOf } from './suspended.js';

/**
 * Waits for the run, then empties the queue and goes to before the first message. Model, agent and mode stay; to-dos belong
 * to the line that was.
 */
export async function clear(core: Core, expected: ExpectedHead): Promise<Done | Failure> {
  // What is queued must not be sent meanwhile, and is still there should the rest be refused.
  const held = core.run === null ? undefined : await core.gate.pass(() => orFailure(() => holdAll(core)));
  if (isFailure(held)) return held;
  core.goal.hold = 'The conversation was begun anew.';
  while (core.run !== null) await core.run.done;
  core.goal.hold = null;
  return core.gate.pass(() =>
    orFailure(() =>
      underLease(core, async (): Promise<Done | Failure> => {
        if (core.run !== null) return running();
        const moved = expected === core.log.head ? null : headMoved(core, expected);
        if (moved !== null) return moved;
        if (suspensionOf(core) === 'parked') return parked(core.log.state().wait?.due_at ?? '');
        const { queue } = core.log.state();
        const closing = await closingOf(core);
        const kept = keptNotes(core);
        const emptied: Draft[] = queue.length === 0 ? [] : [{ type: 'queue_update', items: [], held: false }];
        await core.append([...closing, ...emptied, ...headTo(core, null), ...kept]);
        if (closing.length > 0) await closed(core);
        core.failure = null;
        core.announce();
        return {};
      }),
    ),
  );
}

async function holdAll(core: Core): Promise<void> {
  const hold = core.run === null ? [] : holdQueue(core.log.state());
  if (hold.length > 0) await underLease(core, async () => void (await core.append(hold)));
}

/** What counts for the session as a whole, said again where a new line begins. */
export function keptNotes(core: Core): Draft[] {
  const { model, agent_id } = core.log.state();
  return [
    ...(model === null ? [] : [{ type: 'model_change' as const, ...model }]),
    ...(agent_id === null ? [] : [{ type: 'agent_bind' as const, agent_id }]),
  ];
}

/** Goes to before the prompt that the last turn of the line began with, and the skills that came with it. In the gate. */
export async function undoTurn(core: Core, expected: ExpectedHead): Promise<Done | Failure> {
  const prompt = await lastPrompt(core);
  if (prompt === null) return refused('NothingToUndo', 'There is no turn to undo here.');
  return navigate(core, await beforeSkills(core, prompt), expected);
}

/** Not what was said into the turn later: that belongs to it. */
async function lastPrompt(core: Core): Promise<Message | null> {
  const { outline, head } = core.log;
  let prompt: Message | null = null;
  let at = outline.findIndex(([id]) => id === head);
  for (let node = outline[at]; node !== undefined; at = node[1], node = outline[at]) {
    if ((node[3] & OutlineFlag.user) === 0) continue;
    const entry = await core.log.entry(node[0]);
    if (entry?.type !== 'message') break;
    if (prompt !== null && (prompt.turn_id === undefined || entry.turn_id !== prompt.turn_id)) break;
    prompt = entry;
  }
  return prompt;
}
