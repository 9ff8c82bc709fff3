// Medians, spreads and a table: a run prints what it measured and never judges it.

export interface Figure {
  work: string;
  /** What ours took, one number a sample. */
  ours: readonly number[];
  /** The same work done the plain way, or by a peer, in the same run. */
  peer?: readonly number[];
  unit: string;
  /** What it is to be, in words. */
  goal?: string;
  note?: string;
}

export const quantile = (samples: readonly number[], share: number): number => {
  const sorted = [...samples].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
};

export const median = (samples: readonly number[]): number => quantile(samples, 0.5);

const shown = (value: number): string =>
  value >= 100 ? String(Math.round(value)) : value >= 1 ? value.toFixed(1) : value.toFixed(3);

function spread(samples: readonly number[], unit: string): string {
  const middle = `${shown(median(samples))} ${unit}`;
  return samples.length < 2
    ? middle
    : `${middle} (${shown(Math.min(...samples))}–${shown(Math.max(...samples))})`;
}

/** A Markdown table; a ratio above 1 says how many times faster, smaller or fewer ours is. */
export function table(figures: readonly Figure[]): string {
  const rows = figures.map(({ work, ours, peer, unit, goal = '', note = '' }) => {
    const ratio = peer === undefined ? '' : `${shown(median(peer) / median(ours))}×`;
    return [work, spread(ours, unit), peer === undefined ? '' : spread(peer, unit), ratio, goal, note];
  });
  const head = ['work', 'Bough', 'plain', 'ratio', 'goal', ''];
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
