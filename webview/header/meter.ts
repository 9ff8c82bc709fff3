/** Usage in few words: short for the header, all of it for the tooltip. What no server told is estimated, and said so. */
import type { PathState, Row, Spending } from '../../src/shared/fold/types.js';
import type { ModelView } from '../../src/shared/protocol.js';
import { dollars, spendingWords } from '../ui/spending.js';

export interface Meter {
  short: string;
  details: string;
}

/**
 * `estimated`: what a request takes, for models that report no usage. `branch`: what the requests of the
 * shown line took, once that is looked up.
 */
export function meterOf(
  state: PathState | null,
  model: ModelView | null,
  estimated = 0,
  branch?: Spending,
): Meter {
  const last = state?.last_usage ?? null;
  const window = model?.contextWindow;
  if (state === null || last === null) {
    if (estimated === 0) return { short: '', details: 'Nothing was sent to the model yet' };
    const about = `About ${estimated.toLocaleString()} tokens, estimated from the text: the model reported no usage`;
    return { short: `~${share(estimated, window)}`, details: withWindow([about], window).join('\n') };
  }
  const request = `Last request: ${last.input_tokens.toLocaleString()} tokens in, ${last.output_tokens.toLocaleString()} out`;
  const cost = state.usage.cost > 0 ? `, ${dollars(state.usage.cost)}` : '';
  return {
    short: share(last.total_tokens, window),
    details: [
      ...withWindow([request], window),
      ...(branch === undefined ? [] : [`This branch: ${spendingWords(branch)}`]),
      `This session, all branches: ${state.usage.total_tokens.toLocaleString()} tokens${cost}`,
    ].join('\n'),
  };
}

/** Before the first answer nothing was sent. */
export const wasSent = (rows: readonly Row[]): boolean =>
  rows.some(({ entry }) => entry.type === 'message' && entry.role === 'assistant');

const share = (tokens: number, window: number | undefined): string =>
  window === undefined ? `${compact(tokens)} tok` : `${Math.min(100, Math.round((100 * tokens) / window))} %`;

const withWindow = (lines: string[], window: number | undefined): string[] =>
  window === undefined ? lines : [...lines, `The model takes ${window.toLocaleString()}`];

const compact = (tokens: number): string =>
  tokens < 1000 ? `${tokens}` : `${(tokens / 1000).toFixed(tokens < 10_000 ? 1 : 0)}k`;
