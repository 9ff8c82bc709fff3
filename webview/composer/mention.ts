/** The @-mention that stands just before the caret, if one is being written there. */

export function mentionAt(text: string, caret: number): { start: number; query: string } | null {
  const match = /(?:^|[\s([{"'`])@([^\s@]{0,200})$/.exec(text.slice(Math.max(0, caret - 202), caret));
  if (match === null) return null;
  const query = match[1] ?? '';
  return { start: caret - query.length - 1, query };
}
