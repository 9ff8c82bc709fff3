/** Small rules about text that several tools share: line endings, cuts at code points, sizes and times for people. */

export type LineEnding = '\n' | '\r\n';

/** The ending most lines have; LF when there is none. */
export function commonEnding(text: string): LineEnding {
  const all = text.split('\n').length - 1;
  const windows = text.split('\r\n').length - 1;
  return windows * 2 > all ? '\r\n' : '\n';
}

export function withEnding(text: string, ending: LineEnding): string {
  const plain = text.replaceAll('\r\n', '\n');
  return ending === '\n' ? plain : plain.replaceAll('\n', '\r\n');
}

/** Lines without their endings; a last line that only ends the file does not count. */
export function linesOf(text: string): string[] {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** At most `max` UTF-16 units from the start, never half a character. */
export function head(text: string, max: number): string {
  if (text.length <= max) return text;
  const last = text.charCodeAt(max - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? max - 1 : max);
}

/** One line for a sentence: the first line, shortened visibly. */
export function oneLine(text: string, max = 100): string {
  const lines = text.trim().split(/\r?\n/);
  const first = lines[0] ?? '';
  if (first.length > max) return `${head(first, max - 1)}…`;
  return lines.length > 1 ? `${first} …` : first;
}

export function count(n: number, one: string, many = `${one}s`): string {
  return `${n.toLocaleString('en-US')} ${n === 1 ? one : many}`;
}

export function size(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const units = ['KB', 'MB', 'GB', 'TB'];
  let value = bytes / 1024;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${units[unit] ?? ''}`;
}

export function duration(ms: number): string {
  if (ms < 950) return `${(Math.round(ms / 100) / 10).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const rest = seconds % 60;
  return rest === 0 ? `${(seconds - rest) / 60} min` : `${(seconds - rest) / 60} min ${rest} s`;
}
