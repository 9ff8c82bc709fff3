/** Words that others wrote, put into a sentence of ours. */

/** Ends with one full stop, whether it came with one or not. */
export function asSentence(words: string): string {
  const text = words.trim();
  return /[.!?…:]["'”’)]?$/.test(text) ? text : `${text}.`;
}
