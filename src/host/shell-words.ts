/** Words of a command line as a shell reads them: what stands in quotes, and what it puts something else in the place of. */

export interface Word {
  /** Without quotes. */
  text: string;
  /** Where in `text` the first unquoted character is that makes a shell put names of files there; -1: nowhere. */
  glob: number;
}

const parts = (raw: string): string[] => raw.match(/'[^']*'|"[^"]*"|[^'"]/g) ?? [];

export function readWord(raw: string): Word {
  let [text, glob] = ['', -1];
  for (const part of parts(raw)) {
    if (glob === -1 && /^[*?[]$/.test(part)) glob = text.length;
    text += /^['"]/.test(part) ? part.slice(1, -1) : part;
  }
  return { text, glob };
}

/**
 * Whether a shell may make something else of it than what stands there, more words too: `-n3$IFS--output=a`. Braces,
 * backslashes and substitutions are operators already; names of files are told by {@link Word.glob}.
 */
export function isExpanded(raw: string): boolean {
  // In cmd.exe `'` quotes nothing, and what stands between two of them is several words.
  if (process.platform === 'win32' && /[%^']/.test(raw)) return true;
  // A blank for some shells, and for the eye.
  if (/[\p{Cc}\p{Z}]/u.test(raw.replace(/ /g, ''))) return true;
  const open = parts(raw).map((part) => (part.startsWith("'") ? "''" : part));
  // At its very end a `$` is itself.
  return /[$`]/.test(open.join('').replace(/\$"?$/, ''));
}
