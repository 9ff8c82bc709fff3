/** What the validators of all protocols share. */

export const isBlank = (text: string): boolean => text.trim() === '';

/** Paths of strings that are not well formed: no provider's JSON parser takes a lone surrogate. */
export function malformedStrings(value: unknown, path = '$'): string[] {
  if (typeof value === 'string') return value.isWellFormed() ? [] : [path];
  if (value instanceof Uint8Array || typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => [
    ...(key.isWellFormed() ? [] : [`${path} (key)`]),
    ...malformedStrings(item, `${path}.${key}`),
  ]);
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Names as every protocol takes them, each once. */
export function toolNameViolations(names: readonly unknown[]): string[] {
  const seen = new Set<unknown>();
  return names.flatMap((name) => {
    const isSound =
      typeof name === 'string' && /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/.test(name) && !seen.has(name);
    seen.add(name);
    return isSound ? [] : [`tool ${JSON.stringify(name)}`];
  });
}
