// How a cost grows with what it is about: a table, bars on a log scale, and the same as a picture.
import { median } from './figures.js';

export interface Point {
  size: number;
  samples: readonly number[];
}

export interface Curve {
  work: string;
  unit: string;
  points: readonly Point[];
  /** Where it grows faster than the path or the page in view: why. */
  why: string;
}

/** 1 when it grows as the size does, 0 when it does not grow. */
export function exponent({ points }: Curve): number {
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined || first.size === last.size) return 0;
  return Math.log(median(last.samples) / median(first.samples)) / Math.log(last.size / first.size);
}

const sizeOf = (size: number): string =>
  size >= 1e6 ? `${String(size / 1e6)} M` : size >= 1e3 ? `${String(size / 1e3)} k` : String(size);
const shown = (value: number): string =>
  value >= 100 ? String(Math.round(value)) : value >= 1 ? value.toFixed(1) : value.toFixed(2);

const sizesOf = (curves: readonly Curve[]): number[] =>
  [...new Set(curves.flatMap(({ points }) => points.map(({ size }) => size)))].sort((a, b) => a - b);

/** A Markdown table with a column a size. */
export function growthTable(curves: readonly Curve[]): string {
  const sizes = sizesOf(curves);
  const head = ['growth', ...sizes.map(sizeOf), 'grows as size to the', 'because'];
  const rows = curves.map((curve) => [
    `${curve.work}, ${curve.unit}`,
    ...sizes.map((size) => {
      const point = curve.points.find((one) => one.size === size);
      return point === undefined ? '' : shown(median(point.samples));
    }),
    exponent(curve).toFixed(2),
    curve.why,
  ]);
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

const WIDTH = 40;

/** A bar each, ten times as much is always as much longer. */
export function growthBars(curves: readonly Curve[]): string {
  const values = curves.flatMap(({ points }) => points.map(({ samples }) => median(samples)));
  const [low, high] = [Math.log10(Math.min(...values)), Math.log10(Math.max(...values))];
  const bar = (value: number): string =>
    '█'.repeat(1 + Math.round(((Math.log10(value) - low) / Math.max(1e-9, high - low)) * WIDTH));
  return curves
    .flatMap(({ work, unit, points }) => [
      `| ${work}`,
      ...points.map(({ size, samples }) => {
        const value = median(samples);
        return `|   ${sizeOf(size).padStart(6)} ${bar(value)} ${shown(value)} ${unit}`;
      }),
    ])
    .join('\n');
}

const [LEFT, TOP, WIDE, HIGH] = [64, 24, 460, 300];
const colours = ['#0969da', '#1a7f37', '#bf3989', '#9a6700', '#8250df', '#cf222e', '#57606a', '#0a7ea4'];

/** Both axes on a log scale; a line each. */
export function growthPicture(curves: readonly Curve[], title: string): string {
  const sizes = sizesOf(curves);
  const values = curves.flatMap(({ points }) => points.map(({ samples }) => median(samples)));
  const [fromX, toX] = [Math.log10(sizes[0] ?? 1), Math.log10(sizes.at(-1) ?? 10)];
  const [fromY, toY] = [
    Math.floor(Math.log10(Math.min(...values))),
    Math.ceil(Math.log10(Math.max(...values))),
  ];
  const x = (size: number): number =>
    LEFT + ((Math.log10(size) - fromX) / Math.max(1e-9, toX - fromX)) * WIDE;
  const y = (value: number): number =>
    TOP + HIGH - ((Math.log10(value) - fromY) / Math.max(1e-9, toY - fromY)) * HIGH;
  const steps = Array.from({ length: toY - fromY + 1 }, (_, index) => 10 ** (fromY + index));
  const grid = [
    ...steps.map(
      (value) =>
        `<line x1="${LEFT}" x2="${LEFT + WIDE}" y1="${y(value)}" y2="${y(value)}" stroke="#d0d7de"/><text x="${LEFT - 6}" y="${y(value) + 4}" text-anchor="end">${value}</text>`,
    ),
    ...sizes.map(
      (size) => `<text x="${x(size)}" y="${TOP + HIGH + 18}" text-anchor="middle">${sizeOf(size)}</text>`,
    ),
  ];
  const lines = curves.map(({ work, unit, points }, index) => {
    const colour = colours[index % colours.length] ?? '#000';
    const path = points.map(({ size, samples }) => `${x(size)},${y(median(samples))}`);
    const dots = path.map(
      (at) =>
        `<circle cx="${at.split(',')[0] ?? ''}" cy="${at.split(',')[1] ?? ''}" r="3" fill="${colour}"/>`,
    );
    const name = `<text x="${LEFT + WIDE + 16}" y="${TOP + 12 + index * 18}" fill="${colour}">${work}, ${unit}</text>`;
    return `<polyline points="${path.join(' ')}" fill="none" stroke="${colour}" stroke-width="1.5"/>${dots.join('')}${name}`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${LEFT + WIDE + 300}" height="${TOP + HIGH + 40}" font-family="sans-serif" font-size="11"><rect width="100%" height="100%" fill="#fff"/><text x="${LEFT}" y="14">${title}</text>${grid.join('')}${lines.join('')}</svg>\n`;
}
