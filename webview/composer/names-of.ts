/** The files that an offer is about, one a line, as far as they are named. */
export function namesOf({ count, names }: { count: number; names: readonly string[] }): string {
  const more = count - names.length;
  return [...names, ...(more > 0 ? [`and ${more} more`] : [])].join('\n');
}
