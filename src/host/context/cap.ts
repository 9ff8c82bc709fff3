/** A text of at most this many characters, with a mark where the rest was left out. */
export function cap(text: string, most: number, keep: 'beginning' | 'end' | 'both' = 'beginning'): string {
  if (text.length <= most) return text;
  const mark = `[… ${text.length - most} of ${text.length} characters are left out here …]`;
  const head = keep === 'beginning' ? most : keep === 'end' ? 0 : Math.floor(most / 3);
  const tail = most - head;
  const parts = [text.slice(0, head), mark, tail === 0 ? '' : text.slice(-tail)];
  return parts
    .filter((part) => part !== '')
    .join('\n')
    .toWellFormed();
}
