/** Hands on the lines of a byte stream, decoded as UTF-8 and split at LF only. */
export function byLine(take: (line: string) => void): (bytes: Uint8Array) => void {
  const decoder = new TextDecoder();
  let pieces: string[] = [];
  return (bytes) => {
    const parts = decoder.decode(bytes, { stream: true }).split('\n');
    const last = parts.pop() ?? '';
    for (const part of parts) {
      pieces.push(part);
      const line = pieces.join('');
      pieces = [];
      if (line !== '') take(line);
    }
    pieces.push(last);
  };
}
