/**
 * Makes room for a request: by a compaction when the window is nearly full, and once per step when the request does not
 * fit, whether we or the provider found that out. What was tried and did not help is in the log.
 */
import type { ModelInfo } from '../../ports.js';
import { isFailure, type Failure } from '../../shared/failure.js';
import type { Core, Run } from '../core.js';
import { intend, type Intended, type Ready } from '../ready.js';
import type { PreparedRequest } from '../request.js';
import { sizeOfFrame, sizeOfMessage } from '../context/tokens.js';
import type { TurnFacts } from '../turn-facts.js';
import { compact } from './compact.js';

/** Our estimate holds a fifth in reserve; the person's limit is about what the server counts. */
const RESERVE = 1.2;

/** The request as it can be sent, shorter if it had to be; a failure when it cannot be sent. */
export async function makeRoom(
  core: Core,
  run: Run,
  { model, prepared }: Intended,
  facts: TurnFacts,
): Promise<Ready | Failure> {
  if (isFailure(prepared)) {
    if (prepared.kind !== 'overflow' || facts.hasMadeRoom) return prepared;
    const failure = await shortenConversation(core, run, model, 'too-long');
    return failure === null ? askAgain(core, facts) : notShorter(prepared, failure);
  }
  const asItIs = { model, prepared };
  if (facts.hasMadeRoom || !isNearlyFull(core, model.info, prepared)) return asItIs;
  const failure = await shortenConversation(core, run, model, 'nearly-full');
  return failure === null ? askAgain(core, facts) : asItIs;
}

async function askAgain(core: Core, { withoutImages }: TurnFacts): Promise<Ready | Failure> {
  const again = await intend(core, withoutImages);
  if (isFailure(again)) return again;
  return isFailure(again.prepared) ? again.prepared : { model: again.model, prepared: again.prepared };
}

/** null: the conversation is shorter now, as far as the model is concerned. */
export async function shortenConversation(
  core: Core,
  run: Run,
  model: Ready['model'],
  reason: 'nearly-full' | 'too-long' | 'refused-as-too-long',
): Promise<Failure | null> {
  const done = await compactVisibly(core, run, { model });
  const { turn_id } = run;
  if (!isFailure(done)) {
    if (reason !== 'nearly-full') {
      await core.append([{ type: 'overflow_recovery', turn_id, applied: true, reason }]);
    }
    return null;
  }
  if (done.kind === 'cancelled') return done;
  await core.append([{ type: 'overflow_recovery', turn_id, applied: false, reason, error: done.message }]);
  return done;
}

/** While it goes on the session says so. */
export async function compactVisibly(
  core: Core,
  run: Run,
  request: Parameters<typeof compact>[2],
): ReturnType<typeof compact> {
  core.isCompacting = true;
  core.announce();
  try {
    return await compact(core, run, request);
  } finally {
    core.isCompacting = false;
    core.announce();
  }
}

/** What can be done when a summary did not help or could not be had. */
export const notShorter = (overflow: Failure, why: Failure): Failure => ({
  ...overflow,
  message: `${overflow.message} It could not be shortened by a summary: ${why.message}`,
});

function isNearlyFull(core: Core, { contextWindow }: ModelInfo, prepared: PreparedRequest): boolean {
  if (contextWindow === undefined || contextWindow <= 0) return false;
  if (prepared.isTrimmed) return true;
  const compactAt = shareOf(core);
  const reported = core.log.state().last_usage?.total_tokens ?? 0;
  const messages = prepared.request.messages.reduce((sum, message) => sum + sizeOfMessage(message).tokens, 0);
  const estimated =
    (sizeOfFrame(prepared.request.system, prepared.request.tools).tokens + messages) / RESERVE;
  return Math.max(reported, estimated) > compactAt * contextWindow;
}

/** A goal works on with nobody looking at the meter: there the conversation is kept shorter. */
const AUTONOMOUS_SHARE = 0.7;

function shareOf(core: Core): number {
  const { compactAt } = core.parts.settings();
  const { goal, turn } = core.log.state();
  return goal !== undefined && goal.turn_id === turn?.turn_id
    ? Math.min(compactAt, AUTONOMOUS_SHARE)
    : compactAt;
}
