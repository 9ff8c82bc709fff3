/** What requests took, in words: tokens, and dollars as far as a price is known. */
import type { Spending, Spent } from '../../src/shared/fold/types.js';

/** More lines than this do not fit a tooltip. */
const MOST_LINES = 30;

/** In US dollars; small amounts to a hundredth of a cent. */
export const dollars = (amount: number): string => `$${amount.toFixed(amount < 0.1 ? 4 : 2)}`;

/** Of a turn, in its row. */
export function turnWords({ tokens, cost, unpriced }: Spending): string {
  if (cost === 0) return `This turn took ${tokens.toLocaleString()} ${tokens === 1 ? 'token' : 'tokens'}`;
  return unpriced === 0 ? `This turn cost ${dollars(cost)}` : `This turn cost at least ${dollars(cost)}`;
}

/** All of them in a line. */
export function spendingWords({ requests, tokens, cost, unpriced }: Spending): string {
  const count = requests === 1 ? 'one request' : `${requests.toLocaleString()} requests`;
  const known = unpriced === 0 ? '' : ' where a price is known';
  return `${tokens.toLocaleString()} tokens in ${count}${cost === 0 ? '' : `, ${dollars(cost)}${known}`}`;
}

/** The whole, then the requests one by one; of very many the first and the last. */
export function requestWords(spent: Spent): string {
  const { each } = spent;
  const lines = each.map(requestLine);
  const half = MOST_LINES / 2;
  const shown =
    lines.length <= MOST_LINES
      ? lines
      : [
          ...lines.slice(0, half),
          `… ${(lines.length - MOST_LINES).toLocaleString()} more …`,
          ...lines.slice(-half),
        ];
  return [spendingWords(spent), ...shown].join('\n');
}

function requestLine({ usage, step }: Spent['each'][number]): string {
  const { input_tokens, output_tokens, cost, purpose } = usage;
  const tokens = `${input_tokens.toLocaleString()} tokens in, ${output_tokens.toLocaleString()} out`;
  const what = purpose === 'step' && step !== undefined ? `Step ${step}` : names[purpose];
  return `${what}: ${tokens}${cost === undefined ? '' : `, ${dollars(cost)}`}`;
}

const names = { step: 'Request', summary: 'Summary', evaluation: 'Look at the goal', subagent: 'Subagent' };
