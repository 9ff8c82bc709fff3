/** Usage in few words: short for the header, all of it for the tooltip. */
import type { PathState } from '../../src/shared/fold/types.js';
import type { ModelView } from '../../src/shared/protocol.js';

export function meterOf(
  state: PathState | null,
  model: ModelView | null,
): { short: string; details: string } {
  const last = state?.last_usage ?? null;
  if (state === null || last === null) return { short: '', details: 'Nothing was sent to the model yet' };
  const window = model?.contextWindow;
  const short =
    window === undefined
      ? `${compact(last.total_tokens)} tok`
      : `${Math.min(100, Math.round((100 * last.total_tokens) / window))} %`;
  const lines = [
    `Last request: ${last.input_tokens.toLocaleString()} tokens in, ${last.output_tokens.toLocaleString()} out`,
    ...(window === undefined ? [] : [`The model takes ${window.toLocaleString()}`]),
    `This session: ${state.usage.total_tokens.toLocaleString()} tokens${state.usage.cost > 0 ? `, $${state.usage.cost.toFixed(4)}` : ''}`,
  ];
  return { short, details: lines.join('\n') };
}

const compact = (tokens: number): string =>
  tokens < 1000 ? `${tokens}` : `${(tokens / 1000).toFixed(tokens < 10_000 ? 1 : 0)}k`;
