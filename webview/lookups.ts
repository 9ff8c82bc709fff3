/** What the view looks up at the host for the session on show. What cannot be had is undefined, and is said. */
import type { Failure } from '../src/shared/failure.js';
import type { Spending } from '../src/shared/fold/types.js';
import type { Ask, AskResults, ComparedLines, MentionOffer } from '../src/shared/protocol.js';
import type { Connection } from './connection.js';

export class Lookups {
  constructor(
    private readonly connection: Pick<Connection, 'ask'>,
    private readonly say: (failure: Failure) => void,
  ) {}

  async ask<W extends Ask['what']>(ask: Extract<Ask, { what: W }>): Promise<AskResults[W] | undefined> {
    const reply = await this.connection.ask(ask);
    if (reply.ok) return answer<W>(reply.result);
    // What was looked up for a session that is not shown any more is not missed.
    if (reply.failure.kind !== 'cancelled' && reply.failure.code !== 'OtherSession') this.say(reply.failure);
    return undefined;
  }

  /** What two lines have of their own. */
  compareLines(left_id: string, right_id: string): Promise<ComparedLines | undefined> {
    return this.ask<'compare'>({ what: 'compare', left_id, right_id });
  }

  /** All that a turn of the shown line changed. */
  filesOfTurn(turn_id: string): Promise<string[] | undefined> {
    return this.ask<'turn_files'>({ what: 'turn_files', turn_id });
  }

  /** What the requests of the line to `head` took. */
  lineSpending(head: string | null): Promise<Spending | undefined> {
    return this.ask<'line_spending'>({ what: 'line_spending', head });
  }

  /** About how many tokens a request of the line takes. */
  estimate(): Promise<number | undefined> {
    return this.ask<'estimate'>({ what: 'estimate' });
  }

  async mentions(query: string): Promise<MentionOffer[]> {
    return (await this.ask<'mentions'>({ what: 'mentions', query })) ?? [];
  }

  async symbols(query: string): Promise<MentionOffer[]> {
    return (await this.ask<'symbols'>({ what: 'symbols', query })) ?? [];
  }
}

/** The protocol says what a reply to this ask holds. */
function answer<W extends Ask['what']>(result: unknown): AskResults[W];
function answer(result: unknown): unknown {
  return result;
}
