/**
 * Takes keys out of what a server or a socket told us before it becomes part of a failure: the keys of this endpoint
 * word for word, and whatever has the shape of one.
 */
const gone = '[redacted]';

/** Each keeps its first group, so that a reader still sees what stood there. */
const shapes: readonly RegExp[] = [
  /\b((?:Bearer|Basic)\s+)[^\s"',;}]{4,}/gi,
  /((?:api[-_ ]?key|authorization|access[-_]?token|secret|password|passwd)["']?\s*[:=]\s*["']?)(?!Bearer\b|Basic\b)[^\s"',;&}]{4,}/gi,
  // OpenAI's own refusal shows the key with asterisks in its middle.
  /()\b(?:sk|pk|rk)-[\w*-]{6,}/g,
  /()\b(?:AIza|AKIA|gsk_|xai-|hf_|gh[pousr]_|github_pat_|glpat-|xox[abprs]-)[\w*-]{8,}/g,
  /()\beyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]*/g,
  /(:\/\/[^\s/:@]+:)[^\s/@]+(?=@)/g,
];

/** What has no other meaning than to be a key: long enough that no word of a program is taken for one. */
const tokens: readonly RegExp[] = [
  /()\b(?:sk|pk|rk)-[\w-]{16,}/g,
  /()\b(?:AIza|AKIA|gsk_|xai-|hf_|gh[pousr]_|github_pat_|glpat-|xox[abprs]-)[\w-]{16,}/g,
];

const without = (text: string, words: readonly string[]): string =>
  // One may be the beginning of another.
  [...words].sort((a, b) => b.length - a.length).reduce((rest, word) => rest.replaceAll(word, gone), text);

/**
 * What local servers are given in place of a key ("ollama", "test", "none") are words of any program: taking them out of
 * what is worked with would change files.
 */
const isTelling = (secret: string): boolean =>
  secret.length >= 12 || (secret.length >= 8 && /\d/.test(secret)) || /^(?:sk|pk|rk)-/.test(secret);

const telling = (secrets: Iterable<string>): string[] => [...secrets].filter(isTelling);

/** Without those of these words that can be nothing but keys. */
export const withoutWords = (text: string, secrets: Iterable<string>): string =>
  without(text, telling(secrets));

/** How many characters at the end of a text may be the beginning of one of these words. */
export const begunWord = (text: string, secrets: Iterable<string>): number => {
  let longest = 0;
  for (const secret of telling(secrets)) {
    for (let chars = Math.min(secret.length - 1, text.length); chars > longest; chars -= 1) {
      if (text.endsWith(secret.slice(0, chars))) longest = chars;
    }
  }
  return longest;
};

/** Without these words and without keys of well-known shapes; all else stays, since it is worked with. */
export const withoutTokens = (text: string, secrets: Iterable<string>): string =>
  tokens.reduce((rest, shape) => rest.replace(shape, `$1${gone}`), withoutWords(text, secrets));

export const redact = (text: string, secrets: readonly string[] = []): string => {
  const known = without(
    text,
    secrets.filter((secret) => secret.length >= 4),
  );
  return shapes.reduce((rest, shape) => rest.replace(shape, `$1${gone}`), known);
};

/** One line of at most `limit` characters, cut between code points. */
export const excerpt = (text: string, limit = 500): string => {
  const line = text.replace(/\s+/g, ' ').trim();
  if (line.length <= limit) return line.toWellFormed();
  return `${line.slice(0, limit - 1).replace(/[\ud800-\udbff]$/, '')}…`.toWellFormed();
};
