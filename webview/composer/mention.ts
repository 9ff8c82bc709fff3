/** What is being called just before the caret: an @ anywhere, a / at the beginning of the text. */
export interface Trigger {
  kind: 'mention' | 'slash';
  /** Of its sign. */
  start: number;
  /** What stands behind the sign. */
  query: string;
}

export function mentionAt(text: string, caret: number): { start: number; query: string } | null {
  const match = /(?:^|[\s([{"'`])@([^\s@]{0,200})$/.exec(text.slice(Math.max(0, caret - 202), caret));
  if (match === null) return null;
  const query = match[1] ?? '';
  return { start: caret - query.length - 1, query };
}

export function triggerAt(text: string, caret: number): Trigger | null {
  const [, query] = /^\/([^\s/]{0,64})$/.exec(text.slice(0, caret)) ?? [];
  if (query !== undefined) return { kind: 'slash', start: 0, query };
  const mention = mentionAt(text, caret);
  return mention === null ? null : { kind: 'mention', ...mention };
}

/** A text that calls something by its first word, and what stands behind it. */
export function calledBy(text: string): { name: string; rest: string } | null {
  const match = /^\/([^\s/]{1,64})(?:\s+([\s\S]*))?$/.exec(text.trim());
  return match === null ? null : { name: match[1] ?? '', rest: match[2] ?? '' };
}
