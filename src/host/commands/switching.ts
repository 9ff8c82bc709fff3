/** Moving the head from a menu or the palette. While a turn is open there, that is refused, and stopping it first is offered. */
import * as vscode from 'vscode';
import type { AgentSession } from '../../agent/types.js';
import type { SessionLog } from '../../log/store.js';
import { isFailure, type Failure } from '../../shared/failure.js';
import type { Intent } from '../../shared/protocol.js';
import { Refusal, unwrap } from '../errors.js';
import type { Teller } from '../tell.js';
import { promptAbove } from './prompt-above.js';

export interface Switch {
  agent: AgentSession;
  intent: Intent;
  tell: Teller;
  /** What follows once the head has moved; `left` is where it stood. */
  then?: ((left: string | null) => Promise<void> | void) | undefined;
}

/** @throws Refusal when it is refused for anything but a turn that is open */
export async function switchTo(parts: Switch): Promise<void> {
  const { agent, tell } = parts;
  const refused = await move(parts);
  if (refused?.code !== 'SessionRunning') return unwrap(refused);
  const inTheWay = standing(agent.log);
  tell.warn(refused.message, {
    [vscode.l10n.t('Stop and Switch')]: async () => {
      // The notification stays as long as the person lets it.
      if (isAnother(inTheWay, standing(agent.log))) throw new Refusal(tooLate());
      unwrap(await agent.dispatch({ type: 'stop' }));
      unwrap(await move(parts));
    },
  });
}

/** The open turn, and the last prompt above the head: when the turn is over, what an undo or another try is about. */
interface Standing {
  turn: string | undefined;
  prompt: string | undefined;
}

function standing(log: SessionLog): Standing {
  return {
    turn: log.state().turn?.turn_id,
    prompt: log.head === null ? undefined : promptAbove(log.outline, log.head),
  };
}

/** A turn that was not there before runs, or has run. */
const isAnother = (before: Standing, now: Standing): boolean =>
  now.turn === undefined ? now.prompt !== before.prompt : now.turn !== before.turn;

const tooLate = (): Failure => ({
  kind: 'refused',
  message: vscode.l10n.t(
    'This conversation went on since then. Nothing was stopped or moved; choose again what to do.',
  ),
  transient: false,
});

async function move({ agent, intent, then }: Switch): Promise<Failure | undefined> {
  const left = agent.log.head;
  const outcome = await agent.dispatch(intent);
  if (isFailure(outcome)) return outcome;
  await then?.(left);
  return undefined;
}
