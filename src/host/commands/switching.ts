/** Moving the head from a menu or the palette. While a turn is open there, that is refused, and stopping it first is offered. */
import * as vscode from 'vscode';
import type { AgentSession } from '../../agent/types.js';
import { isFailure, type Failure } from '../../shared/failure.js';
import type { Intent } from '../../shared/protocol.js';
import { unwrap } from '../errors.js';
import type { Teller } from '../tell.js';

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
  tell.warn(refused.message, {
    [vscode.l10n.t('Stop and Switch')]: async () => {
      unwrap(await agent.dispatch({ type: 'stop' }));
      unwrap(await move(parts));
    },
  });
}

async function move({ agent, intent, then }: Switch): Promise<Failure | undefined> {
  const left = agent.log.head;
  const outcome = await agent.dispatch(intent);
  if (isFailure(outcome)) return outcome;
  await then?.(left);
  return undefined;
}
