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
  for (const answer of answers) {
    if (!approvals.some(({ call_id }) => call_id === answer.callId))
      throw new BoughError(
        'InvalidArgument',
        `No approval waits for the call "${answer.callId}". Ask pendingApprovals() for those that do; nothing was decided.`,
      );
    checkWords(answer);
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

const DECISIONS: readonly unknown[] = ['allow', 'deny'] satisfies ApprovalAnswer['decision'][];
const SCOPES: readonly unknown[] = [
  'once',
  'session',
  'workspace',
  'always',
] satisfies ApprovalAnswer['scope'][];

/** Other extensions are not held to our types: a word that means nothing must not let a tool run, or for longer. */
function checkWords({ callId, decision, scope = 'once' }: ApprovalAnswer): void {
  checkWord(`The decision on the call "${callId}"`, decision, DECISIONS);
  checkWord(`The scope of the decision on the call "${callId}"`, scope, SCOPES);
}

function checkWord(what: string, word: unknown, known: readonly unknown[]): void {
  if (known.includes(word)) return;
  const given = typeof word === 'string' ? `"${word}"` : String(word);
  throw new BoughError(
    'InvalidArgument',
    `${what} is ${given}; it must be one of ${known.join(', ')}. Nothing was decided.`,
  );
}
