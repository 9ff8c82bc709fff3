/** How much a text is, in words for people, and whether something was left out of it. */

/** Four characters are about a token. */
export function sizeWords(text: string): string {
  const tokens = Math.max(1, Math.round(text.length / 4));
  if (tokens < 1000) return `about ${tokens} ${tokens === 1 ? 'token' : 'tokens'}`;
  return `about ${(tokens / 1000).toLocaleString(undefined, { maximumFractionDigits: 1 })}k tokens`;
}

export const isCut = (text: string): boolean => /\[… \d+ of \d+ characters are left out here …\]/.test(text);
