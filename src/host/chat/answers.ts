/** What a view asks the host to look up, of a session that is on show or of the editor. Nothing of it changes the log. */
import type { SessionLog } from '../../log/store.js';
import type { Failure } from '../../shared/failure.js';
import { spendingOf } from '../../shared/fold/spent.js';
import type { Ask, AskResults, Mention, MentionOffer } from '../../shared/protocol.js';
import { Refusal } from '../errors.js';
import { readBodies } from './bodies.js';
import { compareLines } from './compare.js';
import type { Fitted } from './fitted.js';

/** What a message may bring along, from the editor and the workspace. */
export interface ContextSource {
  /** `session`: the one it is for. */
  mentions(query: string, session: string): Promise<AskResults['mentions']>;
  symbols(query: string): Promise<AskResults['symbols']>;
  mention(offer: MentionOffer, session: string): Promise<Mention>;
  slash(): Promise<AskResults['slash']>;
  expand(name: string): Promise<string>;
}

export interface AnswerParts {
  log: SessionLog;
  estimateTokens: () => Promise<number>;
  fitted: Fitted;
  context: ContextSource;
  /** Those of these addresses that lie in the workspace, as messages name them. */
  paths: (uris: readonly string[]) => Promise<AskResults['paths']>;
}

export async function answerOf(
  ask: Exclude<Ask, { what: 'snapshot' }>,
  { log, fitted, context, paths, estimateTokens }: AnswerParts,
): Promise<AskResults[keyof AskResults]> {
  switch (ask.what) {
    case 'bodies':
      return readBodies(log, fitted, ask.ids);
    case 'blob':
      return new TextDecoder().decode(await fitted.bytes(ask.hash));
    case 'compare':
      return compareLines(log, fitted, ask);
    case 'turn_files':
      return filesOfTurn(log, ask.turn_id);
    case 'line_spending':
      return spendingOf(await log.line(ask.head));
    case 'estimate':
      return estimateTokens();
    case 'mentions':
      return context.mentions(ask.query, log.id);
    case 'symbols':
      return context.symbols(ask.query);
    case 'mention':
      return context.mention(ask.offer, log.id);
    case 'slash':
      return context.slash();
    case 'expand':
      return context.expand(ask.name);
    case 'attach':
      return attach(log, ask.data);
    case 'paths':
      return paths(ask.uris);
  }
}

const filesOfTurn = (log: SessionLog, turn: string): string[] =>
  log
    .files()
    .filter(({ turns }) => turns.some(({ turn_id }) => turn_id === turn))
    .map(({ path }) => path);

/** Its hash; the view makes a part of a message of it. */
async function attach({ access, blobs }: SessionLog, data: string): Promise<string> {
  if (access.mode !== 'write') throw new Refusal(notWritable(access.message));
  return blobs.put(Buffer.from(data, 'base64'));
}

const notWritable = (why: string): Failure => ({
  kind: 'refused',
  message: `The image cannot be attached here. ${why}`,
  transient: false,
});
