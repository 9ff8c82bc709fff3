/** How long the view waits for an answer: then the person may act again, and is told, whatever became of the answer. */
import type { Failure } from '../src/shared/failure.js';
import type { Intent } from '../src/shared/protocol.js';

export const PATIENCE_MS = 15_000;

/** A model writes before these are answered; how far it is, the status says. */
const waitsForModel = new Set<Intent['type']>(['compact', 'collapse', 'bring_summary']);

/** `known`: what the person may count on. */
export const unanswered = (known: string): Failure => ({
  kind: 'network',
  message: `Bough has not answered yet. ${known}`,
  transient: true,
  action: 'show-log',
});

/** The answer to an intent, or undefined when it does not come in time. */
export async function inTime<T>(intent: Intent, answer: Promise<T>): Promise<T | undefined> {
  if (waitsForModel.has(intent.type)) return answer;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const patience = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), PATIENCE_MS);
  });
  try {
    return await Promise.race([answer, patience]);
  } finally {
    clearTimeout(timer);
  }
}
