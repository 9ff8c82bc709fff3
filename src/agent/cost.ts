/** What a request cost: as its server said, else by the prices that the person stated for the model, else unknown. */
import type { Price, Usage } from '../ports.js';
import type { Failure } from '../shared/failure.js';
import type { Entry } from '../shared/notes.js';

const TOKENS = 1_000_000;

/** `usage` with its cost, where that is known. Cached tokens without a price of their own cost as much as others. */
export function withCost(usage: Usage, price: Price | undefined): Usage {
  if (usage.cost !== undefined || price === undefined) return usage;
  const { cache_read_tokens: read = 0, cache_write_tokens: written = 0 } = usage;
  const plain = Math.max(0, usage.input_tokens - read - written);
  const cost =
    plain * price.input +
    read * (price.cacheRead ?? price.input) +
    written * (price.cacheWrite ?? price.input) +
    usage.output_tokens * price.output;
  return { ...usage, cost: cost / TOKENS };
}

/** In US dollars. `entries`: a turn's own. */
export const costOf = (entries: readonly Entry[]): number =>
  entries.reduce((sum, entry) => sum + (entry.type === 'usage' ? (entry.cost ?? 0) : 0), 0);

/** Why no further request may be sent; null while the turn is within the limit (0: there is none). */
export function overCost(entries: readonly Entry[], limit: number): Failure | null {
  const cost = costOf(entries);
  if (limit === 0 || cost < limit) return null;
  return {
    kind: 'refused',
    code: 'MaxCost',
    message: `The turn has cost ${dollars(cost)}, its limit is ${dollars(limit)} (setting bough.turn.maxCost). Continue starts a new turn from here.`,
    transient: false,
    action: 'open-settings',
  };
}

const dollars = (amount: number): string => `$${amount.toFixed(amount < 0.1 ? 4 : 2)}`;
