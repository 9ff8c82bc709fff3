/** Approvals for other extensions: what waits, and decisions that take the turn on. */
import type { AgentSession } from '../agent/types.js';
import { BoughError, isFailure } from '../shared/failure.js';
import type { ApprovalAnswer, ApprovalWaiting, TurnResult } from './api.js';
import { thrown } from './api-errors.js';
import { turnOf } from './api-turn.js';

export function pendingApprovals(agent: AgentSession): ApprovalWaiting[] {
  return agent.log.state().approvals.map(({ call_id, tool, summary, risk, input, targets, timestamp }) => ({
    callId: call_id,
    tool,
    summary,
    risk,
    input: structuredClone(input),
    targets: targets.map(({ path }) => path),
    since: timestamp,
  }));
}

/** Each decision counts once. What is not decided here goes on waiting in the chat, and the turn with it. */
export async function resume(
  agent: AgentSession,
  answers: readonly ApprovalAnswer[],
  signal: AbortSignal | undefined,
): Promise<TurnResult> {
  signal?.throwIfAborted();
  const { approvals, turn } = agent.log.state();
  if (turn === null || approvals.length === 0)
    throw new BoughError('InvalidArgument', 'No approval waits in this session: there is nothing to resume.');
  for (const { callId } of answers) {
    if (!approvals.some(({ call_id }) => call_id === callId))
      throw new BoughError(
        'InvalidArgument',
        `No approval waits for the call "${callId}". Ask pendingApprovals() for those that do; nothing was decided.`,
      );
  }
  if (answers.length === 0) throw new BoughError('InvalidArgument', 'There is no decision to resume with.');
  return turnOf(agent, signal, async () => {
    for (const { callId, decision, scope = 'once', feedback, editedInput } of answers) {
      const decided = await agent.dispatch({
        type: 'decide',
        call_id: callId,
        decision,
        scope,
        ...(feedback === undefined ? {} : { feedback }),
        ...(editedInput === undefined ? {} : { edited_input: editedInput }),
      });
      if (isFailure(decided)) throw thrown(decided);
    }
    return turn.turn_id;
  });
}
